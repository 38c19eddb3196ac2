/** Context of a command call, and the flags of all commands. */
import type { CommandContext } from '@stricli/core'
import { type Connection, connect, type Wanted } from './session/connect.ts'
import { jsonText } from './terminal/harmless.ts'
import type { Terminal } from './terminal/terminal.ts'
import type { Text } from './terminal/text.ts'

/** Flags of every command. */
export interface CommonFlags {
  readonly json: boolean
  readonly quiet: boolean
  readonly host?: string
}

export interface Context extends CommandContext {
  readonly terminal: Terminal
}

/** A command: its flags, then its arguments. Errors that it throws are reported with an exit code. */
export type Command<Flags, Args extends readonly unknown[] = []> = (
  call: Call,
  flags: Flags & CommonFlags,
  ...args: Args
) => Promise<void>

/** One call of a command: its output and its registry connection. */
export interface Call {
  readonly terminal: Terminal
  readonly signal: AbortSignal
  /** A value on standard output, as indented JSON and a line end. Controls in it are escaped. */
  json(value: unknown): Promise<void>
  /** A line on standard output. */
  line(text: Text): Promise<void>
  /** A line on standard error, dropped with `--quiet`. */
  say(text: Text): void
  /** A line on standard error, also with `--quiet`. */
  warn(text: Text): void
  /** The registry last connected to without a key. */
  readonly anonymousAt: string | undefined
  /** The registry that `wanted`, the flags, the environment or the last login name. */
  connect(wanted?: Wanted): Promise<Connection>
}

export function callOf(terminal: Terminal, flags: CommonFlags): Call {
  let anonymousAt: string | undefined
  return {
    terminal,
    signal: terminal.signal,
    line: (text) => terminal.line(text),
    json: (value) => terminal.write(`${jsonText(value, 2)}\n`),
    say: (text) => {
      if (!flags.quiet) terminal.say(text)
    },
    warn: (text) => terminal.say(text),
    get anonymousAt() {
      return anonymousAt
    },
    connect: async (wanted = {}) => {
      const connection = await connect(terminal, { ...wanted, flag: flags.host })
      anonymousAt = connection.key === undefined ? connection.host : undefined
      return connection
    },
  }
}
