/** Reporter for Vitest that lists the twenty slowest test files, and ends a run in which a file hangs. */
import type { Reporter, TestModule } from 'vitest/node'

const shownMax = 20
/** No file takes half of it. A test that never yields cannot be ended by its own time limit, and its run would never end. */
const minutesMax = 20

export default class SlowestFiles implements Reporter {
  readonly #began = new Map<string, number>()

  constructor() {
    setInterval(() => this.#endIfOneHangs(), 30_000).unref()
  }

  onTestModuleQueued(file: TestModule): void {
    this.#began.set(file.relativeModuleId, Date.now())
  }

  onTestModuleEnd(file: TestModule): void {
    this.#began.delete(file.relativeModuleId)
  }

  onTestRunEnd(files: readonly TestModule[]): void {
    const slowest = files
      .map((file) => ({ name: file.relativeModuleId, seconds: secondsOf(file) }))
      .sort((a, b) => b.seconds - a.seconds)
      .slice(0, shownMax)
    const lines = slowest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`)
    process.stdout.write(`\nThe slowest test files:\n${lines.join('\n')}\n`)
  }

  #endIfOneHangs(): void {
    const hanging = [...this.#began].filter(([, began]) => Date.now() - began > minutesMax * 60_000)
    if (hanging.length === 0) return
    const names = hanging.map(([name]) => name).join(', ')
    process.stdout.write(`\nAfter ${minutesMax} minutes this run ends without an end of: ${names}\n`)
    process.exit(1)
  }
}

/** Time of a file with its hooks and imports. */
function secondsOf(file: TestModule): number {
  const { collectDuration, duration, environmentSetupDuration, prepareDuration, setupDuration } =
    file.diagnostic()
  return (collectDuration + duration + environmentSetupDuration + prepareDuration + setupDuration) / 1_000
}
