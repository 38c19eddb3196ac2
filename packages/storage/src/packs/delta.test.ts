import { type Hash, hashBytes, hashText } from '@ulmus/content'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BlobStore } from '../blobs/blob-store.ts'
import { openMemoryStore } from '../blobs/memory.ts'
import { ObjectCorruptError, type ObjectKind } from '../errors/stores.ts'
import { type Database, recordPacks } from '../index.ts'
import { type ObjectReader, openObjectReader } from '../objects/object-reader.ts'
import { openObjectWriter } from '../objects/object-writer.ts'
import { findObjects } from '../sql/objects/objects.ts'
import { databases } from '../testing/databases.ts'
import { goingOnFrom } from './delta.ts'
import { basesMax, readFooter } from './pack.ts'

/** Number of lines of some 70 bytes that makes texts large enough for patches. */
const patchedLines = 300

/** Expected lengths for a history of equal changes: `alone` for an object without a base, one unit for each change. */
function historyLengths(versions: number, alone: number): { lengths: number[]; deepest: number } {
  type Stored = { version: number; chain: number[]; bases: Stored[] }
  const lengths: number[] = []
  let deepest = 0
  let last: Stored | undefined
  for (let version = 0; version < versions; version++) {
    const from = last && goingOnFrom(last.chain)
    const bases: Stored[] = last === undefined || from === undefined ? [] : [last, ...last.bases].slice(from)
    const length = bases.length === 0 ? alone : Math.min(alone, version - bases[0]!.version)
    const chain = [length, ...(bases[0]?.chain ?? [])]
    last = { version, chain, bases }
    lengths.push(length)
    deepest = Math.max(deepest, bases.length)
  }
  return { lengths, deepest }
}

describe('base of the next delta', () => {
  it('is the nearest object while there is room', () => {
    expect(goingOnFrom([100])).toBe(0)
    expect(goingOnFrom([1, 1, 1, 1, 1, 100])).toBe(0)
  })

  it('is the base with the least cost per version when there is none', () => {
    expect(goingOnFrom([1, 1, 1, 1, 1, 1, 100])).toBe(6)
    expect(goingOnFrom([1, 1, 1, 1, 1, 7, 100])).toBe(5)
    expect(goingOnFrom([9, 1, 9, 9, 9, 9, 1_000])).toBe(2)
    expect(goingOnFrom([60, 60, 60, 60, 60, 60, 100])).toBeUndefined()
  })

  it('keeps the sum of 21 versions that each change a hundredth under 1.5 times the first', () => {
    const { lengths, deepest } = historyLengths(21, 100)
    expect(lengths.reduce((sum, length) => sum + length)).toBeLessThan(150)
    expect(deepest).toBe(basesMax)
    const long = historyLengths(500, 100)
    expect(long.deepest).toBe(basesMax)
    // Stays far below the cost of restarting with every seventh.
    expect(long.lengths.reduce((sum, length) => sum + length)).toBeLessThan((500 / 7) * 100 * 0.6)
  })
})

const utf8 = (bytes: Uint8Array) => Buffer.from(bytes).toString()

