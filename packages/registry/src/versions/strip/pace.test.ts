import { expect, test } from 'vitest'
import { Pace } from './pace.ts'

function work(milliseconds: number): void {
  for (const until = performance.now() + milliseconds; performance.now() < until; );
}

test('work rests for a multiple of its time, and at least for some time after its end', async () => {
  const began = performance.now()
  const pace = new Pace({ times: 10, least: 50 }, new AbortController().signal, async () => {}, 60)
  for (let step = 0; step < 3; step++) {
    work(10)
    await pace.between()
  }
  const rested = performance.now() - began
  expect(rested).toBeGreaterThan(3 * 110 - 5)
  await pace.end()
  expect(performance.now() - began).toBeGreaterThan(rested + 45)
})

test('a lease is renewed now and then; a refusal and a stop end the work', async () => {
  const stopping = new AbortController()
  let renewed = 0
  const renew = async () => {
    if (++renewed === 3) throw new Error('taken')
  }
  const pace = new Pace({ times: 0, least: 60_000 }, stopping.signal, renew, 0.02)
  const steps = async () => {
    for (;;) {
      work(3)
      await pace.between()
    }
  }
  await expect(steps()).rejects.toThrow('taken')
  const end = pace.end()
  stopping.abort(new Error('stopped'))
  await expect(end).rejects.toThrow('stopped')
  await expect(pace.between()).rejects.toThrow('stopped')
})
