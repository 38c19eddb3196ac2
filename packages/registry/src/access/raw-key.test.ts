import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isRawKey, makeRawKey } from './raw-key.ts'

test('a key is ul_, 43 base62 digits and 6 of checksum, and no two are alike', () => {
  const keys = Array.from({ length: 200 }, makeRawKey)
  for (const key of keys) {
    expect(key).toMatch(/^ul_[0-9A-Za-z]{49}$/)
    expect(isRawKey(key)).toBe(true)
  }
  expect(new Set(keys).size).toBe(keys.length)
})

test('one wrong character anywhere is noticed', () => {
  const key = makeRawKey()
  const place = fc.integer({ min: 3, max: key.length - 1 })
  fc.assert(
    fc.property(place, fc.constantFrom(...'0AZaz9'), (at, character) => {
      const slip = key.slice(0, at) + character + key.slice(at + 1)
      expect(isRawKey(slip)).toBe(slip === key)
    }),
    { numRuns: 300 },
  )
})

test.each([
  '',
  'ul_',
  `ul_${'0'.repeat(49)} `,
  `UL_${'0'.repeat(49)}`,
  makeRawKey().slice(0, -1),
  `${makeRawKey()}0`,
])('%j is no key', (text) => {
  expect(isRawKey(text)).toBe(false)
})
