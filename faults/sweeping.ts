/** Sweeps during faults, and the last sweep of a run, which must complete all erasures. */
import type { Random } from './random.ts'
import type { Report } from './report.ts'
import type { Stage } from './stage.ts'
import type { Worker } from './workload.ts'

/** Share of faults with a sweep, on stages where it needs no stopped servers. */
const shareBeside = 0.4
/** Longer runs count as stuck. Milliseconds. */
const sweepMillisecondsMax = 120_000

/** Sometimes runs a sweep during a fault: it may fail, but must not hang. Resolves when it has ended. */
export async function sweepBeside(stage: Stage, random: Random, report: Report): Promise<void> {
  if (stage.sweepsAlone || !random.chance(shareBeside)) return
  const { code } = await sweepWithin(stage, random, report)
  report.operation('sweep', code === 0 ? 'done' : 'open')
}

async function sweepWithin(stage: Stage, random: Random, report: Report) {
  const sweep = stage.sweep(random.pick(stage.servers))
  const stuck = setTimeout(() => {
    report.violation(`a sweep has not ended after ${sweepMillisecondsMax / 1_000} s`)
    sweep.kill()
  }, sweepMillisecondsMax)
  const ended = await sweep.ended
  clearTimeout(stuck)
  return ended
}

/** Call it without workers or faults: one sweep must complete all erasures, and the next must find nothing more. */
export async function finishErasures(
  stage: Stage,
  workers: readonly Worker[],
  report: Report,
): Promise<void> {
  const { servers } = stage
  const random = workers[0]!.random
  if (stage.sweepsAlone) await Promise.all(servers.map((server) => server.end('SIGTERM')))
  const erased: number[] = []
  for (const which of ['the last sweep', 'the sweep after it']) {
    const { code, said } = await sweepWithin(stage, random, report)
    const [, count] = /Erased: (\d+) withdrawn versions/.exec(said) ?? []
    if (code !== 0 || count === undefined) report.violation(`${which} ended with ${code}: ${said}`)
    erased.push(Number(count))
    report.operation('sweep', code === 0 ? 'done' : 'refused')
  }
  if (erased[1] !== 0)
    report.violation(
      `${erased[1]} versions were erased by a second sweep, which should have had nothing to do`,
    )
  if (stage.postgres !== undefined) await checkErased(stage.postgres, workers, report)
  if (stage.sweepsAlone) for (const server of servers) server.start()
}

/** Counts erased versions of the existing collections: all requested erasures, and at most those that may have been requested. */
async function checkErased(
  { count }: NonNullable<Stage['postgres']>,
  workers: readonly Worker[],
  report: Report,
): Promise<void> {
  const all = workers.flatMap(({ collections }) => collections.flatMap(({ versions }) => versions))
  const asked = all.filter(({ marks }) => marks.erasure === 'asked').length
  const maybe = all.filter(({ marks }) => marks.erasure === 'maybe').length
  const erased = await count(`select count(*) from versions where erasure = 'done'`)
  const left = await count(`select count(*) from versions where erasure = 'asked'`)
  if (left > 0) report.violation(`${left} versions are still to be erased after a sweep`)
  if (erased < asked || erased > asked + maybe)
    report.violation(
      `${erased} versions are erased; it should be ${asked}${maybe > 0 ? ` to ${asked + maybe}` : ''}`,
    )
  report.say(`${erased} versions are erased; ${asked} were asked to be, and perhaps ${maybe} more`)
}
