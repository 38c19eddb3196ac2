import {
  emptySidecar,
  encodeNode,
  type Hash,
  hashText,
  type InteriorNode,
  type JsonObject,
  type LeafNode,
  leafBodyOf,
  recordOf,
  type Tree,
  trailingZeroBits,
} from '@ulmus/content'
import {
  allPacks,
  allVersionRoots,
  ObjectCorruptError,
  openObjectReader,
  openObjectWriter,
  type PackEntry,
  readFooter,
} from '@ulmus/storage'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onBehalfOf } from '../access/authority.ts'
import { recordsOf } from '../records/records.ts'
import { textOf } from '../testing/text-of.ts'
import { openWorld, type Path, type World } from '../testing/world.ts'
import { makeVersion } from '../versions/land.ts'
import { writeSidecar } from '../versions/sidecar.ts'
import type { Damage } from './fsck/damage.ts'
import { rebuild } from './fsck/rebuild.ts'
import { fsck } from './fsck.ts'
import { sweep } from './sweep.ts'

const schemas: JsonObject = {
  Item: { type: 'object', properties: { text: {}, secret: { private: true }, file: {} } },
  Hidden: { type: 'object', private: true },
}

describe.each(anyDatabase)('fsck ($name)', (database) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(database)
  })
  afterAll(() => world.dispose())

  async function found(files = false): Promise<Damage[]> {
    const damages: Damage[] = []
    const report = await fsck(world.context, { files, onDamage: (damage) => damages.push(damage) })
    expect(report.damages).toBe(damages.length)
    return damages
  }
  const named = async (files = false) => (await found(files)).map(({ what }) => what)

  describe('of a history with everything in it', () => {
    const paths: { path: Path; versions: string[] }[] = []
    let reads: string[]

    const readAll = async (records: ReturnType<typeof recordsOf>): Promise<string[]> => {
      const all: string[] = []
      for (const { path, versions } of paths) {
        for (const v of versions) {
          const { lines } = await records.stream(world.me, { ...path, v }, {})
          all.push(await textOf(lines))
        }
      }
      return all
    }
    const coldly = () => {
      const { database: db, blobs } = world.context
      const objects = openObjectReader({ database: db, blobs, cacheBytesMax: 0 })
      return { objects, records: recordsOf({ ...world.context, objects }) }
    }

    beforeAll(async () => {
      const path = await world.collection()
      const file = await world.upload(path, 'an attached file')
      const puts = Array.from({ length: 2_500 }, (_, i) => ({
        id: `item ${String(i).padStart(5, '0')} \u{1f333}`,
        type: i % 50 === 0 ? 'Hidden' : 'Item',
        data: {
          text: hashText(`${i}`).slice(0, 20),
          secret: i,
          ...(i === 3 ? { file: { $file: file } } : {}),
          ...(i === 5 ? { text: 'long '.repeat(5_000) } : {}),
        },
        private: i % 30 === 0,
      }))
      const versions = [await world.push(path, { base: null, schemas, puts })]
      for (let i = 0; i < 8; i++) {
        const changed = { ...puts[i * 300 + 1]!, data: { text: `changed ${i}` } }
        versions.push(await world.push(path, { base: versions.at(-1)!, puts: [changed] }))
      }
      paths.push({ path, versions }, { path: await world.fork(path), versions: ['v1.0.0'] })
      reads = await readAll(coldly().records)
    })

    test('finds nothing where nothing is damaged', async () => {
      expect(await found(true)).toEqual([])
      const report = await fsck(world.context, { files: true, onDamage: () => undefined })
      expect(report).toMatchObject({ versions: 10, files: 1, damages: 0 })
      expect(report.packs).toBeGreaterThan(8)
      expect(report.records).toBeGreaterThan(2_500)
    })

    test('finds each of 1,000 flipped bytes by the name of the object, and nothing damaged is ever served', async () => {
      const { blobs } = world.context
      const packs: { name: string; bytes: Uint8Array; entries: PackEntry[] }[] = []
      for (const { name } of await allPacks(world.context.database)) {
        packs.push({ name, bytes: await blobs.read(name), entries: (await readFooter(blobs, name)).entries })
      }
      const total = packs.reduce((sum, { bytes }) => sum + bytes.length, 0)
      let seed = 20_261_121
      const random = (below: number) => {
        seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
        return Math.floor((seed / 2 ** 32) * below)
      }
      for (let round = 0; round < 40; round++) {
        const damaged = new Map<string, Uint8Array>()
        const hits = new Map<string, PackEntry | undefined>()
        for (const place of new Set(Array.from({ length: 25 }, () => random(total)))) {
          let at = place
          let index = 0
          for (; at >= packs[index]!.bytes.length; index++) at -= packs[index]!.bytes.length
          const pack = packs[index]!
          const bytes = damaged.get(pack.name) ?? new Uint8Array(pack.bytes)
          bytes[at]! ^= 1 << random(8)
          damaged.set(pack.name, bytes)
          const hit = pack.entries.find(({ offset, length }) => at >= offset && at < offset + length)
          hits.set(hit === undefined ? `pack ${pack.name}` : `${hit.kind} object ${hit.hash}`, hit)
        }
        for (const [name, bytes] of damaged) await blobs.put(name, bytes)
        expect(await named()).toEqual(expect.arrayContaining([...hits.keys()]))
        const { objects } = coldly()
        for (const hit of hits.values()) {
          if (hit === undefined) continue
          const read = hit.kind === 'body' ? objects.body(hit.hash) : objects.plain(hit.hash)
          await expect(read).rejects.toThrow(ObjectCorruptError)
        }
        for (const { name, bytes } of packs) if (damaged.has(name)) await blobs.put(name, bytes)
      }
      expect(await found()).toEqual([])
    }, 120_000)

    test('a reader of records gets an error, never other data', async () => {
      const { blobs } = world.context
      let served = 0
      for (const { name } of (await allPacks(world.context.database)).slice(0, 6)) {
        const whole = await blobs.read(name)
        const { entries } = await readFooter(blobs, name)
        const entry = entries.findLast(({ kind }) => kind === 'body')!
        const bytes = new Uint8Array(whole)
        bytes[entry.offset + (entry.length >> 1)]! ^= 1
        await blobs.put(name, bytes)
        const { records } = coldly()
        const all = paths.flatMap(({ path, versions }) => versions.map((v) => ({ ...path, v })))
        for (const [i, at] of all.entries()) {
          const read = async () => {
            const { lines } = await records.stream(world.me, at, {})
            return textOf(lines)
          }
          const outcome = await read().catch((error: unknown) => error)
          if (typeof outcome === 'string') {
            expect(outcome).toBe(reads[i])
            served++
          } else expect(outcome).toBeInstanceOf(ObjectCorruptError)
        }
        await blobs.put(name, whole)
      }
      expect(served).toBeGreaterThan(0)
    })

    test('after the index was emptied and rebuilt everything reads as before', async () => {
      const { database: db } = world.context
      const rows = async () =>
        (
          await db.query(
            `select o.hash, o.kind, p.name, o."offset"::integer, o.length, o.crc::text, o.checksum, o.bases
             from objects o join packs p on p.id = o.pack_id order by o.hash, o.kind`,
          )
        ).rows
      const before = await rows()
      await db.query('delete from packs')
      await expect(readAll(coldly().records)).rejects.toThrow()
      expect((await found()).length).toBeGreaterThan(0)
      const report = await rebuild(world.context)
      expect(report).toMatchObject({ objects: before.length, incomplete: 0, damages: [] })
      expect(await rows()).toEqual(before)
      expect(await readAll(coldly().records)).toEqual(reads)
      expect(await found(true)).toEqual([])
    })

    test('a rebuilt index takes the shorter chain of two, and leaves out what lacks its base', async () => {
      const { database: db, blobs } = world.context
      const [row] = (
        await db.query(
          `select o.hash, o.bases from objects o where kind = 'body' and cardinality(bases) = 3 and exists (
             select from objects d where d.bases[1] = o.hash) limit 1`,
        )
      ).rows
      const leaf = row!['hash'] as Hash
      const { objects } = coldly()
      const body = await objects.body(leaf)
      // Write the same object once more without a base, in a pack that no commit recorded; and one whose base is in no pack.
      const writer = openObjectWriter({
        database: Object.create(db, { query: { value: async () => ({ rows: [] }) } }) as typeof db,
        blobs,
      })
      await writer.add('body', leaf, body)
      await writer.finish()
      const whole = await writeUnrecorded('the base of something '.repeat(50))
      const report = await rebuild(world.context)
      expect(report.incomplete).toBe(0)
      const again = await db.query(`select bases from objects where hash = $1 and kind = 'body'`, [leaf])
      expect(again.rows).toEqual([{ bases: [] }])
      expect(await found()).toEqual([])
      expect(await readAll(coldly().records)).toEqual(reads)
      const delta = await writeUnrecorded(`${'the base of something '.repeat(50)}.`, whole.hash)
      await blobs.remove(whole.pack)
      expect(await rebuild(world.context)).toMatchObject({ incomplete: 1, damages: [] })
      expect(await found()).toEqual([])
      await blobs.remove(delta.pack)
      await rebuild(world.context)
      expect(await found()).toEqual([])
    })

    /** Writes a body without a leaf into a pack that no commit records. */
    async function writeUnrecorded(text: string, replaces?: Hash) {
      const { database: db, blobs } = world.context
      const hash = hashText(`leaf of ${text}`)
      const writer = openObjectWriter({ database: db, blobs, objects: coldly().objects })
      await writer.add('body', hash, text, { replaces })
      const { packs } = await writer.finish()
      expect(packs[0]!.entries[0]!.bases).toEqual(replaces === undefined ? [] : [replaces])
      return { hash, pack: packs[0]!.name }
    }

    test('a pack whose footer is damaged keeps its rows', async () => {
      const { database: db, blobs } = world.context
      const { name } = (await allPacks(db))[1]!
      const whole = await blobs.read(name)
      const bytes = new Uint8Array(whole)
      bytes[bytes.length - 60]! ^= 1
      await blobs.put(name, bytes)
      const { damages } = await rebuild(world.context)
      expect(damages).toMatchObject([{ what: `pack ${name}` }])
      expect(await named()).toEqual([`pack ${name}`])
      expect(await readAll(coldly().records)).toEqual(reads)
      await blobs.put(name, whole)
      expect(await found()).toEqual([])
    })

    test('names rows of the index that are not what the packs say, and objects that are in none', async () => {
      const { database: db } = world.context
      const [row] = (await db.query(`select hash, length from objects where kind = 'body' limit 1`)).rows
      const name = `body object ${row!['hash']}`
      const set = (text: string) =>
        db.query(`update objects set ${text} where hash = '${row!['hash']}' and kind = 'body'`)
      await set('length = length - 1')
      expect(await named()).toContain(name)
      await set('length = length + 1')
      await set('checksum = hash')
      expect(await named()).toContain(name)
      await db.query(`delete from objects where hash = $1 and kind = 'body'`, [row!['hash']])
      expect(await named()).toContain(name)
      await rebuild(world.context)
      expect(await found()).toEqual([])
    })

    test('checks that the sidecar of a version has the roots of its documents', async () => {
      const { database: db } = world.context
      const of = (minor: number) =>
        `(select sidecar from versions where minor = ${minor} and patch = 0 limit 1)`
      const { rows } = await db.query(`select sidecar from versions where minor = 3 and patch = 0`)
      await db.query(`update versions set sidecar = ${of(2)} where minor = 3 and patch = 0`)
      expect(await named()).toEqual([expect.stringMatching(/^version v1\.3\.0 of collection /)])
      await db.query(`update versions set sidecar = '${rows[0]!['sidecar']}' where minor = 3 and patch = 0`)
      expect(await found()).toEqual([])
    })

    test('checks totals of rows, files there are, and on demand their bytes', async () => {
      const { database: db, blobs } = world.context
      await db.query('update versions set full_records = full_records + 1 where patch = 0 and minor = 3')
      expect(await named()).toEqual([expect.stringMatching(/^version v1\.3\.0 of collection /)])
      await db.query('update versions set full_records = full_records - 1 where patch = 0 and minor = 3')
      const [file] = (await db.query('select hash from files')).rows
      const name = `files/${String(file!['hash']).slice(0, 2)}/${file!['hash']}`
      const bytes = await blobs.read(name)
      await blobs.put(name, Buffer.from('an attacked file'))
      expect(await named()).toEqual([])
      expect(await named(true)).toEqual([`file sha256:${file!['hash']}`])
      await blobs.remove(name)
      expect(await named(true)).toEqual([`file sha256:${file!['hash']}`])
      await blobs.put(name, bytes)
      await db.query('update files set size = size + 1')
      expect(await named()).toEqual([`file sha256:${file!['hash']}`])
      await db.query('update files set size = size - 1')
      expect(await found(true)).toEqual([])
    })
  })

  test('reports damage that a version shares with one deleted during its check', async () => {
    const { database: db, blobs } = world.context
    const path = await world.collection()
    const file = await world.upload(path, 'a file that two collections share')
    const puts = [{ id: 'one', type: 'Item', data: { file: { $file: file } } }]
    await world.push(path, { base: null, schemas, puts })
    const sharing = [path, await world.fork(path)]
    const rows = await Promise.all(
      sharing.map(({ slug }) =>
        db.query(
          `select v.id, v.full_digest from versions v join collections c on c.id = v.collection_id where c.slug = $1`,
          [slug],
        ),
      ),
    )
    const [digest] = rows.map(({ rows }) => rows[0]!['full_digest'] as Hash)
    const objects = openObjectReader({ database: db, blobs, cacheBytesMax: 0 })
    const node = (await objects.document(digest!)).files.root!
    await db.query('delete from objects where hash = $1', [node])

    const roots = (await allVersionRoots(db)).map(({ id }) => id)
    const first = rows.map(({ rows }) => roots.indexOf(String(rows[0]!['id'])))
    const doomed = sharing[first[0]! < first[1]! ? 0 : 1]!
    let removed: Promise<unknown> | undefined
    const query: typeof db.query = async (text, values, name) => {
      const isAskedFor = name === 'find_objects' && (values![0] as Hash[]).includes(node)
      if (isAskedFor && removed === undefined) removed = world.remove(doomed)
      await removed
      return db.query(text, values, name)
    }
    const told: Damage[] = []
    const context = {
      ...world.context,
      database: Object.create(db, { query: { value: query } }) as typeof db,
    }
    await fsck(context, { onDamage: (damage) => told.push(damage) })
    expect(removed).toBeDefined()
    expect(told.map(({ what }) => what)).toContain(`plain object ${node}`)

    await rebuild(world.context)
    for (const one of sharing) if (one !== doomed) await world.remove(one)
    await sweep(world.context, { graceSeconds: 0, asideSeconds: 0, force: true })
    expect(await found()).toEqual([])
  })

  describe('of trees that no push makes', () => {
    const schema = '{"type":"object"}'

    /** Keys that end no leaf; `ending` ends one. */
    const inner = Array.from({ length: 40 }, (_, i) => `k${String(i).padStart(4, '0')}`).filter(
      (key) => trailingZeroBits(key) < 10,
    )
    const ending = Array.from({ length: 100_000 }, (_, i) => `k00${i}`).find(
      (key) => trailingZeroBits(key) >= 10 && key > 'k0010' && key < 'k0020',
    )!

    interface Built {
      hash: Hash
      leaf: LeafNode
      text: string
      lines: Uint8Array[]
    }
    function leafOf(keys: readonly string[], type = 'Item'): Built {
      const records = keys.map((key) => recordOf(key, type, { n: key }))
      const leaf: LeafNode = {
        kind: 'leaf',
        tree: 'records',
        keys: [...keys],
        hashes: records.map((record) => record.hash),
        sizes: records.map((record) => record.size),
      }
      const text = encodeNode(leaf)
      return {
        hash: hashText(text),
        leaf,
        text,
        lines: records.map(({ canonical }) => Buffer.from(canonical)),
      }
    }
    const bytesOf = ({ leaf }: Built) => leaf.sizes.reduce((sum, size) => sum + size, 0)

    /** Makes a version with these leaves under one root, which `change` may falsify. */
    async function make(
      leaves: Built[],
      change: (made: { tree: Tree; node: InteriorNode }) => void = () => undefined,
    ): Promise<string[]> {
      const { context } = world
      const path = await world.collection()
      const writer = openObjectWriter({ database: context.database, blobs: context.blobs })
      for (const { hash, text, lines } of leaves) {
        await writer.add('plain', hash, text)
        await writer.add('body', hash, leafBodyOf(lines))
      }
      const node: InteriorNode = {
        kind: 'node',
        level: 1,
        lastKeys: leaves.map(({ leaf }) => leaf.keys.at(-1)!),
        children: leaves.map(({ hash }) => hash),
        counts: leaves.map(({ leaf }) => leaf.keys.length),
        bytes: leaves.map(bytesOf),
      }
      const tree: Tree = {
        root: null,
        count: node.counts.reduce((sum, count) => sum + count, 0),
        bytes: node.bytes.reduce((sum, bytes) => sum + bytes, 0),
      }
      change({ tree, node })
      const text = encodeNode(node)
      tree.root ??= leaves.length === 1 ? leaves[0]!.hash : hashText(text)
      if (tree.root === hashText(text)) await writer.add('plain', hashText(text), text)
      await writer.add('plain', hashText(schema), schema)
      const document = {
        files: { root: null, count: 0, bytes: 0 },
        metadata: { of: path.slug },
        types: { Item: { ...tree, schema: hashText(schema) } },
      }
      const sidecar = await writeSidecar(writer, {
        ...emptySidecar(),
        roots: { full: document, public: document },
      })
      const [row] = (await context.database.query('select id from collections where slug = $1', [path.slug]))
        .rows
      const id = String(row!['id'])
      await makeVersion(context, {
        collection: { id },
        by: onBehalfOf(
          { accountId: world.me.accountId, means: {} },
          {
            collection: { id, slug: path.slug, newestWithdrawn: null },
            owner: { id: world.me.accountId, slug: path.owner },
          },
        ),
        base: null,
        semver: { major: 1, minor: 0, patch: 0 },
        content: { full: document, public: document, sidecar },
        writer,
      })
      const damages = await found()
      await world.remove(path)
      await sweep(context, { graceSeconds: 0, asideSeconds: 0, force: true })
      return damages.map(({ what, why }) => `${what}: ${why}`)
    }
    const complaint = (text: string) => [expect.stringContaining(text)]

    test('is content with what is right', async () => {
      expect(await make([leafOf(inner)])).toEqual([])
      const before = inner.filter((key) => key < ending)
      const after = inner.filter((key) => key > ending)
      expect(await make([leafOf([...before, ending]), leafOf(after)])).toEqual([])
    })

    test('complains of boundaries', async () => {
      expect(await make([leafOf(inner.slice(0, 9)), leafOf(inner.slice(9))])).toEqual(
        complaint('ends where no node of its level ends'),
      )
      const mixed = [...inner, ending].toSorted()
      expect(await make([leafOf(mixed)])).toEqual(complaint('where it should end'))
    })

    test('complains of order, totals, levels and single children', async () => {
      const before = [...inner.filter((key) => key < ending), ending]
      const after = inner.filter((key) => key > ending)
      const overlapping = [leafOf(before), leafOf([inner[1]!, ...after])]
      expect(await make(overlapping)).toEqual(complaint('begins before the child before it ends'))
      const pair = [leafOf(before), leafOf(after)]
      expect(await make(pair, ({ tree }) => tree.count++)).toEqual(complaint('entries of'))
      expect(await make(pair, ({ tree }) => tree.bytes++)).toEqual(complaint('entries of'))
      const miscounted = await make(pair, ({ node, tree }) => {
        node.counts[0]!++
        tree.count++
      })
      expect(miscounted).toEqual(complaint('It gives'))
      expect(await make(pair, ({ node }) => node.level++)).toEqual(complaint('is of level 0'))
      const single = await make([leafOf(after)], ({ tree, node }) => {
        tree.root = hashText(encodeNode(node))
      })
      expect(single).toEqual(complaint('a single child'))
    })

    test('complains of nodes in another form, though their hash is right', async () => {
      const built = leafOf(inner)
      const text = encodeNode({ ...built.leaf, keys: built.leaf.keys.toReversed() })
      expect(await make([{ ...built, text, hash: hashText(text) }])).toEqual(complaint('do not ascend'))
      const spaced = `${built.text} `
      expect(await make([{ ...built, text: spaced, hash: hashText(spaced) }])).toEqual(complaint('canonical'))
    })

    test('complains of bodies that are not their leaves', async () => {
      const built = leafOf(inner)
      const swapped = { ...built, lines: built.lines.with(3, built.lines[4]!) }
      expect(await make([swapped])).toEqual(complaint('Line 4'))
      expect(await make([{ ...built, lines: built.lines.slice(1) }])).toEqual(complaint('lines for'))
      expect(await make([leafOf(inner, 'Other')])).toEqual(complaint('is not of Item'))
    })
  })
})
