import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { reportSlow } from './progress.ts'

const told: string[] = []
const tell = (_fields: object, line: string) => void told.push(line)
const log = { info: tell, warn: tell, error: tell }

test('a slow step is in the log while it lasts, and a quick one is not', async () => {
  expect(await reportSlow(log, 'opening', async () => 1)).toBe(1)
  expect(told).toEqual([])
  let end = () => undefined as undefined
  const ended = new Promise<void>((resolve) => {
    end = () => void resolve() as undefined
  })
  const step = reportSlow(log, 'opening', () => ended, 20)
  await expect.poll(() => told.length).toBeGreaterThan(1)
  expect(told[0]).toBe('Still opening, after 0 s.')
  end()
  await step
  const count = told.length
  await sleep(60)
  expect(told).toHaveLength(count)
  await expect(reportSlow(log, 'opening', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
})
