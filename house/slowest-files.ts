/** Reporter for Vitest that lists the twenty slowest test files. */
import type { Reporter, TestModule } from 'vitest/node'

const shownMax = 20

export default class SlowestFiles implements Reporter {
  onTestRunEnd(files: readonly TestModule[]): void {
    const slowest = files
      .map((file) => ({ name: file.relativeModuleId, seconds: secondsOf(file) }))
      .sort((a, b) => b.seconds - a.seconds)
      .slice(0, shownMax)
    const lines = slowest.map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`)
    process.stdout.write(`\nThe slowest test files:\n${lines.join('\n')}\n`)
  }
}

/** Time of a file with its hooks and imports. */
function secondsOf(file: TestModule): number {
  const { collectDuration, duration, environmentSetupDuration, prepareDuration, setupDuration } =
    file.diagnostic()
  return (collectDuration + duration + environmentSetupDuration + prepareDuration + setupDuration) / 1_000
}
