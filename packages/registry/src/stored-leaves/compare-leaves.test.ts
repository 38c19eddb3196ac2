import { crc32 } from 'node:zlib'
import type { JsonObject } from '@ulmus/content'
import { LeafRows, leafChanges } from '@ulmus/content/stored'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changedLines, wantedLines, withLines } from './changed-lines.ts'
import { compareLeaves } from './compare-leaves.ts'
import { type Contents, leafOf, lineOf, type Raw, rawOf } from './stored-leaf.fixture.ts'

const ids = Array.from({ length: 300 }, (_, n) => `r${1_000 + n}`)
const contents: Contents = Object.fromEntries(
  ids.map((id, n) => [id, { n, text: `${n} is a number`.repeat(9) }]),
)
const large = (letter: string): JsonObject => ({ text: letter.repeat(20_000) })

const changed: Contents = { ...contents, r1005: { n: -5 }, r1100: large('b'), r1210: large('c') }
delete changed['r1042']
const former: Contents = { ...contents, r1100: large('a') }
const [old, next] = [rawOf(former), rawOf(changed)]
const differing = ['r1005', 'r1042', 'r1100', 'r1210']

type Stored = ReturnType<typeof leafOf>

const compared = ([before, after]: readonly [Stored, Stored]) => compareLeaves.run({ before, after })

/** Compares two leaves, then reads the lines of what differs. */
async function comparedWithLines(pair: readonly [Stored, Stored]) {
  const [before, after] = pair.map(({ body }) => body)
  const changes = await compared(pair)
  const task = { before: before!, after: after!, wanted: wantedLines(changes) }
  return withLines(changes, await changedLines.run(task))
}

const textIn = (line: Uint8Array | undefined) => line && Buffer.from(line).toString()

const asTexts = (changes: Awaited<ReturnType<typeof comparedWithLines>>) =>
  changes.map(({ key, lines }) => [key, textIn(lines!.before), textIn(lines!.after)])

/** Differences found by comparing the contents. */
const expectedOf = (before: Contents, after: Contents) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .toSorted()
    .map((id) => [id, before[id] && lineOf(id, before[id]), after[id] && lineOf(id, after[id])])
    .filter(([, was, is]) => was !== is)

const ways: [string, (old: Raw, next: Raw, between: Raw) => [Stored, Stored]][] = [
  ['both alone', (old, next) => [leafOf(old), leafOf(next)]],
  ['the later as a delta', (old, next) => [leafOf(old), leafOf(next, old)]],
  ['the former as a delta', (old, next) => [leafOf(old, next), leafOf(next)]],
  ['the later at the end of a chain', (old, next, between) => [leafOf(old), leafOf(next, between, old)]],
  ['the former at the end of a chain', (old, next, between) => [leafOf(old, between, next), leafOf(next)]],
  ['both as deltas of another', (old, next, between) => [leafOf(old, between), leafOf(next, between)]],
]

describe('compareLeaves', () => {
  test.each(ways)('finds what differs, and the lines of both sides: %s', async (_, way) => {
    const changes = await comparedWithLines(way(old, next, rawOf(contents)))
    expect(changes.map(({ key }) => key)).toEqual(differing)
    expect(asTexts(changes)).toEqual(expectedOf(former, changed))
  })

  test('finds what differs between any leaves, however they are stored', async () => {
    const few = ids.slice(0, 120)
    const edits = fc.dictionary(
      fc.constantFrom(...few, 'a', 'z'),
      fc.constantFrom<JsonObject | null>(null, { n: 1 }, { n: 2, text: 'longer' }, large('a'), large('b')),
      { maxKeys: 12 },
    )
    const edited = (from: Contents, changes: Record<string, JsonObject | null>): Contents => {
      const all = Object.entries({ ...from, ...changes }).filter(([, data]) => data !== null)
      return Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1))) as Contents
    }
    const base = Object.fromEntries(few.map((id) => [id, contents[id]!]))
    await fc.assert(
      fc.asyncProperty(edits, edits, fc.constantFrom(...ways), async (first, second, [, way]) => {
        const between = edited(base, first)
        const last = edited(between, second)
        const raws = [base, last, between].map(rawOf) as [Raw, Raw, Raw]
        const changes = await comparedWithLines(way(...raws))
        const rows = raws.map((raw) => new LeafRows(raw, raw.text))
        const places = changes.map(({ key, before, after }) => {
          const place = (entry: typeof before) => {
            const { lineStart: _, ...rest } = entry!
            return rest
          }
          return { key, ...(before && { before: place(before) }), ...(after && { after: place(after) }) }
        })
        expect(places).toEqual(leafChanges(rows[0]!, rows[1]!))
        expect(asTexts(changes)).toEqual(expectedOf(base, last))
      }),
      { numRuns: 60 },
    )
  })

  test.each([
    ['a record with another letter', 5, (line: string) => line.replace('-5', '-6')],
    [
      'a reference to another record',
      99,
      (line: string) => line.replace(/[0-9a-f]"}$/, (end) => `${end[0] === '0' ? 1 : 0}"}`),
    ],
    ['a body that is cut short', 209, () => ''],
    ['a line too many before it', 0, (line: string) => `${line}\n${line}`],
  ])('what it would pass on and is not what the leaf names is damage: %s', async (_, index, damage) => {
    const lines = next.lines.with(index, damage(next.lines[index]!))
    if (lines[index] === '') lines.length = index
    expect(lines).not.toEqual(next.lines)
    await expect(comparedWithLines([leafOf(old), leafOf({ ...next, lines }, old)])).rejects.toMatchObject({
      ...{ name: 'ObjectCorruptError', kind: 'body', hash: next.hash, pack: 'pack' },
    })
  })

  test.each([
    ['', false],
    [', also if the checksum of the stored bytes fits', true],
  ])('a flipped bit of anything that is stored is damage, or changes nothing%s', async (_, fits) => {
    const expected = expectedOf(former, changed)
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ways),
        fc.nat(),
        fc.nat(),
        fc.nat(7),
        async ([, way], n, at, bit) => {
          const pair = way(old, next, rawOf(contents))
          const links = pair.flatMap(({ node, body }) => [...node.chain, ...body.chain])
          const link = links[n % links.length]!
          link.bytes = Uint8Array.from(link.bytes)
          link.bytes[at % link.bytes.length]! ^= 1 << bit
          if (fits) link.crc = crc32(link.bytes)
          const outcome = await comparedWithLines(pair).then(asTexts, (error: Error) => error.name)
          expect([expected, 'ObjectCorruptError']).toContainEqual(outcome)
        },
      ),
      { numRuns: 150 },
    )
  })

  test('a node that is not what its name says is damage', async () => {
    const after = leafOf(next)
    const other = { ...after.node, hash: old.hash, checksum: old.hash }
    await expect(compared([leafOf(old), { ...after, node: other }])).rejects.toMatchObject({
      ...{ name: 'ObjectCorruptError', kind: 'plain' },
    })
  })

  test('lines are passed on in a buffer of their own', async () => {
    const pair = [leafOf(old), leafOf(next, old)] as const
    const task = { before: pair[0].body, after: pair[1].body, wanted: wantedLines(await compared(pair)) }
    const lines = await changedLines.run(task)
    expect(lines.buffer.byteLength).toBe(lines.length)
    expect(changedLines.returns!(lines)).toEqual([lines.buffer])
  })
})
