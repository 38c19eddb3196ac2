/**
 * Server in a process of its own, with a watched event loop: the longest turn during a request, in CPU time, so that other load on the
 * machine does not count. The minimum of several tries, so that garbage collection and compilation do not count.
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
  readonly pid: number
  /** The longest turn of the event loop during `work`. Milliseconds of CPU time. */
  held(work: () => Promise<unknown>): Promise<number>
  end(): Promise<void>
}

const fixture = fileURLToPath(new URL('watched-server.fixture.ts', import.meta.url))

/** @param env environment of the server; at least `DATA_DIR` */
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
    pid: child.pid!,
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
