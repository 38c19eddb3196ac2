/** Interface between the commands and the program: flags, output, registry connection. Tests replace the terminal. */
import type { CommandContext } from '@stricli/core'
import { type Connection, connect, type Wanted } from './session/connect.ts'
import { jsonText } from './terminal/harmless.ts'
import type { Terminal } from './terminal/terminal.ts'
import type { Text } from './terminal/text.ts'

/** Values of the flags of every command. `commonFlags` in command.ts declares them: change both together. */
export interface CommonFlags {
  readonly json: boolean
  readonly quiet: boolean
  readonly host?: string
}

/** Flag of the commands that a job of a trusted publisher may run, declared in parameters.ts. */
export type TrustedFlag = {
  readonly trusted: boolean
}

/** Context that the command-line library passes to a command. */
export interface Context extends CommandContext {
  readonly terminal: Terminal
}

/** A command: a function of its flags and arguments. The caller reports its errors and sets the exit code. */
export type Command<Flags, Args extends readonly unknown[] = []> = (
  call: Call,
  flags: Flags & CommonFlags,
  ...args: Args
) => Promise<void>

/** One call of a command: its output and its registry connection. */
export interface Call {
  readonly terminal: Terminal
  readonly signal: AbortSignal
  /** Writes a value to standard output as indented JSON with a final newline. Escapes control characters. */
  json(value: unknown): Promise<void>
  /** Writes a line to standard output. */
  line(text: Text): Promise<void>
  /** Writes a line to standard error, unless `--quiet` is set. */
  say(text: Text): void
  /** Writes a line to standard error, even if `--quiet` is set. */
  warn(text: Text): void
  /** Address of the registry that the last connection without a key went to. */
  readonly anonymousAt: string | undefined
  /** Connects to the registry of `wanted`, the flags, the environment or the last login. */
  connect(wanted?: Wanted): Promise<Connection>
}

/** Creates the call of a command. With `--quiet`, its `say` prints nothing. */
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
      const found = await connect(terminal, { ...wanted, flag: flags.host })
      const { jobOf } = wanted
      const connection =
        jobOf === undefined
          ? found
          : await (await import('./session/connect-job.ts')).connectAsJob(terminal, found, flags.host, jobOf)
      anonymousAt = connection.key === undefined ? connection.host : undefined
      return connection
    },
  }
}
