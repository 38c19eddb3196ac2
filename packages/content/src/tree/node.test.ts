import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashText } from '../hash.ts'
import { canonicalize } from '../json/canonical.ts'
import type { Json } from '../json/json.ts'
import { parseJson } from '../json/parse.ts'
import { decodeNode, decodeNodeText, encodeNode, firstAfter, firstAtLeast, type TreeNode } from './node.ts'
import { byBytes } from './reference-tree.fixture.ts'
import { decodeStoredNode } from './stored/node.ts'

const a = hashText('a')
const b = hashText('b')
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

const leaf = (rows: Json[]): string => canonicalize({ e: rows, t: 'leaf' })
const interior = (rows: Json[], level: Json = 1): string => canonicalize({ e: rows, l: level, t: 'node' })

const keys = fc
  .uniqueArray(fc.string({ unit: 'binary', minLength: 1 }), { minLength: 1, maxLength: 20 })
  .map((list) => list.sort(byBytes))
const sizes = fc.nat(10_000_000)

const anyNode: fc.Arbitrary<TreeNode> = fc
  .record({
    keys,
    form: fc.constantFrom('records', 'set', 'node'),
    level: fc.integer({ min: 1, max: 12 }),
    size: sizes,
  })
  .map(({ keys, form, level, size }): TreeNode => {
    const hashes = keys.map((key) => hashText(key))
    const numbers = keys.map((_, index) => size + index)
    if (form === 'node') {
      const counts = numbers.map((number) => number + 1)
      return { kind: 'node', level, lastKeys: keys, children: hashes, counts, bytes: numbers }
    }
    const isSet = form === 'set'
    return {
      kind: 'leaf',
      tree: isSet ? 'set' : 'records',
      keys,
      hashes: isSet ? [] : hashes,
      sizes: numbers,
    }
  })

describe('encodeNode', () => {
  test('writes RFC 8785 and decodes to the same node', () => {
    fc.assert(
      fc.property(anyNode, (node) => {
        const text = encodeNode(node)
        expect(canonicalize(parseJson(text) as Json)).toBe(text)
        expect(decodeNode(bytesOf(text))).toEqual(node)
        expect(decodeNodeText(text)).toEqual(node)
        expect(decodeStoredNode(bytesOf(text))).toEqual(node)
      }),
    )
  })

  test('writes the forms of content-model §5', () => {
    const hashes = [a]
    expect(encodeNode({ kind: 'leaf', tree: 'records', keys: ['x"\u2028'], hashes, sizes: [7] })).toBe(
      `{"e":[["x\\"\u2028","${a}",7]],"t":"leaf"}`,
    )
    expect(encodeNode({ kind: 'leaf', tree: 'set', keys: ['x', 'y'], hashes: [], sizes: [7, 8] })).toBe(
      '{"e":[["x",7],["y",8]],"t":"leaf"}',
    )
    expect(
      encodeNode({ kind: 'node', level: 2, lastKeys: ['x'], children: [a], counts: [3], bytes: [9] }),
    ).toBe(`{"e":[["x","${a}",3,9]],"l":2,"t":"node"}`)
  })
})

