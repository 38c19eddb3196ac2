/**
 * Where a command's words go. Data goes to standard output, all else to standard error. Without a terminal there is no colour, no
 * prompt and no moving line; `NO_COLOR` and `FORCE_COLOR` decide over colour.
 */
import { styleText } from 'node:util'
import type { ExitCode } from './exit-codes.ts'
import { interrupted } from './failure.ts'

type Style = Parameters<typeof styleText>[0]

export interface Terminal {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** Aborts at the first SIGINT or SIGTERM; the second one ends the process at once. */
  readonly signal: AbortSignal
  /** Whether a person can be asked: both standard input and standard error are terminals. */
  readonly canAsk: boolean
  /** Whether a line on standard error may be drawn over. */
  readonly canRedraw: boolean
  /** Columns of standard output's terminal; undefined when it is none. */
  readonly columns: number | undefined
  /** Text on standard output, as it is. Resolves when more may follow: memory stays bounded beside a slow reader. */
  write(text: string | Uint8Array): Promise<void>
  /** A line for the person, on standard error. */
  say(line: string): void
  /** Redraws one line on standard error; an empty text removes it. Does nothing where nothing can be redrawn. */
  redraw(line: string): void
  /** `text` in a style of standard output, or of standard error. */
  paint(style: Style, text: string, stream?: 'stdout' | 'stderr'): string
  /** What the process is to end with. The first failure decides. */
  fail(code: ExitCode): void
  /** Undefined: nothing failed. */
  readonly exitCode: ExitCode | undefined
  close(): void
}

/** A reader such as `head` that has seen enough is no failure of the writer. */
class ReaderGone extends Error {}

export function openTerminal(process: NodeJS.Process): Terminal {
  const { stdin, stdout, stderr, env } = process
  const stop = new AbortController()
  const onSignal = (signal: NodeJS.Signals) => {
    if (stop.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143)
    stop.abort(interrupted())
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  // `ulmus get … | head` ends quietly, as other programs do.
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit(0)
  })
  const isDumb = env['TERM'] === 'dumb'
  const canRedraw = stderr.isTTY === true && !isDumb
  let drawn = false
  let exitCode: ExitCode | undefined

  const redraw = (line: string) => {
    if (!canRedraw || (line === '' && !drawn)) return
    const width = (stderr.columns ?? 80) - 1
    stderr.write(`\r\u001b[2K${line.length > width ? `${line.slice(0, width - 1)}…` : line}`)
    drawn = line !== ''
  }

  return {
    env,
    cwd: process.cwd(),
    signal: stop.signal,
    canAsk: stdin.isTTY === true && stderr.isTTY === true && !isDumb && env['CI'] === undefined,
    canRedraw,
    columns: stdout.isTTY === true ? stdout.columns : undefined,
    async write(text) {
      if (stdout.destroyed) throw new ReaderGone('Standard output is closed.')
      if (stdout.write(text)) return
      await new Promise<void>((resolve) => stdout.once('drain', resolve))
    },
    say(line) {
      redraw('')
      stderr.write(`${line}\n`)
    },
    redraw,
    paint: (style, text, stream = 'stdout') =>
      hasColour(stream === 'stdout' ? stdout : stderr, env)
        ? styleText(style, text, { validateStream: false })
        : text,
    fail(code) {
      exitCode ??= code
    },
    get exitCode() {
      return exitCode
    },
    close() {
      redraw('')
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
    },
  }
}

/** https://no-color.org, https://force-color.org. */
function hasColour(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): boolean {
  if (env['NO_COLOR']) return false
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return stream.isTTY === true && env['TERM'] !== 'dumb'
}
