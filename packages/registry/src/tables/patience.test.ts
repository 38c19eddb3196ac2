/** Time limits by kind, and refusals of questions that were too costly before. */
import { expect, test } from 'vitest'
import { EngineError } from './engine/engine.ts'
import { CostlyQuestions, deadlineOf, isTooCostly } from './patience.ts'

const mebibyte = 1024 ** 2

test('files have time in proportion to their records', () => {
  expect(deadlineOf('csv', { count: 12, bytes: 1_000 })).toBe(5_100)
  expect(deadlineOf('parquet', { count: 1e6, bytes: 300 * mebibyte })).toBe(35_000)
  expect(deadlineOf('csv', { count: 1e9, bytes: 1e12 })).toBe(120_000)
  expect(deadlineOf('facets', { count: 1e9, bytes: 1e12 })).toBe(5_000)
  expect([1e6, 1e6 + 1].map((count) => deadlineOf('statistics', { count, bytes: 1 }))).toEqual([
    5_000, 120_000,
  ])
})

test('a question that was too costly is refused without work, by its own name alone', async () => {
  const costly = new CostlyQuestions(isTooCostly)
  let times = 0
  const fail = (kind: EngineError['kind']) => async () => {
    times++
    throw new EngineError(kind, 'INTERRUPT Error', 5)
  }
  for (let time = 0; time < 3; time++)
    await expect(costly.run(['ada', 'birds', 'root'], fail('too_costly'))).rejects.toThrow(EngineError)
  expect(times).toBe(1)
  await expect(costly.run(['eve', 'guess', 'root'], fail('too_costly'))).rejects.toThrow(EngineError)
  expect(times).toBe(2)
  for (let time = 0; time < 2; time++)
    await expect(costly.run(['eve', 'busy'], fail('unavailable'))).rejects.toThrow(EngineError)
  expect(times).toBe(4)
  expect(await costly.run(['ada', 'other'], async () => 'answer')).toBe('answer')
})
