import { databases } from '@ulmus/storage/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { clockOf } from './clock.ts'
import { keepLog } from './testing/context.ts'

const hour = 3_600_000
/** Real time, by a clock that the test does not change. */
const trueNow = () => performance.timeOrigin + performance.now()

afterEach(() => void vi.useRealTimers())

test.each([
  ['back', -48 * hour],
  ['on', 48 * hour],
])(
  "is the database server's where the own one is turned %s, before and after it is compared",
  async (_, shift) => {
    const { database, dispose } = await databases.find(({ name }) => name === 'server')!.open()
    const log = keepLog()
    const clock = clockOf(database, log)
    const off = () => Math.round((clock.now().getTime() - trueNow()) / hour)
    await clock.compare()
    expect([off() + 0, log.warnings]).toEqual([0, []])
    vi.useFakeTimers({ toFake: ['Date'], now: trueNow() + shift })
    expect(Math.round((Date.now() - trueNow()) / hour)).toBe(shift / hour)
    expect(off() + 0).toBe(0)
    await clock.compare()
    expect(off() + 0).toBe(0)
    expect(log.warnings).toMatchObject([{ line: expect.stringContaining('clock is off') }])
    vi.useRealTimers()
    await clock.compare()
    expect(log.infos).toMatchObject([{ line: expect.stringContaining('again') }])
    await dispose()
  },
)
