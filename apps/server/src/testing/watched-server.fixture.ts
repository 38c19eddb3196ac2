/** Server process that reports the longest turn of its event loop to its parent, `watched-server.ts`. */
import { setImmediate } from 'node:timers'
import pino from 'pino'
import { readConfig } from '../config.ts'
import { startServer } from '../server.ts'
import { noDownloads } from './serve.ts'
import type { Order, Report } from './watched-server.ts'

const send = (report: Report) => process.send!(report)

/** CPU time of this thread; waiting for a core does not count. Milliseconds. */
const cpuMilliseconds = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

let isWatching = false
let last = 0
let most = 0

/** Runs once per turn while the test watches, so that the loop does not sleep. */
function look(): void {
  const now = cpuMilliseconds()
  most = Math.max(most, now - last)
  last = now
  if (isWatching) setImmediate(look)
}

const server = await startServer(
  readConfig({ ...process.env, PORT: '0', RATE_LIMIT: 'off', LOG_LEVEL: 'error' }),
  { databaseUrl: undefined, oidcClientSecret: undefined },
  { log: pino({ level: 'error' }, pino.destination(2)), downloads: noDownloads() },
)
process.on('message', async (order: Order) => {
  if (order === 'watch') {
    isWatching = true
    last = cpuMilliseconds()
    most = 0
    setImmediate(look)
    send({ kind: 'watching' })
  } else if (order === 'report') {
    look()
    isWatching = false
    send({ kind: 'held', milliseconds: most })
  } else {
    await server.close()
    process.exit(0)
  }
})
// The test process has ended.
process.on('disconnect', () => process.exit(1))
send({ kind: 'ready', url: server.url })
