/** Cached locations while sweeps remove objects and commits store them again. */
import { randomBytes } from 'node:crypto'
import { type Hash, hashText } from '@ulmus/content'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { BlobStore } from '../blobs/blob-store.ts'
import { openMemoryStore } from '../blobs/memory.ts'
import { ObjectCorruptError, ObjectMissingError } from '../errors/stores.ts'
import { type Database, recordPacks } from '../index.ts'
import { databases } from '../testing/databases.ts'
import { openObjectIndex } from './object-index.ts'
import { openObjectReader } from './object-reader.ts'
import { openObjectWriter } from './object-writer.ts'

const megabyte = 1_048_576

/** Similar texts, each slightly different from the others. */
function versionsOfText(count: number): [hash: Hash, text: string][] {
  const same = randomBytes(2_000).toString('hex')
  return Array.from({ length: count }, (_, n) => {
    const text = `${same}, version ${n}`
    return [hashText(text), text]
  })
}

describe.each(databases)('the index of objects ($name)', ({ open }) => {
  let database: Database
  let dispose: () => Promise<void>
  beforeAll(async () => {
    ;({ database, dispose } = await open())
  })
  afterAll(() => dispose())

  const openReader = (blobs: BlobStore) => openObjectReader({ database, blobs, cacheBytesMax: megabyte })

  async function store(blobs: BlobStore, [hash, text]: [Hash, string], replaces?: Hash): Promise<void> {
    const writer = openObjectWriter({ database, blobs, objects: openReader(blobs) })
    await writer.add('plain', hash, text, { replaces })
    const packed = await writer.finish()
    await database.transact((tx) => recordPacks(tx, packed))
  }
  const remove = (hash: Hash) => database.query('delete from objects where hash = $1', [hash])
  const chainOf = async (reader: ReturnType<typeof openReader>, hash: Hash) =>
    (await reader.chain('plain', hash)).map((place) => place.hash)

  it('follows what is remembered of a base, not what an older place says of its bases', async () => {
    const blobs = openMemoryStore()
    const [first, base, old, other] = versionsOfText(4)
    await store(blobs, base!)
    await store(blobs, old!, base![0])
    const reader = openReader(blobs)
    expect(await chainOf(reader, old![0])).toEqual([old![0], base![0]])

    // A sweep removes both, and a commit stores the base again, as a delta.
    await remove(old![0])
    await remove(base![0])
    await store(blobs, first!)
    await store(blobs, base!, first![0])
    await store(blobs, other!, base![0])
    reader.forget('plain', base![0])
    expect(await chainOf(reader, other![0])).toEqual([other![0], base![0], first![0]])

    expect(await chainOf(reader, old![0])).toEqual([old![0], base![0], first![0]])
    expect(Buffer.from(await reader.raw('plain', old![0])).toString()).toBe(old![1])
  })

  it('does not remember an answer that was on its way when its object was forgotten', async () => {
    const blobs = openMemoryStore()
    const [one] = versionsOfText(1)
    await store(blobs, one!)
    let answer: () => void = () => undefined
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    const slow: Database = {
      ...database,
      async query<Row>(...args: Parameters<Database['query']>) {
        const found = await database.query<Row>(...args)
        await held
        return found
      },
    }
    const index = openObjectIndex({ database: slow, bytesMax: megabyte })
    const early = index.find('plain', one![0])
    await new Promise((resolve) => setTimeout(resolve, 50))
    await remove(one![0])
    await store(blobs, one!)
    index.forget('plain', one![0])
    answer()
    const before = await early
    const [after] = await index.find('plain', one![0])
    expect(after!.pack).not.toBe(before[0]!.pack)
  })

  it('tells an object that it does not hold from one whose base it lacks', async () => {
    const blobs = openMemoryStore()
    const [base, delta, never] = versionsOfText(3)
    await store(blobs, base!)
    await store(blobs, delta!, base![0])
    await remove(base![0])
    const index = openObjectIndex({ database, bytesMax: megabyte })
    await expect(index.find('plain', never![0])).rejects.toThrow(ObjectMissingError)
    await expect(index.find('plain', delta![0])).rejects.toThrow(ObjectCorruptError)
  })
})
