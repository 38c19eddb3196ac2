/** Runs the command line in this process for tests, with its own home, folder and environment. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runWords } from '../application.ts'
import { type ExitCode, exitCodes } from '../terminal/exit-codes.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { lineOf } from '../terminal/text.ts'

export interface Ended {
  readonly code: number
  readonly out: string
  /** Standard error. */
  readonly said: string
}

export interface Person {
  /** Current directory of commands, unless they name a folder below it. */
  readonly home: string
  /** @param folder relative to `home` */
  ulmus(folder: string, ...args: string[]): Promise<Ended>
  /** Like `ulmus`, for a command that waits: its output so far, and its end. */
  start(folder: string, ...args: string[]): { said(): string; readonly ended: Promise<Ended> }
  dispose(): void
}

/** A user with a machine of their own. @param key absent: the user is not signed in. @param more variables of the environment */
export function openPerson(host: string, key?: string, more: NodeJS.ProcessEnv = {}): Person {
  const home = mkdtempSync(join(tmpdir(), 'ulmus-cli-'))
  const env: NodeJS.ProcessEnv = {
    HOME: home,
    XDG_CONFIG_HOME: join(home, '.config'),
    XDG_CACHE_HOME: join(home, '.cache'),
    ULMUS_HOST: host,
    ...(key === undefined ? {} : { ULMUS_TOKEN: key }),
    ...more,
  }
  const start = (folder: string, args: string[]) => {
    const cwd = join(home, folder)
    mkdirSync(cwd, { recursive: true })
    const { terminal, ended } = recordingTerminal(cwd, env)
    const streams = {
      stdout: { write: terminal.write },
      stderr: { write: (text: string) => terminal.say(...text.trimEnd().split('\n')) },
    }
    const process = { ...streams, env: {}, exitCode: undefined as number | undefined }
    const whole = runWords(args, { process, terminal } as never).then((): Ended => {
      const own = Number(process.exitCode ?? exitCodes.done)
      return { ...ended(), code: terminal.exitCode ?? (own < 0 || own > 127 ? exitCodes.usage : own) }
    })
    return { said: () => ended().said, ended: whole }
  }
  return {
    home,
    ulmus: (folder, ...args) => start(folder, args).ended,
    start: (folder, ...args) => start(folder, args),
    dispose: () => rmSync(home, { recursive: true, force: true }),
  }
}

function recordingTerminal(cwd: string, env: NodeJS.ProcessEnv) {
  const out: Buffer[] = []
  let said = ''
  let failed: ExitCode | undefined
  const terminal: Terminal = {
    env,
    cwd,
    signal: new AbortController().signal,
    canAsk: false,
    canRedraw: false,
    columns: undefined,
    write(text) {
      out.push(Buffer.from(text))
      return Promise.resolve()
    },
    line: (text) => terminal.write(`${lineOf(text, false)}\n`),
    page: () => Promise.resolve(),
    endPage: () => Promise.resolve(),
    say(...lines) {
      for (const line of lines) said += `${lineOf(line, false)}\n`
    },
    redraw: () => undefined,
    fail(code) {
      failed ??= code
    },
    get exitCode() {
      return failed
    },
    close: () => undefined,
  }
  return { terminal, ended: () => ({ out: Buffer.concat(out).toString(), said }) }
}
