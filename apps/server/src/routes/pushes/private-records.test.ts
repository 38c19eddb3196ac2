/** Records that lose their private mark, and private fields in ids: refused unless confirmed, in both kinds of push. */

import { recordOf } from '@ulmus/content'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, setStage } from '../../testing/stage.ts'

type Line = { id: string; type: string; data: object; private?: boolean }

const bird = (id: string, more: Partial<Line> = {}): Line => ({ id, type: 'Bird', data: { n: id }, ...more })
const hidden = (id: string, more: Partial<Line> = {}) => bird(id, { private: true, ...more })

describe.each(anyDatabase)('private records on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await setStage(database)
  })
  afterAll(() => stage.end())

  const started = async (puts: Line[], schemas: object = { Bird: {} }) => {
    const { path } = await stage.newCollection()
    await stage.push(path, { opening: { schemas }, puts })
    return path
  }
  const publicIds = async (path: string) =>
    (await stage.anyone.get(`${path}/versions/latest/records`)).json.records.map((one: Line) => one.id)

  /** Opens a session with these records; a snapshot's manifest has all of them. Returns the path of the session. */
  const sent = {
    delta: async (path: string, base: string | null, puts: Line[], opening: object = {}) =>
      stage.opened(path, { base, opening: { ...opening }, puts }),
    async snapshot(path: string, base: string | null, puts: Line[], opening: object = {}) {
      const manifest = puts.map(({ id, type, data, private: mark }) => ({
        ...{ id, type, hash: recordOf(id, type, data as never).hash },
        ...(mark === undefined ? {} : { private: mark }),
      }))
      const body = { base_version: base, schemas: { Bird: {} }, manifest, ...opening }
      const { json } = await stage.ada.post(`${path}/versions/negotiate`, body)
      const session = `${path}/versions/negotiate/${json.session_id}`
      const needed = puts.filter((_, n) => json.needed_records.includes(manifest[n]!.hash))
      if (needed.length > 0) await stage.ada.lines(`${session}/records`, needed)
      return session
    },
  }
  const kinds = ['delta', 'snapshot'] as const

  test.each(kinds)(
    'a %s that drops marks is refused with the records, and its session can publish them',
    async (kind) => {
      const path = await started([hidden('owl'), hidden('jay'), bird('wren')])
      const session = await sent[kind](path, 'v1.0.0', [
        bird('owl', { data: { n: 1 } }),
        bird('jay'),
        bird('wren'),
      ])
      const refused = await stage.ada.post(`${session}/commit`)
      expect(refused.status).toBe(422)
      expect(refused.json).toEqual({
        error: expect.stringMatching(
          /^2 records are private .*Bird "jay", Bird "owl".*"private": true.*\{"confirm_public":\["Bird\/jay","Bird\/owl"\]\}/,
        ),
        code: 'private_record_made_public',
        statusCode: 422,
        madePublicRecords: [
          { type: 'Bird', id: 'jay', confirm: 'Bird/jay' },
          { type: 'Bird', id: 'owl', confirm: 'Bird/owl' },
        ],
        totalMadePublic: 2,
      })
      expect((await stage.ada.post(`${session}/commit?dry_run=true`)).json.code).toBe(
        'private_record_made_public',
      )
      expect((await stage.ada.get(session)).json.status).toBe('open')
      const one = { confirm_public: ['Bird/owl', 'Bird', 'jay'] }
      expect((await stage.ada.post(`${session}/commit`, one)).json.madePublicRecords).toEqual([
        { type: 'Bird', id: 'jay', confirm: 'Bird/jay' },
      ])
      const all = { confirm_public: ['Bird/*'] }
      expect((await stage.ada.post(`${session}/commit?dry_run=true`, all)).status).toBe(200)
      // A dry run confirms nothing for later.
      expect((await stage.ada.post(`${session}/commit`)).status).toBe(422)
      expect((await stage.ada.post(`${session}/commit`, all)).status).toBe(201)
      expect(await publicIds(path)).toEqual(['jay', 'owl', 'wren'])
    },
  )

  test.each(kinds)('a %s confirms at its opening, also for a commit that a job runs', async (kind) => {
    const path = await started([hidden('owl'), bird('wren')])
    const session = await sent[kind](path, 'v1.0.0', [bird('owl'), bird('wren')], {
      confirm_public: ['Bird/owl'],
    })
    expect((await stage.ada.post(`${session}/commit?async=true`)).status).toBe(202)
    await expect.poll(async () => (await stage.ada.get(session)).json.status).toBe('committed')
  })

  test('a commit that a job runs knows the confirmations of its body', async () => {
    const path = await started([hidden('owl'), bird('wren')])
    const session = await sent.delta(path, 'v1.0.0', [bird('owl')])
    const body = { confirm_public: ['Bird/owl'] }
    expect((await stage.ada.post(`${session}/commit?async=true`, body)).status).toBe(202)
    await expect.poll(async () => (await stage.ada.get(session)).json.status).toBe('committed')
  })

  test('marks that stay, removed records and new ones need no confirmation', async () => {
    const path = await started([hidden('owl'), hidden('jay'), bird('wren')])
    const puts = [hidden('owl', { data: { n: 2 } }), bird('tit'), hidden('wren')]
    await stage.push(path, { base: 'v1.0.0', puts, deletes: [{ id: 'jay', type: 'Bird' }] })
    expect(await publicIds(path)).toEqual(['tit'])
  })

  test('a record that is deleted and sent again in one push loses its mark all the same', async () => {
    const path = await started([hidden('owl'), bird('wren')])
    const session = await stage.opened(path, { base: 'v1.0.0', deletes: [{ id: 'owl', type: 'Bird' }] })
    await stage.ada.lines(`${session}/records`, [bird('owl')])
    expect((await stage.ada.post(`${session}/commit`)).json.code).toBe('private_record_made_public')
  })

  test('a new schema drops no mark, nor does the confirmation of a private type', async () => {
    const priv = { private: true, properties: { n: {}, m: { private: true } } }
    const path = await started([hidden('owl'), bird('wren')], { Bird: priv })
    const schemas = { Bird: { properties: { n: {}, m: { private: true } } } }
    await stage.push(path, { base: 'v1.0.0', opening: { schemas, confirm_public: ['Bird'] } })
    expect(await publicIds(path)).toEqual(['wren'])
    const again = { Bird: { properties: { n: { private: true }, m: { private: true } } } }
    const session = await stage.opened(path, {
      ...{ base: 'v2.0.0', opening: { schemas: again, confirm_public: ['n'] }, puts: [bird('owl')] },
    })
    expect((await stage.ada.post(`${session}/commit`)).json.code).toBe('private_record_made_public')
  })

  test('a mark is guarded in a private type, too: its name may be confirmed later', async () => {
    const path = await started([hidden('owl'), bird('wren')], { Bird: { private: true } })
    const session = await stage.opened(path, { base: 'v1.0.0', puts: [bird('owl', { data: {} })] })
    expect((await stage.ada.post(`${session}/commit`)).json.code).toBe('private_record_made_public')
  })

  test('the id `*` confirms one record', async () => {
    const path = await started([hidden('*'), hidden('owl')])
    const session = await stage.opened(path, { base: 'v1.0.0', puts: [bird('*'), bird('owl')] })
    const [star] = (await stage.ada.post(`${session}/commit`)).json.madePublicRecords
    const refused = await stage.ada.post(`${session}/commit`, { confirm_public: [star.confirm] })
    expect(refused.json.madePublicRecords).toMatchObject([{ id: 'owl' }])
  })

  test('all lost marks are counted, the first hundred are listed', async () => {
    const ids = Array.from({ length: 150 }, (_, n) => String(n))
    const path = await started(ids.map((id) => hidden(id)))
    const session = await stage.opened(path, { base: 'v1.0.0', puts: ids.map((id) => bird(id)) })
    const { json } = await stage.ada.post(`${session}/commit`)
    expect([json.madePublicRecords.length, json.totalMadePublic]).toEqual([100, 150])
  })

  test('a commit refuses a malformed body, and accepts an empty one', async () => {
    const path = await started([bird('owl')])
    const session = await stage.opened(path, { base: 'v1.0.0', puts: [bird('tit')] })
    expect((await stage.ada.post(`${session}/commit`, { confirm: ['Bird/*'] })).status).toBe(400)
    expect((await stage.ada.post(`${session}/commit`, { confirm_public: 'Bird/*' })).status).toBe(400)
    expect((await stage.ada.post(`${session}/commit`, {})).status).toBe(201)
  })

  describe('a private value in the id', () => {
    const person = (id: string, email: unknown, more: object = {}) => ({
      ...{ id, type: 'Person', data: { email, room: 1 } },
      ...more,
    })
    const schemas = { Person: { properties: { email: { private: true }, room: {} } } }
    const committed = async (
      path: string,
      base: string | null,
      puts: object[],
      opening: Record<string, unknown> = {},
      body?: object,
    ) => {
      const session = await stage.opened(path, { base, opening, puts })
      return stage.ada.post(`${session}/commit`, body)
    }

    test('of more than half of the records is refused, at the dry run too, unless its field is confirmed', async () => {
      const { path } = await stage.newCollection()
      const puts = [person('a@x.org', 'a@x.org'), person('2021~b@x.org', 'b@x.org'), person('3', 'c@x.org')]
      const session = await stage.opened(path, { opening: { schemas }, puts })
      const refused = await stage.ada.post(`${session}/commit?dry_run=true`)
      expect(refused.json).toEqual({
        error: expect.stringMatching(
          /`email` of `Person`.* 2 of 3 records.*\{"confirm_public":\["email"\]\}/,
        ),
        code: 'private_value_in_id',
        statusCode: 422,
        valuesInIds: [{ type: 'Person', field: 'email', records: 2, of: 3 }],
      })
      expect((await stage.ada.post(`${session}/commit`)).json.code).toBe('private_value_in_id')
      expect((await stage.ada.post(`${session}/commit`, { confirm_public: ['email'] })).status).toBe(201)
    })

    test('of half of the records, of private records and of private types is accepted', async () => {
      const puts = [
        person('a@x.org', 'a@x.org'),
        person('2', 'b@x.org'),
        person('c@x.org', 'c@x.org', { private: true }),
      ]
      const { path } = await stage.newCollection()
      expect((await committed(path, null, puts, { schemas })).status).toBe(201)
      const { path: other } = await stage.newCollection()
      const priv = { Person: { ...schemas.Person, private: true } }
      const all = [person('a@x.org', 'a@x.org'), person('b@x.org', 'b@x.org')]
      expect((await committed(other, null, all, { schemas: priv })).status).toBe(201)
      // The type becomes public: no record is sent, and its ids are read.
      const opening = { schemas, confirm_public: ['Person'] }
      expect((await committed(other, 'v1.0.0', [], opening)).json.valuesInIds).toEqual([
        { type: 'Person', field: 'email', records: 2, of: 2 },
      ])
      const both = { schemas, confirm_public: ['Person', 'email'] }
      expect((await committed(other, 'v1.0.0', [], both)).status).toBe(201)
    })

    test('is found in all records when their field becomes private', async () => {
      const { path } = await stage.newCollection()
      const open = { Person: { properties: { email: {}, room: {} } } }
      const puts = [person('12', 12), person('13', 13), person('x', 14)]
      await stage.push(path, { opening: { schemas: open }, puts })
      expect((await committed(path, 'v1.0.0', [], { schemas })).json.valuesInIds).toEqual([
        { type: 'Person', field: 'email', records: 2, of: 3 },
      ])
    })

    test('of a delta is judged by the records that it sends; a short value in few of them may be chance', async () => {
      const { path } = await stage.newCollection()
      const puts = Array.from({ length: 20 }, (_, n) => person(String(n), 'none'))
      await stage.push(path, { opening: { schemas }, puts })
      expect((await committed(path, 'v1.0.0', [person('5', 5)])).status).toBe(201)
      expect((await committed(path, 'v1.1.0', [person('d@x.org', 'd@x.org')])).json.valuesInIds).toEqual([
        { type: 'Person', field: 'email', records: 1, of: 1 },
      ])
      const many = Array.from({ length: 12 }, (_, n) => person(String(n), n))
      expect((await committed(path, 'v1.1.0', many)).json.code).toBe('private_value_in_id')
    })
  })
})
