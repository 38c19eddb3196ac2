import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareUtf8, countUtf8, hashBytes, hashText, parseHash, pureHash, utf8Length } from './hash.ts'
import { runs } from './testing/runs.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 80 }),
  fc.string({
    unit: fc.constantFrom('a', 'é', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}'),
    maxLength: 6,
  }),
)

describe('hash', () => {
  test('of the empty text and of "abc" is what FIPS 180-2 says', () => {
    expect(hashText('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
    expect(hashText('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  })

  test('is the same by text, by bytes, without the host and by createHash', () => {
    fc.assert(
      fc.property(text, (sample) => {
        const bytes = new TextEncoder().encode(sample)
        const expected = createHash('sha256').update(sample, 'utf8').digest('hex')
        expect([hashText(sample), hashBytes(bytes), pureHash(bytes)]).toEqual([expected, expected, expected])
      }),
    )
  })

  test('is parsed from 64 lowercase hexadecimal digits and nothing else', () => {
    const good = 'a0'.repeat(32)
    expect(parseHash(good)).toBe(good)
    for (const bad of [
      '',
      good.slice(1),
      `${good}0`,
      good.toUpperCase(),
      `${good.slice(1)}\n`,
      `${good.slice(1)}g`,
    ]) {
      expect(parseHash(bad)).toBeUndefined()
    }
  })
})

describe('UTF-8', () => {
  test('length is what TextEncoder writes, lone surrogates included', () => {
    const any = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\ud800', '\udfff'), maxLength: 120 })
    fc.assert(
      fc.property(fc.oneof(text, any), (sample) => {
        const expected = new TextEncoder().encode(sample).length
        expect([utf8Length(sample), countUtf8(sample)]).toEqual([expected, expected])
      }),
    )
  })

  test('order is the order of the bytes', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const expected = Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'))
        expect(Math.sign(compareUtf8(a, b))).toBe(expected)
        expect(compareUtf8(a, a)).toBe(0)
      }),
      { numRuns: runs(1000) },
    )
  })

  test('order puts U+E000 before U+10000, where < does not', () => {
    expect(compareUtf8('\ue000', '\u{10000}')).toBeLessThan(0)
    expect('\ue000' < '\u{10000}').toBe(false)
  })
})
