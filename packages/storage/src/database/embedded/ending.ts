/** Termination of a process that cannot continue. */
import { writeSync } from 'node:fs'

/** Says why, and aborts the process, from whatever thread: `process.abort` is the main thread's alone. */
export function endProcess(sentence: string, error: unknown): never {
  writeSync(2, `${sentence}, so the server stops: ${String(error)}\n`)
  process.kill(process.pid, 'SIGABRT')
  // The signal may be another thread's to take.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
}

/** The same where the reason is the operator's to put right, from the main thread: a sentence and exit code 1. */
export function exitProcess(sentence: string): never {
  writeSync(2, `${sentence}\n`)
  process.exit(1)
}
