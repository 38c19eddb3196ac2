/** Schemas that a session uploads, stored in its row. */
import type { JsonObject } from '@ulmus/content'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anonymous } from '../../principal.ts'
import { shown } from '../../testing/shown.ts'
import { openWorld, type Path, type World } from '../../testing/world.ts'
import { expireSessions } from '../spills/spills.ts'

/** Makes a set of schemas long. */
const padding: JsonObject = Object.fromEntries(
  Array.from({ length: 20 }, (_, n) => [`Padding${n}`, { description: 'x'.repeat(4_000) }]),
)
const oddType = `Odd "\u200d' __proto__ 🌳`
const odd: JsonObject = {
  [oddType]: {
    properties: {
      ref: { 'x-ref-type': 'Hidden' },
      'new\nline': { private: true },
      open: { type: 'integer' },
    },
  },
  ['__proto__']: { title: 'a\nb "private":true' },
  Hidden: { private: true },
  Refused: false,
}

describe.each(anyDatabase)('schemas that a session brings, on $name', (database) => {
  let world: World

  beforeAll(async () => {
    world = await openWorld(database)
  })
  afterAll(() => world.dispose())

  const stored = async (session: string): Promise<string | null> => {
    const { rows } = await world.context.database.query('select schemas from pushes where id = $1', [session])
    return rows[0]!['schemas'] as string | null
  }
  const replace = (session: string, schemas: string | null) =>
    world.context.database.query('update pushes set schemas = $1 where id = $2', [schemas, session])
  const detail = async (who: World['me'] | typeof anonymous, path: Path) =>
    shown(await world.versions.detail(who, { ...path, v: 'latest' }))

  describe.each([
    ['short', {}],
    ['long', padding],
  ])('%s ones', (_length, more) => {
    test('say what they say to batches, commits and readers', async () => {
      const path = await world.collection()
      const schemas = { ...odd, ...more }
      const session = await world.open(path, { base: null, schemas })
      await expect(
        world.receive(path, session, [{ id: '1', type: oddType, data: { open: 'no' } }]),
      ).rejects.toMatchObject({ code: 'schema_violation' })
      const data = { open: 1, 'new\nline': 2 }
      await world.receive(path, session, [
        { id: '1', type: oddType, data },
        { id: '1', type: 'Hidden', data: 3 },
        { id: '1', type: '__proto__', data: 4 },
      ])
      await world.commit(path, session)
      expect(await stored(session)).toBeNull()
      const [mine, shown] = [await detail(world.me, path), await detail(anonymous, path)]
      expect(Object.entries(mine.schemas).toSorted()).toEqual(Object.entries(schemas).toSorted())
      const { Hidden: _, ...open } = schemas as JsonObject
      open[oddType] = { properties: { ref: {}, open: { type: 'integer' } } }
      expect(Object.entries(shown.schemas).toSorted()).toEqual(Object.entries(open).toSorted())
      expect([mine.recordCount, shown.recordCount]).toEqual([3, 2])
      await world.push(path, { base: 'v1.0.0', puts: [{ id: '2', type: oddType, data }] })
      expect((await detail(anonymous, path)).schemas).toEqual(shown.schemas)
    })

    test('that are damaged are not used: the session fails', async () => {
      const damages: ((text: string) => string)[] = [
        (text) => text.slice(1),
        (text) => text.slice(0, -1),
        (text) => text.replace('"A"', '"B"'),
        (text) => `${text}\n${text}`,
        () => '',
      ]
      const path = await world.collection()
      for (const damage of damages) {
        const session = await world.open(path, { base: null, schemas: { A: {}, ...more } })
        await replace(session, damage((await stored(session))!))
        const corrupt = { code: 'object_corrupt' }
        const line = { id: '1', type: 'A', data: 1 }
        await expect(world.receive(path, session, [line])).rejects.toMatchObject(corrupt)
        await expect(world.commit(path, session)).rejects.toMatchObject(corrupt)
        expect((await world.state(path, session)).status).toBe('failed')
        expect(await stored(session)).toBeNull()
      }
    })

    test('of two sessions that bring the same, one may end and the other goes on', async () => {
      const path = await world.collection()
      const change = { base: null, schemas: { A: {}, ...more } }
      const [one, other] = [await world.open(path, change), await world.open(path, change)]
      await world.cancel(path, one)
      expect(await stored(one)).toBeNull()
      await world.receive(path, other, [{ id: '1', type: 'A', data: 1 }])
      expect(await world.commit(path, other)).toBe('v1.0.0')
    })
  })

  test('are kept while their session is open, and no longer', async () => {
    const { context } = world
    const path = await world.collection()
    const open = await world.open(path, { base: null, schemas: padding })
    const expired = await world.open(path, { base: null, schemas: padding })
    const past = "update pushes set expires_at = now() - interval '1 second' where id = $1"
    await context.database.query(past, [expired])
    await expireSessions(context)
    expect(await stored(open)).toContain('Padding7')
    expect(await stored(expired)).toBeNull()
  })

  test('of a session that ends meanwhile: it is no longer open', async () => {
    const path = await world.collection()
    const ended = await world.open(path, { base: null, schemas: padding })
    await replace(ended, null)
    const line = { id: '1', type: 'Padding1', data: 1 }
    await expect(world.receive(path, ended, [line])).rejects.toMatchObject({ code: 'push_not_open' })
    await expect(world.commit(path, ended)).rejects.toMatchObject({ code: 'push_not_open' })
  })

  test('null for every type drops them all, an empty set none', async () => {
    const path = await world.collection()
    await world.push(path, { base: null, schemas: { A: {} }, puts: [{ id: '1', type: 'A', data: 1 }] })
    await expect(world.push(path, { base: 'v1.0.0', schemas: {} })).rejects.toMatchObject({
      code: 'no_changes',
    })
    expect(await world.push(path, { base: 'v1.0.0', schemas: { A: null } })).toBe('v2.0.0')
    expect(await detail(world.me, path)).toMatchObject({ schemas: {}, recordCount: 0 })
  })

  test('none: a first push knows no type, a later one those of its base', async () => {
    const path = await world.collection()
    const line = { id: '1', type: 'A', data: 1 }
    const first = await world.open(path, { base: null })
    await expect(world.receive(path, first, [line])).rejects.toMatchObject({ code: 'invalid_records' })
    await world.push(path, { base: null, schemas: { A: {} }, puts: [line] })
    expect(await world.push(path, { base: 'v1.0.0', puts: [{ ...line, id: '2' }] })).toBe('v1.1.0')
  })
})
