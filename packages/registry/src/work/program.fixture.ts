/** Program for tests: answers a task, or exits before or after the answer. */
interface Task {
  say?: string
  /** Milliseconds before the answer. */
  after?: number
  endLate?: boolean
  end?: string
}

process.on('message', async ({ say, after = 0, endLate, end }: Task) => {
  if (end === 'waits') return
  while (end === 'works');
  if (after > 0) await new Promise((resolve) => setTimeout(resolve, after))
  if (end === 'costly') process.kill(process.pid, 'SIGABRT')
  else if (end === 'killed') process.kill(process.pid, 'SIGKILL')
  // Flush the channel before exiting, so that the next task is already on its way.
  else process.send!(say, () => endLate && setTimeout(() => process.kill(process.pid, 'SIGABRT'), 50))
})
