/** Relation of a child process to its server. */
import { writeFileSync } from 'node:fs'

/** Makes this process the first that the kernel ends when memory is short, instead of the server. Linux only. */
export function becomeExpendable(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Another system.
  }
}

/** Ends this process if its server is killed. `process.exit` would wait for native code that is running, such as an endless statement. */
export function endWithServer(): void {
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
}