describe.each(databases)('deltas ($name)', ({ open }) => {
  let database: Database
  let dispose: () => Promise<void>
  beforeAll(async () => {
    ;({ database, dispose } = await open())
  })
  afterAll(() => dispose())

  const readerOn = (blobs: BlobStore, cacheBytesMax = 0): ObjectReader =>
    openObjectReader({ database, blobs, cacheBytesMax })

  interface Version {
    kind: ObjectKind
    hash: Hash
    text: string
    replaces?: Hash | undefined
  }

  async function commit(blobs: BlobStore, objects: ObjectReader, versions: Version[]) {
    const writer = openObjectWriter({ database, blobs, objects })
    for (const { kind, hash, text, replaces } of versions) await writer.add(kind, hash, text, { replaces })
    const packed = await writer.finish()
    await database.transact((tx) => recordPacks(tx, packed))
    return packed
  }
  const read = (objects: ObjectReader, { kind, hash }: Version) =>
    kind === 'body' ? objects.body(hash) : objects.plain(hash)

  let unique = 0
  /** Texts, the first of `size` lines, each made from the previous one by changing, dropping, adding or swapping a few lines. */
  function history(edits: readonly { at: number; drop: number; add: string[] }[], size = 60): string[] {
    unique++
    let lines = Array.from({ length: size }, (_, i) => `${unique}-${i}-${hashText(`${i}`)}`)
    const texts = [lines.join('\n')]
    for (const { at, drop, add } of edits) {
      lines = lines.toSpliced(at % (lines.length + 1), drop, ...add)
      texts.push(`${lines.join('\n')}\n${texts.length}`)
    }
    return texts
  }
  const edit = fc.record({
    at: fc.nat(200),
    drop: fc.nat(8),
    add: fc.array(fc.string({ unit: 'grapheme', maxLength: 300 }), { maxLength: 5 }),
  })

  it('reads back any history of edits, however caches were filled', async () => {
    const blobs = openMemoryStore()
    const warm = readerOn(blobs, 8_388_608)
    const run = async (
      edits: Parameters<typeof history>[0],
      kind: ObjectKind,
      jump: number,
      size: number,
    ) => {
      const texts = history(edits, size)
      const versions: Version[] = []
      for (const [i, text] of texts.entries()) {
        const before = versions[Math.max(0, i - 1 - (i % 5 === 0 ? jump : 0))]
        const hash = kind === 'body' ? hashText(`leaf ${unique} ${i}`) : hashText(text)
        versions.push({ kind, hash, text, replaces: before?.hash })
        await commit(blobs, warm, [versions[i]!])
      }
      const cold = readerOn(blobs)
      for (const version of versions.toReversed()) {
        expect(utf8(await read(cold, version))).toBe(version.text)
        expect(utf8(await read(warm, version))).toBe(version.text)
      }
      for (const { bases } of await findObjects(
        database,
        versions.map(({ hash }) => hash),
      ))
        expect(bases.length).toBeLessThanOrEqual(basesMax)
    }
    const edits = fc.array(edit, { minLength: 1, maxLength: 24 })
    await fc.assert(
      fc.asyncProperty(
        edits,
        fc.constantFrom('plain' as const, 'body' as const),
        fc.nat(10),
        fc.constantFrom(60, patchedLines),
        run,
      ),
      { numRuns: 25 },
    )
  })

  /** Twelve versions of one body, each in a separate pack. */
  async function chained(blobs: BlobStore, size = 60, lineAt = (i: number) => `line ${i}`) {
    const edits = Array.from({ length: 11 }, (_, i) => ({ at: i * 5, drop: 1, add: [lineAt(i)] }))
    const texts = history(edits, size)
    const versions = texts.map(
      (text, i): Version => ({ kind: 'body', hash: hashText(`${unique}:${i}`), text }),
    )
    const packs = []
    for (const [i, version] of versions.entries()) {
      version.replaces = versions[i - 1]?.hash
      packs.push(...(await commit(blobs, readerOn(blobs), [version])).packs)
    }
    return { versions, packs }
  }

  it('reads a whole chain with one look-up and one range of each pack, and records it in footers as in rows', async () => {
    const blobs = openMemoryStore()
    const { versions, packs } = await chained(blobs)
    const entries = packs.flatMap((pack) => pack.entries)
    expect(entries.map((entry) => entry.bases.length)).toEqual([0, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5])
    expect(entries[6]!.bases).toEqual(
      versions
        .slice(0, 6)
        .map(({ hash }) => hash)
        .toReversed(),
    )
    for (const pack of packs) expect(await readFooter(blobs, pack.name)).toEqual(pack)
    let reads = 0
    let statements = 0
    const counted: BlobStore = {
      ...blobs,
      read: (name, range) => {
        reads++
        return blobs.read(name, range)
      },
    }
    const asked: Database = Object.create(database, {
      query: {
        value: (text: string, values?: unknown[]) => {
          statements++
          return database.query(text, values)
        },
      },
    })
    const reader = openObjectReader({ database: asked, blobs: counted, cacheBytesMax: 1_048_576 })
    expect(utf8(await reader.body(versions[6]!.hash))).toBe(versions[6]!.text)
    expect([statements, reads]).toEqual([1, 7])
    // Version 7 is a delta to version 0; version 8 to version 7, whose body is cached now.
    expect(utf8(await reader.body(versions[7]!.hash))).toBe(versions[7]!.text)
    expect([statements, reads]).toEqual([2, 9])
    expect(utf8(await reader.body(versions[8]!.hash))).toBe(versions[8]!.text)
    expect([statements, reads]).toEqual([3, 10])
  })

  const chains = [
    { encoding: 1 },
    // In the order of the lines of the history to be made.
    { encoding: 2, size: patchedLines, lineAt: (i: number) => `${unique + 1}-${i * 5}-line` },
  ]
  it.each(chains)(
    'calls every object damaged whose chain is, by its own name, and serves the rest ($encoding)',
    async ({ encoding, size, lineAt }) => {
      const blobs = openMemoryStore()
      const { versions, packs } = await chained(blobs, size, lineAt)
      for (const [hit, { name, entries }] of packs.entries()) {
        const whole = await blobs.read(name)
        const { hash, offset, length } = entries[0]!
        expect(whole[offset]).toBe(hit === 0 ? 0 : encoding)
        for (let at = offset; at < offset + length; at += Math.ceil(length / 9)) {
          const damaged = new Uint8Array(whole)
          damaged[at]! ^= 1 << (at % 8)
          await blobs.put(name, damaged)
          const reader = readerOn(blobs)
          for (const [i, version] of versions.entries()) {
            const { bases } = packs[i]!.entries[0]!
            const outcome = await read(reader, version).then(utf8, (error: unknown) => error)
            if (i === hit || bases.includes(hash)) {
              expect(outcome).toBeInstanceOf(ObjectCorruptError)
              expect(outcome).toMatchObject({ kind: 'body', hash: version.hash })
            } else expect(outcome).toBe(version.text)
          }
        }
        await blobs.put(name, whole)
      }
    },
  )

  it('calls an object damaged of which the index lacks a base', async () => {
    const blobs = openMemoryStore()
    const { versions } = await chained(blobs)
    await database.query('delete from objects where hash = $1', [versions[0]!.hash])
    await expect(readerOn(blobs).body(versions[3]!.hash)).rejects.toMatchObject({
      name: 'ObjectCorruptError',
      hash: versions[3]!.hash,
    })
  })

  it('stores whole what is no smaller as a delta, and without a reader everything', async () => {
    const blobs = openMemoryStore()
    const base = { kind: 'plain' as const, text: `${unique} ${'a'.repeat(2_000)}` }
    const first = { ...base, hash: hashText(base.text) }
    const other = history([{ at: 0, drop: 0, add: [] }])[0]!
    const second: Version = { kind: 'plain', hash: hashText(other), text: other, replaces: first.hash }
    const similar = { kind: 'plain' as const, text: `${other}.` }
    const third: Version = { ...similar, hash: hashText(similar.text), replaces: second.hash }
    await commit(blobs, readerOn(blobs), [first])
    await commit(blobs, readerOn(blobs), [second])
    const writer = openObjectWriter({ database, blobs })
    await writer.add(third.kind, third.hash, third.text, { replaces: second.hash })
    const packed = await writer.finish()
    expect(packed.packs[0]!.entries[0]!.bases).toEqual([])
    const [place] = await findObjects(database, [second.hash])
    expect(place!.bases).toEqual([])
    expect(hashBytes(await readerOn(blobs).plain(second.hash))).toBe(second.hash)
  })
})
