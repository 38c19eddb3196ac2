/** Answers to saved questions are compared after each version: since when they are the same, and events when they change. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject } from '@ulmus/content'
import { unlimitedSpace } from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import type { CreateQuestion } from '@ulmus/wire'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventsOf } from '../events/events.ts'
import { anonymous, type Principal } from '../principal.ts'
import type { InstalledTables } from '../tables/find-table.ts'
import { installTables } from '../tables/install.ts'
import { type Tables, tablesOf, usualTables } from '../tables/tables.ts'
import { manualJobs } from '../testing/context.ts'
import { openWorld, type Path, type World } from '../testing/world.ts'
import { followAnswers } from './following.ts'
import { questionsOf } from './questions.ts'

const City: JsonObject = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    people: { type: 'integer' },
    secret: { type: 'string', private: true },
  },
}
const Town: JsonObject = { type: 'object', properties: { name: { type: 'string' } } }
const schemas = { City, Town }
const city = (name: string, people: number, secret = 's') => ({
  id: name,
  type: 'City',
  data: { name, people, secret },
})
const town = (name: string) => ({ id: name, type: 'Town', data: { name } })
/** As fast as can be. */
const rest = { times: 0, least: 0 }

describe.each(databases)('answers to saved questions on $name', (database) => {
  const ending = new AsyncDisposableStack()
  let world: World
  let installed: InstalledTables
  let tables: Tables
  beforeAll(async () => {
    world = await openWorld(database)
    ending.defer(() => world.dispose())
    const folder = mkdtempSync(join(tmpdir(), 'ulmus-following-'))
    ending.defer(() => rmSync(folder, { recursive: true, force: true }))
    const place = { folder, space: unlimitedSpace, bytesMax: 1e9, log: world.context.log }
    installed = (await installTables(place, ending)) as InstalledTables
    tables = tablesOf(world.context, { ...usualTables, sqlSeconds: 60 }, installed)
  })
  afterAll(() => ending.disposeAsync())

  const due = async () => {
    const waiting =
      'select from saved_questions where compared < changes and (lease_until is null or lease_until <= now())'
    return (await world.context.database.query(waiting)).rows.length > 0
  }
  /** A server, whose jobs run when the test says so. */
  const server = (asking: Tables = tables) => {
    const { jobs, run, settled } = manualJobs()
    followAnswers({ ...world.context, jobs }, { tables: asking, installed, rest })
    return { take: () => run('questions'), settled }
  }
  const compare = async (one = server()) => {
    while (await due()) {
      await one.take()
      await one.settled()
    }
  }
  const questions = () => questionsOf(world.context, tables)
  const changes = async (path: Path, who: Principal) => {
    const collection = `${path.owner}/${path.slug}`
    const { jobs, run } = manualJobs()
    const { list } = eventsOf({ ...world.context, jobs }, () => 10)
    await run('events')
    const { events } = await list(who, { collection, kind: 'question.changed' })
    return events.map(({ question, semver }) => `${question} ${semver}`)
  }
  const since = async (path: Path, slug: string) => (await questions().get(world.me, path, slug)).since
  async function saved(asked: Omit<CreateQuestion, 'name'> | readonly Omit<CreateQuestion, 'name'>[]) {
    const path = await world.collection()
    const puts = [city('Oslo', 700), city('Bergen', 290), town('Moss')]
    await world.push(path, { base: null, schemas, puts })
    for (const [index, one] of [asked].flat().entries())
      await questions().create(world.me, path, { name: `Q${index}`, ...one })
    await compare()
    return path
  }
  const bySize = {
    type: 'City',
    query: 'filter=people gt 100&sort=-people&columns=name,people',
    public: true,
  }

  test('an answer is the same since the version that brought it, and another one is an event', async () => {
    const path = await saved(bySize)
    expect(await since(path, 'q0')).toBe('v1.0.0')
    await world.push(path, { base: 'v1.0.0', puts: [city('Moss', 50)] })
    await compare()
    expect(await since(path, 'q0')).toBe('v1.0.0')
    await world.push(path, { base: 'v1.1.0', puts: [city('Trondheim', 200)] })
    await compare()
    expect(await since(path, 'q0')).toBe('v1.2.0')
    expect([await changes(path, anonymous), await changes(path, world.me)]).toEqual([
      ['q0 v1.2.0'],
      ['q0 v1.2.0'],
    ])
    await world.withdrawals.withdraw(world.me, { ...path, v: 'v1.2.0' }, { reason: 'r' })
    await compare()
    expect(await since(path, 'q0')).toBe('v1.1.0')
    expect(await changes(path, anonymous)).toEqual(['q0 v1.2.0', 'q0 v1.1.0'])
    expect((await questions().changes(anonymous, path, 'q0')).map(({ semver }) => semver)).toEqual([
      'v1.1.0',
      'v1.2.0',
    ])
  })

  test('a public question has the answer for outsiders, any other one that for members', async () => {
    const path = await saved([{ sql: 'SELECT * FROM "City"', public: true }, { sql: 'SELECT * FROM "City"' }])
    await world.push(path, { base: 'v1.0.0', puts: [city('Oslo', 700, 'other')] })
    await compare()
    expect([await since(path, 'q0'), await since(path, 'q1')]).toEqual(['v1.0.0', 'v1.1.0'])
    expect([await changes(path, anonymous), await changes(path, world.me)]).toEqual([[], ['q1 v1.1.0']])
  })

  test('metadata, other types and a record that is not in the answer ask nothing again', async () => {
    const path = await saved([
      { type: 'City', query: '' },
      { sql: 'SELECT count(*) FROM "City"', public: true },
    ])
    await world.patch(path, { description: 'new' })
    await world.push(path, { base: 'v1.0.1', puts: [town('Halden')] })
    const asked: string[] = []
    const watched: Tables = {
      ...tables,
      rows(...ask) {
        asked.push('rows')
        return tables.rows(...ask)
      },
      sql(...ask) {
        asked.push('sql')
        return tables.sql(...ask)
      },
    }
    await compare(server(watched))
    expect(asked).toEqual([])
    await world.push(path, { base: 'v1.1.0', puts: [city('Halden', 30)] })
    await compare(server(watched))
    expect(asked.sort()).toEqual(['rows', 'sql'])
    expect([await since(path, 'q0'), await since(path, 'q1')]).toEqual(['v1.2.0', 'v1.2.0'])
  })

  test('the rows of a statement have no order, and a removed column takes the answer away', async () => {
    const path = await saved([
      { sql: 'SELECT name FROM "City" WHERE people > 100 ORDER BY random()' },
      { type: 'City', query: 'x=name&y=sum:people', view: 'chart' },
    ])
    await world.push(path, { base: 'v1.0.0', puts: [city('Moss', 50, 'new')] })
    await compare()
    expect([await since(path, 'q0'), await since(path, 'q1')]).toEqual(['v1.0.0', 'v1.1.0'])
    // A chart shows the columns that it names.
    const base = await world.push(path, { base: 'v1.1.0', puts: [city('Moss', 50, 'newer')] })
    await compare()
    expect(await since(path, 'q1')).toBe('v1.1.0')
    const { people: _, ...properties } = City['properties'] as JsonObject
    const puts = ['Oslo', 'Bergen', 'Moss'].map((name) => ({ id: name, type: 'City', data: { name } }))
    const semver = await world.push(path, {
      base,
      schemas: { City: { type: 'object', properties } as JsonObject },
      puts,
    })
    await compare()
    expect([await since(path, 'q0'), await since(path, 'q1')]).toEqual([semver, semver])
  })

  test('what a question asks is no change of its answer; its name changes nothing', async () => {
    const path = await saved(bySize)
    await world.push(path, { base: 'v1.0.0', puts: [city('Trondheim', 200)] })
    await compare()
    await questions().change(world.me, path, 'q0', { name: 'Large' })
    expect(await since(path, 'q0')).toBe('v1.1.0')
    await questions().change(world.me, path, 'q0', { query: 'sort=name' })
    expect(await since(path, 'q0')).toBe(null)
    await world.push(path, { base: 'v1.1.0', puts: [city('Hamar', 30)] })
    await compare()
    expect(await since(path, 'q0')).toBe('v1.2.0')
    expect(await changes(path, world.me)).toEqual(['q0 v1.1.0'])
    await questions().change(world.me, path, 'q0', { version: 'v1.0.0' })
    expect([await due(), await since(path, 'q0')]).toEqual([false, null])
    await world.push(path, { base: 'v1.2.0', puts: [city('Bodø', 50)] })
    expect(await due()).toBe(false)
  })

  test('outsiders see no event of a question that became private or was removed', async () => {
    const path = await saved([bySize, bySize])
    await world.push(path, { base: 'v1.0.0', puts: [city('Trondheim', 200)] })
    await compare()
    expect(await changes(path, anonymous)).toEqual(['q0 v1.1.0', 'q1 v1.1.0'])
    await questions().change(world.me, path, 'q0', { public: false })
    expect(await changes(path, anonymous)).toEqual(['q1 v1.1.0'])
    await questions().remove(world.me, path, 'q1')
    expect(await changes(path, anonymous)).toEqual([])
    expect(await changes(path, world.me)).toEqual(['q0 v1.1.0', 'q1 v1.1.0'])
  })

  test('a version that lands during a comparison is compared after it, by one server at a time', async () => {
    const path = await saved(bySize)
    await world.push(path, { base: 'v1.0.0', puts: [city('Trondheim', 200)] })
    const [reached, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const slow = server({
      ...tables,
      async rows(...ask) {
        reached.resolve()
        await gate.promise
        return tables.rows(...ask)
      },
    })
    await slow.take()
    await reached.promise
    await world.push(path, { base: 'v1.1.0', puts: [city('Bodø', 150)] })
    const other = server()
    await other.take()
    await other.settled()
    expect(await since(path, 'q0')).toBe('v1.0.0')
    gate.resolve()
    await slow.settled()
    expect([await since(path, 'q0'), await due()]).toEqual(['v1.1.0', true])
    await compare()
    expect(await since(path, 'q0')).toBe('v1.2.0')
  })

  test('a process that dies leaves its question to another one; what always fails is left alone', async () => {
    const path = await saved(bySize)
    await world.push(path, { base: 'v1.0.0', puts: [city('Trondheim', 200)] })
    const broken = server({ ...tables, rows: () => Promise.reject(new Error('broken')) })
    const { database: at } = world.context
    const expire = () => at.query('update saved_questions set lease_until = null')
    await broken.take()
    await broken.settled()
    expect(await due()).toBe(false)
    await expire()
    await compare()
    expect(await since(path, 'q0')).toBe('v1.1.0')
    await world.push(path, { base: 'v1.1.0', puts: [city('Bodø', 150)] })
    for (let attempt = 0; attempt < 7; attempt++) {
      await broken.take()
      await broken.settled()
      await expire()
    }
    expect([await due(), await since(path, 'q0')]).toEqual([false, 'v1.1.0'])
    await world.push(path, { base: 'v1.2.0', puts: [city('Hamar', 150)] })
    await compare()
    expect(await since(path, 'q0')).toBe('v1.3.0')
  })
})
