/** Reads and metadata updates during a large push. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { Benchmark } from '../bench.ts'
import { tied } from '../children.ts'
import { sampleOf, timed } from '../measure.ts'
import { startIdleLoop } from '../otherwise/idle-loop.ts'
import { idOf } from '../records.ts'
import type { Stage } from '../stage.ts'
import { pathOfMiddle, pathOfRecord } from './reads.ts'

/** Pause between two requests of one kind. Milliseconds. */
const pauseMs = 15
const updatePauseMs = 50

const driver = join(import.meta.dirname, '../push-driver.ts')

/** Concurrent requests, with one reader each. */
const readsOf = (stage: Stage): Record<string, () => Promise<unknown>> => {
  const { served, big, place } = stage
  const number = () => Math.floor(Math.random() * place.size)
  return {
    record: () => served.json(pathOfRecord(big, idOf(number()))),
    page: () => served.json(pathOfMiddle(big)),
    detail: () => served.json(`/api/collections/${big}`),
    browse: () => served.json('/api/collections?limit=50'),
  }
}

export const duringPush: Benchmark = {
  name: 'during-push',
  about: 'any read, and a metadata update of another collection, while a push of all records runs',
  sizes: 'largest',
  async ours(bench, place) {
    const stage = await bench.stage(place)
    const { served, small } = stage
    await served.client.collections.create(served.owner, { slug: 'meanwhile' })
    const reads = readsOf(stage)
    for (const read of Object.values(reads)) for (let run = 0; run < 100; run++) await read()
    const idle = await startIdleLoop()
    await served.loopDelayMs()
    const push = pushElsewhere(stage, await bench.input(place.size, 'meanwhile'))
    const times = new Map<string, number[]>()
    const repeat = async (name: string, pause: number, act: (run: number) => Promise<unknown>) => {
      const mine: number[] = []
      times.set(name, mine)
      for (let run = 0; !push.isOver(); run++) {
        const { ms } = await timed(() => act(run))
        mine.push(ms)
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
    }
    await Promise.all([
      push.done,
      ...Object.entries(reads).map(([name, read]) => repeat(name, pauseMs, read)),
      repeat('metadata update', updatePauseMs, (run) =>
        served.client.metadata.patch(small, { description: `Meanwhile, time ${run}.` }),
      ),
    ])
    const late = await served.loopDelayMs()
    const idleLate = await idle.lateMs()
    for (const [name, values] of times)
      bench.figures.add(`${name} during a push`, 'ms', place, sampleOf(values))
    const all = Object.keys(reads).flatMap((name) => times.get(name)!)
    bench.figures.add('any read during a push', 'ms', place, sampleOf(all))
    const lateness = 'event loop late by at most during a push'
    if (late !== undefined) bench.figures.add(lateness, 'ms', place, late)
    bench.figures.add(lateness, 'ms', { ...place, by: 'raw' }, idleLate)
    await served.client.collections.remove(`${served.owner}/meanwhile`)
  },
}

function pushElsewhere({ served }: Stage, input: { path: string; batches: readonly object[] }) {
  const order = { url: served.url, key: served.key, ref: `${served.owner}/meanwhile`, ...input }
  const child = tied(
    spawn(process.execPath, [driver, JSON.stringify(order)], {
      stdio: ['ignore', 'inherit', 'inherit'],
    }),
  )
  let over = false
  const done = new Promise<void>((resolve, reject) => {
    child.once('exit', (code) => {
      over = true
      if (code === 0) resolve()
      else reject(new Error(`The push ended with code ${code}.`))
    })
  })
  return { done, isOver: () => over }
}
