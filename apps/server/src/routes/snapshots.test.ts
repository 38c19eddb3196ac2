/** Snapshot pushes over HTTP: http-api §9; what they share with delta pushes is in pushes.test.ts too. */
import { hash } from 'node:crypto'
import { zstdCompressSync } from 'node:zlib'
import { type Json, recordOf } from '@ulmus/content'
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Asker, fileHash, json, ndjson } from '../testing/asker.ts'
import { costlyJson, sentHoldingNobodyUp } from '../testing/hold.ts'
import { type Stage, setStage } from '../testing/stage.ts'

interface Item {
  id: string
  type: string
  data: Json
  private?: boolean
}

const zeros = '0'.repeat(64)
const item = (id: string, data: Json = {}, more: Partial<Item> = {}): Item => ({
  id,
  type: 'A',
  data,
  ...more,
})
const hashOf = ({ id, type, data }: Item): string => recordOf(id, type, data).hash
const entryOf = ({ id, type, data, private: hidden }: Item) => ({
  id,
  type,
  hash: hashOf({ id, type, data }),
  ...(hidden === undefined ? {} : { private: hidden }),
})
const many = (count: number, data: (n: number) => Json = () => 0) =>
  Array.from({ length: count }, (_, n) => item(`${n}`.padStart(6, '0'), data(n)))
/** Entries of records that need not exist. */
const entries = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `${n}`, type: 'A', hash: hash('sha256', `${n}`) }))

