/** Erasing beside what goes wrong: whatever broke off, the next sweep leaves nothing of a withdrawn version, and no copy elsewhere stays. */
import { randomUUID } from 'node:crypto'
import { type Hash, hashText } from '@ulmus/content'
import { type BlobStore, filesPrefix, openObjectReader, packsOf, packsPrefix, putAside } from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { textOf } from '../../testing/text-of.ts'
import { openWorld, type Path, type World } from '../../testing/world.ts'
import { rebuild } from '../fsck/rebuild.ts'
import { fsck } from '../fsck.ts'
import { sweep } from '../sweep.ts'

const secret = 'the-secret-that-leaked'

const items = Array.from({ length: 3_000 }, (_, i) => ({
  ...{ id: `i-${String(i).padStart(5, '0')}`, type: 'Item' },
  data: { text: String(hashText(`${i}`)) } as Record<string, unknown>,
}))

describe.each(databases)('erasing ($name)', (database) => {
  let world: World
  /** What the store does not do as yet: once. */
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

  /** v1.1.0 has the secret in a record and in a file, and shares other objects, which came with it, with v1.2.0. */
  async function leaky(): Promise<Path> {
    const path = await world.collection()
    await world.push(path, { base: null, schemas: { Item: { type: 'object' } }, puts: items })
    const file = await world.upload(path, secret)
    const leak = { ...items[3]!, data: { text: secret, file: { $file: file } } }
    const far = { ...items[2_900]!, data: { text: 'kept' } }
    await world.push(path, { base: 'v1.0.0', puts: [leak, far] })
    await world.push(path, { base: 'v1.1.0', puts: [items[3]!] })
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

  /** Whether the secret is anywhere in the stores: in what the packs have, whatever the index says of it, or in files. */
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
    { call: 'put', prefix: packsPrefix, what: 'a pack was written anew' },
  ] as const)('broken off before $what, it is gone on with', async ({ call, prefix }) => {
    const path = await leaky()
    await withdraw(path)
    const broken = sweep(world.context, {
      onStep: async (step) => {
        if (step === 'erasing') failing = { call, prefix }
      },
    })
    // Files go before anything is condemned.
    if (call === 'remove') failing = { call, prefix }
    await expect(broken).rejects.toThrow('The server was killed.')
    expect((await sweep(world.context)).versionsErased).toBe(1)
    await isWhole(path)
    expect(await holdsSecret()).toBe(false)
  })

  test('what a sweep set aside goes, too, when it holds what is erased', async () => {
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
    // The pack of v1.0.0 and that of v1.2.0 have nothing of it.
    expect(aside.blobs).toBe(2)
    await isWhole(path)
    expect(await holdsSecret()).toBe(false)
  })

  test('what is asked while a sweep runs is left to the next one, trees and all', async () => {
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
})
