import {
  compareUtf8,
  type Edit,
  type EditRange,
  type Entry,
  editRange,
  encodeNode,
  hashText,
  type LeafNode,
  leafBodyOf,
  leafLines,
  recordInlineBytesMax,
  referenceLineTo,
  defaultShape as shape,
  trailingZeroBits,
} from '@ulmus/content'
import { LeafRows } from '@ulmus/content/stored'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { LeafLine } from './line.ts'
import { spliceLeaf } from './splice-leaf.ts'

/** Keys that JSON escapes and that UTF-16 orders differently; none of them ends a leaf. */
const anyKey = fc
  .tuple(fc.constantFrom('k', '"', '\\', '],["', 'ü', '\uffff', '😀', '\n'), fc.nat(99))
  .map(([head, number]) => `${head}${number}`)
  .filter((key) => trailingZeroBits(key) < shape.leafBits)
/** Some are too large for a body. */
const anySize = fc.oneof({ weight: 8, arbitrary: fc.integer({ min: 70, max: 90 }) }, fc.constant(20_000))

/** A record of this size and its line; the same bytes for the same key and size. */
function entryOf(key: string, size: number): Entry<LeafLine> {
  const hash = hashText(`${key} ${size}`)
  const bytes =
    size > recordInlineBytesMax ? referenceLineTo(hash) : Buffer.from(`{"id":${hash}`.padEnd(size))
  return { hash, size, payload: { bytes } }
}

type Contents = ReadonlyMap<string, number>

function leafOf(contents: Contents) {
  const keys = [...contents.keys()].sort(compareUtf8)
  const entries = keys.map((key) => entryOf(key, contents.get(key)!))
  const [hashes, sizes] = [entries.map(({ hash }) => hash), entries.map(({ size }) => size)]
  const leaf: LeafNode = { kind: 'leaf', tree: 'records', keys, hashes, sizes }
  const text = encodeNode(leaf)
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  return {
    child: { hash: hashText(text), lastKey: keys.at(-1)!, count: keys.length, bytes },
    ...{ leaf, text, body: leafBodyOf(entries.map(({ payload }) => payload.bytes)) },
  }
}

type Changes = readonly (readonly [string, number | null])[]

function whole(contents: Contents, changes: Changes, more: Partial<EditRange<LeafLine>> = {}) {
  const old = leafOf(contents)
  const edits = [...new Map(changes)]
    .sort(([a], [b]) => compareUtf8(a, b))
    .map(([key, size]): Edit<LeafLine> => ({ key, put: size === null ? undefined : entryOf(key, size) }))
  const range: EditRange<LeafLine> = {
    ...{ after: undefined, through: undefined, leaves: [old.child], edits, goesOn: false, ends: true },
    ...more,
  }
  const splice = (body = old.body) =>
    spliceLeaf(range, { rows: new LeafRows(old.child, Buffer.from(old.text)), body })
  return { old, range, splice }
}

function anew({ old, range }: Pick<ReturnType<typeof whole>, 'old' | 'range'>) {
  const payloads = leafLines(old.body).map((bytes) => ({ bytes }))
  return editRange(range, [{ hash: old.child.hash, leaf: old.leaf, payloads }], {
    kind: 'records',
    shape,
  })
}

const manyKeys = (count: number) => Array.from({ length: count }, (_, n) => `n${n + 10_000}`)
const usual: Contents = new Map(manyKeys(80).map((key) => [key, 80]))
const ends = (key: string) => trailingZeroBits(key) >= shape.leafBits

describe('spliceLeaf', () => {
  const anyContents = fc.uniqueArray(fc.tuple(anyKey, anySize), { minLength: 40, selector: ([key]) => key })
  const anyChanges = fc.array(fc.tuple(anyKey, fc.option(anySize, { freq: 3 })), { maxLength: 5 })

  test('makes what editing the range makes', () => {
    fc.assert(
      fc.property(
        anyContents,
        anyChanges,
        fc.array(fc.tuple(fc.nat(), fc.option(anySize))),
        (entries, changes, existing) => {
          const contents = new Map(entries)
          const met = existing
            .slice(0, 3)
            .map(([at, size]) => [entries[at % entries.length]![0], size] as const)
          const edit = whole(contents, [...changes, ...met])
          const made = edit.splice()
          if (edit.range.edits.length * 8 > contents.size) {
            expect(made).toBeUndefined()
            return
          }
          const { leaves, changes: told } = anew(edit)
          const [leaf] = leaves
          expect(leaves).toHaveLength(1)
          const { lastKey, count, bytes } = leaf!
          expect(made?.leaf).toEqual({ lastKey, count, bytes })
          expect(made?.text?.toString()).toBe(leaf?.made?.text)
          const body = leaf?.made && leafBodyOf(leaf.made.payloads.map((line) => line.bytes))
          expect(made?.body && Buffer.from(made.body)).toEqual(body && Buffer.from(body))
          expect(made?.changes).toEqual(told)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('says that nothing changed', () => {
    const made = whole(usual, [
      ['n10003', 80],
      ['none', null],
    ]).splice()
    expect(made).toMatchObject({ text: undefined, body: undefined, changes: [] })
  })

  test('reaches through a last key that ends the leaf', () => {
    const last = manyKeys(90_000).findLast(ends)!
    const edit = whole(new Map([...usual, [last, 80]]), [[last, 90]], { through: last })
    expect(edit.splice()?.text?.toString()).toBe(anew(edit).leaves[0]?.made?.text)
  })

  const old = leafOf(usual).child
  const notSo: [string, ReturnType<typeof whole>][] = [
    ['begins within a leaf', whole(usual, [['n10009', 90]], { after: 'n10001' })],
    ['ends within a leaf', whole(usual, [['n10009', 90]], { through: 'n10010' })],
    ['goes on with a leaf', whole(usual, [['n10009', 90]], { goesOn: true })],
    ['leaves one unfinished', whole(usual, [['n10009', 90]], { ends: false })],
    ['has two leaves', whole(usual, [['n10009', 90]], { leaves: [old, old] })],
    [
      'changes much of a leaf',
      whole(
        usual,
        [...usual.keys()].slice(0, 11).map((key) => [key, 90]),
      ),
    ],
    [
      'makes a leaf too long',
      whole(
        new Map(
          manyKeys(20_000)
            .filter((key) => !ends(key))
            .slice(0, shape.leafEntriesMax)
            .map((key) => [key, 1]),
        ),
        [['o', 1]],
      ),
    ],
  ]
  test.each(notSo)('leaves alone a range that %s', (_, { splice }) => {
    expect(splice()).toBeUndefined()
  })

  test('leaves alone a body of other lines than the leaf says', () => {
    const { old, splice } = whole(usual, [['n10009', 90]])
    expect(splice()).toBeDefined()
    expect(splice(old.body.subarray(0, -1))).toBeUndefined()
    expect(splice(Buffer.concat([old.body, Buffer.from('\n')]))).toBeUndefined()
    const shifted = Buffer.from(old.body)
    shifted.copyWithin(1, 0)
    expect(splice(shifted)).toBeUndefined()
  })
})