describe('decodeNode', () => {
  const good = leaf([['k', a, 1]])
  const big = Number.MAX_SAFE_INTEGER
  const refused: [string, string][] = [
    ['no JSON', '{'],
    ['no object', '[]'],
    ['null', 'null'],
    ['no entries', leaf([])],
    ['entries that are no array', canonicalize({ e: 'x', t: 'leaf' })],
    ['a missing e', canonicalize({ t: 'leaf' })],
    ['an unknown t', canonicalize({ e: [['k', a, 1]], t: 'tree' })],
    ['a missing t', canonicalize({ e: [['k', a, 1, 1]], l: 1 })],
    ['a leaf with a level', canonicalize({ e: [['k', a, 1]], l: 1, t: 'leaf' })],
    ['another member', canonicalize({ e: [['k', a, 1]], t: 'leaf', z: 1 })],
    ['members in another order', `{"t":"leaf","e":[["k","${a}",1]]}`],
    ['white space', good.replace('"e":', '"e": ')],
    ['a trailing line end', `${good}\n`],
    ['a byte order mark', `\ufeff${good}`],
    ['a needless escape', good.replace('"k"', '"\\u006b"')],
    ['another number form', good.replace(',1]', ',1.0]')],
    ['minus zero', good.replace(',1]', ',-0]')],
    ['a doubled member', good.replace('{', '{"e":[],')],
    [
      'unsorted keys',
      leaf([
        ['l', a, 1],
        ['k', a, 1],
      ]),
    ],
    [
      'equal keys',
      leaf([
        ['k', a, 1],
        ['k', a, 1],
      ]),
    ],
    [
      'keys in UTF-16 order',
      leaf([
        ['\u{1f600}', a, 1],
        ['\ufffd', a, 1],
      ]),
    ],
    [
      'unsorted last keys',
      interior([
        ['l', a, 1, 1],
        ['k', b, 1, 1],
      ]),
    ],
    ['a key that is no string', leaf([[1, a, 1]])],
    ['a key with a lone surrogate', `{"e":[["\\ud800","${a}",1]],"t":"leaf"}`],
    ['a short hash', leaf([['k', a.slice(1), 1]])],
    ['a hash in capitals', leaf([['k', `A${a.slice(1)}`, 1]])],
    ['a hash that is no string', leaf([['k', 1, 1]])],
    ['a negative size', leaf([['k', a, -1]])],
    ['a fractional size', leaf([['k', a, 1.5]])],
    ['an unsafe size', leaf([['k', a, big + 1]])],
    ['a size that is no number', leaf([['k', a, '1']])],
    [
      'sizes with an unsafe sum',
      leaf([
        ['k', a, big],
        ['l', a, 1],
      ]),
    ],
    [
      'a mixture of forms',
      leaf([
        ['k', a, 1],
        ['l', 1],
      ]),
    ],
    [
      'a mixture of forms in a set',
      leaf([
        ['k', 1],
        ['l', a, 1],
      ]),
    ],
    ['an entry too long', leaf([['k', a, 1, 1]])],
    ['an entry that is no array', leaf(['k'])],
    ['level 0', interior([['k', a, 1, 1]], 0)],
    ['a fractional level', interior([['k', a, 1, 1]], 1.5)],
    ['a level in a string', interior([['k', a, 1, 1]], '1')],
    ['a count of 0', interior([['k', a, 0, 1]])],
    ['a fractional count', interior([['k', a, 1.5, 1]])],
    [
      'counts with an unsafe sum',
      interior([
        ['k', a, big, 1],
        ['l', b, 1, 1],
      ]),
    ],
    ['negative bytes', interior([['k', a, 1, -1]])],
    [
      'bytes with an unsafe sum',
      interior([
        ['k', a, 1, big],
        ['l', b, 1, 1],
      ]),
    ],
    ['a child too short', interior([['k', a, 1]])],
    ['a child that is no array', interior([{ k: 1 }])],
    ['too many entries', leaf(Array.from({ length: 8_193 }, (_, i) => [`${10_000 + i}`, 1]))],
    ['too many children', interior(Array.from({ length: 1_025 }, (_, i) => [`${10_000 + i}`, a, 1, 1]))],
  ]

  test.each(refused)('refuses %s', (_, text) => {
    expect(() => decodeNode(bytesOf(text))).toThrow(expect.objectContaining({ code: 'node_malformed' }))
  })

  test('refuses bytes that are not UTF-8', () => {
    const bytes = bytesOf(good)
    bytes[good.indexOf('k')] = 0xff
    expect(() => decodeNode(bytes)).toThrow(expect.objectContaining({ code: 'node_malformed' }))
  })

  test('takes the largest nodes', () => {
    const entries = Array.from({ length: 8_192 }, (_, i): Json => [`${10_000 + i}`, 1])
    const children = Array.from({ length: 1_024 }, (_, i): Json => [`${10_000 + i}`, a, 1, 1])
    expect(decodeNodeText(leaf(entries))).toMatchObject({ kind: 'leaf', tree: 'set' })
    expect(decodeNodeText(interior(children))).toMatchObject({ kind: 'node', level: 1 })
  })
})

test('firstAtLeast and firstAfter find what a scan finds', () => {
  fc.assert(
    fc.property(keys, fc.string({ unit: 'binary' }), fc.nat(), (sorted, other, pick) => {
      for (const key of [other, sorted[pick % sorted.length]!]) {
        expect(firstAtLeast(sorted, key)).toBe(sorted.filter((k) => byBytes(k, key) < 0).length)
        expect(firstAfter(sorted, key)).toBe(sorted.filter((k) => byBytes(k, key) <= 0).length)
      }
    }),
  )
})
