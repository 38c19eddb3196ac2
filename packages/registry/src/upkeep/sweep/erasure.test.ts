/** Erasure with interruptions and failures: the next sweep leaves nothing of a withdrawn version, and no copy stays elsewhere. */
import { randomUUID } from 'node:crypto'
import { type Hash, hashText } from '@ulmus/content'
import {
  type BlobStore,
  filesPrefix,
  lastEndOf,
  openObjectReader,
  packsOf,
  packsPrefix,
  putAside,
} from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { textOf } from '../../testing/text-of.ts'
import { openWorld, type Path, type World } from '../../testing/world.ts'
import { rebuild } from '../fsck/rebuild.ts'
import { fsck } from '../fsck.ts'
import { sweep, sweeping } from '../sweep.ts'

const secret = 'the-secret-that-leaked'

const schemas = { Item: { type: 'object' } }
const items = Array.from({ length: 3_000 }, (_, i) => ({
  ...{ id: `i-${String(i).padStart(5, '0')}`, type: 'Item' },
  data: { text: String(hashText(`${i}`)) } as Record<string, unknown>,
}))

describe.each(databases)('erasing ($name)', (database) => {
  let world: World
  /** The call to the store that fails once. */
  let failing: { call: 'put' | 'remove'; prefix: string } | undefined

  const failOnce = (call: 'put' | 'remove', name: string) => {
    if (failing?.call !== call || !name.startsWith(failing.prefix)) return
    failing = undefined
    throw new Error('The server was killed.')
  }
  const fragile = (blobs: BlobStore): BlobStore =>
    Object.assign(Object.create(blobs) as BlobStore, {
      put: async (...[name, source]: Parameters<BlobStore['put']>) => {
        failOnce('put', name)
        return blobs.put(name, source)
      },
      remove: async (name: string) => {
        failOnce('remove', name)
        await blobs.remove(name)
      },
    })

  beforeEach(async () => {
    failing = undefined
    world = await openWorld(database, ({ blobs }) => ({ blobs: fragile(blobs) }))
  })
  afterEach(() => world.dispose())

  /** v1.1.0 has the secret in a record and in a file. It shares other new objects with v1.2.0. */
  async function leaky(word = ''): Promise<Path> {
    const path = await world.collection()
    await world.push(path, { base: null, schemas, puts: items })
    const file = await world.upload(path, secret + word)
    const leak = { ...items[3]!, data: { text: secret + word, file: { $file: file } } }
    const far = { ...items[2_900]!, data: { text: `kept${word}` } }
    await world.push(path, { base: 'v1.0.0', puts: [leak, far] })
    // Stored as a delta against the leaf with the secret.
    await world.push(path, { base: 'v1.1.0', puts: [{ ...items[3]!, data: { text: `mended${word}` } }] })
    return path
  }
  const withdraw = (path: Path, v = 'v1.1.0') =>
    world.withdrawals.withdraw(world.me, { ...path, v }, { reason: 'a leak', erase: true })

  async function isWhole(path: Path): Promise<void> {
    expect(await world.read(path)).toContain('kept')
    const found: unknown[] = []
    await fsck(world.context, { files: true, onDamage: (damage) => found.push(damage) })
    expect(found).toEqual([])
  }

  /** True if the secret is anywhere in the stores: in the packs, indexed or not, or in files. */
  async function holdsSecret(): Promise<boolean> {
    const { database, blobs } = world.context
    await rebuild(world.context)
    const { rows } = await database.query('select hash, kind from objects')
    const reader = openObjectReader({ database, blobs, cacheBytesMax: 1_000_000 })
    let text = ''
    for (const { hash, kind } of rows as { hash: Hash; kind: 'plain' | 'body' }[])
      text += Buffer.from(await reader.raw(kind, hash)).toString('latin1')
    for await (const { name } of blobs.list(filesPrefix)) text += await textOf(blobs.stream(name))
    return text.includes(secret)
  }

  test.each([
    { call: 'remove', prefix: filesPrefix, what: 'a file was removed' },
    { call: 'put', prefix: packsPrefix, what: 'a pack was rewritten' },
  ] as const)('broken off before $what, it resumes', async ({ call, prefix }) => {
    const path = await leaky()
    await withdraw(path)
    const broken = sweep(world.context, {
      onStep: async (step) => {
        if (step === 'erasing') failing = { call, prefix }
      },
    })
    // Files are removed before anything is condemned.
    if (call === 'remove') failing = { call, prefix }
    await expect(broken).rejects.toThrow('The server was killed.')
    expect((await sweep(world.context)).versionsErased).toBe(1)
    await isWhole(path)
    expect(await holdsSecret()).toBe(false)
  })

  test('a pack set aside is removed, too, if it has erased data', async () => {
    const path = await leaky()
    const { database, blobs } = world.context
    const { rows } = await database.query('select name, bytes from packs')
    for (const { name } of rows) {
      const length = Number(await packsOf(world.context).size(String(name)))
      const copy = { name: `${packsPrefix}aa/${randomUUID()}`, bytes: length }
      await blobs.put(copy.name, await packsOf(world.context).read(String(name), { start: 0, length }))
      await database.transact((tx) => putAside(tx, [copy]))
    }
    await withdraw(path)
    const { aside } = await sweep(world.context)
    // The packs of v1.0.0 and v1.2.0 do not have it.
    expect(aside.blobs).toBe(2)
    await isWhole(path)
    expect(await holdsSecret()).toBe(false)
  })

  test('a request during a sweep waits for the next one, trees and all', async () => {
    const path = await leaky()
    await withdraw(path, 'v1.0.0')
    const report = await sweep(world.context, {
      ...{ graceSeconds: 0, force: true },
      onStep: async (step) => {
        if (step === 'erasing') await withdraw(path)
      },
    })
    expect(report.versionsErased).toBe(1)
    expect((await sweep(world.context)).versionsErased).toBe(1)
    await isWhole(path)
    expect(await holdsSecret()).toBe(false)
  })

  /** Objects of a kind and their locations. */
  async function placesOf(kind: 'plain' | 'body') {
    const { rows } = await world.context.database.query(
      `select o.hash, p.name as pack, o."offset"::integer as at from objects o join packs p on p.id = o.pack_id
       where o.kind = $1`,
      [kind],
    )
    return rows as { hash: Hash; pack: string; at: number }[]
  }

  async function bodyWith(text: string) {
    const { database, blobs } = world.context
    const reader = openObjectReader({ database, blobs, cacheBytesMax: 1_000_000 })
    for (const place of await placesOf('body'))
      if (Buffer.from(await reader.body(place.hash)).includes(text)) return place
    throw new Error(`No body has ${text}.`)
  }

  /** Root of a version's records. */
  async function rootOf(path: Path, v: string) {
    const { hash } = await world.versions.detail(world.me, { ...path, v })
    const { types } = await world.context.objects.document(hash.slice(hash.indexOf(':') + 1) as Hash)
    const places = await placesOf('plain')
    return places.find((place) => place.hash === types['Item']!.root)!
  }

  /** Flips a bit of an object's bytes in its pack. A second call restores them. */
  async function flip({ pack, at }: { pack: string; at: number }): Promise<void> {
    const { database, blobs } = world.context
    const inline = await database.query(
      'update inline_packs set content = set_byte(content, $2, get_byte(content, $2) # 4) where name = $1 returning 1',
      [pack, at + 12],
    )
    if (inline.rows.length > 0) return
    const bytes = new Uint8Array(await blobs.read(pack))
    bytes[at + 12]! ^= 4
    await blobs.put(pack, bytes)
  }

  const damages = async () => {
    const found: string[] = []
    await fsck(world.context, { onDamage: ({ what, why }) => found.push(`${what}: ${why}`) })
    return found
  }

  test.each([
    { what: 'stays in a pack of what goes', text: 'kept one' },
    { what: 'is stored as what differs from what goes', text: 'mended one' },
  ])('what is damaged and $what holds up that erasure alone, until it is pushed again', async ({ text }) => {
    const path = await leaky(' one')
    const other = await leaky(' two')
    const gone = await world.collection()
    await world.push(gone, {
      base: null,
      schemas,
      puts: items.map((item) => ({ ...item, data: { gone: 1 } })),
    })
    const [whole, whole2] = [await world.read(path), await world.read(other)]
    const object = await bodyWith(text)
    await flip(object)
    await world.remove(gone)
    await withdraw(path)
    await withdraw(other)
    const logged = world.log.errors.length
    const report = await sweep(world.context, { graceSeconds: 0, force: true })
    expect(report).toMatchObject({
      versionsErased: 1,
      erasuresHeldUp: [{ why: expect.stringContaining(object.hash) }],
    })
    expect(report.erasuresHeldUp[0]!.what).toMatch(/^version v1\.1\.0 of collection /)
    expect(world.log.errors.slice(logged)).toMatchObject([{ facts: report.erasuresHeldUp[0] }])
    expect(report.objectsRemoved).toBeGreaterThan(10)
    expect(await lastEndOf(world.context.database, sweeping)).toMatchObject({ succeeded: false })
    expect((await damages()).join()).toContain(`body object ${object.hash}`)
    expect(await world.read(other)).toBe(whole2)
    // Again, without losing anything meanwhile.
    expect((await sweep(world.context)).erasuresHeldUp).toHaveLength(1)
    const again = await world.collection()
    const now = new Map([
      [3, 'mended one'],
      [2_900, 'kept one'],
    ])
    const puts = items.map((item, i) => (now.has(i) ? { ...item, data: { text: now.get(i) } } : item))
    await world.push(again, { base: null, schemas, puts })
    expect(await sweep(world.context)).toMatchObject({ versionsErased: 1, erasuresHeldUp: [] })
    expect(await world.read(path)).toBe(whole)
    const cold = openObjectReader({ ...world.context, cacheBytesMax: 1_000_000 })
    expect(Buffer.from(await cold.body(object.hash)).includes(text)).toBe(true)
    expect(await holdsSecret()).toBe(false)
  })

  test('damage to the version itself keeps the objects below it indexed until it is repaired', async () => {
    const path = await leaky()
    const gone = await world.collection()
    await world.push(gone, { base: null, schemas, puts: items.slice(0, 50) })
    await world.remove(gone)
    const root = await rootOf(path, 'v1.2.0')
    await flip(root)
    await withdraw(path)
    await withdraw(path, 'v1.2.0')
    const atOnce = { graceSeconds: 0, force: true }
    const why = expect.stringContaining(root.hash)
    // The root of v1.2.0 is a delta against that of v1.1.0, and cannot be rewritten without its base.
    expect(await sweep(world.context, atOnce)).toMatchObject({
      ...{ versionsErased: 0, objectsRemoved: 0 },
      erasuresHeldUp: [{ why }, { why }],
    })
    await flip(root)
    expect(await sweep(world.context, atOnce)).toMatchObject({ versionsErased: 2, erasuresHeldUp: [] })
    expect(await damages()).toEqual([])
    expect(await holdsSecret()).toBe(false)
  })
})
