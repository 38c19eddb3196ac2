import { type Hash, hashText } from '@ulmus/content'
import { describe, expect, test } from 'vitest'
import { openReadCache } from './read-cache.ts'

const kilobyte = 1_024
const name = (n: number): Hash => hashText(`${n}`)

describe('values worth caching', () => {
  const read = async (cache: ReturnType<typeof openReadCache>, n: number, bytes: number) =>
    cache.get(name(n), async () => ({ value: {}, bytes }))

  test('is everything while there is room', async () => {
    const cache = openReadCache(1_000 * kilobyte)
    for (let n = 0; n < 9; n++) {
      expect(cache.shouldCache(name(n), 100 * kilobyte)).toBe(true)
      await read(cache, n, 100 * kilobyte)
    }
    expect(cache.shouldCache(name(9), 100 * kilobyte)).toBe(false)
    expect(cache.shouldCache(name(8), 100 * kilobyte)).toBe(true)
  })

  test('is what is requested again before others of an eighth of the cache', async () => {
    const cache = openReadCache(10_000 * kilobyte)
    for (let n = 0; n < 99; n++) await read(cache, n, 100 * kilobyte)
    const isWorth = (n: number) => cache.shouldCache(name(n), 100 * kilobyte)
    expect(isWorth(100)).toBe(false)
    for (let n = 101; n < 110; n++) expect(isWorth(n)).toBe(false)
    expect(isWorth(100)).toBe(true)
    for (let n = 200; n < 215; n++) expect(isWorth(n)).toBe(false)
    expect(isWorth(101)).toBe(false)
  })

  test('is nothing that is not kept in any case', () => {
    expect(openReadCache(1_000 * kilobyte).shouldCache(name(1), 200 * kilobyte)).toBe(false)
    expect(openReadCache(0).shouldCache(name(1), 1)).toBe(false)
  })
})
