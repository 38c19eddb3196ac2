import { createHash, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../database/database.ts'
import { databases } from '../../testing/databases.ts'
import { turnsDuring } from '../../testing/turns.ts'
import { insertInto } from '../columns/rows.ts'
import { collectionFiles, files, findCollectionFiles, findInheritedFiles, markFilesInViews } from './files.ts'

const at = new Date('2026-01-01T00:00:00.000Z')

describe.each(databases)('more files than a statement has parameters, on $name', ({ open }) => {
  let database: Database
  let dispose: () => Promise<void>
  const collectionId = randomUUID()
  const hashes = Array.from({ length: 70_000 }, (_, n) => createHash('sha256').update(`${n}`).digest('hex'))
  const known = [hashes[3]!, hashes[69_999]!].sort()

  beforeAll(async () => {
    const opened = await open()
    database = opened.database
    dispose = opened.dispose
    await database.query(
      ...insertInto(
        files,
        known.map((hash) => ({ hash, size: 5, createdAt: at })),
      ),
    )
    const ofAll = {
      collectionId,
      contentType: 'text/plain',
      createdAt: at,
      uploadedAt: at,
      inFull: false,
      inPublic: false,
    }
    await database.query(
      ...insertInto(
        collectionFiles,
        known.map((hash) => ({ ...ofAll, hash })),
      ),
    )
  })
  afterAll(() => dispose())

  test('those that a collection knows are found', async () => {
    const found = await findCollectionFiles(database, collectionId, hashes)
    expect(found.map(({ hash }) => hash).sort()).toEqual(known)
  })
  test('others have the event loop while they are looked for', async () => {
    const turns = await turnsDuring(() => findCollectionFiles(database, collectionId, hashes))
    expect(turns).toBeGreaterThan(20)
  })
  test('those that an ancestor knows are found', async () => {
    const found = await findInheritedFiles(database, [randomUUID(), collectionId], hashes)
    expect(found.map(({ hash }) => hash).sort()).toEqual(known)
  })
  test('those that entered a view are marked', async () => {
    await database.transact((tx) => markFilesInViews(tx, collectionId, { full: hashes, public: [known[0]!] }))
    const found = await findCollectionFiles(database, collectionId, known)
    const marks = found.map(({ hash, inFull, inPublic }) => ({ hash, inFull, inPublic }))
    expect(marks.sort((a, b) => (a.hash < b.hash ? -1 : 1))).toEqual([
      { hash: known[0], inFull: true, inPublic: true },
      { hash: known[1], inFull: true, inPublic: false },
    ])
  })
})
