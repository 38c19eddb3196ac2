/** Ends a process whose embedded database cannot continue. Acknowledged data is on disk, so the next start replays the log. */
import { writeSync } from 'node:fs'

/** Prints the reason and aborts the process from any thread: `process.abort` works on the main thread only. */
export function endProcess(sentence: string, error: unknown): never {
  writeSync(2, `${sentence}, so the server stops: ${String(error)}\n`)
  process.kill(process.pid, 'SIGABRT')
  // Another thread may handle the signal, so wait.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

/** Ends the process for a reason that the operator can fix: prints a sentence and exits with code 1. Main thread only. */
export function exitProcess(sentence: string): never {
  writeSync(2, `${sentence}\n`)
  process.exit(1)
}
