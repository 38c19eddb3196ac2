/**
 * Standard output and standard error: data goes to the first, everything else to the second. All output to a terminal is escaped here, so
 * that no command can forget it. Without a terminal there are no colours, prompts or progress lines. `NO_COLOR` and `FORCE_COLOR` override
 * the colours.
 */
import { interrupted } from './command-error.ts'
import type { ExitCode } from './exit-codes.ts'
import { harmlessLines } from './harmless.ts'
import { openPager, type Pager } from './pager.ts'
import { lineOf, type Text } from './text.ts'

export interface Terminal {
  readonly env: NodeJS.ProcessEnv
  readonly cwd: string
  /** Aborts at the first SIGINT or SIGTERM; a second one ends the process at once. */
  readonly signal: AbortSignal
  /** True if the user can be asked: standard input and standard error are terminals. */
  readonly canAsk: boolean
  /** True if a line on standard error can be redrawn. */
  readonly canRedraw: boolean
  /** Width of the terminal of standard output in columns; undefined if it is not a terminal. */
  readonly columns: number | undefined
  /**
   * Writes data to standard output unchanged; to a terminal, escaped. Resolves when more may follow, so that a slow reader does not fill
   * the memory.
   */
  write(data: string | Uint8Array): Promise<void>
  /** Writes a line to standard output. */
  line(text: Text): Promise<void>
  /** Sends further standard output through the user's pager, if it is a terminal. */
  page(): Promise<void>
  /** Resolves when the user has quit the pager. */
  endPage(): Promise<void>
  /** Writes lines for the user to standard error. */
  say(...lines: Text[]): void
  /** Redraws one line on standard error; an empty text removes it. Does nothing if lines cannot be redrawn. */
  redraw(line: string): void
  /** Sets the exit code of the process. The first failure determines it. */
  fail(code: ExitCode): void
  /** Undefined: no failure. */
  readonly exitCode: ExitCode | undefined
  close(): void
}

/** The part of a command call that output needs. */
export interface WithTerminal {
  readonly terminal: Terminal
}

/** The reader of the output, such as `head`, ended. Not a failure of the command. */
class ReaderGoneError extends Error {}

/** Handles signals until `close`. */
export function openTerminal(process: NodeJS.Process): Terminal {
  const { stdin, stdout, stderr, env } = process
  const stop = new AbortController()
  let pager: Pager | undefined
  const onSignal = (signal: NodeJS.Signals) => {
    // The pager handles Ctrl-C itself.
    if (pager !== undefined && signal === 'SIGINT') return
    if (stop.signal.aborted) process.exit(signal === 'SIGINT' ? 130 : 143)
    stop.abort(interrupted())
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  // End quietly in `ulmus get … | head`, as other programs do.
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
    const width = (stderr.columns || 80) - 1
    const shown = lineOf(line, false)
    stderr.write(`\r\u001b[2K${shown.length > width ? `${shown.slice(0, width - 1)}…` : shown}`)
    drawn = line !== ''
  }

  const decoder = new TextDecoder()
  /** Bytes sent to a terminal are decoded as text. */
  const shown = (data: string | Uint8Array): string =>
    harmlessLines(typeof data === 'string' ? data : decoder.decode(data, { stream: true }))
  const send = async (data: string | Uint8Array) => {
    const out = pager?.input ?? stdout
    if (out.destroyed) throw new ReaderGoneError('Standard output is closed.')
    if (out.write(data)) return
    await new Promise<void>((resolve) => out.once('drain', resolve))
  }

  return {
    env,
    cwd: process.cwd(),
    signal: stop.signal,
    canAsk: stdin.isTTY === true && stderr.isTTY === true && !isDumb && env['CI'] === undefined,
    canRedraw,
    // Some terminals, such as those of containers, say that they have no columns.
    columns: stdout.isTTY === true ? stdout.columns || 80 : undefined,
    write: (data) => send(stdout.isTTY === true ? shown(data) : data),
    line: (text) => send(`${lineOf(text, hasColour(stdout, env))}\n`),
    async page() {
      if (stdout.isTTY === true && !isDumb) pager ??= await openPager(env, () => process.exit(0))
    },
    async endPage() {
      await pager?.end()
      pager = undefined
    },
    say(...lines) {
      redraw('')
      for (const line of lines) stderr.write(`${lineOf(line, hasColour(stderr, env))}\n`)
    },
    redraw,
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