describe.each(databases)('snapshots on $name', (database) => {
  let stage: Stage
  let ada: Asker
  /** Seconds that the server's clock is ahead. */
  let ahead = 0

  beforeAll(async () => {
    stage = await setStage(database, { now: () => new Date(Date.now() + ahead * 1000) })
    ada = stage.ada
  })
  afterAll(() => stage.end())

  const newPath = async (isPublic = true) => (await stage.newCollection({ public: isPublic })).path
  const openingOf = (more: Record<string, unknown> = {}) => ({
    base_version: null,
    schemas: { A: {} },
    ...more,
  })
  const negotiate = (path: string, more: Record<string, unknown> = {}, who = ada) =>
    who.post(`${path}/versions/negotiate`, openingOf(more))
  const sessionOf = (path: string, id: string) => `${path}/negotiate/${id}`

  /** Opens a session with an inline manifest; its path. */
  async function opened(
    path: string,
    items: readonly Item[],
    more: Record<string, unknown> = {},
  ): Promise<string> {
    const answer = await negotiate(path, { manifest: items.map(entryOf), ...more })
    if (answer.status !== 200) throw new Error(`no snapshot was opened: ${answer.text}`)
    return sessionOf(path, answer.json.session_id)
  }
  /** Opens a session whose manifest is still to come; its path. */
  async function openedFor(path: string, expected: number, more: Record<string, unknown> = {}) {
    const answer = await negotiate(path, { manifest_expected: expected, ...more })
    if (answer.status !== 200) throw new Error(`no snapshot was opened: ${answer.text}`)
    return sessionOf(path, answer.json.session_id)
  }
  const chunk = (session: string, items: readonly Item[]) =>
    ada.lines(`${session}/manifest`, items.map(entryOf))
  /** A whole snapshot, sending all of its records; the commit's answer. */
  async function snapshot(path: string, items: readonly Item[], more: Record<string, unknown> = {}) {
    const session = await opened(path, items, more)
    await ada.lines(`${session}/records`, items)
    const answer = await ada.post(`${session}/commit`)
    if (answer.status !== 201) throw new Error(`no version was made: ${answer.text}`)
    return answer.json
  }
  const state = async (session: string) => (await ada.get(session)).json
  const recordsOf = async (path: string, who = ada) =>
    (await who.get(`${path}/versions/latest/records?limit=2000`)).json.records as Item[]

  describe('POST …/versions/negotiate', () => {
    test('200 {session_id, needed_records: [hash], needed_files, total_records, total_files, already_have_records, already_have_files}', async () => {
      const path = await newPath()
      await ada.upload(path, 'held')
      const [held, absent] = [fileHash('held'), fileHash('absent')]
      const items = [item('1'), item('2', { n: 2 })]
      const { status, json: body } = await negotiate(path, {
        manifest: items.map(entryOf),
        files: [held, absent],
      })
      expect([status, body]).toEqual([
        200,
        {
          session_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          needed_records: items.map(hashOf),
          needed_files: [absent],
          ...{ total_records: 2, total_files: 2, already_have_records: 0, already_have_files: 1 },
        },
      ])
    })

    test('needed is what the base version lacks', async () => {
      const path = await newPath()
      await snapshot(path, [item('1'), item('2', { n: 2 }), item('3')])
      const next = [item('1'), item('2', { n: 'other' }), item('4')]
      const { json: body } = await negotiate(path, { base_version: 'v1.0.0', manifest: next.map(entryOf) })
      expect(body).toMatchObject({ total_records: 3, already_have_records: 1 })
      expect(body.needed_records.toSorted()).toEqual([hashOf(next[1]!), hashOf(next[2]!)].sort())
      // A record of the same content under another id or type is another record.
      const moved = { ...item('1'), type: 'B' }
      const elsewhere = await negotiate(path, {
        ...{ base_version: 'v1.0.0', schemas: { A: {}, B: {} }, manifest: [entryOf(moved)] },
      })
      expect(elsewhere.json.needed_records).toEqual([hashOf(moved)])
    })

    test('with `manifest_expected`: {session_id, manifest_expected, manifest_received: 0, needed_files, total_files, already_have_files, next}', async () => {
      const { path, slug } = await stage.newCollection()
      const { status, json: body } = await negotiate(path, { manifest_expected: 3 })
      expect([status, body]).toEqual([
        200,
        {
          session_id: expect.any(String),
          ...{ manifest_expected: 3, manifest_received: 0 },
          ...{ needed_files: [], total_files: 0, already_have_files: 0 },
          next: `/api/collections/ada/${slug}/negotiate/${body.session_id}/manifest`,
        },
      ])
      const taken = await ada.lines(body.next.replace(/^\/api/, ''), [entryOf(item('1'))])
      expect(taken.status).toBe(200)
    })

    test('anything but the head is 409 version_conflict with `currentVersion`, at opening and again at commit', async () => {
      const path = await newPath()
      const late = await opened(path, [item('late')])
      await ada.lines(`${late}/records`, [item('late')])
      await snapshot(path, [item('1')])
      for (const base of [null, 'v0.9.0', 'v2.0.0']) {
        const { status, json: body } = await negotiate(path, { base_version: base, manifest: [] })
        expect([status, body.code, body.currentVersion]).toEqual([409, 'version_conflict', 'v1.0.0'])
      }
      const refused = await ada.post(`${late}/commit`)
      expect([refused.status, refused.json.code, refused.json.currentVersion]).toEqual([
        409,
        'version_conflict',
        'v1.0.0',
      ])
      expect(await state(late)).toMatchObject({ status: 'failed', error: refused.json })
    })

    test.each([
      [{ schemas: undefined }, 'schemas'],
      [{ schemas: null }, 'schemas'],
      [{ schemas: [] }, 'schemas'],
      [{ base_version: undefined }, 'base_version'],
      [{ base_version: 1 }, 'base_version'],
      [{ base_version: 'latest' }, 'base_version'],
      [{ unknown: 1 }, 'unknown'],
      [{ manifest_received: 0 }, 'manifest_received'],
      [{ manifest: undefined }, 'manifest'],
      [{ manifest_expected: 0 }, 'manifest'],
      [{ manifest: {} }, 'manifest'],
      [{ manifest: null }, 'manifest'],
      [{ manifest: 'x' }, 'manifest'],
      [{ manifest: undefined, manifest_expected: -1 }, 'manifest_expected'],
      [{ manifest: undefined, manifest_expected: 1.5 }, 'manifest_expected'],
      [{ manifest: undefined, manifest_expected: '1' }, 'manifest_expected'],
      [{ manifest: undefined, manifest_expected: null }, 'manifest_expected'],
      [{ files: ['sha256:x'] }, 'files.0'],
      [{ metadata: [] }, 'metadata'],
      [{ metadata: { readme: 1 } }, 'metadata./readme'],
      [{ strip_unknown_fields: 'true' }, 'strip_unknown_fields'],
      [{ message: 'a\u0000b' }, 'message'],
      [{ ['__proto__']: {} }, '__proto__'],
    ])('a missing, mistyped or unknown field is 400 invalid_request: %j', async (more, where) => {
      const answer = await negotiate(await newPath(), { manifest: [], ...more })
      expect([
        answer.status,
        answer.json.code,
        answer.json.issues?.map((issue: { path: string }) => issue.path),
      ]).toEqual([400, 'invalid_request', [where]])
    })

    test.each([
      ['malformed JSON', '{"base_version":', 'syntax'],
      ['nothing', '', 'syntax'],
      ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'syntax'],
      ['a duplicate key', '{"base_version":null,"base_version":null}', 'duplicate_key'],
      ['a duplicate key in the manifest', '{"manifest":[{"id":"1","id":"1"}]}', 'duplicate_key'],
      ['a 20-digit integer', '{"metadata":{"n":12345678901234567890}}', 'unsafe_integer'],
      ['a lone surrogate', '{"app_id":"\\ud800"}', 'lone_surrogate'],
      ['depth 1e5', `{"metadata":{"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}}`, 'too_deep'],
    ])('%s is 400 invalid_request, which names the rule', async (_name, body, rule) => {
      const { status, json: refused } = await ada.ask('POST', `${await newPath()}/versions/negotiate`, {
        body,
        headers: json,
      })
      expect([status, refused.code, refused.issues[0].rule]).toEqual([400, 'invalid_request', rule])
    })

    test.each(['[]', 'null', '"x"', '1'])('a body that is no object is 400: %s', async (body) => {
      const answer = await ada.ask('POST', `${await newPath()}/versions/negotiate`, { body, headers: json })
      expect([answer.status, answer.json.code]).toEqual([400, 'invalid_request'])
    })

    test.each(['text/plain', 'application/x-ndjson', 'multipart/form-data'])(
      'a body of type %s is 415',
      async (type) => {
        const answer = await ada.ask('POST', `${await newPath()}/versions/negotiate`, {
          body: JSON.stringify(openingOf({ manifest: [] })),
          headers: { 'content-type': type },
        })
        expect([answer.status, answer.json.code]).toEqual([415, 'unsupported_media_type'])
      },
    )

    test('a schema that is not acceptable is 422 invalid_schema; metadata over 1 MiB is 413', async () => {
      const path = await newPath()
      const bad = await negotiate(path, { manifest: [], schemas: { A: { type: 'strange' } } })
      expect([bad.status, bad.json.code, bad.json.type]).toEqual([422, 'invalid_schema', 'A'])
      const heavy = await negotiate(path, { manifest: [], metadata: { x: 'x'.repeat(1_048_576) } })
      expect([heavy.status, heavy.json.code]).toEqual([413, 'too_large'])
    })

    test.each([
      ['metadata', 413, (nested: string) => `"schemas":{},"metadata":{"x":${nested}}`],
      ['schemas', 422, (nested: string) => `"schemas":{"A":{"enum":${nested}}}`],
    ])(
      'many MiB of %s beside the manifest hold nobody else up',
      async (_name, status, member) => {
        const body = `{"base_version":null,"manifest":[],${member(costlyJson)}}`
        expect(await sentHoldingNobodyUp(ada, 'POST', `${await newPath()}/versions/negotiate`, body)).toBe(
          status,
        )
      },
      120_000,
    )

    test('what comes beside the manifest is 413 over 32 MiB', async () => {
      const schemas = { A: { description: 'x'.repeat(32 * 1024 ** 2) } }
      const { status, json } = await negotiate(await newPath(), { manifest: [], schemas })
      expect([status, json.code, json.error]).toEqual([
        413,
        'too_large',
        'What comes beside the manifest is over the limit of 32 MiB.',
      ])
    })

    test('bad entries are 422 with `validationErrors: [{line, id, type, code}]`, lines counted from 1', async () => {
      const path = await newPath()
      const bad = [
        [entryOf(item('fine')), undefined],
        [1, 'bad_envelope'],
        [null, 'bad_envelope'],
        [{ type: 'A', hash: zeros }, 'bad_id'],
        [{ id: '', type: 'A', hash: zeros }, 'bad_id'],
        [{ id: 'x'.repeat(1_025), type: 'A', hash: zeros }, 'bad_id'],
        [{ id: '1', hash: zeros }, 'bad_type'],
        [{ id: '1', type: 'A/B', hash: zeros }, 'bad_type'],
        [{ id: '1', type: 'Z', hash: zeros }, 'unknown_type'],
        [{ id: '1', type: 'toString', hash: zeros }, 'unknown_type'],
        [{ id: '1', type: 'A' }, 'bad_envelope'],
        [{ id: '1', type: 'A', hash: zeros.toUpperCase().replace('0', 'A') }, 'bad_envelope'],
        [{ id: '1', type: 'A', hash: `sha256:${zeros}` }, 'bad_envelope'],
        [{ id: '1', type: 'A', hash: zeros, private: 'true' }, 'bad_envelope'],
        [{ id: '1', type: 'A', hash: zeros, private: null }, 'bad_envelope'],
      ] as const
      const expected = bad.flatMap(([, code], index) => (code === undefined ? [] : [[index + 1, code]]))
      const session = await openedFor(path, 3)
      const answers = [
        await negotiate(path, { manifest: bad.map(([entry]) => entry) }),
        await ada.lines(
          `${session}/manifest`,
          bad.map(([entry]) => entry),
        ),
      ]
      for (const { status, json: body } of answers) {
        expect([status, body.code, body.totalErrors]).toEqual([422, 'invalid_records', expected.length])
        expect(
          body.validationErrors.map(({ line, code }: { line: number; code: string }) => [line, code]),
        ).toEqual(expected)
      }
      const next = await chunk(session, [item('1')])
      expect(next.json.manifest_received).toBe(1)
    })

    test('a (type, id) twice in a manifest: harmless with one hash, 400 manifest_conflict with two', async () => {
      const path = await newPath()
      const [one, other] = [entryOf(item('1')), entryOf(item('1', { n: 1 }))]
      const twice = await negotiate(path, { manifest: [one, one] })
      expect(twice.json).toMatchObject({ total_records: 1, needed_records: [one.hash] })
      const refused = await negotiate(path, { manifest: [one, other] })
      expect([refused.status, refused.json.code]).toEqual([400, 'manifest_conflict'])
      expect(refused.json).toMatchObject({ id: '1', type: 'A' })
      expect(refused.json.hashes.toSorted()).toEqual([one.hash, other.hash].sort())
    })

    test('inline manifests up to 500,000 entries (413)', async () => {
      const path = await newPath()
      const most = await negotiate(path, { manifest: entries(500_000) })
      expect([most.status, most.json.total_records, most.json.needed_records.length]).toEqual([
        200, 500_000, 500_000,
      ])
      const over = await negotiate(path, { manifest: entries(500_001) })
      expect([over.status, over.json.code]).toEqual([413, 'too_large'])
      expect(over.json.error).toMatch(/500,000 entries/)
      expect(over.json.error).toMatch(/manifest_expected/)
    }, 120_000)

    test('a body over its limit is 413 with the limit, packed ones too', async () => {
      const path = await newPath()
      const session = await openedFor(path, 1)
      const bomb = (bytes: number) => zstdCompressSync(Buffer.alloc(bytes, 0x20))
      const packed = { 'content-encoding': 'zstd' }
      const steps = [
        [`${path}/versions/negotiate`, 128, json],
        [`${session}/manifest`, 64, ndjson],
        [`${session}/records`, 128, ndjson],
      ] as const
      for (const [step, mebibytes, type] of steps) {
        const { status, json: body } = await ada.ask('POST', step, {
          body: bomb(mebibytes * 1024 ** 2 + 1),
          headers: { ...type, ...packed },
        })
        expect([step, status, body.code]).toEqual([step, 413, 'too_large'])
        expect(body.error).toContain(`${mebibytes} MiB`)
      }
    })
  })

  describe('POST …/negotiate/:id/manifest', () => {
    test('→ {received, needed_records, manifest_received, manifest_expected}; repeating a chunk is harmless', async () => {
      const path = await newPath()
      await snapshot(path, [item('1')])
      const items = [item('1'), item('2'), item('3')]
      const session = await openedFor(path, 3, { base_version: 'v1.0.0' })
      const { status, json: body } = await chunk(session, items.slice(0, 2))
      expect([status, body]).toEqual([
        200,
        { received: 2, needed_records: [hashOf(items[1]!)], manifest_received: 2, manifest_expected: 3 },
      ])
      expect((await chunk(session, items.slice(0, 2))).json).toEqual(body)
      expect((await chunk(session, items.slice(1))).json).toMatchObject({ received: 2, manifest_received: 3 })
      await ada.lines(`${session}/records`, items.slice(1))
      expect((await ada.post(`${session}/commit`)).json).toMatchObject({ semver: 'v1.1.0', recordCount: 3 })
    })

    test('a chunk sent again while it is still being taken counts once', async () => {
      const path = await newPath()
      const session = await openedFor(path, 100)
      const items = many(100)
      const answers = await Promise.all(Array.from({ length: 4 }, () => chunk(session, items)))
      expect(answers.map(({ json: body }) => [body.needed_records.length, body.manifest_received])).toEqual(
        answers.map(() => [100, 100]),
      )
      expect((await ada.lines(`${session}/records`, items)).json).toEqual({ received: 100, remaining: 0 })
      expect((await ada.post(`${session}/commit`)).json.recordCount).toBe(100)
    })

    test('NDJSON, up to 50,000 a request; blank lines are skipped', async () => {
      const session = await openedFor(await newPath(), 50_000)
      const lines = entries(50_001).map((entry) => JSON.stringify(entry))
      const most = await ada.lines(`${session}/manifest`, ['', ...lines.slice(1), ' '])
      expect([most.status, most.json.received]).toEqual([200, 50_000])
      const over = await ada.lines(`${session}/manifest`, lines)
      expect([over.status, over.json.code]).toEqual([413, 'too_large'])
      expect(over.json.error).toMatch(/50,000 entries/)
      expect((await state(session)).needed_records).toBe(50_000)
    }, 60_000)

    test('a broken line refuses the chunk, by its number; a body of another type is 415', async () => {
      const session = await openedFor(await newPath(), 2)
      const refused = await ada.lines(`${session}/manifest`, [entryOf(item('1')), '', '{"id":'])
      expect([refused.status, refused.json.validationErrors]).toMatchObject([
        422,
        [{ line: 3, code: 'syntax' }],
      ])
      const typed = await ada.ask('POST', `${session}/manifest`, { body: '', headers: json })
      expect(typed.status).toBe(415)
      expect((await state(session)).needed_records).toBe(0)
    })

    test('a session whose manifest came inline takes chunks too, as long as they repeat it', async () => {
      const path = await newPath()
      const session = await opened(path, [item('1')])
      expect((await chunk(session, [item('1')])).json).toMatchObject({
        manifest_received: 1,
        manifest_expected: 1,
      })
    })

    test('two hashes of one (type, id) in two chunks are 400 manifest_conflict at commit', async () => {
      const path = await newPath()
      const session = await openedFor(path, 1)
      await chunk(session, [item('1')])
      await chunk(session, [item('1', { n: 1 })])
      await ada.lines(`${session}/records`, [item('1')])
      const refused = await ada.post(`${session}/commit`)
      expect([refused.status, refused.json.code, refused.json.id]).toEqual([400, 'manifest_conflict', '1'])
      expect(await state(session)).toMatchObject({ status: 'failed', error: refused.json })
    })
  })

  describe('POST …/negotiate/:id/records', () => {
    test('→ {received, remaining}; sending a record again is harmless', async () => {
      const items = [item('1'), item('2'), item('3')]
      const session = await opened(await newPath(), items)
      const send = async (...some: Item[]) => (await ada.lines(`${session}/records`, some)).json
      expect(await send(items[0]!)).toEqual({ received: 1, remaining: 2 })
      expect(await send(items[0]!, items[0]!, items[1]!)).toEqual({ received: 3, remaining: 1 })
      expect((await state(session)).needed_records).toBe(1)
      expect(await send(items[2]!)).toEqual({ received: 1, remaining: 0 })
      expect((await ada.post(`${session}/commit`)).json.recordCount).toBe(3)
    })

    test('a record that the base has too may be sent, and changes nothing', async () => {
      const path = await newPath()
      await snapshot(path, [item('1')])
      const session = await opened(path, [item('1'), item('2')], { base_version: 'v1.0.0' })
      expect((await ada.lines(`${session}/records`, [item('1'), item('2')])).json.remaining).toBe(0)
      expect((await ada.post(`${session}/commit`)).json.changes).toEqual({ added: 1, updated: 0, removed: 0 })
    })

    test('a record whose hash the manifest lacks: 400 unexpected_record; none of the request is stored', async () => {
      const session = await opened(await newPath(), [item('1'), item('2')])
      for (const stranger of [item('1', { n: 1 }), item('3'), { ...item('1'), id: '１' }]) {
        const refused = await ada.lines(`${session}/records`, [item('1'), '', stranger])
        expect([refused.status, refused.json.code]).toEqual([400, 'unexpected_record'])
        expect(refused.json).toMatchObject({ line: 3, id: stranger.id, type: 'A', hash: hashOf(stranger) })
      }
      expect((await state(session)).needed_records).toBe(2)
    })

    test('up to 10,000 lines and 128 MiB', async () => {
      const items = many(10_001)
      const session = await opened(await newPath(), items)
      const over = await ada.lines(`${session}/records`, items)
      expect([over.status, over.json.code]).toEqual([413, 'too_large'])
      expect(over.json.error).toMatch(/10,?000 lines/)
      expect((await ada.lines(`${session}/records`, items.slice(1))).json).toEqual({
        received: 10_000,
        remaining: 1,
      })
    }, 60_000)

    test('a request with one bad line stores none of its lines: 422 with its number', async () => {
      const schemas = { A: { properties: { n: { type: 'integer' } } } }
      const items = [item('1', { n: 1 }), item('2', { n: 'x' }), item('3', { m: 1 })]
      const session = await opened(await newPath(), items, { schemas })
      const ofData = await ada.lines(`${session}/records`, items)
      expect([ofData.status, ofData.json.code, ofData.json.totalErrors]).toEqual([422, 'schema_violation', 2])
      expect(ofData.json.validationErrors).toMatchObject([
        { line: 2, id: '2', code: 'schema_violation', errors: [{ path: '/n' }] },
        { line: 3, id: '3', code: 'unknown_fields' },
      ])
      const malformed = await ada.lines(`${session}/records`, [items[0], '{', { ...items[0], type: 'B' }])
      expect([malformed.status, malformed.json.code]).toEqual([422, 'invalid_records'])
      expect(malformed.json.validationErrors).toMatchObject([
        { line: 2, code: 'syntax' },
        { line: 3, code: 'unknown_type' },
      ])
      expect((await state(session)).needed_records).toBe(3)
    })

    test('a line that says otherwise of `private` than the manifest is `private_mismatch`; one that says nothing is not', async () => {
      const path = await newPath()
      const [hidden, shown] = [item('hidden', {}, { private: true }), item('shown')]
      const session = await opened(path, [hidden, shown])
      const refused = await ada.lines(`${session}/records`, [
        { ...hidden, private: false },
        { ...shown, private: true },
        { ...shown, private: false },
      ])
      expect([refused.status, refused.json.code, refused.json.totalErrors]).toEqual([
        422,
        'invalid_records',
        2,
      ])
      expect(refused.json.validationErrors).toMatchObject([
        { line: 1, id: 'hidden', type: 'A', code: 'private_mismatch' },
        { line: 2, id: 'shown', type: 'A', code: 'private_mismatch' },
      ])
      const { private: _said, ...silent } = hidden
      expect((await ada.lines(`${session}/records`, [silent, shown])).json.remaining).toBe(0)
      await ada.post(`${session}/commit`)
      expect((await recordsOf(path)).map(({ id }) => id)).toEqual(['hidden', 'shown'])
      expect((await recordsOf(path, stage.anyone)).map(({ id }) => id)).toEqual(['shown'])
    })

    test('with `strip_unknown_fields`, manifest hashes are of the stripped record', async () => {
      const path = await newPath()
      const schemas = { A: { properties: { n: {} } } }
      const more = { schemas, strip_unknown_fields: true }
      const stripped = item('1', { n: 1 })
      const session = await opened(path, [stripped], more)
      const sent = await ada.lines(`${session}/records`, [item('1', { n: 1, m: 2, constructor: 3 })])
      expect(sent.json).toEqual({ received: 1, remaining: 0 })
      await ada.post(`${session}/commit`)
      expect((await recordsOf(path))[0]!.data).toEqual({ n: 1 })
      const whole = await negotiate(path, {
        ...{ base_version: 'v1.0.0', ...more, manifest: [entryOf(item('1', { n: 1, m: 2 }))] },
      })
      const refused = await ada.lines(`${sessionOf(path, whole.json.session_id)}/records`, [
        item('1', { n: 1, m: 2 }),
      ])
      expect(refused.json.code).toBe('unexpected_record')
    })
  })

  describe('POST …/negotiate/:id/commit', () => {
    test('201 {semver, hash, recordCount, fileCount}; what the manifest lacks is removed', async () => {
      const path = await newPath()
      await snapshot(path, [item('1'), item('2'), item('3')])
      const next = [item('2', { n: 2 }), item('3'), item('4'), item('5')]
      const session = await opened(path, next, { base_version: 'v1.0.0' })
      await ada.lines(`${session}/records`, [next[0], next[2], next[3]])
      const { status, json: body } = await ada.post(`${session}/commit`)
      expect([status, body]).toEqual([
        201,
        {
          semver: 'v1.1.0',
          hash: expect.stringMatching(/^private:[0-9a-f]{64}$/),
          ...{ recordCount: 4, fileCount: 0, changes: { added: 2, updated: 1, removed: 1 } },
        },
      ])
      expect((await recordsOf(path)).map(({ id, data }) => [id, data])).toEqual([
        ['2', { n: 2 }],
        ['3', {}],
        ['4', {}],
        ['5', {}],
      ])
      const { hash } = (await ada.get(`${path}/versions/v1.1.0`)).json
      expect(hash).toBe(body.hash)
    })

    test('a snapshot and a delta of the same content have the same digest', async () => {
      const [one, other] = [await newPath(), await newPath()]
      const items = [...many(300), item('hidden', { n: 1 }, { private: true })]
      const delta = await stage.push(one, { opening: { schemas: { A: {} } }, puts: items })
      expect((await snapshot(other, items)).hash).toBe(delta.hash)
    })

    test('an empty manifest removes every record', async () => {
      const path = await newPath()
      await snapshot(path, [item('1'), item('2')])
      const gone = await snapshot(path, [], { base_version: 'v1.0.0' })
      expect(gone).toMatchObject({ recordCount: 0, changes: { removed: 2 } })
      const session = await openedFor(path, 0, { base_version: gone.semver, metadata: { a: 1 } })
      expect((await ada.post(`${session}/commit`)).status).toBe(201)
    })

    test('400 records_missing with `missing_hashes` (first 100); the session stays open', async () => {
      const items = many(103)
      const path = await newPath()
      const session = await opened(path, items)
      await ada.lines(`${session}/records`, items.slice(0, 2))
      const refused = await ada.post(`${session}/commit`)
      expect([refused.status, refused.json.code]).toEqual([400, 'records_missing'])
      expect(refused.json.missing_hashes).toEqual(items.slice(2, 102).map(hashOf))
      expect(await state(session)).toMatchObject({ status: 'open', needed_records: 101, error: refused.json })
      await ada.lines(`${session}/records`, items.slice(2))
      expect((await ada.post(`${session}/commit`)).json.recordCount).toBe(103)
      expect((await state(session)).error).toBe(null)
    })

    test('400 manifest_incomplete, more or less than was announced; the session stays open', async () => {
      const path = await newPath()
      const session = await openedFor(path, 2)
      await chunk(session, [item('1')])
      await ada.lines(`${session}/records`, [item('1')])
      const refused = await ada.post(`${session}/commit`)
      expect([refused.status, refused.json.code]).toEqual([400, 'manifest_incomplete'])
      expect(refused.json).toMatchObject({ manifest_received: 1, manifest_expected: 2 })
      await chunk(session, [item('2'), item('3')])
      const more = await ada.post(`${session}/commit`)
      expect(more.json).toMatchObject({ code: 'manifest_incomplete', manifest_received: 3 })
      expect((await state(session)).status).toBe('open')
    })

    test('422 files_missing with `filesNeeded` (the session stays open)', async () => {
      const path = await newPath()
      const [referred, declared] = [fileHash('referred'), fileHash('declared')]
      const items = [item('1', { photo: { $file: referred } })]
      const session = await opened(path, items, { files: [declared] })
      await ada.lines(`${session}/records`, items)
      const refused = await ada.post(`${session}/commit`)
      expect([refused.status, refused.json.code, refused.json.filesNeeded]).toEqual([
        422,
        'files_missing',
        [declared, referred].sort(),
      ])
      expect(await state(session)).toMatchObject({
        ...{ status: 'open', needed_records: 0, needed_files: [declared], error: refused.json },
      })
      await ada.upload(path, 'referred')
      await ada.upload(path, 'declared')
      expect((await ada.post(`${session}/commit`)).json).toMatchObject({ recordCount: 1, fileCount: 2 })
      // "This is everything": a file that is neither declared nor referred to goes.
      expect(await snapshot(path, items, { base_version: 'v1.0.0' })).toMatchObject({ fileCount: 1 })
    })

    test('409 no_changes, and the session stays open', async () => {
      const path = await newPath()
      await snapshot(path, [item('1')])
      const session = await opened(path, [item('1')], { base_version: 'v1.0.0' })
      const refused = await ada.post(`${session}/commit`)
      expect([refused.status, refused.json.code]).toEqual([409, 'no_changes'])
      expect((await state(session)).status).toBe('open')
    })

    test('a changed schema is asked of every record that is not sent again: 422 schema_violation', async () => {
      const path = await newPath()
      await snapshot(path, [item('1', { n: 'x' }), item('2', { n: 1 })])
      const schemas = { A: { properties: { n: { type: 'integer' } } } }
      const session = await opened(path, [item('1', { n: 'x' }), item('2', { n: 1 })], {
        ...{ base_version: 'v1.0.0', schemas },
      })
      const refused = await ada.post(`${session}/commit`)
      expect([refused.status, refused.json.code]).toEqual([422, 'schema_violation'])
      expect(refused.json.validationErrors).toMatchObject([{ id: '1', type: 'A' }])
      // One that only changes its privacy is carried over as well.
      const hidden = await opened(path, [item('1', { n: 'x' }, { private: true }), item('2', { n: 1 })], {
        ...{ base_version: 'v1.0.0', schemas },
      })
      expect((await ada.post(`${hidden}/commit`)).json).toMatchObject({
        ...{ code: 'schema_violation', totalErrors: 1, validationErrors: [{ id: '1', type: 'A' }] },
      })
      // One that goes, or comes anew, is not asked.
      expect(await snapshot(path, [item('2', { n: 1 })], { base_version: 'v1.0.0', schemas })).toMatchObject({
        semver: 'v2.0.0',
        recordCount: 1,
      })
    })

    test('`schemas` is the complete set: a type left out goes with its records', async () => {
      const path = await newPath()
      const ofB = { id: '1', type: 'B', data: {} }
      await snapshot(path, [item('1'), ofB], { schemas: { A: {}, B: {} } })
      const left = await snapshot(path, [item('1')], { base_version: 'v1.0.0' })
      expect(left).toMatchObject({ semver: 'v2.0.0', changes: { added: 0, updated: 0, removed: 1 } })
      expect(Object.keys((await ada.get(`${path}/versions/latest`)).json.schemas)).toEqual(['A'])
    })

    test('`private: true` is said anew in every snapshot: without it a record is public, and nothing is sent', async () => {
      const path = await newPath()
      const [hidden, shown] = [item('1', {}, { private: true }), item('2')]
      await snapshot(path, [hidden, shown])
      const { json: turned } = await negotiate(path, {
        ...{ base_version: 'v1.0.0', manifest: [entryOf(item('1')), { ...entryOf(shown), private: true }] },
      })
      expect(turned.needed_records).toEqual([])
      const { json: result } = await ada.post(`${sessionOf(path, turned.session_id)}/commit`)
      expect(result.semver).toBe('v1.0.1')
      expect((await recordsOf(path, stage.anyone)).map(({ id }) => id)).toEqual(['1'])
      expect((await recordsOf(path)).map(({ id }) => id)).toEqual(['1', '2'])
    })

    test('`metadata` is merged, in both kinds; message, app_id, actor_id are the version’s', async () => {
      const path = await newPath()
      await snapshot(path, [item('1')], { metadata: { license: 'MIT', a: 1 } })
      const about = { message: 'All of it', app_id: 'app', actor_id: 'actor' }
      await snapshot(path, [item('1')], {
        base_version: 'v1.0.0',
        metadata: { a: null, b: 2 },
        ...about,
      })
      expect((await ada.get(`${path}/versions/latest`)).json).toMatchObject({
        ...{ semver: 'v1.0.1', metadata: { license: 'MIT', b: 2 } },
        ...{ message: 'All of it', appId: 'app', actorId: 'actor' },
      })
      expect((await ada.get(`${path}/versions/latest`)).json.metadata).not.toHaveProperty('a')
    })

    test('committing twice answers with the first result, at once or later', async () => {
      const path = await newPath()
      const session = await opened(path, [item('1')])
      await ada.lines(`${session}/records`, [item('1')])
      const [first, second] = await Promise.all([
        ada.post(`${session}/commit`),
        ada.post(`${session}/commit`),
      ])
      const third = await ada.post(`${session}/commit?async=true`)
      expect([first, second, third].map(({ status }) => status)).toEqual([201, 201, 201])
      expect(new Set([first, second, third].map(({ text }) => text)).size).toBe(1)
      expect((await ada.get(`${path}/versions`)).json).toHaveLength(1)
    })

    test('of two commits against one base exactly one wins, whatever their kind', async () => {
      const path = await newPath()
      const sessions = [
        await opened(path, [item('a')]),
        await opened(path, [item('b')]),
        await stage.opened(path, { opening: { schemas: { A: {} } }, puts: [item('c')] }),
      ]
      await ada.lines(`${sessions[0]}/records`, [item('a')])
      await ada.lines(`${sessions[1]}/records`, [item('b')])
      const ends = await Promise.all(sessions.map((session) => ada.post(`${session}/commit`)))
      expect(ends.map(({ status }) => status).sort()).toEqual([201, 409, 409])
      expect((await ada.get(`${path}/versions`)).json).toHaveLength(1)
    })

    test('`?async=true` → 202 {session_id, status: "committing"}; the session shows its progress and ends with the result', async () => {
      const path = await newPath()
      const items = many(20_000)
      await snapshot(path, many(10))
      const session = await opened(path, items, { base_version: 'v1.0.0' })
      await ada.lines(`${session}/records`, items.slice(0, 10_000))
      await ada.lines(`${session}/records`, items.slice(10_000))
      const accepted = await ada.post(`${session}/commit?async=true`)
      expect([accepted.status, accepted.json]).toEqual([
        202,
        { session_id: session.split('/').at(-1), status: 'committing' },
      ])
      let now = await state(session)
      for (let polls = 0; now.status === 'committing' && polls < 600; polls++) {
        expect(now.records_done).toBeLessThanOrEqual(now.records_total)
        await new Promise((resolve) => setTimeout(resolve, 20))
        now = await state(session)
      }
      expect(now).toMatchObject({ status: 'committed', needed_records: 0, error: null })
      expect(now).toMatchObject({ records_done: 20_000, records_total: 20_000 })
      expect(now.result).toMatchObject({ semver: 'v1.1.0', recordCount: 20_000 })
      expect((await ada.post(`${session}/commit`)).json).toEqual(now.result)
    }, 60_000)

    test('an asynchronous commit that is refused leaves the error body of the synchronous call', async () => {
      const path = await newPath()
      const session = await opened(path, [item('1')])
      expect((await ada.post(`${session}/commit?async=true`)).status).toBe(202)
      await expect.poll(async () => (await state(session)).status, { timeout: 15_000 }).toBe('open')
      expect((await state(session)).error).toMatchObject({
        ...{ code: 'records_missing', statusCode: 400, missing_hashes: [hashOf(item('1'))] },
      })
    })
  })

  describe('GET and DELETE …/negotiate/:id', () => {
    test('{session_id, status, total_records, needed_records (a count), needed_files, expires_at, result, error}', async () => {
      const path = await newPath()
      const declared = fileHash('declared')
      const items = [item('1'), item('2')]
      const session = await opened(path, items, { files: [declared] })
      await ada.lines(`${session}/records`, [items[0]])
      expect(await state(session)).toEqual({
        ...{ session_id: session.split('/').at(-1), status: 'open', base_version: null },
        ...{ total_records: 2, needed_records: 1, needed_files: [declared] },
        ...{ records_done: 0, records_total: 0, expires_at: expect.any(String), result: null, error: null },
      })
    })

    test('DELETE → 204; twice is harmless; a cancelled session takes nothing more', async () => {
      const session = await opened(await newPath(), [item('1')])
      for (let n = 0; n < 2; n++) {
        const { status, text } = await ada.ask('DELETE', session)
        expect([status, text]).toEqual([204, ''])
      }
      expect(await state(session)).toMatchObject({ status: 'cancelled', needed_records: 0 })
      const refusals = [
        await chunk(session, [item('1')]),
        await ada.lines(`${session}/records`, [item('1')]),
        await ada.post(`${session}/commit`),
      ]
      for (const { status, json: body } of refusals)
        expect([status, body.code, body.status]).toEqual([409, 'push_not_open', 'cancelled'])
    })

    test('they expire after 60 minutes without one', async () => {
      const session = await openedFor(await newPath(), 2)
      const items = [item('1'), item('2')]
      ahead += 3_590
      expect((await state(session)).status).toBe('open')
      ahead += 3_590
      expect((await chunk(session, items)).status).toBe(200)
      ahead += 3_590
      expect((await ada.lines(`${session}/records`, [items[0]])).status).toBe(200)
      ahead += 3_601
      expect((await state(session)).status).toBe('expired')
      for (const { status, json: body } of [
        await chunk(session, items),
        await ada.lines(`${session}/records`, items),
        await ada.post(`${session}/commit`),
      ]) {
        expect([status, body.code, body.status]).toEqual([409, 'push_not_open', 'expired'])
      }
    })

    test('a session is one of its kind and collection alone; what is none is 404 push_not_found', async () => {
      const path = await newPath()
      const id = (await opened(path, [item('1')])).split('/').at(-1)
      const delta = (await stage.opened(path, {})).split('/').at(-1)
      const others = [
        `${await newPath()}/negotiate/${id}`,
        `${path}/pushes/${id}`,
        `${path}/negotiate/${delta}`,
        `${path}/negotiate/x`,
        `${path}/negotiate/%00`,
      ]
      for (const other of others) {
        const answers = [
          await ada.get(other),
          await ada.ask('DELETE', other),
          await ada.post(`${other}/commit`),
          await ada.lines(`${other}/records`, [item('1')]),
          ...(other.includes('/pushes/') ? [] : [await chunk(other, [item('1')])]),
        ]
        for (const { status, json: body } of answers)
          expect([other, status, body.code]).toEqual([other, 404, 'push_not_found'])
      }
    })
  })

  describe('who may push a snapshot', () => {
    test('no credential 401, read key 403, outsider 403 on public and 404 on private, key limited elsewhere 403 and 404', async () => {
      const [open, closed] = [await newPath(), await newPath(false)]
      const elsewhere = await stage.keyOfAda('admin', (await stage.newCollection()).id)
      const refusals = [
        [stage.anyone, open, 401, 'unauthenticated'],
        [stage.anyone, closed, 401, 'unauthenticated'],
        [stage.reader, open, 403, 'insufficient_scope'],
        [stage.reader, closed, 403, 'insufficient_scope'],
        [stage.eve, open, 403, 'not_a_member'],
        [stage.eve, closed, 404, 'collection_not_found'],
        [elsewhere, open, 403, 'key_limited'],
        [elsewhere, closed, 404, 'collection_not_found'],
      ] as const
      for (const [who, path, status, code] of refusals) {
        const session = await opened(path, [item('1')])
        // Whoever may not enter is not told what is wrong with a body either.
        const steps: [string, string, Parameters<Asker['ask']>[2]][] = [
          ['POST', `${path}/versions/negotiate`, { body: '{', headers: json }],
          ['POST', `${session}/manifest`, { body: '{', headers: ndjson }],
          ['POST', `${session}/records`, { body: '{', headers: ndjson }],
          ['POST', `${session}/commit`, {}],
          ['DELETE', session, {}],
        ]
        for (const [method, step, asked] of steps) {
          const answer = await who.ask(method, step, asked)
          expect([step, answer.status, answer.json.code]).toEqual([step, status, code])
        }
        const seen = await who.get(session)
        expect([seen.status, seen.json.code]).toEqual(
          who === stage.reader ? [200, undefined] : [status, code],
        )
      }
    })

    test('a key limited to the collection pushes to it', async () => {
      const own = await stage.newCollection()
      const key = await stage.keyOfAda('write', own.id)
      const { json: body } = await negotiate(own.path, { manifest: [entryOf(item('1'))] }, key)
      const session = sessionOf(own.path, body.session_id)
      await key.lines(`${session}/records`, [item('1')])
      expect((await key.post(`${session}/commit`)).status).toBe(201)
    })
  })

  test('a manifest of 100,000 entries whose content changed in 1 % uploads 1 %', async () => {
    const path = await newPath()
    const before = many(100_000, (n) => ({ n }))
    const after = many(100_000, (n) => (n % 100 === 42 ? { n: -n } : { n }))
    const first = await openedFor(path, before.length)
    for (let at = 0; at < before.length; at += 50_000) await chunk(first, before.slice(at, at + 50_000))
    for (let at = 0; at < before.length; at += 10_000)
      await ada.lines(`${first}/records`, before.slice(at, at + 10_000))
    expect((await ada.post(`${first}/commit`)).json.recordCount).toBe(100_000)

    const { json: next } = await negotiate(path, { base_version: 'v1.0.0', manifest: after.map(entryOf) })
    expect(next.needed_records).toHaveLength(1_000)
    expect(next).toMatchObject({ total_records: 100_000, already_have_records: 99_000 })
    const needed = new Set(next.needed_records)
    const sent = after.filter((one) => needed.has(hashOf(one)))
    const session = sessionOf(path, next.session_id)
    expect((await ada.lines(`${session}/records`, sent)).json).toEqual({ received: 1_000, remaining: 0 })
    const { json: result } = await ada.post(`${session}/commit`)
    expect(result).toMatchObject({
      ...{ recordCount: 100_000, changes: { added: 0, updated: 1_000, removed: 0 } },
    })
    const { json: changed } = await ada.get(`${path}/versions/latest/records?type=A&id=000142`)
    expect(changed.records[0].data).toEqual({ n: -142 })
  }, 120_000)
})
