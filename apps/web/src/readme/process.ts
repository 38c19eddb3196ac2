/**
 * Process that renders readmes, one after the other. It is not the server's, since V8 ends the whole process when one allocation finds
 * no room in the heap. It keeps the time limits itself, so that a rendering ends soon also when the server was killed. A readme over a
 * limit ends the process, and frees what it had allocated.
 */
import { Script } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { renderReadme } from './render.ts'

/** A rendering that takes more CPU time is too costly, whatever else the machine does. Milliseconds. */
const cpuMillisecondsMax = 500
/** A rendering that takes longer with less CPU time finds the machine too busy, and may be tried again. Milliseconds. */
const millisecondsMax = 10_000
/** EX_TEMPFAIL of sysexits.h. */
const busyExitCode = 75
/** Short Markdown may be long HTML, which a page could not show. Characters. */
const htmlCharactersMax = 200_000

/** Watches the CPU time of the process from a thread of its own, as a rendering never pauses. `SIGABRT` is also the end of a full heap. */
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
// The channel to the server alone keeps the process alive.
watch.unref()

/** Rendered before the first readme, so that no readme's time pays for compiling the program. */
const sample =
  '# A\n\n- *b* **c** [d](https://e.example)\n\n| f | g |\n|---|---|\n| 1 | `2` |\n\n```js\nconst h = 1\n```\n\n'
for (let round = 0; round < 10; round++) renderReadme({ markdown: sample.repeat(10), readmeImages: false })

/** Only a script's time limit ends a task that does not pause, regular expressions among it. */
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
