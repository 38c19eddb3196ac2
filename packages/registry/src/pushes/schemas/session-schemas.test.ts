/** The schemas that a session brings, where they wait: short ones in its row, long ones in the blob store. */
import { hashText, type JsonObject } from '@ulmus/content'
import { spillName, spillsPrefix } from '@ulmus/storage'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anonymous } from '../../access/principal.ts'
import { shown } from '../../testing/shown.ts'
import { openWorld, type Path, type World } from '../../testing/world.ts'
import { sweep } from '../../upkeep/sweep.ts'
import { expireSessions } from '../spills/spills.ts'

/** With these beside them, schemas are long. */
const padding: JsonObject = Object.fromEntries(
  Array.from({ length: 20 }, (_, n) => [`Padding${n}`, { description: 'x'.repeat(4_000) }]),
)
const oddType = `Odd "\u2028' __proto__ 🌳`
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

  const stored = async (session: string): Promise<string[]> => {
    const names: string[] = []
    for await (const { name } of world.context.blobs.list(spillsPrefix(session))) names.push(name)
    return names
  }
  const detail = async (who: World['me'] | typeof anonymous, path: Path) =>
    shown(await world.versions.detail(who, { ...path, v: 'latest' }))

  describe.each([
    ['short', {}, 0],
    ['long', padding, 1],
  ])('%s ones', (_length, more, blobs) => {
    test('say what they say wherever they wait: to batches, commits and readers', async () => {
      const path = await world.collection()
      const schemas = { ...odd, ...more }
      const session = await world.open(path, { base: null, schemas })
      expect(await stored(session)).toHaveLength(blobs)
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
      await expect.poll(() => stored(session)).toEqual([])
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
      const { database, blobs } = world.context
      const damages: ((bytes: Uint8Array) => Uint8Array)[] = [
        (bytes) => bytes.subarray(1),
        (bytes) => bytes.subarray(0, -1),
        (bytes) => Uint8Array.from(bytes, (byte, at) => (at === 20 ? byte ^ 1 : byte)),
        (bytes) => Buffer.concat([bytes, bytes]),
        () => new Uint8Array(),
      ]
      const path = await world.collection()
      for (const damage of damages) {
        const session = await world.open(path, { base: null, schemas: { A: {}, ...more } })
        for (const name of await stored(session)) await blobs.put(name, damage(await blobs.read(name)))
        if ((await stored(session)).length === 0) {
          const { rows } = await database.query('select schemas from pushes where id = $1', [session])
          await database.query('update pushes set schemas = $1 where id = $2', [
            Buffer.from(damage(Buffer.from(String(rows[0]!['schemas'])))).toString(),
            session,
          ])
        }
        const corrupt = { code: 'object_corrupt' }
        const line = { id: '1', type: 'A', data: 1 }
        await expect(world.receive(path, session, [line])).rejects.toMatchObject(corrupt)
        await expect(world.commit(path, session)).rejects.toMatchObject(corrupt)
        expect((await world.state(path, session)).status).toBe('failed')
        await expireSessions(world.context)
        expect(await stored(session)).toEqual([])
      }
    })

    test('of two sessions that bring the same, one may end and the other goes on', async () => {
      const path = await world.collection()
      const change = { base: null, schemas: { A: {}, ...more } }
      const [one, other] = [await world.open(path, change), await world.open(path, change)]
      await world.cancel(path, one)
      expect(await stored(one)).toEqual([])
      await world.receive(path, other, [{ id: '1', type: 'A', data: 1 }])
      expect(await world.commit(path, other)).toBe('v1.0.0')
    })
  })

  test('long ones outlive sweeps while their session is open, and no longer', async () => {
    const { context } = world
    const path = await world.collection()
    const lost = spillName('00000000-0000-4000-8000-000000000001', hashText('of no session'))
    await context.blobs.put(lost, new Uint8Array(100))
    const open = await world.open(path, { base: null, schemas: padding })
    const cancelled = await world.open(path, { base: null, schemas: padding })
    const expired = await world.open(path, { base: null, schemas: padding })
    const past = "update pushes set expires_at = now() - interval '1 second' where id = $1"
    await context.database.query(past, [expired])
    const now = () => new Date(Date.now() + 7 * 24 * 3_600_000)
    await world.cancel(path, cancelled)
    await expireSessions(context)
    await sweep({ ...context, now }, { graceSeconds: 0, force: true })
    expect(await context.blobs.size(lost)).toBeUndefined()
    expect([await stored(cancelled), await stored(expired)]).toEqual([[], []])
    expect(await stored(open)).toHaveLength(1)
    await world.receive(path, open, [{ id: '1', type: 'Padding1', data: 1 }])
    const other = await world.open(path, { base: null, schemas: padding })
    await world.commit(path, open)
    await world.remove(path)
    await expect.poll(() => stored(other)).toEqual([])
  })

  test('long ones of a session that ends meanwhile: it is no longer open; that are lost: nothing is made without them', async () => {
    const { blobs, database } = world.context
    const path = await world.collection()
    const line = { id: '1', type: 'Padding1', data: 1 }
    const lost = await world.open(path, { base: null, schemas: padding })
    for (const name of await stored(lost)) await blobs.remove(name)
    await expect(world.receive(path, lost, [line])).rejects.toThrow()
    await expect(world.commit(path, lost)).rejects.toThrow()
    expect((await world.state(path, lost)).status).toBe('open')
    await database.query('delete from push_spills where push_id = $1', [lost])
    await expect(world.receive(path, lost, [line])).rejects.toMatchObject({ code: 'push_not_open' })
    await expect(world.commit(path, lost)).rejects.toMatchObject({ code: 'push_not_open' })
  })

  test('an empty set of them drops every type', async () => {
    const path = await world.collection()
    await world.push(path, { base: null, schemas: { A: {} }, puts: [{ id: '1', type: 'A', data: 1 }] })
    expect(await world.push(path, { base: 'v1.0.0', schemas: {} })).toBe('v2.0.0')
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
