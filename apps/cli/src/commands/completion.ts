import { command, noun } from '../command.ts'
import { usageError } from '../terminal/failure.ts'

/** Shell scripts that call `ulmus __complete`, which proposes words: one per line, with a description after a tab. */
const scripts = {
  bash: `_ulmus() {
  local IFS=$'\\n'
  COMPREPLY=($(ulmus __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
}
complete -o default -F _ulmus ulmus
`,
  zsh: `#compdef ulmus
_ulmus() {
  local -a found
  local word what
  while IFS=$'\\t' read -r word what; do found+=("\${word//:/\\\\:}:$what"); done \\
    < <(ulmus __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  _describe ulmus found || _files
}
compdef _ulmus ulmus
`,
  fish: `complete -c ulmus -f -a '(ulmus __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
} as const

/** `ulmus completion bash|zsh|fish` */
const completion = command<Record<never, never>, [shell: keyof typeof scripts]>({
  brief: 'Print a completion script for a shell',
  page: 'Print completions, also for `zsh` and `fish`, with the names of your collections: `eval "$(ulmus completion bash)"`',
  positional: {
    kind: 'tuple',
    parameters: [
      {
        brief: 'bash, zsh or fish',
        placeholder: 'shell',
        parse: (shell: string) => {
          if (shell === 'bash' || shell === 'zsh' || shell === 'fish') return shell
          throw usageError(`No completions for ${shell}. Use bash, zsh or fish.`)
        },
      },
    ],
  },
  run: async (call, _flags, shell) => {
    await call.terminal.write(scripts[shell])
    const how = {
      bash: 'eval "$(ulmus completion bash)"',
      zsh: 'eval "$(ulmus completion zsh)"',
      fish: 'ulmus completion fish | source',
    }
    if (call.terminal.columns !== undefined)
      call.say(`Add this to the configuration of your shell: ${how[shell]}`)
  },
})

export default noun({
  section: 'Accounts, organizations, keys',
  words: {
    completion: {
      command: completion,
      group: 'Manage',
      place: 160,
      line: ['completion', 'print completions for bash, zsh or fish'],
    },
  },
})
