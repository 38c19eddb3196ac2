/** A process that does nothing: how late its event loop is shows what the machine does to any. Asked over IPC, it answers and ends. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { fileURLToPath } from 'node:url'
import { tied } from '../children.ts'

export interface IdleLoop {
  /** Milliseconds between two ticks at most, as the server's `/metrics` tell it of its own: they are due every 10. Ends the process. */
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
