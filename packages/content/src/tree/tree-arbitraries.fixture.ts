/** For the tests of this folder: arbitrary shapes, keys, contents and edits. */
import fc from 'fast-check'
import { hashText } from '../hash.ts'
import type { TreeShape } from './boundary.ts'
import type { Edit } from './edit/queue.ts'
import { byBytes, type Contents, payloadOf } from './reference-tree.fixture.ts'

/** Shapes so small that a hundred entries make tall trees with forced splits at every level. With 10 bits, hardly any key ends a leaf. */
export const tinyShape: fc.Arbitrary<TreeShape> = fc.record({
  leafBits: fc.oneof({ weight: 3, arbitrary: fc.integer({ min: 1, max: 3 }) }, fc.constantFrom(5, 10)),
  levelBits: fc.integer({ min: 1, max: 2 }),
  leafEntriesMax: fc.integer({ min: 2, max: 8 }),
  childrenMax: fc.integer({ min: 2, max: 5 }),
})

/** Prefixes of keys whose order by UTF-16 differs from that by UTF-8. */
const heads = ['', 'k', 'ä', '\ud7ff', '\ue000', '\ufffd', '\uffff', '\u{10000}', '\u{1f600}', '\u{10ffff}']

/** Some 600 keys, few enough for edits to hit existing ones. */
export const anyKey: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom(...heads), fc.nat(59))
  .map(([head, number]) => `${head}${number}`)

const value = fc.record({ hash: fc.nat(3).map((n) => hashText(`value ${n}`)), size: fc.nat(2) })

export const anyContents: fc.Arbitrary<Contents> = fc
  .array(fc.tuple(anyKey, value), { maxLength: 250, size: 'max' })
  .map((entries) => new Map(entries))

/** Consecutive keys close to one of `anyKey`. */
const anyRun = fc
  .record({ start: anyKey, length: fc.nat(30), of: fc.constantFrom('drops', 'puts', 'both') })
  .chain(({ start, length, of }) => {
    const put = of === 'drops' ? fc.constant(null) : of === 'puts' ? value : fc.option(value, { freq: 1 })
    const puts = fc.array(put, { minLength: length, maxLength: length })
    return puts.map((all) => all.map((put, i) => [`${start}+${10 + i}`, put] as const))
  })

/** Edits in key order, about a third of them drops. Some are close together, in greater numbers than a leaf of a tiny shape has entries. */
export const anyEdits: fc.Arbitrary<Edit<string>[]> = fc
  .tuple(
    fc.array(fc.tuple(anyKey, fc.option(value, { freq: 2 })), { maxLength: 40, size: 'max' }),
    fc.array(anyRun, { maxLength: 3 }),
  )
  .map(([scattered, runs]) =>
    [...new Map([...scattered, ...runs.flat()])]
      .sort(([a], [b]) => byBytes(a, b))
      .map(([key, put]) => ({
        key,
        put: put === null ? undefined : { ...put, payload: payloadOf(key, put.hash) },
      })),
  )

/** Applies `edits` to `contents`. */
export function edited(contents: Contents, edits: Edit<string>[]): Contents {
  const next = new Map(contents)
  for (const { key, put } of edits) {
    if (put === undefined) next.delete(key)
    else next.set(key, { hash: put.hash, size: put.size })
  }
  return next
}

/** The same edits in batches of `length`, with empty ones among them. */
export function* batches<T>(edits: T[], length: number): Generator<T[]> {
  yield []
  for (let i = 0; i < edits.length; i += length) {
    yield edits.slice(i, i + length)
    yield []
  }
}
