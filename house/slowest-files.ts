/** A reporter for Vitest: names the twenty slowest test files, and tests that passed only when they were tried again: both are defects. */
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
    const flaky = files.flatMap((file) =>
      [...file.children.allTests()].filter((test) => test.diagnostic()?.flaky),
    )
    for (const { fullName, module } of flaky)
      process.stdout.write(`Passed only when tried again: ${module.relativeModuleId}: ${fullName}\n`)
  }
}

/** With its hooks and imports. */
function secondsOf(file: TestModule): number {
  const { collectDuration, duration, environmentSetupDuration, prepareDuration, setupDuration } =
    file.diagnostic()
  return (collectDuration + duration + environmentSetupDuration + prepareDuration + setupDuration) / 1_000
}
