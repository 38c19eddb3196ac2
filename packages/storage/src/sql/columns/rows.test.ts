import { expect, it } from 'vitest'
import { databases } from '../../testing/databases.ts'
import { type AccountRow, accounts } from '../accounts/accounts.ts'
import { type CollectionRow, collections } from '../collections/collections.ts'
import { files } from '../files/files.ts'
import { standing, type VersionRow, versions } from '../versions/versions.ts'
import { columnsOf, insertInto, wholeRow } from './rows.ts'

const hash = 'a'.repeat(64)
const most = Number.MAX_SAFE_INTEGER
const at = new Date('2026-01-31T12:00:00.123Z')
const [ownerId, id, headId] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]

const owner = {
  id: ownerId,
  slug: 'whole',
  type: 'user' as const,
  displayName: '"\\\u{1f600}\n',
  createdAt: at,
}
const collection: CollectionRow = {
  id,
  ownerId,
  slug: 'row',
  name: '[null]',
  foldedName: '{null}',
  description: null,
  public: true,
  headId,
  headDescription: '',
  topics: ['a, "b"', '\\', 'null', '{}'],
  forkedFromId: null,
  forkedFromSemver: null,
  ancestors: [id, ownerId],
  newestWithdrawn: 'v0.1.0',
  publishersOnly: true,
  hiddenAt: at,
  hiddenReason: 'a, "b"',
  publicOnceShown: true,
  storedBytes: most,
  createdAt: at,
  updatedAt: new Date(at.getTime() + 1),
}
const head: VersionRow = {
  ...standing,
  id: headId,
  collectionId: id,
  major: 1,
  minor: 0,
  patch: 0,
  baseSemver: null,
  createdAt: at,
  fullDigest: hash,
  publicDigest: hash,
  sidecar: hash,
  publicChanged: true,
  license: null,
  listedTypes: { full: ['a, "b"', 'null', '{}'], public: [] },
  message: null,
  appId: 'null',
  actorId: null,
  madeBy: ownerId,
  madeWithKey: { id: 'null', label: '"' },
  workload: {
    ...{ publisher: id, issuer: 'https://x.example', kind: 'other', subject: '"\\', shows: 'none' },
    ...{ claims: { a: 'null' }, run: null },
  },
  fullRecords: most,
  fullFiles: 0,
  fullBytes: most,
  publicRecords: 1,
  publicFiles: 2,
  publicBytes: 3,
  storedBytes: most,
}

it.each(databases)('rows are read as they were inserted, by columns and whole ($name)', async ({ open }) => {
  const { database, dispose } = await open()
  const returning = `returning ${columnsOf(accounts)}`
  const { rows: added } = await database.query<AccountRow>(...insertInto(accounts, owner, returning))
  expect(added).toEqual([{ ...added[0], ...owner, email: null, defaultVisibility: 'private' }])
  await database.query(...insertInto(collections, collection))
  await database.query(...insertInto(versions, head))
  const [inCollections, inVersions, inAccounts] = [
    wholeRow(collections),
    wholeRow(versions),
    wholeRow(accounts),
  ]
  const found = async (headOf: 'id' | 'collection_id') => {
    const { rows } = await database.query<Record<'collection' | 'head' | 'owner', unknown>>(
      `select ${inCollections.text} as collection, ${inVersions.text} as head, ${inAccounts.text} as owner
       from collections join accounts on accounts.id = owner_id left join versions on versions.${headOf} = head_id`,
    )
    return rows[0]!
  }
  const whole = await found('id')
  expect(inCollections.read(whole.collection)).toEqual(collection)
  expect(inVersions.read(whole.head)).toEqual(head)
  expect(inAccounts.read(whole.owner)).toEqual(added[0])
  expect(inVersions.read((await found('collection_id')).head)).toBeNull()
  const columns = async (text: string) => (await database.query(text)).rows
  expect(await columns(`select ${columnsOf(collections)} from collections`)).toEqual([collection])
  const { sidecar: _, ...rest } = head
  expect(await columns(`select ${columnsOf(versions, 'sidecar')} from versions`)).toEqual([rest])
  await dispose()
})

it('a statement inserts several rows, each with the defaults of what it lacks', () => {
  const one = { hash, size: 1, createdAt: at }
  expect(insertInto(files, [one, { ...one, used: true }], 'returning 1')).toEqual([
    'insert into "files" ("hash", "size", "used", "created_at") values ($1, $2, default, $3), ($4, $5, $6, $7) returning 1',
    [hash, 1, at.toISOString(), hash, 1, true, at.toISOString()],
  ])
})
