import { randomBytes } from 'node:crypto'
import {
  documentText,
  encodeNode,
  type Hash,
  hashBytes,
  hashText,
  type LeafNode,
  type ViewDocument,
} from '@ulmus/content'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BlobStore } from '../blobs/blob-store.ts'
import { openMemoryStore } from '../blobs/memory.ts'
import { ObjectCorruptError, ObjectMissingError, PackCorruptError } from '../errors/stores.ts'
import { type Database, recordPacks } from '../index.ts'
import { encodeObjectHere, objectBytesMax } from '../packs/codec.ts'
import { decodeEncoded } from '../packs/encoded-object.ts'
import { readFooter } from '../packs/pack.ts'
import { findObjects } from '../sql/objects/objects.ts'
import { databases } from '../testing/databases.ts'
import { openObjectReader } from './object-reader.ts'
import { openObjectWriter, type PackedObjects } from './object-writer.ts'

const megabyte = 1_048_576

/** A real store whose reads are counted and whose puts can be made to fail. */
function watched(store: BlobStore): BlobStore & { reads: number; refusal?: Error } {
  return {
    ...store,
    reads: 0,
    read(name, range) {
      this.reads++
      return store.read(name, range)
    },
    async put(name, source) {
      if (this.refusal === undefined) return store.put(name, source)
      if (!(source instanceof Uint8Array)) for await (const _ of source) throw this.refusal
      throw this.refusal
    },
  }
}

const leafOf = (prefix: string, entries: number): LeafNode => ({
  kind: 'leaf',
  tree: 'records',
  keys: Array.from({ length: entries }, (_, i) => `${prefix}-${String(i).padStart(5, '0')}`),
  hashes: Array.from({ length: entries }, (_, i) => hashText(`${prefix}${i}`)),
  sizes: Array.from({ length: entries }, () => 10),
})

