/** The side of the child process: answers the parent's requests, and ends with the parent. */
import { Worker } from 'node:worker_threads'
import type { ProcessAnswer } from './reading-process.ts'

/** `argv` has the path of the file and the parent's process id. */
const [, , path = '', parent] = process.argv

/** The file that the parent chose. */
export const chosenPath = path

/**
 * Ends the process from a separate thread if the parent was killed: reading may block the main thread forever, so that it does not
 * handle `disconnect`. Windows keeps the process id of a dead parent.
 */
function endWithParent(): void {
  const watch = new Worker(
    `const { workerData: parent } = require('node:worker_threads')
  const isGone = () => {
    if (process.ppid !== parent) return true
    try {
      process.kill(parent, 0)
      return false
    } catch (error) {
      return error.code === 'ESRCH'
    }
  }
  setInterval(() => {
    if (isGone()) process.kill(process.pid, 'SIGKILL')
  }, 500)`,
    { eval: true, workerData: Number(parent) },
  )
  // Only the channel to the parent keeps the process alive.
  watch.unref()
  process.on('disconnect', () => process.exit())
}

/** @param answer its errors' messages are for the person who chose the file */
export function answerParent<Request>(answer: (request: Request) => Promise<unknown>): void {
  endWithParent()
  process.on('message', (request) => {
    answer(request as Request).then(
      (result) => process.send!({ result } satisfies ProcessAnswer),
      (error: Error) => process.send!({ error: error.message } satisfies ProcessAnswer),
    )
  })
}
