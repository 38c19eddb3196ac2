/** Long output page by page, as Git shows it. */
import { spawn } from 'node:child_process'
import type { Writable } from 'node:stream'

export interface Pager {
  readonly input: Writable
  /** Resolves when the person has left it. */
  end(): Promise<void>
}

/** The words of the command: `ULMUS_PAGER`, else `PAGER`, else `less`. Empty, `cat` and `NO_PAGER` mean none. */
export function pagerOf(env: NodeJS.ProcessEnv): string[] {
  const command = (env['ULMUS_PAGER'] ?? env['PAGER'] ?? 'less').trim()
  return env['NO_PAGER'] || command === '' || command === 'cat' ? [] : command.split(/\s+/)
}

/**
 * Undefined where there is no such program: output goes to the terminal then.
 * @param onLeft called when the person leaves it before the end
 */
export async function openPager(env: NodeJS.ProcessEnv, onLeft: () => void): Promise<Pager | undefined> {
  const [program, ...args] = pagerOf(env)
  if (program === undefined) return undefined
  // As Git has it: colours, no page for what fits on the screen, and what was shown stays there.
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
