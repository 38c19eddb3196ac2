/** Pager for long output, as in Git. */
import { spawn } from 'node:child_process'
import type { Writable } from 'node:stream'

export interface Pager {
  readonly input: Writable
  /** Resolves when the user has quit the pager. */
  end(): Promise<void>
}

/** Words of the pager's command: `ULMUS_PAGER`, else `PAGER`, else `less`. Empty, `cat` and `NO_PAGER` disable it. */
export function pagerOf(env: NodeJS.ProcessEnv): string[] {
  const command = (env['ULMUS_PAGER'] ?? env['PAGER'] ?? 'less').trim()
  return env['NO_PAGER'] || command === '' || command === 'cat' ? [] : command.split(/\s+/)
}

/**
 * Starts the pager. Returns undefined if the program does not exist; output then goes to the terminal.
 * @param onLeft called when the user quits before the end
 */
export async function openPager(env: NodeJS.ProcessEnv, onLeft: () => void): Promise<Pager | undefined> {
  const [program, ...args] = pagerOf(env)
  if (program === undefined) return undefined
  // Git's options: colours, no pager for output that fits on the screen, and output stays on the screen.
  const child = spawn(program, args, {
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { LESS: 'FRX', LV: '-c', ...env },
  })
  const isThere = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true))
    child.once('error', () => resolve(false))
  })
  if (!isThere) return undefined
  const input = child.stdin
  const left = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  input.on('error', onLeft)
  return {
    input,
    async end() {
      input.end()
      await left
    },
  }
}
