/**
 * Process that renders readmes, one at a time. It is separate from the server, because V8 ends the whole process when the heap is full. It
 * enforces the time limits itself, so that a rendering also ends soon after the server was killed. A readme that exceeds a limit ends the
 * process and frees its memory.
 */
import { Script } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { renderReadme } from './render.ts'

/** A rendering with more CPU time is too costly, even on an idle machine. Milliseconds. */
const cpuMillisecondsMax = 500
/** A rendering that takes longer, with less CPU time, means that the machine is too busy; it may be retried. Milliseconds. */
const millisecondsMax = 10_000
/** EX_TEMPFAIL of sysexits.h. */
const busyExitCode = 75
/** Maximum length of the HTML: short Markdown may become HTML that is too long for a page. Characters. */
const htmlCharactersMax = 200_000

/** Watches the CPU time of the process from its own thread, because a rendering never yields. A full heap also ends with `SIGABRT`. */
const watch = new Worker(
  `const { parentPort, workerData: microsecondsMax } = require('node:worker_threads')
  let timer
  parentPort.on('message', (isRendering) => {
    clearInterval(timer)
    if (!isRendering) return
    const before = process.cpuUsage()
    timer = setInterval(() => {
      const { user, system } = process.cpuUsage(before)
      if (user + system > microsecondsMax) process.kill(process.pid, 'SIGABRT')
    }, 25)
  })`,
  { eval: true, workerData: cpuMillisecondsMax * 1_000 },
)
// Only the channel to the server keeps the process alive.
watch.unref()

/** Rendered as a warm-up, so that compilation does not count towards the limits of the first readme. */
const sample =
  '# A\n\n- *b* **c** [d](https://e.example)\n\n| f | g |\n|---|---|\n| 1 | `2` |\n\n```js\nconst h = 1\n```\n\n'
for (let round = 0; round < 10; round++) renderReadme({ markdown: sample.repeat(10), readmeImages: false })

/** Only the time limit of a script interrupts code that does not yield, such as regular expressions. */
const script = new Script('renderReadme()')

process.on('message', ({ markdown, readmeImages }: { markdown: string; readmeImages: boolean }) => {
  Object.assign(globalThis, { renderReadme: () => renderReadme({ markdown, readmeImages }) })
  watch.postMessage(true)
  try {
    const html: string = script.runInThisContext({ timeout: millisecondsMax })
    process.send!(html.length > htmlCharactersMax ? null : html)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') process.exit(busyExitCode)
    throw error
  }
  watch.postMessage(false)
})
