/** Breaks servers and their stores under load, and checks whether acknowledged data is missing (docs/faults.md). */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Report } from './report.ts'
import { Run } from './run.ts'
import { readSettings, type Settings, type StageName } from './settings.ts'
import type { Stage } from './stage.ts'
import { openEmbeddedStage } from './stage-embedded.ts'
import { openFailoverStage } from './stage-failover.ts'
import { openServersStage } from './stage-servers.ts'

const openStage: Record<
  StageName,
  (folder: string, say: (line: string) => void) => Promise<Stage | undefined>
> = {
  embedded: openEmbeddedStage,
  servers: openServersStage,
  failover: openFailoverStage,
}

async function main(): Promise<void> {
  const settings = readSettings(process.env)
  const report = new Report((line) => console.log(line))
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-faults-'))
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o711)
  console.log(`FAULTS_SEED=${settings.seed} FAULTS_SECONDS=${settings.seconds}`)
  for (const name of settings.stages) await playOn(name, { folder, settings, report })
  console.log(report.lines().join('\n'))
  console.log(`FAULTS_SEED=${settings.seed}`)
  if (report.violations.length === 0) return rmSync(folder, { recursive: true, force: true })
  console.log(`The logs of the servers are kept in ${folder}`)
  process.exitCode = 1
}

async function playOn(
  name: StageName,
  { folder, settings, report }: { folder: string; settings: Settings; report: Report },
): Promise<void> {
  const place = join(folder, name)
  mkdirSync(place)
  const stage = await openStage[name](place, (line) => report.say(line))
  if (stage === undefined) {
    // CI must not skip a stage because a package is not installed.
    if (process.env['CI'] === 'true') report.violation(`the stage ${name} cannot be set up`)
    return
  }
  report.say(stage.name)
  const interrupted = () => void stage.close().finally(() => process.exit(130))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupted)
  try {
    await new Run(stage, settings, report).play(settings.seconds / settings.stages.length)
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupted)
    await stage.close()
  }
}

await main()
