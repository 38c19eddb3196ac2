import { crc32 } from 'node:zlib'
import { encodeNode, type Hash, hashBytes, hashText, type JsonObject, recordOf } from '@ulmus/content'
import type { EncodedObject } from '@ulmus/storage'
import { encodeObjectHere } from '@ulmus/storage/encoding'
import { describe, expect, test } from 'vitest'
import { bodyOf, referenceTo } from '../bodies.ts'
import { type ComparedLeaf, compareLeaves } from './compare-leaves.ts'

type Contents = Record<string, JsonObject>

const ids = Array.from({ length: 300 }, (_, n) => `r${1_000 + n}`)
const contents: Contents = Object.fromEntries(
  ids.map((id, n) => [id, { n, text: `${n} is a number`.repeat(9) }]),
)
const large = (letter: string): JsonObject => ({ text: letter.repeat(20_000) })

const isLarge = (canonical: string) => Buffer.byteLength(canonical) > 16_384

/** What a body should have for a record. */
const lineOf = (id: string, data: JsonObject): string => {
  const { canonical, hash } = recordOf(id, 'T', data)
  return isLarge(canonical) ? Buffer.from(referenceTo(hash)).toString() : canonical
}

interface Raw {
  hash: Hash
  text: Buffer
  lines: string[]
  lastKey: string
}

function rawOf(held: Contents): Raw {
  const records = Object.entries(held).map(([id, data]) => recordOf(id, 'T', data))
  const keys = records.map(({ id }) => id)
  const hashes = records.map(({ hash }) => hash)
  const sizes = records.map(({ canonical }) => Buffer.byteLength(canonical))
  const text = encodeNode({ kind: 'leaf', tree: 'records', keys, hashes, sizes })
  const lines = records.map(({ id }) => lineOf(id, held[id]!))
  return { hash: hashText(text), text: Buffer.from(text), lines, lastKey: keys.at(-1)! }
}

const rawBody = ({ lines }: Raw) => bodyOf(lines.map((line) => Buffer.from(line)))

function stored(kind: 'plain' | 'body', hash: Hash, raws: Uint8Array[], bases: Hash[]): EncodedObject {
  const chain = raws.map((raw, index) => {
    const bytes = encodeObjectHere(raw, raws[index + 1])
    return { hash: [hash, ...bases][index]!, pack: 'pack', crc: crc32(bytes), bytes }
  })
  return { kind, hash, checksum: hashBytes(raws[0]!), chain, base: undefined }
}

/** The leaf as it is stored: alone, or as what differs from another. */
function leafOf(raw: Raw, base?: Raw): Required<ComparedLeaf> {
  const bases = base === undefined ? [] : [base]
  const hashes = bases.map(({ hash }) => hash)
  return {
    hash: raw.hash,
    lastKey: raw.lastKey,
    node: stored(
      'plain',
      raw.hash,
      [raw, ...bases].map(({ text }) => text),
      hashes,
    ),
    body: stored('body', raw.hash, [raw, ...bases].map(rawBody), hashes),
  }
}

const changed: Contents = { ...contents, r1005: { n: -5 }, r1100: large('b'), r1210: large('c') }
delete changed['r1042']
const former: Contents = { ...contents, r1100: large('a') }
const [old, next] = [rawOf(former), rawOf(changed)]
const differing = ['r1005', 'r1042', 'r1100', 'r1210']

const textIn = (line: Uint8Array | undefined) => line && Buffer.from(line).toString()

describe('compareLeaves', () => {
  test.each([
    ['both alone', () => [leafOf(old), leafOf(next)]],
    ['the later as a delta', () => [leafOf(old), leafOf(next, old)]],
    ['the former as a delta', () => [leafOf(old, next), leafOf(next)]],
  ] as const)('tells what differs with the lines of both sides: %s', async (_, pair) => {
    const [before, after] = pair()
    const outcome = await compareLeaves({ before: before!, after: after! })
    if (outcome.kind === 'damaged') throw new Error(outcome.object.hash)
    expect(
      outcome.changes.map(({ key, lines }) => [key, textIn(lines!.before), textIn(lines!.after)]),
    ).toEqual(
      differing.map((id) => [
        id,
        former[id] && lineOf(id, former[id]),
        changed[id] && lineOf(id, changed[id]),
      ]),
    )
    // A view of a body would take all of it along.
    for (const { lines } of outcome.changes)
      for (const line of [lines!.before, lines!.after])
        if (line !== undefined) expect(line.buffer.byteLength).toBe(line.length)
  })

  test('without bodies it tells no lines', async () => {
    const [before, after] = [leafOf(old), leafOf(next, old)].map(({ body: _, ...leaf }) => leaf)
    const outcome = await compareLeaves({ before: before!, after: after! })
    expect(outcome).toMatchObject({ kind: 'compared' })
    if (outcome.kind === 'compared')
      expect(outcome.changes.map(({ key, lines }) => [key, lines])).toEqual(
        differing.map((key) => [key, undefined]),
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
    const outcome = await compareLeaves({ before: leafOf(old), after: leafOf({ ...next, lines }, old) })
    expect(outcome).toEqual({ kind: 'damaged', object: { kind: 'body', hash: next.hash, pack: 'pack' } })
  })

  test('a node that is not what its name says is damage', async () => {
    const after = leafOf(next)
    const other = { ...after.node, hash: old.hash, checksum: old.hash }
    expect(await compareLeaves({ before: leafOf(old), after: { ...after, node: other } })).toMatchObject({
      kind: 'damaged',
      object: { kind: 'plain' },
    })
  })
})
