/** What a command is called with, and the flags that all of them have. */
import type { CommandContext } from '@stricli/core'
import { type Connection, connect, type Wanted } from './session/connect.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Flags of every command. */
export interface CommonFlags {
  readonly json: boolean
  readonly quiet: boolean
  readonly host?: string
}

export interface Context extends CommandContext {
  readonly terminal: Terminal
}

/** A command's function: `flags` as they were given, then its arguments. What it throws is reported, with an exit code. */
export type Command<Flags, Args extends readonly unknown[] = []> = (
  call: Call,
  flags: Flags & CommonFlags,
  ...args: Args
) => Promise<void>

/** One call of a command: where its words go, and whom it asks. */
export interface Call {
  readonly terminal: Terminal
  readonly signal: AbortSignal
  /** A value on standard output, as indented JSON and a line end. */
  json(value: unknown): Promise<void>
  /** A line on standard output. */
  line(text: string): Promise<void>
  /** A line for the person, on standard error; nothing with `--quiet`. */
  say(text: string): void
  /** A line that is said with `--quiet` too. */
  warn(text: string): void
  /** The registry that `wanted`, the flags, the environment or the last login name. */
  connect(wanted?: Wanted): Promise<Connection>
}

export function callOf(terminal: Terminal, flags: CommonFlags): Call {
  const line = (text: string) => terminal.write(`${text}\n`)
  return {
    terminal,
    signal: terminal.signal,
    line,
    json: (value) => line(JSON.stringify(value, null, 2)),
    say: (text) => {
      if (!flags.quiet) terminal.say(text)
    },
    warn: (text) => terminal.say(text),
    connect: (wanted = {}) => connect(terminal, { ...wanted, flag: flags.host }),
  }
}
