import { type Hash, hashText } from '@ulmus/content'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../database/database.ts'
import { ObjectsSweptError } from '../../errors/stores.ts'
import { databases } from '../../testing/databases.ts'
import { recordPacks } from './objects.ts'
import { condemn, removeCondemned } from './sweeps.ts'

const [earlier, later] = ['01890000-0000-7000-8000-000000000000', '01890000-0001-7000-8000-000000000000']

/** A time at which everything recorded so far is old. */
const tomorrow = new Date(Date.now() + 86_400_000)

describe.each(databases)('sweeping the index ($name)', ({ open }) => {
  let database: Database
  let dispose: () => Promise<void>
  let base: Hash
  let delta: Hash
  let made = 0

  beforeAll(async () => {
    ;({ database, dispose } = await open())
  })
  afterAll(() => dispose())

  const entryOf = (hash: Hash, bases: Hash[] = []) => {
    return { kind: 'plain' as const, hash, bases, offset: 8, length: 10, crc: 1, checksum: null }
  }
  const record = (...entries: ReturnType<typeof entryOf>[]) => {
    const packs = [{ name: `pack ${++made}`, bytes: 100, entries }]
    return database.transact((tx) => recordPacks(tx, { packs, reliedOn: [] }))
  }
  /** Records an object and a delta to it, independent of all others. */
  async function recordTwo(): Promise<void> {
    base = hashText(`base ${++made}`)
    delta = hashText(`delta ${made}`)
    await record(entryOf(base), entryOf(delta, [base]))
  }
  const namesOf = (hashes: Hash[]) => hashes.map((hash) => ({ kind: 'plain' as const, hash }))
  const condemnAs = (sweep: string, ...hashes: Hash[]) =>
    database.transact((tx) => condemn(tx, sweep, namesOf(hashes), tomorrow))
  const removeAs = (sweep: string, ...hashes: Hash[]) =>
    database.transact((tx) => removeCondemned(tx, sweep, namesOf(hashes)))

  it.each([
    ['earlier', earlier, later],
    ['later', later, earlier],
  ])(
    'keeps an object and its base together when the %s of two sweeps condemns between',
    async (_, one, other) => {
      await recordTwo()
      await condemnAs(other, base)
      await condemnAs(one, base)
      await condemnAs(one, delta)
      await condemnAs(other, delta)
      expect(await removeAs(earlier, delta, base)).toBe(0)
      expect(await removeAs(later, delta, base)).toBe(2)
    },
  )

  it('lets no commit rely on an object that lacks a base', async () => {
    await recordTwo()
    const rely = () =>
      database.transact((tx) => recordPacks(tx, { packs: [], reliedOn: [{ kind: 'plain', hash: delta }] }))
    await rely()
    await condemnAs(earlier, base)
    expect(await removeAs(earlier, base)).toBe(1)
    await expect(rely()).rejects.toThrow(ObjectsSweptError)
  })

  it('pardons, with its bases, what a commit wanted to record and found recorded', async () => {
    await recordTwo()
    await condemnAs(earlier, base, delta)
    await record(entryOf(hashText(`new ${made}`)), entryOf(delta))
    expect(await removeAs(earlier, delta, base)).toBe(0)
  })

  it('lets no commit rely on what it found recorded when that lacks a base', async () => {
    await recordTwo()
    await condemnAs(earlier, base)
    expect(await removeAs(earlier, base)).toBe(1)
    await expect(record(entryOf(delta))).rejects.toThrow(ObjectsSweptError)
  })

  it('takes over what a sweep that died has left condemned', async () => {
    await recordTwo()
    await condemnAs(earlier, base, delta)
    await condemnAs(later, base, delta)
    expect(await removeAs(later, delta, base)).toBe(2)
  })
})
