/** Saved questions: their answers, their readers, and the privacy of their texts. docs/saved-questions.md */
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Stage, setStage } from '../../testing/stage.ts'
import { type TestClient, whenBuilt } from '../../testing/test-client.ts'

const schemas = {
  Person: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      room: { type: 'integer' },
      salary: { type: 'integer', private: true },
    },
  },
  Grade: { type: 'object', private: true, properties: { level: { type: 'integer' } } },
}
const person = (id: string, room: number, salary: number) => ({
  id,
  type: 'Person',
  data: { name: id, room, salary },
})
const puts = [person('ann', 1, 10), person('ben', 2, 20), person('cem', 2, 30)]
const rooms = 'SELECT room, count(*) AS people FROM "Person" GROUP BY room ORDER BY room'

describe.each(databases)('saved questions on $name', (database) => {
  let stage: Stage
  let ada: TestClient
  let path: string
  let at: string

  beforeAll(async () => {
    stage = await setStage(database, { sqlSeconds: 60 })
    ada = stage.ada
  })
  afterAll(() => stage.end())
  beforeEach(async () => {
    path = (await stage.newCollection()).path
    at = `${path}/questions`
    await stage.push(path, { opening: { schemas }, puts })
  })

  /** Saves a question of ada's, as soon as its tables are there. */
  const save = async (question: object, client = ada) => {
    for (;;) {
      const answer = await client.post(at, question)
      if (answer.json.code !== 'busy') return answer
    }
  }
  const answerTo = (client: TestClient, slug: string, query = '') =>
    whenBuilt(() => client.get(`${at}/${slug}/answer${query}`))

  test('a query is saved, answered in the view of its reader, changed and removed', async () => {
    const question = { name: 'Large rooms', type: 'Person', query: 'filter=room gt 1&sort=-name' }
    const { status, json } = await save(question)
    expect([status, json]).toEqual([
      201,
      {
        ...{ slug: 'large-rooms', ...question, sql: null, view: 'table', version: 'latest' },
        ...{ semver: 'v1.0.0', since: null, public: false },
        ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
      },
    ])
    // The answer is compared soon.
    const saved = { ...json, since: expect.toBeOneOf([null, 'v1.0.0']) }
    expect((await ada.get(at)).json).toEqual([saved])
    expect((await ada.get(`${at}/large-rooms`)).json).toEqual(saved)
    const answer = await answerTo(ada, 'large-rooms')
    expect(answer.json.rows.map((row: { data: unknown }) => row.data)).toEqual([
      { name: 'cem', room: 2, salary: 30 },
      { name: 'ben', room: 2, salary: 20 },
    ])
    expect((await answerTo(ada, 'large-rooms', '?format=csv')).text).toBe(
      '_id,name,room,salary\ncem,cem,2,30\nben,ben,2,20\n',
    )
    const changed = await ada.patch(`${at}/large-rooms`, { name: 'Rooms', public: true, view: 'chart' })
    expect(changed.json).toMatchObject({ slug: 'large-rooms', name: 'Rooms', public: true, view: 'chart' })
    expect((await stage.anyone.get(at)).json).toMatchObject([{ slug: 'large-rooms', public: true }])
    expect((await answerTo(stage.anyone, 'large-rooms', '?format=csv')).text).toBe(
      '_id,name,room\ncem,cem,2\nben,ben,2\n',
    )
    expect((await ada.delete(`${at}/large-rooms`)).json).toEqual({ ok: true })
    expect((await ada.get(`${at}/large-rooms`)).json.code).toBe('question_not_found')
  })

  test('a change is to a statement or to a query, never to parts of both', async () => {
    await save({ name: 'Either', sql: rooms })
    const change = async (changes: object) => {
      const { status, json } = await ada.patch(`${at}/either`, changes)
      return status === 200 ? [json.sql, json.type, json.query] : [status, json.issues?.[0]?.path]
    }
    const both = [400, 'sql']
    expect(await change({ sql: rooms, query: 'sort=name' })).toEqual(both)
    expect(await change({ sql: rooms, type: 'Person', public: true })).toEqual(both)
    expect(await change({ query: 'sort=name' })).toEqual([400, 'type'])
    expect(await change({ type: 'Person' })).toEqual([null, 'Person', ''])
    expect(await change({ query: 'sort=name' })).toEqual([null, 'Person', 'sort=name'])
    expect(await change({ sql: rooms })).toEqual([rooms, null, null])
    expect((await ada.delete(`${at}/either`)).status).toBe(200)
  })

  test('questions of one name have different slugs, and names of other scripts have one', async () => {
    const slugs = []
    for (const name of ['Rooms', 'Rooms', 'Zimmer 1', '部屋', '部屋'])
      slugs.push((await save({ name, type: 'Person' })).json.slug)
    expect(slugs).toEqual(['rooms', 'rooms-2', 'zimmer-1', 'question', 'question-2'])
  })

  test('a published statement is answered to readers without an account, once for each version', async () => {
    const saved = await save({ name: 'Rooms', sql: rooms, public: true })
    expect([saved.status, saved.json.query, saved.json.type]).toEqual([201, null, null])
    const first = await answerTo(stage.anyone, 'rooms')
    expect(first.json.rows).toEqual([
      [1, 1],
      [2, 2],
    ])
    // The time of the statement is a part of the answer: it did not run again.
    expect((await answerTo(stage.anyone, 'rooms')).json).toEqual(first.json)
    expect((await answerTo(stage.eve, 'rooms')).json).toEqual(first.json)
    const other = await stage.anyone.get(`${path}/versions/latest/sql?sql=${encodeURIComponent(rooms)}`)
    expect(other.json.code).toBe('unauthenticated')
    await stage.push(path, { base: 'v1.0.0', puts: [person('dan', 1, 5)] })
    expect((await answerTo(stage.anyone, 'rooms')).json.rows).toEqual([
      [1, 2],
      [2, 2],
    ])
    expect((await answerTo(stage.anyone, 'rooms', '?format=csv')).text).toBe('room,people\n1,2\n2,2\n')
  })

  test('a question about a version has the same answer after further versions', async () => {
    await save({ name: 'Rooms', sql: rooms, public: true, version: '1.0.0' })
    await save({ name: 'People', type: 'Person', query: 'sort=name', public: true, version: 'v1.0.0' })
    const both = async () => [
      (await answerTo(stage.anyone, 'rooms', '?format=csv')).text,
      (await answerTo(stage.anyone, 'people', '?format=csv')).text,
    ]
    const before = await both()
    for (let n = 0; n < 3; n++)
      await stage.push(path, { base: `v1.${n}.0`, puts: [person(`more-${n}`, 9, 9)] })
    expect(await both()).toEqual(before)
    expect((await stage.anyone.get(`${at}/rooms`)).json).toMatchObject({
      version: 'v1.0.0',
      semver: 'v1.0.0',
    })
  })

  test('a question that needs private data is for members only, by any part of its text', async () => {
    const secret = [
      { type: 'Person', query: 'filter=salary gt 10' },
      { type: 'Person', query: 'sort=-salary' },
      { type: 'Person', query: 'columns=name,salary' },
      { type: 'Person', query: 'x=room&y=mean:salary', view: 'chart' },
      { type: 'Person', query: 'x=salary', view: 'chart' },
      { type: 'Person', query: 'x=room&by=salary', view: 'chart' },
      { type: 'Person', query: 'coordinates=room,salary', view: 'map' },
      { type: 'Grade', query: '' },
      { sql: 'SELECT max(salary) FROM "Person"' },
      { sql: 'SELECT count(*) FROM "Grade"' },
    ]
    for (const [n, part] of secret.entries()) {
      const refused = await save({ name: `Pay ${n}`, ...part, public: true })
      expect([refused.status, refused.json.code], JSON.stringify(part)).toEqual([422, 'question_not_public'])
      expect((await save({ name: `Pay ${n}`, ...part })).status).toBe(201)
      const published = await ada.patch(`${at}/pay-${n}`, { public: true })
      expect(published.json.code, JSON.stringify(part)).toBe('question_not_public')
    }
    // A change of the text is refused, too.
    await save({ name: 'Open', type: 'Person', public: true })
    for (const part of secret) {
      const { name: _name, ...changes } = { name: '', ...part }
      expect((await ada.patch(`${at}/open`, changes)).json.code).toBe('question_not_public')
    }
    for (const stranger of [stage.eve, stage.anyone]) {
      const { text, json } = await stranger.get(at)
      expect(json.map(({ slug }: { slug: string }) => slug)).toEqual(['open'])
      expect(text).not.toMatch(/salary|Grade|Pay/)
      for (const name of ['pay-0', 'pay-8', 'absent']) {
        const [question, answer] = [await stranger.get(`${at}/${name}`), await answerTo(stranger, name)]
        expect([question.json.code, answer.json.code]).toEqual(['question_not_found', 'question_not_found'])
      }
    }
  })

  test('questions of a private collection are hidden with it', async () => {
    const hidden = await stage.newCollection({ public: false })
    at = `${hidden.path}/questions`
    await stage.push(hidden.path, { opening: { schemas }, puts })
    await save({ name: 'Rooms', sql: rooms, public: true })
    for (const name of ['', '/rooms', '/rooms/answer', '/absent'])
      expect((await stage.anyone.get(`${at}${name}`)).json.code).toBe('collection_not_found')
    await ada.patch(hidden.path, { public: true })
    expect((await answerTo(stage.anyone, 'rooms')).json.rows).toHaveLength(2)
  })

  test('a limited number of questions, and only members with write access save them', async () => {
    expect((await save({ name: 'Rooms', type: 'Person' }, stage.eve)).json.code).toBe('not_a_member')
    expect((await save({ name: 'Rooms', type: 'Person' }, stage.reader)).json.code).toBe('insufficient_scope')
    expect((await save({ name: 'Rooms', type: 'Person' }, stage.anyone)).json.code).toBe('unauthenticated')
    const made = Array.from({ length: 200 }, (_, n) => save({ name: `Question ${n}`, type: 'Person' }))
    expect((await Promise.all(made)).map(({ status }) => status)).toEqual(made.map(() => 201))
    expect((await save({ name: 'More', type: 'Person' })).json.code).toBe('too_many_questions')
  })

  test.each([
    [{ name: 'x' }, 400, 'invalid_request'],
    [{ name: 'x', sql: 'SELECT 1', type: 'Person' }, 400, 'invalid_request'],
    [{ name: 'x', query: 'q=1' }, 400, 'invalid_request'],
    [{ name: 'x', type: 'Person', query: 'limit=1' }, 400, 'invalid_request'],
    [{ name: 'x', type: 'Person', query: 'y=most:room' }, 400, 'invalid_request'],
    [{ name: 'x', type: 'Person', query: 'sort=nmae' }, 400, 'unknown_field'],
    [{ name: 'x', type: 'Person', query: 'x=nmae', public: true }, 400, 'unknown_field'],
    [{ name: 'x', type: 'Persons' }, 404, 'type_not_found'],
    [{ name: 'x', type: 'Person', version: 'v9.0.0' }, 404, 'version_not_found'],
    [{ name: 'x', sql: 'DELETE FROM "Person"' }, 400, 'invalid_sql'],
    [{ name: 'x', sql: 'SELECT nmae FROM "Person"', public: true }, 400, 'invalid_sql'],
  ])('refuses %j', async (question, status, code) => {
    const answer = await save(question)
    expect([answer.status, answer.json.code]).toEqual([status, code])
  })
})
