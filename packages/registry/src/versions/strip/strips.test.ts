/** Strips of versions: their shares, by view; their computation in the background, on several servers; withdrawals and deletions. */
import type { JsonObject, Semver } from '@ulmus/content'
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anonymous, type Principal } from '../../principal.ts'
import { callerOf, manualJobs } from '../../testing/context.ts'
import { openWorld, type Path, type World } from '../../testing/world.ts'
import type { Bounds } from './count-changes.ts'
import { addMissing, type StripAsk, stripsOf } from './strips.ts'

/** As fast as can be. */
const rest = { times: 0, least: 0 }
const text = { type: ['string', 'null'] }
const number = { type: 'integer' }
const City: JsonObject = {
  type: 'object',
  properties: { name: text, people: number, secret: { type: 'string', private: true } },
}
const cities = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    id: `${n}`.padStart(4, '0'),
    type: 'City',
    data: { name: `c${n}`, people: n, secret: 's' } as Record<string, unknown>,
  }))

describe.each(databases)('strips of versions on $name', (database) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(database)
  })
  afterAll(() => world.dispose())

  /** A server, whose jobs run when the test says so. */
  const server = (bounds?: Bounds) => {
    const { jobs, run, settled } = manualJobs()
    const strips = stripsOf({ ...world.context, jobs }, { rest, ...(bounds && { bounds }) })
    const step = async () => {
      await run('strips')
      await settled()
    }
    const work = async () => {
      while (await due()) await step()
    }
    return { strips, step, work }
  }
  const due = async () => {
    const waiting =
      'select from version_strips where full_shares is null and (lease_until is null or lease_until <= now())'
    return (await world.context.database.query(waiting)).rows.length > 0
  }
  /** Cells by semver and column. */
  const read = async (path: Path, who: Principal = world.me, ask?: StripAsk) => {
    const strip = await server().strips.read(who, path, ask)
    const names = strip.columns.map(({ type, column }) => `${type}.${column}`)
    return Object.fromEntries(
      strip.versions.map(({ semver, changed }) => [
        semver,
        Object.fromEntries(names.map((name, index) => [name, changed[index]])),
      ]),
    )
  }
  const withCities = async (count = 10, schemas: JsonObject = { City }) => {
    const path = await world.collection()
    const puts = cities(count)
    await world.push(path, { base: null, schemas, puts })
    return { path, puts }
  }

  test('a share is of the records that either version has', async () => {
    const { path, puts } = await withCities()
    const [a, b, c] = puts
    const next = [
      { ...a!, data: { ...a!.data, people: 100 } },
      { ...b!, data: { ...b!.data, people: 100, name: null } },
      { ...c!, id: 'new' },
    ]
    const deletes = [{ type: 'City', id: puts[9]!.id }]
    await world.push(path, { base: 'v1.0.0', puts: next, deletes })
    await server().work()
    // Of eleven records: one added, one removed; two changed their people, one its name.
    expect(await read(path)).toEqual({
      'v1.1.0': { 'City.name': 0.273, 'City.people': 0.364, 'City.secret': 0.182 },
      'v1.0.0': { 'City.name': null, 'City.people': null, 'City.secret': null },
    })
  })

  test('outsiders see the columns and shares of the public view', async () => {
    const { path, puts } = await withCities()
    const [a] = puts
    await world.push(path, { base: 'v1.0.0', puts: [{ ...a!, data: { ...a!.data, secret: 'x' } }] })
    await server().work()
    expect((await read(path))['v1.1.0']).toEqual({ 'City.name': 0, 'City.people': 0, 'City.secret': 0.1 })
    const shown = await server().strips.read(anonymous, path)
    expect(shown.columns).toEqual([
      { type: 'City', column: 'name' },
      { type: 'City', column: 'people' },
    ])
    expect(shown.versions[0]!.changed).toEqual([0, 0])
    const stranger = callerOf({ ...world.ada, id: crypto.randomUUID() })
    expect(await server().strips.read(stranger, path)).toEqual(shown)
    await world.collections.patch(world.me, path, { public: false })
    for (const who of [anonymous, stranger])
      await expect(server().strips.read(who, path)).rejects.toMatchObject({ code: 'collection_not_found' })
  })

  test('the shares of the public view do not wait for those of the full view', async () => {
    await server().work()
    const { path, puts } = await withCities()
    await server().work()
    await world.push(path, {
      base: 'v1.0.0',
      puts: puts.map((one) => ({ ...one, data: { ...one.data, secret: 'x' } })),
    })
    const found: unknown[] = []
    const { jobs, run, settled } = manualJobs()
    const objects = new Proxy(world.context.objects, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (name !== 'prefetch') return typeof value === 'function' ? value.bind(target) : value
        return async (...given: Parameters<typeof target.prefetch>) => {
          found.push(await read(path, anonymous), await read(path))
          return target.prefetch(...given)
        }
      },
    })
    stripsOf({ ...world.context, objects, jobs }, { rest })
    await run('strips')
    await settled()
    expect(found[0]).toMatchObject({ 'v1.1.0': { 'City.name': 0, 'City.people': 0 } })
    expect(found[1]).toMatchObject({ 'v1.1.0': {} })
    expect((await read(path))['v1.1.0']).toMatchObject({ 'City.secret': 1 })
  })

  test('a version that changed only metadata has no work: nothing changed of the columns that are there', async () => {
    const { path } = await withCities()
    await world.patch(path, { title: 'T' })
    const properties = { ...(City['properties'] as JsonObject), area: number }
    await world.push(path, { base: 'v1.0.1', schemas: { City: { ...City, properties } } })
    await world.patch(path, { title: 'U' })
    const rows = await world.context.database.query(
      `select public_shares as shares from version_strips join versions on id = version_id
       join collections on collections.id = collection_id where slug = $1 order by major, minor, patch`,
      [path.slug],
    )
    expect(rows.rows.map(({ shares }) => shares)).toEqual([null, '', null, ''])
    await server().work()
    const cells = await read(path)
    expect(cells['v2.0.1']).toMatchObject({ 'City.name': 0, 'City.area': 0 })
    expect(cells['v2.0.0']).toMatchObject({ 'City.name': 0, 'City.area': 0 })
    expect(cells['v1.0.1']).toMatchObject({ 'City.name': 0, 'City.area': null })
    // Also if the version before is not listed.
    const newest = await read(path, world.me, { until: semver(2, 0, 0), most: { versions: 2 } })
    expect(Object.keys(newest)).toEqual(['v2.0.0', 'v1.0.1'])
    expect(newest['v1.0.1']).toMatchObject({ 'City.name': 0, 'City.area': null })
  })

  test('columns of a type that comes or goes changed as a whole; a type without fields has one column', async () => {
    const path = await world.collection()
    const Town: JsonObject = { type: 'object', properties: { name: text } }
    const puts = ['a', 'b'].map((id) => ({ id, type: 'Town', data: { name: id } }))
    await world.push(path, { base: null, schemas: { Town }, puts })
    const Note: JsonObject = { type: 'object' }
    const note = { id: 'n', type: 'Note', data: { '__proto__.x': 1 } }
    const added = await world.push(path, { base: 'v1.0.0', schemas: { Town, Note }, puts: [note] })
    const removed = await world.push(path, {
      base: added,
      puts: [{ ...note, data: { '__proto__.x': 2 } }],
      deletes: puts.map(({ type, id }) => ({ type, id })),
    })
    await server().work()
    const cells = await read(path)
    expect(cells[added]).toMatchObject({ 'Town.name': 0, 'Note.': 1 })
    expect(cells[removed]).toMatchObject({ 'Town.name': 1, 'Note.': 1, 'Note.__proto__.x': 1 })
  })

  test('objects are columns by member, or as a whole, and count once', async () => {
    const inner = { type: 'object', properties: { x: number, y: number } }
    const schema: JsonObject = {
      type: 'object',
      properties: { closed: { ...inner, additionalProperties: false }, open: inner },
    }
    const path = await world.collection()
    const record = (n: number) => ({
      id: 'a',
      type: 'A',
      data: { closed: { x: 1, y: n }, open: { x: n, y: n } },
    })
    await world.push(path, { base: null, schemas: { A: schema }, puts: [record(1)] })
    await world.push(path, { base: 'v1.0.0', puts: [record(2)] })
    await server().work()
    const newest = (await read(path))['v1.1.0']!
    expect(newest).toMatchObject({ 'A.closed.x': 0, 'A.closed.y': 1 })
    expect(Object.values(newest).every((share) => share === 0 || share === 1)).toBe(true)
  })

  test('beyond its bounds a comparison gives up on the type, not on smaller ones', async () => {
    const Tag: JsonObject = { type: 'object', properties: { name: text } }
    const tag = (name: string) => ({ id: 't', type: 'Tag', data: { name } })
    const path = await world.collection()
    const puts = cities(300)
    await world.push(path, { base: null, schemas: { City, Tag }, puts: [...puts, tag('a')] })
    const changed = puts.map((one) => ({ ...one, data: { ...one.data, people: -1 } }))
    await world.push(path, { base: 'v1.0.0', puts: [...changed, tag('b')] })
    const bounds = { differences: 1_000, compared: 100, bytes: 1e9 }
    await server(bounds).work()
    expect((await read(path))['v1.1.0']).toMatchObject({ 'City.people': null, 'Tag.name': 1 })
  })

  test('the newest versions come first, each by one of several servers', async () => {
    await server().work()
    const { path, puts } = await withCities()
    for (let n = 0; n < 3; n++)
      await world.push(path, { base: `v1.${n}.0`, puts: [{ ...puts[0]!, data: { name: `${n}` } }] })
    const [one, other] = [server(), server()]
    await Promise.all([one.step(), other.step()])
    const done = async () =>
      Object.entries(await read(path)).flatMap(([v, cells]) => (cells['City.name'] === 0.1 ? [v] : []))
    expect(await done()).toEqual(['v1.3.0', 'v1.2.0'])
    await one.work()
    expect(await done()).toEqual(['v1.3.0', 'v1.2.0', 'v1.1.0'])
  })

  test('after a withdrawal the next version is compared with the one before, and no name of the withdrawn one stays', async () => {
    const { path, puts } = await withCities(10, { City: { type: 'object' } })
    const [a] = puts
    const leak = { ...a!, data: { ...a!.data, 'jane@example.org': 1 } }
    await world.push(path, { base: 'v1.0.0', puts: [leak] })
    await world.push(path, { base: 'v1.1.0', puts: [a!] })
    await world.patch(path, { title: 'T' })
    await server().work()
    const holds = async () =>
      (await world.context.database.query(`select from version_strips s where s::text like '%jane%'`)).rows
        .length
    expect(await holds()).toBe(2)
    await world.withdrawals.withdraw(world.me, { ...path, v: 'v1.1.0' }, { reason: 'r', erase: true })
    expect(await holds()).toBe(0)
    await server().work()
    const [same, first] = [{ 'City.': 0 }, { 'City.': null }]
    expect(await read(path)).toEqual({ 'v1.2.1': same, 'v1.2.0': same, 'v1.0.0': first })
    // A version that changed only metadata may become the first.
    await world.withdrawals.withdraw(world.me, { ...path, v: 'v1.2.0' }, { reason: 'r' })
    await world.withdrawals.withdraw(world.me, { ...path, v: 'v1.0.0' }, { reason: 'r' })
    await server().work()
    expect(await read(path)).toEqual({ 'v1.2.1': { 'City.': null } })
  })

  test('a comparison that a withdrawal overtakes records nothing', async () => {
    await server().work()
    const { path, puts } = await withCities()
    await world.push(path, { base: 'v1.0.0', puts: [{ ...puts[0]!, data: { name: 'x' } }] })
    await world.push(path, { base: 'v1.1.0', puts: [{ ...puts[1]!, data: { name: 'y' } }] })
    const { database: db } = world.context
    let before: (() => Promise<unknown>) | undefined
    const late = {
      ...db,
      transactOnce: async <T>(work: Parameters<typeof db.transactOnce<T>>[0]): Promise<T> => {
        const first = before
        before = () => world.withdrawals.withdraw(world.me, { ...path, v: 'v1.1.0' }, { reason: 'r' })
        if (first !== undefined) {
          await first()
          before = undefined
        }
        return db.transactOnce(work)
      },
    }
    const { jobs, run, settled } = manualJobs()
    stripsOf({ ...world.context, database: late, jobs }, { rest })
    await run('strips')
    await settled()
    expect(Object.keys(await read(path))).toEqual(['v1.2.0', 'v1.0.0'])
    expect((await read(path))['v1.2.0']).toEqual({})
    await server().work()
    expect((await read(path))['v1.2.0']).toMatchObject({ 'City.name': 0.2 })
  })

  test('versions of before there were strips are added and computed; a fork begins its own; a deletion removes all', async () => {
    const { path, puts } = await withCities()
    await world.push(path, { base: 'v1.0.0', puts: [{ ...puts[0]!, data: { name: 'x' } }] })
    await world.push(path, { base: 'v1.1.0', puts: [{ ...puts[1]!, data: { name: 'y' } }] })
    await world.withdrawals.withdraw(world.me, { ...path, v: 'v1.1.0' }, { reason: 'r' })
    await server().work()
    const before = await read(path)
    await world.context.database.query('delete from version_strips')
    expect(Object.keys(await read(path))).toEqual(['v1.2.0', 'v1.0.0'])
    await addMissing(world.context)
    await server().work()
    expect(await read(path)).toEqual(before)
    const fork = await world.fork(path)
    await server().work()
    expect(await read(fork)).toEqual({ 'v1.0.0': before['v1.0.0'] })
    for (const one of [fork, path]) await world.remove(one)
    const left = `select from version_strips where not exists (select from versions where id = version_id)`
    expect((await world.context.database.query(left)).rows).toEqual([])
  })

  test('a comparison that fails is given up at last; the server stops one that runs', async () => {
    await server().work()
    const { path, puts } = await withCities(1_000)
    await world.push(path, { base: 'v1.0.0', puts: puts.map((one) => ({ ...one, data: { name: 'x' } })) })
    const { jobs, run, settled } = manualJobs()
    const objects = { ...world.context.objects, decoded: () => Promise.reject(new Error('damaged')) }
    stripsOf({ ...world.context, objects: objects as never, jobs }, { rest })
    for (let n = 0; n < 6; n++) {
      expect((await read(path))['v1.1.0']).toEqual({})
      await world.context.database.query('update version_strips set lease_until = null')
      for (let row = 0; row < 2; row++) await run('strips')
      await settled()
    }
    expect(await due()).toBe(false)
    await world.push(path, { base: 'v1.1.0', puts: puts.map((one) => ({ ...one, data: { name: 'y' } })) })
    const stopped = server()
    const running = stopped.step()
    stopped.strips.close()
    await running
    const waiting = await world.context.database.query('select from version_strips where full_shares is null')
    expect(waiting.rows).toHaveLength(1)
  })

  test('an answer has the newest versions and the columns that changed most', async () => {
    const many = Array.from({ length: 60 }, (_, n) => `f${n}`)
    const properties = Object.fromEntries(many.map((name) => [name, number]))
    const path = await world.collection()
    const of = (n: number) => ({
      id: 'a',
      type: 'A',
      data: Object.fromEntries(many.map((name, index) => [name, index >= 20 ? n : 0])),
    })
    await world.push(path, { base: null, schemas: { A: { type: 'object', properties } }, puts: [of(0)] })
    for (let n = 0; n < 3; n++) await world.push(path, { base: `v1.${n}.0`, puts: [of(n + 1)] })
    await server().work()
    const strip = await server().strips.read(anonymous, path, { most: { versions: 2 } })
    expect(strip.columns.map(({ column }) => column)).toEqual(many.slice(20))
    expect(strip).toMatchObject({ columnCount: 60, versionCount: 4 })
    expect(strip.versions.map(({ semver, before, records }) => [semver, before, records])).toEqual([
      ['v1.3.0', 'v1.2.0', 1],
      ['v1.2.0', 'v1.1.0', 1],
    ])
  })
})

const semver = (major: number, minor: number, patch: number): Semver => ({ major, minor, patch })
