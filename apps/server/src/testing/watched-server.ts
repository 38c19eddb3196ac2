/**
 * A server in a process of its own whose event loop is watched: how much CPU time it spent, at most, in one turn while a request was
 * answered. CPU time, so that a machine on which others work too does not count; the least of some tries, so that a collection of the
 * heap or a compilation does not.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export type Order = 'watch' | 'report' | 'end'
export type Report =
  | { kind: 'ready'; url: string }
  | { kind: 'watching' }
  | { kind: 'held'; milliseconds: number }

export interface WatchedServer {
  readonly url: string
  /** The longest turn of the event loop during `work`. Milliseconds of CPU time. */
  held(work: () => Promise<unknown>): Promise<number>
  end(): Promise<void>
}

const fixture = fileURLToPath(new URL('watched-server.fixture.ts', import.meta.url))

/** @param env as the server's own environment; `DATA_DIR` at least. */
export async function startWatched(env: Record<string, string>): Promise<WatchedServer> {
  const child = fork(fixture, [], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = once(child, 'exit')
  const unforeseen = ended.then(([code]) => {
    throw new Error(`The watched server ended with ${code}.`)
  })
  unforeseen.catch(() => undefined)
  const next = async <Kind extends Report['kind']>(kind: Kind) => {
    const message = await Promise.race([nextOf(child), unforeseen])
    if (message.kind !== kind)
      throw new Error(`The watched server reported ${message.kind} instead of ${kind}.`)
    return message as Extract<Report, { kind: Kind }>
  }
  const { url } = await next('ready')
  const order = <Kind extends Report['kind']>(what: Order, kind: Kind) => {
    const report = next(kind)
    child.send(what)
    return report
  }
  return {
    url,
    async held(work) {
      await order('watch', 'watching')
      await work()
      return (await order('report', 'held')).milliseconds
    },
    async end() {
      child.send('end' satisfies Order)
      await ended
    },
  }
}

const nextOf = (child: ChildProcess) =>
  new Promise<Report>((resolve) => child.once('message', (message) => resolve(message as Report)))
