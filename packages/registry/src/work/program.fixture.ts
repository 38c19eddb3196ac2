/** Program for tests: answers a task, or exits before or after the answer. */
process.on('message', ({ say, endLate, end }: { say?: string; endLate?: boolean; end?: string }) => {
  if (end === 'never') return
  if (end === 'costly') process.kill(process.pid, 'SIGABRT')
  else if (end === 'killed') process.kill(process.pid, 'SIGKILL')
  // Flush the channel before exiting, so that the next task is already on its way.
  else process.send!(say, () => endLate && setTimeout(() => process.kill(process.pid, 'SIGABRT'), 50))
})
