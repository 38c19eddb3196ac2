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

  test('is what is asked about again before others that fill the cache', async () => {
    const cache = openReadCache(1_000 * kilobyte)
    for (let n = 0; n < 9; n++) await read(cache, n, 100 * kilobyte)
    const ask = (n: number) => cache.shouldCache(name(n), 100 * kilobyte)
    expect(ask(100)).toBe(false)
    for (let n = 101; n < 105; n++) expect(ask(n)).toBe(false)
    expect(ask(100)).toBe(true)
    for (let n = 200; n < 220; n++) expect(ask(n)).toBe(false)
    expect(ask(101)).toBe(false)
  })

  test('is nothing that is not kept in any case', () => {
    expect(openReadCache(1_000 * kilobyte).shouldCache(name(1), 200 * kilobyte)).toBe(false)
    expect(openReadCache(0).shouldCache(name(1), 1)).toBe(false)
  })
})
