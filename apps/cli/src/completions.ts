/** What may follow some words of a command line, for the shells' completions. */
import { type CommandContext, proposeCompletions, type RouteMap } from '@stricli/core'
import { application } from './application.ts'
import type { Terminal } from './terminal/terminal.ts'

/** A line each: a word, a tab, what it means. @param words after `ulmus`; the last one is being written */
export async function writeCompletions(words: readonly string[], terminal: Terminal): Promise<void> {
  const found = await proposeCompletions(application, words, { process, terminal } as never)
  for (const { completion, brief } of [...namesBesideDefault(words), ...found])
    await terminal.write(`${completion}\t${brief}\n`)
}

/** Of a group that is a command by itself, such as `invitations`, the library proposes that command's flags alone. */
function namesBesideDefault(words: readonly string[]): { completion: string; brief: string }[] {
  const partial = words.at(-1) ?? ''
  let group = application.root as RouteMap<CommandContext>
  for (const word of words.slice(0, -1)) {
    const target = group.getRoutingTargetForInput(word)
    if (target === undefined || !('getAllEntries' in target)) return []
    group = target
  }
  if (group.getDefaultCommand() === undefined) return []
  return group
    .getAllEntries()
    .map(({ name, target }) => ({ completion: name.original, brief: target.brief }))
    .filter(({ completion }) => completion.startsWith(partial))
}
