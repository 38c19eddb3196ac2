import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../json/json.ts'
import { parseJson } from '../json/parse.ts'
import { parseRecordLine } from './input.ts'
import { fileReferences, parseCanonical, parseFileReference, recordBytesMax, recordOf } from './record.ts'

interface Golden {
  records: { name: string; line: string; canonical: string; hash: string; size: number }[]
}

const golden = parseJson(
  readFileSync(new URL('../../golden/records.json', import.meta.url), 'utf8'),
) as Golden
const a = 'a'.repeat(64)
const b = 'b'.repeat(64)

describe('recordOf', () => {
  test.each(golden.records)('$name, as derived elsewhere', ({ line, canonical, hash, size }) => {
    const { id, type, data } = parseRecordLine(line)
    expect(recordOf(id, type, data)).toEqual({ id, type, canonical, hash, size })
    expect(parseCanonical(canonical)).toEqual({
      id,
      type,
      data: (parseJson(canonical) as { data: Json }).data,
    })
  })

  test('and parseCanonical undo each other', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 })
    fc.assert(
      fc.property(text, text, fc.json(), (id, type, source) => {
        const record = recordOf(id, type, parseJson(source) as Json)
        const again = parseCanonical(record.canonical)
        expect(recordOf(again.id, again.type, again.data)).toEqual(record)
        expect(record.size).toBe(new TextEncoder().encode(record.canonical).length)
      }),
    )
  })

  test('refuses one byte over 8 MiB', () => {
    const frame = recordOf('a', 'T', '').size
    expect(recordOf('a', 'T', 'x'.repeat(recordBytesMax - frame)).size).toBe(recordBytesMax)
    expect(() => recordOf('a', 'T', 'x'.repeat(recordBytesMax - frame + 1))).toThrow(
      expect.objectContaining({ code: 'record_too_large' }),
    )
    expect(() => recordOf('a', 'T', `é${'x'.repeat(recordBytesMax - frame - 1)}`)).toThrow('at most 8388608')
  })

  test.each(['', '{', '[]', '{"id":"a","type":"T"}', '{"id":1,"type":"T","data":1}'])(
    '%j is no canonical form',
    (text) => {
      expect(() => parseCanonical(text)).toThrow(/canonical form/)
    },
  )
})

describe('file references', () => {
  test('are found at any depth, once each, in order, and not within one another', () => {
    const data = {
      z: [{ $file: `sha256:${b}`, inner: { $file: `sha256:${'c'.repeat(64)}` } }],
      y: { x: { $file: `sha256:${a}` }, again: [[{ $file: `sha256:${b}` }]] },
    }
    expect(fileReferences(data)).toEqual([a, b])
    expect(fileReferences({ $file: `sha256:${a}` })).toEqual([a])
  })

  test.each([
    null,
    1,
    `sha256:${a}`,
    [`sha256:${a}`],
    { file: `sha256:${a}` },
    { $file: a },
    { $file: `sha256:${a.toUpperCase()}` },
    { $file: `sha256:${a}0` },
    { $file: `sha512:${a}` },
    { $file: null },
    parseJson(`{"__proto__":{"$file":"none"}}`) as Json,
  ])('%j has none', (data) => {
    expect(fileReferences(data as Json)).toEqual([])
  })

  test('an object whose $file is anything else is searched', () => {
    expect(fileReferences({ $file: 'none', more: { $file: `sha256:${a}` } })).toEqual([a])
    expect(fileReferences({ $file: { $file: `sha256:${a}` } })).toEqual([a])
  })

  test('are written sha256: and 64 digits', () => {
    expect(parseFileReference(`sha256:${a}`)).toBe(a)
    expect(parseFileReference(a)).toBeUndefined()
  })
})
