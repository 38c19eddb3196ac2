/** Versions whose transaction failed, and versions whose transaction committed but whose answer was lost. */
import { type Database, packsPrefix, type Queries, recordedPacks } from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordsOf } from '../records/records.ts'
import { contextOn } from '../testing/context.ts'
import { type PackWatch, watchingPacks } from '../testing/pack-watch.ts'
import { textOf } from '../testing/text-of.ts'
import { openWorld, type Path, type World } from '../testing/world.ts'

const schemas = { A: { type: 'object' } }
const puts = (text: string) =>
  Array.from({ length: 200 }, (_, n) => ({ id: `${n}`, type: 'A', data: { text: `${text} ${n}` } }))

describe.each(databases)('a commit without an answer ($name)', (testDatabase) => {
  let world: World
  /** True: lose the answer to the next transaction that makes a version. */
  let losing = false
  const watch: PackWatch = { afterPack: undefined }

  beforeAll(async () => {
    world = await openWorld(testDatabase, ({ database, blobs }) => {
      const versions = async (at: Queries) => (await at.query('select from versions')).rows.length
      const lose = () => {
        losing = false
        throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
      }
      const transact: Database['transact'] = async (work) => {
        let landed = false
        const result = await database.transact(async (tx) => {
          const before = await versions(tx)
          const done = await work(tx)
          landed = (await versions(tx)) > before
          return done
        })
        return landed && losing ? lose() : result
      }
      const transactOnce: Database['transactOnce'] = async (work) => {
        const before = await versions(database)
        const result = await database.transactOnce(work)
        return losing && (await versions(database)) > before ? lose() : result
      }
      return {
        database: Object.create(database, {
          transact: { value: transact },
          transactOnce: { value: transactOnce },
        }),
        blobs: watchingPacks(blobs, watch),
      }
    })
  })
  afterAll(() => world.dispose())

  /** The latest version's records, read by a server with empty caches. */
  async function readCold(path: Path): Promise<string[]> {
    const cold = contextOn(world.context, { works: false })
    try {
      const { lines } = await recordsOf(cold).stream(world.me, { ...path, v: 'latest' }, {})
      return (await textOf(lines)).split('\n').filter(Boolean)
    } finally {
      await cold.work.close()
    }
  }
  async function unrecordedPacks(): Promise<string[]> {
    const { database, blobs } = world.context
    const names = (await Array.fromAsync(blobs.list(packsPrefix))).map(({ name }) => name)
    const recorded = await recordedPacks(database, names)
    return names.filter((name) => !recorded.has(name))
  }

  test('a push answers its version, which can be read', async () => {
    const path = await world.collection()
    losing = true
    expect(await world.push(path, { base: null, schemas, puts: puts('push') })).toBe('v1.0.0')
    expect(losing).toBe(false)
    expect(await readCold(path)).toHaveLength(200)
  })

  test('a metadata update answers its version, which can be read', async () => {
    const path = await world.collection()
    await world.push(path, { base: null, schemas, puts: puts('patch') })
    losing = true
    expect(await world.patch(path, { license: 'MIT' })).toMatchObject({ semver: 'v1.0.1' })
    expect(losing).toBe(false)
    expect(await readCold(path)).toHaveLength(200)
  })

  test('a version that was refused in its transaction leaves no pack', async () => {
    const path = await world.collection()
    await world.push(path, { base: null, schemas, puts: puts('first') })
    const change = { base: 'v1.0.0', puts: puts('second') }
    watch.afterPack = () => world.patch(path, { license: 'MIT' })
    await expect(world.push(path, change)).rejects.toMatchObject({ code: 'version_conflict' })
    expect(await unrecordedPacks()).toEqual([])
  })
})
