/** Program for tests: answers a task, or ends before or after it. */
process.on('message', ({ say, endLate, end }: { say?: string; endLate?: boolean; end?: string }) => {
  if (end === 'costly') process.kill(process.pid, 'SIGABRT')
  else if (end === 'killed') process.kill(process.pid, 'SIGKILL')
  // The channel is flushed before the process ends, so that the next task is already on its way.
  else process.send!(say, () => endLate && setTimeout(() => process.kill(process.pid, 'SIGABRT'), 50))
})
