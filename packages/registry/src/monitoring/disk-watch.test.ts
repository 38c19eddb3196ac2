import { databases } from '@ulmus/storage/testing'
import { expect, test } from 'vitest'
import type { Jobs } from '../jobs.ts'
import { openContext } from '../testing/context.ts'
import { scheduleDiskWatch } from './disk-watch.ts'
import { figuresOf } from './figures.ts'
import { healthOf } from './health.ts'

test('a full disk is in the log once, in health in words and in the figures; and its end', async () => {
  const context = await openContext(databases[0]!)
  let free = 5
  const space = { ...context.space, isFull: async () => free < 10, free: async () => free }
  let look = async () => {}
  const repeat: Jobs['repeat'] = (_, work) => {
    look = work
  }
  const watched = { ...context, space, jobs: { ...context.jobs, repeat } }
  scheduleDiskWatch(watched)
  const { log } = context
  try {
    await look()
    await look()
    expect(log.warnings).toEqual([{ facts: { freeBytes: 5 }, line: expect.stringContaining('507') }])
    const full = await healthOf(watched).check()
    expect(full).toMatchObject({ ready: true, storage: 'full', worker: 'paused' })
    expect(full.problems).toEqual([expect.stringContaining('disk is full')])
    expect([await figuresOf(watched).isFull(), await figuresOf(watched).freeBytes()]).toEqual([true, 5])
    free = 50
    await look()
    await look()
    expect([log.warnings.length, log.infos.map(({ line }) => line)]).toEqual([
      1,
      ['The disk has room again.'],
    ])
    expect((await healthOf(watched).check()).problems).not.toContainEqual(expect.stringContaining('full'))
    expect([await figuresOf(watched).isFull(), await figuresOf(watched).freeBytes()]).toEqual([false, 50])
  } finally {
    await context.dispose()
  }
})
