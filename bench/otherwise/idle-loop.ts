/** An idle process, as a baseline: its event loop is late only because of the machine. It reports over IPC and exits. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { tied } from '../children.ts'

export interface IdleLoop {
  /** Maximum time between two ticks, which are due every 10 ms, measured like the server's `/metrics`. Milliseconds. Ends the process. */
  lateMs(): Promise<number>
}

const path = fileURLToPath(import.meta.url)

export async function startIdleLoop(): Promise<IdleLoop> {
  const child = tied(fork(path))
  await once(child, 'message')
  return {
    async lateMs() {
      child.send('tell')
      const [ms] = await once(child, 'message')
      return ms
    },
  }
}

if (process.argv[1] === path) {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  process.send!('ready')
  process.once('message', () => {
    process.send!(delay.max / 1e6)
    process.disconnect()
  })
}
