import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../database/database.ts'
import { databases } from '../../testing/databases.ts'
import { accounts } from '../accounts/accounts.ts'
import { insertCollection } from '../collections/collections.ts'
import { notHidden } from '../collections/hidden-collections.ts'
import { columnsOf, insertInto } from '../columns/rows.ts'
import { listPushFiles } from './files.ts'
import { claimCommits } from './leases.ts'
import { findPush, findPushSchemas, insertPush, movePush, pushes } from './pushes.ts'

const at = new Date('2026-01-01T00:00:00.000Z')

describe.each(databases)('sessions that were opened with much, on $name', ({ open }) => {
  let database: Database
  let dispose: () => Promise<void>
  const [collectionId, id] = [randomUUID(), randomUUID()]
  const files = Array.from({ length: 20_000 }, (_, n) => createHash('sha256').update(`${n}`).digest('hex'))
  const inserted = {
    ...{
      id,
      collectionId,
      accountId: randomUUID(),
      kind: 'delta' as const,
      status: 'committing' as const,
      createdAt: at,
      expiresAt: at,
    },
    ...{ schemasHash: files[0]!, schemas: files.join('') },
    ...{ metadata: '{"license":"MIT"}', files, message: 'm' },
  }

  beforeAll(async () => {
    const opened = await open()
    database = opened.database
    dispose = opened.dispose
    const owner = { id: randomUUID(), slug: 'o', type: 'org' as const, displayName: 'O', createdAt: at }
    await database.query(...insertInto(accounts, owner))
    const row = { id: collectionId, ownerId: owner.id, slug: 'c', name: 'C', public: true, ancestors: [] }
    const none = {
      description: null,
      headId: null,
      headDescription: null,
      topics: [],
      newestWithdrawn: null,
      publishersOnly: false,
      ...notHidden,
      storedBytes: 0,
    }
    const made = { ...none, forkedFromId: null, forkedFromSemver: null, createdAt: at, updatedAt: at }
    await database.transact((tx) => insertCollection(tx, { ...row, ...made }, owner))
  })
  afterAll(() => dispose())

  test('are looked at without it', async () => {
    const standing = await database.transact((tx) => insertPush(tx, inserted))
    const { schemas: _s, metadata: _m, files: _f, confirmPublic: _c, ...rest } = await whole()
    expect(standing).toEqual(rest)
    expect(rest).toMatchObject({ id, message: 'm', expiresAt: at })
    expect(await findPush(database, collectionId, id)).toEqual(rest)
    const claim = () => database.transactOnce((tx) => claimCommits(tx, { most: 2, seconds: 4, except: [] }))
    const lease = { leaseHolder: expect.any(String), leaseUntil: expect.any(Date) }
    expect(await claim()).toEqual([expect.objectContaining({ ...rest, ...lease })])
    expect(await claim()).toEqual([])
    expect(await findPush(database, randomUUID(), id)).toBeUndefined()
  })

  test('tell each of it on its own', async () => {
    const kept = inserted.schemas
    expect(await findPushSchemas(database, id)).toBe(kept)
    expect(await listPushFiles(database, id)).toEqual(files)
    expect(await findPushSchemas(database, randomUUID())).toBeNull()
    expect(await listPushFiles(database, randomUUID())).toEqual([])
  })

  test('have no schemas any more when they end', async () => {
    const end = { status: 'failed' as const }
    expect(await database.transact((tx) => movePush(tx, id, ['open'], end))).toBe(false)
    expect(await findPushSchemas(database, id)).toBe(inserted.schemas)
    expect(await database.transact((tx) => movePush(tx, id, ['committing'], end))).toBe(true)
    expect(await findPushSchemas(database, id)).toBeNull()
  })

  async function whole() {
    const text = `select ${columnsOf(pushes)} from pushes where id = $1`
    return (await database.query<typeof pushes.$inferSelect>(text, [id])).rows[0]!
  }
})
