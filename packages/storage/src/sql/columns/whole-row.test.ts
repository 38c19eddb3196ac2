import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { databases } from '../../testing/databases.ts'
import { accounts } from '../accounts/accounts.ts'
import { collections, insertCollection } from '../collections/collections.ts'
import { versions } from '../versions/versions.ts'
import { wholeRow, wholeRowIfAny } from './whole-row.ts'

const hash = 'a'.repeat(64)
const most = Number.MAX_SAFE_INTEGER
const at = new Date('2026-01-31T12:00:00.123Z')

it.each(databases)('whole rows are what their tables hold ($name)', async ({ open }) => {
  const { database, dispose } = await open()
  const [ownerId, id, headId] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]
  await database.transact(async (tx) => {
    await tx.orm.insert(accounts).values({
      ...{ id: ownerId, slug: 'whole', type: 'user', displayName: '"\\\u{1f600}\n', createdAt: at },
    })
    const row = {
      ...{ id, ownerId, slug: 'row', name: '[null]', description: null, public: true, headId },
      ...{ headDescription: '', forkedFromId: null, forkedFromSemver: null, ancestors: [id, ownerId] },
      ...{
        createdAt: at,
        updatedAt: new Date(at.getTime() + 1),
        newestWithdrawn: 'v0.1.0',
        storedBytes: most,
      },
    }
    await insertCollection(tx, row, { slug: 'whole', displayName: 'Whole' })
    await tx.orm.insert(versions).values({
      ...{ id: headId, collectionId: id, major: 1, minor: 0, patch: 0, baseSemver: null, createdAt: at },
      ...{
        fullDigest: hash,
        publicDigest: hash,
        sidecar: hash,
        publicChanged: true,
        message: null,
        appId: 'null',
        actorId: null,
        madeBy: ownerId,
        madeWithKey: { id: 'null', label: '"' },
      },
      ...{
        fullRecords: most,
        fullFiles: 0,
        fullBytes: most,
        publicRecords: 1,
        publicFiles: 2,
        publicBytes: 3,
        storedBytes: most,
      },
    })
  })
  const found = async (headOf: typeof versions.id | typeof versions.collectionId) => {
    const plain = { owner: accounts, collection: collections, head: versions }
    const whole = {
      owner: wholeRow(accounts),
      collection: wholeRow(collections),
      head: wholeRowIfAny(versions),
    }
    const [asTables, asRows] = await Promise.all(
      [plain, whole].map((fields) =>
        database.orm
          .select(fields as typeof plain)
          .from(collections)
          .innerJoin(accounts, eq(accounts.id, collections.ownerId))
          .leftJoin(versions, eq(headOf, collections.headId)),
      ),
    )
    expect(asRows).toEqual(asTables)
    return asRows![0]!.head
  }
  expect((await found(versions.id))?.fullBytes).toBe(most)
  expect(await found(versions.collectionId)).toBeNull()
  await dispose()
})
