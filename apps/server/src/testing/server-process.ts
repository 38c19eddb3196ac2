/** Server in a process of its own, for tests that kill it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const root = join(import.meta.dirname, '../../../..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: { start: string }
}
const [, variables, options, script] = /^exec env ((?:\w+=\w+ )+)node (.*) (\S+)$/.exec(scripts.start)!

/** Environment in which `npm start` starts the server. */
export const startEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  variables!
    .trimEnd()
    .split(' ')
    .map((variable) => variable.split('=')),
)
/** Arguments of Node with which `npm start` starts the server: options, then the script. */
export const startArguments: readonly string[] = [...options!.split(' '), join(root, script!)]

export interface ServerProcess {
  readonly url: string
  readonly pid: number
  /** Everything that it has written to stdout and stderr. */
  readonly output: { readonly out: string; readonly err: string }
  /** Resolves to the exit code when the process ends, or to null if a signal ended it. */
  readonly ended: Promise<number | null>
  /** Sends a signal and waits for the exit. Returns the exit code, or null if the signal ended the process. */
  end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null>
}

export interface Ended {
  readonly code: number | null
  readonly err: string
}

/** A busy machine may take longer than the probe allows. Milliseconds. */
const readyMillisecondsMax = 120_000

async function becomeReady(url: string): Promise<void> {
  const until = performance.now() + readyMillisecondsMax
  for (;;) {
    const ready = await fetch(`${url}/readyz`)
    const text = await ready.text()
    if (ready.status === 200) return
    if (performance.now() > until) throw new Error(`not ready: ${text}`)
    await sleep(500)
  }
}

/** @param options.descriptors limit of open files. @throws Ended if the process ends before it is ready */
export async function startProcess(
  env: Record<string, string>,
  options: { descriptors?: number } = {},
): Promise<ServerProcess> {
  const limit = options.descriptors === undefined ? '' : `ulimit -n ${options.descriptors}; `
  const child = spawn('/bin/sh', ['-c', `${limit}exec "$0" "$@"`, process.execPath, ...startArguments], {
    env: {
      ...startEnvironment,
      ...{ PATH: process.env['PATH'], PORT: '0', RATE_LIMIT: 'off', LOG_REQUESTS: 'off' },
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { out: '', err: '' }
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.err += text
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.out += text
      const found = /"url":"([^"]+)"/.exec(output.out)?.[1]
      if (found !== undefined) resolve(found)
    })
    void ended.then((code) => reject({ code, err: output.err } satisfies Ended))
  })
  await becomeReady(url).catch((error: unknown) => {
    child.kill('SIGKILL')
    throw error
  })
  return {
    url,
    pid: child.pid!,
    output,
    ended,
    async end(signal) {
      child.kill(signal)
      return ended
    },
  }
}
