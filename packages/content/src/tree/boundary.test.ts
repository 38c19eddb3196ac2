import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashText } from '../hash.ts'
import { bitsToEnd, defaultShape, trailingZeroBits } from './boundary.ts'

describe('trailingZeroBits', () => {
  test('counts the zero bits at the end of the first 8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (key) => {
        const head = BigInt(`0x${hashText(key).slice(0, 16)}`)
        const zeros = trailingZeroBits(key)
        expect(head % (1n << BigInt(zeros))).toBe(0n)
        expect((head >> BigInt(zeros)) % 2n).toBe(1n)
      }),
    )
  })

  test('meets every count up to 9 among 20,000 keys, each half as often as the one before', () => {
    const times = new Array<number>(65).fill(0)
    for (let i = 0; i < 20_000; i++) times[trailingZeroBits(`k${i}`)]! += 1
    for (let zeros = 0; zeros < 6; zeros++) {
      expect(times[zeros]! / (20_000 / 2 ** (zeros + 1))).toBeCloseTo(1, 0)
    }
    expect(times.slice(0, 10).every((count) => count > 0)).toBe(true)
  })
})

test('levels above 9 have no natural boundary', () => {
  expect(bitsToEnd(defaultShape, 0)).toBe(10)
  expect(bitsToEnd(defaultShape, 1)).toBe(16)
  expect(bitsToEnd(defaultShape, 9)).toBe(64)
  expect(bitsToEnd(defaultShape, 10)).toBe(Number.POSITIVE_INFINITY)
})