describe.each(databases)('objects ($name)', ({ open }) => {
  let database: Database
  let dispose: () => Promise<void>
  beforeAll(async () => {
    ;({ database, dispose } = await open())
  })
  afterAll(() => dispose())

  const openReader = (blobs: BlobStore, cacheBytesMax = 64 * megabyte) =>
    openObjectReader({ database, blobs, cacheBytesMax })
  const record = (packed: PackedObjects) => database.transact((tx) => recordPacks(tx, packed))

  /** Writes plain objects and bodies, and records them. */
  async function store(
    blobs: BlobStore,
    plains: string[],
    bodies: [leaf: Hash, text: string][] = [],
    packBytesMax?: number,
  ) {
    const writer = openObjectWriter({ database, blobs, packBytesMax })
    for (const text of plains) await writer.add('plain', hashText(text), text)
    for (const [leaf, text] of bodies) await writer.add('body', leaf, text)
    const packed = await writer.finish()
    await record(packed)
    return packed
  }
  const random = (bytes: number) => randomBytes(bytes / 2).toString('hex')

  it('gives back nodes, bodies, documents and plain bytes', async () => {
    const blobs = openMemoryStore()
    const leaf = leafOf('back', 100)
    const node = encodeNode(leaf)
    const body = `{"id":"${random(1_000)}"}\n`
    const document: ViewDocument = {
      files: { root: null, count: 0, bytes: 0 },
      metadata: { readme: random(100) },
      types: { thing: { schema: hashText('schema'), root: hashText(node), count: 100, bytes: 1_000 } },
    }
    const text = documentText(document)
    await store(blobs, [node, text], [[hashText(node), body]])
    const reader = openReader(blobs)
    expect(await reader.node(hashText(node))).toEqual(leaf)
    expect(Buffer.from(await reader.plain(hashText(node))).toString()).toBe(node)
    expect(Buffer.from(await reader.body(hashText(node))).toString()).toBe(body)
    expect(await reader.document(hashText(text))).toEqual(document)
    expect(Buffer.from(await reader.documentBytes(hashText(text))).toString()).toBe(text)
    const decoded = await reader.decoded(hashText(text), (raw) => JSON.parse(String(Buffer.from(raw))))
    expect([decoded, Object.isFrozen(decoded.types.thing)]).toEqual([document, true])
  })

  it('says which object is missing, and finds it once it is stored', async () => {
    const blobs = openMemoryStore()
    const reader = openReader(blobs)
    const text = random(100)
    const hash = hashText(text)
    await expect(reader.plain(hash)).rejects.toThrow(ObjectMissingError)
    await expect(reader.node(hash)).rejects.toMatchObject({ kind: 'plain', hash })
    await expect(reader.body(hash)).rejects.toMatchObject({ kind: 'body', hash })
    await store(blobs, [text])
    expect(Buffer.from(await reader.plain(hash)).toString()).toBe(text)
    await expect(reader.body(hash)).rejects.toThrow(ObjectMissingError)
  })

  it('writes an object once: within a commit, and when the index has it', async () => {
    const blobs = openMemoryStore()
    const [a, b, c] = [random(200), random(200), random(200)]
    const first = await store(blobs, [a, b, a], [[hashText(a), c]])
    expect(first.packs.flatMap((pack) => pack.entries).length).toBe(3)
    const second = await store(blobs, [b, c, b], [[hashText(a), c]])
    expect(second.packs.flatMap((pack) => pack.entries).map((entry) => entry.hash)).toEqual([hashText(c)])
    const third = await store(blobs, [a, b, c], [[hashText(a), c]])
    expect(third.packs).toEqual([])
    expect(third.reliedOn.map((one) => one.hash).toSorted()).toEqual(
      [hashText(a), hashText(a), hashText(b), hashText(c)].toSorted(),
    )
  })

  it('keeps the first place when two commits wrote the same object at once', async () => {
    const blobs = openMemoryStore()
    const text = random(200)
    const write = async () => {
      const writer = openObjectWriter({ database, blobs })
      await writer.add('plain', hashText(text), text)
      return writer.finish()
    }
    const both = await Promise.all([write(), write()])
    await Promise.all(both.map(record))
    const places = await findObjects(database, [hashText(text)])
    expect(places).toHaveLength(1)
    expect(Buffer.from(await openReader(blobs).plain(hashText(text))).toString()).toBe(text)
  })

  it('builds on an object read through a base that was stored again', async () => {
    const blobs = openMemoryStore()
    const lines = Array.from({ length: 200 }, (_, n) => `{"id":"${n}","text":"${random(60)}"}\n`)
    const leafs = ['a', 'b', 'c', 'd'].map((name) => hashText(`again ${name}`))
    const text = (changes: number) =>
      lines.map((line, n) => (n < changes ? line.replace('text', 'changed') : line)).join('')
    const next = async (number: number) => {
      const objects = openReader(blobs)
      const writer = openObjectWriter({ database, blobs, objects })
      await writer.add('body', leafs[number]!, text(number), { replaces: leafs[number - 1] })
      await record(await writer.finish())
    }
    for (const number of [0, 1, 2]) await next(number)
    const chainOf = async (number: number) =>
      (await openReader(blobs).chain('body', leafs[number]!)).map(({ hash }) => hash)
    expect(await chainOf(2)).toEqual([leafs[2], leafs[1], leafs[0]])
    const [place] = await openReader(blobs).chain('body', leafs[1]!)
    const writer = openObjectWriter({ database, blobs, lookUp: false })
    await writer.add('body', leafs[1]!, text(1))
    await record({
      ...(await writer.finish()),
      replaced: [{ kind: 'body', hash: leafs[1]!, pack: place!.pack }],
    })
    expect(await chainOf(2)).toEqual([leafs[2], leafs[1]])
    await next(3)
    expect(await chainOf(3)).toEqual([leafs[3], leafs[2], leafs[1]])
    expect(Buffer.from(await openReader(blobs).body(leafs[3]!)).toString()).toBe(text(3))
  })

  it('splits into packs, whose footers equal the rows', async () => {
    const blobs = openMemoryStore()
    const plains = Array.from({ length: 600 }, () => random(2_000))
    const bodies = plains.slice(0, 50).map((text): [Hash, string] => [hashText(text), random(500)])
    const packed = await store(blobs, plains, bodies, 200_000)
    expect(packed.packs.length).toBeGreaterThan(3)
    const rows = await findObjects(database, plains.map(hashText))
    expect(rows).toHaveLength(650)
    for (const pack of packed.packs) {
      const footer = await readFooter(blobs, pack.name)
      expect(footer).toEqual(pack)
      const mine = rows.filter((row) => row.pack === pack.name).map(({ pack: _, ...entry }) => entry)
      expect(new Set(mine.map((row) => JSON.stringify(row, Object.keys(row).sort())))).toEqual(
        new Set(footer.entries.map((entry) => JSON.stringify(entry, Object.keys(entry).sort()))),
      )
      const recorded = await database.query('select bytes from packs where name = $1', [pack.name])
      expect(recorded.rows[0]!['bytes']).toBe(await blobs.size(pack.name))
    }
    const reader = openReader(blobs)
    for (const text of plains) expect(Buffer.from(await reader.plain(hashText(text))).toString()).toBe(text)
  })

  it('never serves a pack with a byte flipped, and names the object', async () => {
    const blobs = openMemoryStore()
    const plains = [random(300), encodeNode(leafOf('flip', 3)), 'x'.repeat(500)]
    const leaf = hashText(random(10))
    const body = `${random(400)}\n`
    const { packs } = await store(blobs, plains, [[leaf, body]])
    const pack = packs[0]!
    const whole = await blobs.read(pack.name)
    for (let at = 0; at < whole.length; at++) {
      const damaged = new Uint8Array(whole)
      damaged[at]! ^= 1 << (at % 8)
      await blobs.put(pack.name, damaged)
      const reader = openReader(blobs)
      const hit = pack.entries.find((entry) => at >= entry.offset && at < entry.offset + entry.length)
      if (hit === undefined) await expect(readFooter(blobs, pack.name)).rejects.toThrow(PackCorruptError)
      // Together, they need one look-up in the database.
      const outcomes = await Promise.all(
        pack.entries.map((entry) =>
          (entry.kind === 'body' ? reader.body(entry.hash) : reader.plain(entry.hash)).then(
            (bytes) => hashBytes(bytes) === (entry.checksum ?? entry.hash),
            (error: unknown) => error,
          ),
        ),
      )
      for (const [n, entry] of pack.entries.entries()) {
        // A flip that zstd ignores (an unused bit of its header) still decodes to the right bytes.
        if (entry === hit && outcomes[n] !== true) {
          expect(outcomes[n]).toBeInstanceOf(ObjectCorruptError)
          expect(outcomes[n]).toMatchObject({ hash: entry.hash, kind: entry.kind, pack: pack.name })
        } else expect(outcomes[n]).toBe(true)
      }
    }
  })

  it('calls an object damaged whose pack is gone, cut short, or holds another in its place', async () => {
    const blobs = openMemoryStore()
    const [first, second] = [random(300), random(300)]
    const { packs } = await store(blobs, [first, second])
    const { name, entries } = packs[0]!
    const whole = await blobs.read(name)
    const reader = openReader(blobs)
    const corrupt = async (hash: Hash) => {
      await expect(reader.plain(hash)).rejects.toThrow(ObjectCorruptError)
      await expect(openReader(blobs).plain(hash)).rejects.toMatchObject({ hash, pack: name })
    }
    await blobs.put(name, whole.subarray(0, entries[1]!.offset + 5))
    await corrupt(hashText(second))
    expect(Buffer.from(await reader.plain(hashText(first))).toString()).toBe(first)
    await blobs.remove(name)
    await corrupt(hashText(first))
    await blobs.put(name, whole)
    await database.query(`update objects set "offset" = $1, length = $2 where hash = $3`, [
      entries[0]!.offset,
      entries[0]!.length,
      entries[1]!.hash,
    ])
    await corrupt(hashText(second)).catch(() => undefined)
    await expect(openReader(blobs).plain(hashText(second))).rejects.toThrow(ObjectCorruptError)
    const notNode = hashText(first)
    await expect(openReader(blobs).node(notNode)).rejects.toThrow(ObjectCorruptError)
    await expect(openReader(blobs).document(notNode)).rejects.toThrow(ObjectCorruptError)
  })

  it('finds an object that was moved to another pack', async () => {
    const blobs = openMemoryStore()
    const text = random(300)
    const before = await store(blobs, [text])
    const reader = openReader(blobs)
    await reader.plain(hashText(text))
    await database.query('delete from packs where name = $1', [before.packs[0]!.name])
    await store(blobs, [text])
    await blobs.remove(before.packs[0]!.name)
    expect(Buffer.from(await reader.plain(hashText(text))).toString()).toBe(text)
  })

  it('reads at once what is asked at once, and keeps no more than it may', async () => {
    const blobs = watched(openMemoryStore())
    const leaves = Array.from({ length: 60 }, (_, i) => encodeNode(leafOf(`kept-${i}`, 200)))
    const bodies = leaves.map((text): [Hash, string] => [hashText(text), random(40_000)])
    await store(blobs, leaves, bodies)
    const reader = openReader(blobs)
    await Promise.all(Array.from({ length: 50 }, () => reader.node(hashText(leaves[0]!))))
    expect(blobs.reads).toBe(1)
    await reader.node(hashText(leaves[0]!))
    expect(blobs.reads).toBe(1)

    const small = openReader(blobs, 2 * megabyte)
    for (let round = 0; round < 2; round++) {
      for (const [leaf] of bodies) await Promise.all([small.node(leaf), small.body(leaf)])
      expect(small.cachedBytes()).toBeLessThanOrEqual(2 * megabyte)
      expect(small.cachedBytes()).toBeGreaterThan(megabyte)
    }
    const none = openReader(blobs, 0)
    expect(Buffer.from(await none.body(bodies[0]![0])).toString()).toBe(bodies[0]![1])
    expect(none.cachedBytes()).toBeLessThanOrEqual(512)
  })

  it('keeps nothing of a long walk, and still gives it what is kept', async () => {
    const blobs = watched(openMemoryStore())
    const leaves = Array.from({ length: 40 }, (_, i) => encodeNode(leafOf(`walked-${i}`, 200)))
    const bodies = leaves.map((text): [Hash, string] => [hashText(text), random(40_000)])
    await store(blobs, leaves, bodies)
    const reader = openReader(blobs, 2 * megabyte)
    const often = bodies[7]![0]
    await Promise.all([reader.node(often), reader.body(often)])
    const held = reader.cachedBytes()
    const walker = reader.scanReader(100 * megabyte)
    for (const [leaf] of bodies) await Promise.all([walker.node(leaf), walker.body(leaf)])
    // Locations are cached; contents are not.
    expect(reader.cachedBytes() - held).toBeLessThan(40 * 1_024)
    const reads = blobs.reads
    await Promise.all([walker.node(often), reader.node(often), walker.body(often), reader.body(often)])
    expect(blobs.reads).toBe(reads)
    expect(reader.scanReader(1_000)).toBe(reader)
  })

  it('looks up at once the places of many leaves, and reads a leaf and its body as one', async () => {
    const blobs = watched(openMemoryStore())
    const leaves = Array.from({ length: 20 }, (_, n) => encodeNode(leafOf(`ahead-${n}`, 3)))
    for (const node of leaves) await store(blobs, [node], [[hashText(node), random(100)]])
    let statements = 0
    const counted: Database = {
      ...database,
      query(text, values) {
        statements++
        return database.query(text, values)
      },
    }
    const reader = openObjectReader({ database: counted, blobs, cacheBytesMax: megabyte })
    await reader.prefetch([...leaves.map(hashText), hashText('absent')])
    expect(statements).toBe(1)
    blobs.reads = 0
    for (const node of leaves) {
      const { node: leaf, body } = await reader.encodedLeaf(hashText(node))
      expect(Buffer.from(await decodeEncoded(leaf)).toString()).toBe(node)
      expect(await decodeEncoded(body)).toEqual(await reader.raw('body', hashText(node)))
    }
    // One read for each leaf with its body, and one for each body read again.
    expect([statements, blobs.reads]).toEqual([1, 40])
    await expect(reader.encodedLeaf(hashText('absent'))).rejects.toThrow(ObjectMissingError)
  })

  it('reads what two leaves have in common once for both', async () => {
    const blobs = watched(openMemoryStore())
    const texts = [leafOf('pair', 1_000), leafOf('pair', 1_001)].map(encodeNode)
    const [old, next] = texts.map(hashText) as [Hash, Hash]
    const bodies = [random(40_000)]
    bodies.push(`${bodies[0]}and more`)
    await store(blobs, [texts[0]!], [[old, bodies[0]!]])
    const writer = openObjectWriter({ database, blobs, objects: openReader(blobs) })
    await writer.add('plain', next, texts[1]!, { replaces: old })
    await writer.add('body', next, bodies[1]!, { replaces: old })
    await record(await writer.finish())
    const reader = openReader(blobs)
    for (const [kind, contents] of [
      ['plain', texts],
      ['body', bodies],
    ] as const) {
      blobs.reads = 0
      const pair = await reader.encodedPair(kind, [old, next])
      expect(blobs.reads).toBe(2)
      for (const [index, encoded] of pair.entries()) {
        expect(Buffer.from(await decodeEncoded(encoded)).toString()).toBe(contents[index])
        expect(encoded.chain.length).toBe(index + 1)
      }
      expect(pair[1].chain[1]!.bytes.buffer).toBe(pair[0].chain[0]!.bytes.buffer)
    }
  })

  it('does not keep a failure', async () => {
    const blobs = openMemoryStore()
    const text = encodeNode(leafOf(random(10), 5))
    const { packs } = await store(blobs, [text])
    const whole = await blobs.read(packs[0]!.name)
    const reader = openReader(blobs)
    await blobs.remove(packs[0]!.name)
    await expect(reader.node(hashText(text))).rejects.toThrow(ObjectCorruptError)
    await blobs.put(packs[0]!.name, whole)
    expect((await reader.node(hashText(text))).kind).toBe('leaf')
  })

  it('refuses objects that are not what they are called, or too large', async () => {
    const writer = openObjectWriter({ database, blobs: openMemoryStore() })
    await expect(writer.add('plain', hashText('a'), 'b')).rejects.toThrow(RangeError)
    const large = new Uint8Array(objectBytesMax + 1)
    await expect(writer.add('body', hashText('large'), large)).rejects.toThrow(RangeError)
    expect(await writer.finish()).toEqual({ packs: [], bytes: 0, reliedOn: [], replaced: [] })
  })

  it('fails the commit when the store refuses, and leaves nothing when it is given up', async () => {
    const names = async (blobs: BlobStore) => {
      const found: string[] = []
      for await (const { name } of blobs.list('')) found.push(name)
      return found
    }
    const refusing = watched(openMemoryStore())
    refusing.refusal = new Error('disk full')
    const failing = openObjectWriter({ database, blobs: refusing })
    const add = async () => {
      for (let i = 0; i < 2_000; i++) {
        const text = random(4_000)
        await failing.add('plain', hashText(text), text)
      }
    }
    await expect(add()).rejects.toThrow('disk full')
    await expect(failing.finish()).rejects.toThrow('disk full')
    await failing.abort()
    expect(await names(refusing)).toEqual([])

    const blobs = openMemoryStore()
    const abandoned = openObjectWriter({ database, blobs, packBytesMax: 100_000 })
    for (let i = 0; i < 1_500; i++) {
      const text = random(2_000)
      await abandoned.add('plain', hashText(text), text)
    }
    expect((await names(blobs)).length).toBeGreaterThan(1)
    await abandoned.abort()
    expect(await names(blobs)).toEqual([])
  })

  it.each([1, 40])('has written what it says it is done with, of %i', async (objects) => {
    const blobs = openMemoryStore()
    const raws = Array.from({ length: objects }, (_, i) => `${i} ${randomBytes(5_000).toString('base64')}`)
    for (let time = 0; time < 2; time++) {
      const writer = openObjectWriter({ database, blobs })
      let done = 0
      for (const raw of raws) {
        const encoded = encodeObjectHere(Buffer.from(raw))
        const object = { kind: 'plain', hash: hashText(raw), checksum: null, encoded, bases: [] } as const
        await writer.addEncoded(object, () => {
          encoded.fill(0)
          done++
        })
      }
      await record(await writer.finish())
      expect(done).toBe(objects)
    }
    const reader = openReader(blobs)
    for (const raw of raws) expect(Buffer.from(await reader.plain(hashText(raw))).toString()).toBe(raw)
  })

  it('holds little memory, however much is written', async () => {
    const blobs = { ...openMemoryStore(), put: discard }
    const writer = openObjectWriter({ database, blobs })
    const raw = randomBytes(megabyte)
    let most = 0
    const before = process.memoryUsage().arrayBuffers
    for (let i = 0; i < 150; i++) {
      raw.writeUInt32LE(i)
      await writer.add('body', hashText(`memory ${i}`), new Uint8Array(raw))
      most = Math.max(most, process.memoryUsage().arrayBuffers - before)
    }
    const { packs } = await writer.finish()
    expect(packs[0]!.bytes).toBeGreaterThan(150 * megabyte)
    expect(most).toBeLessThan(130 * megabyte)
  })

  async function discard(_name: string, source: Uint8Array | AsyncIterable<Uint8Array>): Promise<number> {
    let bytes = 0
    for await (const chunk of source instanceof Uint8Array ? [source] : source) bytes += chunk.length
    return bytes
  }
})
