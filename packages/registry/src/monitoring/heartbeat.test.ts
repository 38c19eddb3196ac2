import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Jobs } from '../jobs.ts'
import { schedule } from '../schedule.ts'
import { openContext, type TestContext } from '../testing/context.ts'
import { healthOf } from './health.ts'
import { beat, isAlive, newServer, scheduleHeartbeat } from './heartbeat.ts'

describe.each(serviceDatabases)('the heartbeat of background work on $name', (database) => {
  let context: TestContext
  beforeAll(async () => {
    context = await openContext(database)
  })
  afterAll(() => context.dispose())

  const server = newServer('0.1.0', true)
  const lastSign = (secondsAgo: number) =>
    context.database.transact((tx) =>
      tx.query(`update servers set worked_at = now() - make_interval(secs => $1::double precision)`, [
        secondsAgo,
      ]),
    )

  /** Collects the periodic tasks for the test to run. */
  function scheduled(patience = 0) {
    const tasks: { name: string; seconds: number; work: () => Promise<void> }[] = []
    const jobs: Jobs = {
      ...context.jobs,
      repeat: ({ name, everySeconds: seconds }, work) => void tasks.push({ name, seconds, work }),
    }
    scheduleHeartbeat({ ...context, jobs }, server, patience)
    return {
      give: tasks.find(({ name }) => name === schedule.heartbeat.name)!,
      look: tasks.find(({ name }) => name === schedule.heartbeatWatch.name)!,
    }
  }

  test('the log and health report a missing worker within a minute, once, and its return', async () => {
    const { give, look } = scheduled()
    const { log } = context
    await look.work()
    await look.work()
    expect(log.warnings.map(({ line }) => line)).toEqual([expect.stringContaining('ROLES')])
    expect(await healthOf(context).check()).toMatchObject({ ready: true, worker: 'missing' })

    await give.work()
    await look.work()
    await look.work()
    expect(log.infos.map(({ line }) => line)).toEqual(['Background work is done again.'])
    expect(await healthOf(context).check()).toMatchObject({ ready: true, worker: 'ok' })

    // The worst case: the worker ended right after a heartbeat, and the check came just before the limit.
    await lastSign(60 - look.seconds)
    expect(await isAlive(context.database)).toBe(false)
    // A single late heartbeat causes no warning.
    await lastSign(2 * give.seconds + 5)
    expect(await isAlive(context.database)).toBe(true)
  })

  test('a server that begins is patient: its worker may begin beside it', async () => {
    await lastSign(600)
    const { look } = scheduled(40)
    const before = context.log.warnings.length
    await look.work()
    expect(context.log.warnings).toHaveLength(before)
    await beat(context, server)
  })

  test('while the disk is full it is not missed: it waits for room', async () => {
    await lastSign(600)
    const space = { ...context.space, isFull: async () => true }
    expect(await healthOf({ ...context, space }).check()).toMatchObject({ storage: 'full', worker: 'paused' })
    await beat(context, server)
  })
})
