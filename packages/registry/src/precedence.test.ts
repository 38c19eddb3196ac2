import { setTimeout } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { goFirst, standBack } from './precedence.ts'

const elapsed = async (work: () => Promise<unknown> | undefined): Promise<number> => {
  const from = performance.now()
  await work()
  return performance.now() - from
}
const doing = (milliseconds: number) => goFirst(() => setTimeout(milliseconds))
/** What was owed to long work is over. */
const settled = () => setTimeout(250)

describe('long work', () => {
  test('waits for nothing when there is no short work', async () => {
    await settled()
    expect(await elapsed(standBack)).toBeLessThan(20)
  })

  test('stands back until all short work has ended', async () => {
    await settled()
    let ended = 0
    const works = [20, 60].map((milliseconds) => doing(milliseconds).then(() => ended++))
    await Promise.all([standBack(), standBack()])
    expect(ended).toBe(2)
    await Promise.all(works)
  })

  test('waits for 100 ms at most, and then goes on for as long as it waited', async () => {
    await settled()
    const work = doing(600)
    const waited = await elapsed(standBack)
    expect(waited).toBeGreaterThan(95)
    expect(waited).toBeLessThan(300)
    expect(await elapsed(standBack)).toBeLessThan(50)
    await setTimeout(waited)
    expect(await elapsed(standBack)).toBeGreaterThan(95)
    await work
  })

  test('goes on when short work failed', async () => {
    await settled()
    const failing = goFirst(async () => {
      await setTimeout(10)
      throw new Error('no')
    })
    failing.catch(() => undefined)
    expect(await elapsed(standBack)).toBeLessThan(90)
    await expect(failing).rejects.toThrow('no')
  })
})
