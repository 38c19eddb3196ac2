/** Deltas whose base is in a pack of the same commit, on both databases. */
import { randomBytes } from 'node:crypto'
import { type Hash, hashText } from '@ulmus/content'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BlobStore } from '../blobs/blob-store.ts'
import { openMemoryStore } from '../blobs/memory.ts'
import { ObjectsSweptError } from '../errors/stores.ts'
import { type Database, recordPacks } from '../index.ts'
import { encodeObjectHere } from '../packs/codec.ts'
import { databases } from '../testing/databases.ts'
import { openObjectReader } from './object-reader.ts'
import { type ObjectWriter, openObjectWriter, type PackedObjects } from './object-writer.ts'

describe.each(databases)('bases of the same commit ($name)', ({ open }) => {
  let database: Database
  let dispose: () => Promise<void>
  const blobs = openMemoryStore()
  beforeAll(async () => {
    ;({ database, dispose } = await open())
  })
  afterAll(() => dispose())

  const openReader = () => openObjectReader({ database, blobs, cacheBytesMax: 1_000_000 })
  const openWriter = () => openObjectWriter({ database, blobs, objects: openReader() })
  const record = (packed: PackedObjects) => database.transact((tx) => recordPacks(tx, packed))
  const bytes = (text: string) => new Uint8Array(Buffer.from(text))
  const text = () => `${randomBytes(2_000).toString('hex')}\n`
  const addDelta = (writer: ObjectWriter, raw: string, chain: readonly string[]) =>
    writer.addEncoded({
      ...{ kind: 'plain', hash: hashText(raw), checksum: null },
      encoded: encodeObjectHere(bytes(raw), bytes(chain[0]!)),
      bases: chain.map(hashText),
    })
  const rowOf = async (hash: Hash) =>
    (await database.query('select bases, length from objects where hash = $1', [hash])).rows[0]!

  it('are read before they are recorded, and recorded with their chain', async () => {
    const [old, base] = [text(), text()]
    const before = openWriter()
    await before.add('plain', hashText(old), old)
    await record(await before.finish())
    const changed = `${old}${base}`
    const full = `${changed}more\n`
    const writer = openWriter()
    await writer.add('plain', hashText(changed), changed, { replaces: hashText(old) })
    const places = await writer.closePack()
    expect([...places.keys()]).toEqual([hashText(changed)])
    const reader = openReader()
    const name = { kind: 'plain', hash: hashText(changed) } as const
    expect((await reader.encoded(name, places)).chain.map(({ hash }) => hash)).toEqual(
      [changed, old].map(hashText),
    )
    await addDelta(writer, full, [changed, old])
    const packed = await writer.finish()
    expect(packed.packs.map(({ entries }) => entries.length)).toEqual([1, 1])
    await record(packed)
    expect(await rowOf(hashText(full))).toMatchObject({ bases: [changed, old].map(hashText) })
    expect(Buffer.from(await openReader().plain(hashText(full))).toString()).toBe(full)
  })

  it('refuse a commit if another one recorded them meanwhile with another chain; with the same one it stands', async () => {
    for (const isSame of [true, false]) {
      const [old, added] = [text(), text()]
      const before = openWriter()
      await before.add('plain', hashText(old), old)
      await record(await before.finish())
      const base = `${old}${added}`
      const full = `${base}more\n`
      const writer = openWriter()
      await writer.add('plain', hashText(base), base, { replaces: hashText(old) })
      await writer.closePack()
      await addDelta(writer, full, [base, old])
      const packed = await writer.finish()
      const other = openWriter()
      await other.add('plain', hashText(base), base, isSame ? { replaces: hashText(old) } : {})
      await record(await other.finish())
      if (isSame) {
        await record(packed)
        expect(Buffer.from(await openReader().plain(hashText(full))).toString()).toBe(full)
        continue
      }
      await expect(record(packed)).rejects.toThrow(ObjectsSweptError)
      await writer.abort()
      // Built again, the commit finds the base in the index.
      const again = openWriter()
      await again.add('plain', hashText(base), base)
      expect((await again.closePack()).size).toBe(0)
      await addDelta(again, full, [base])
      await record(await again.finish())
      expect(await rowOf(hashText(full))).toMatchObject({ bases: [hashText(base)] })
    }
  })

  it('a pack is closed between batches, though objects are added meanwhile', async () => {
    // A pack takes a while to be durable.
    const slow: BlobStore = {
      ...blobs,
      async put(name, source) {
        const stored = await blobs.put(name, source)
        await new Promise((resolve) => setTimeout(resolve, 300))
        return stored
      },
    }
    const writer = openObjectWriter({ database, blobs: slow, objects: openReader() })
    const all = Array.from({ length: 900 }, text)
    const adding = all.slice(0, 600).map((one) => writer.add('plain', hashText(one), one))
    const closing = writer.closePack()
    adding.push(...all.slice(600).map((one) => writer.add('plain', hashText(one), one)))
    const places = await closing
    await Promise.all(adding)
    for (const one of all.slice(0, 600)) expect(places.has(hashText(one))).toBe(true)
    await record(await writer.finish())
    const reader = openReader()
    for (const one of all) expect(Buffer.from(await reader.plain(hashText(one))).toString()).toBe(one)
  })

  it('a damaged object that is a delta to one is replaced without a base', async () => {
    const [base, full] = [text(), text()]
    const before = openWriter()
    await before.add('plain', hashText(full), full)
    const { packs } = await before.finish()
    await record({ packs, bytes: 0, reliedOn: [], replaced: [] })
    const damaged = new Uint8Array(await blobs.read(packs[0]!.name))
    damaged[packs[0]!.entries[0]!.offset + 20]! ^= 1
    await blobs.put(packs[0]!.name, damaged)
    const writer = openWriter()
    await writer.add('plain', hashText(base), base)
    await writer.closePack()
    await addDelta(writer, full, [base])
    await record(await writer.finish())
    expect(await rowOf(hashText(full))).toMatchObject({ bases: [] })
    expect(Buffer.from(await openReader().plain(hashText(full))).toString()).toBe(full)
  })
})
