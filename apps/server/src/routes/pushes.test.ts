/** Delta pushes over HTTP: http-api §9, content-model §2, §4, §6, §7. */
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Asker, fileHash } from '../testing/asker.ts'
import { costlyJson, heldDuring, sentHoldingNobodyUp, timeToParse } from '../testing/hold.ts'
import { type Stage, setStage } from '../testing/stage.ts'

const ndjson = { 'content-type': 'application/x-ndjson' }
const json = { 'content-type': 'application/json' }
const strict = { properties: { n: { type: 'integer' } } }
const put = (id: string, data: unknown = {}, more = {}) => ({ id, type: 'A', data, ...more })

describe.each(databases)('pushes on $name', (database) => {
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
  /** A collection with `v1.0.0`: records 1 and 2 of type `A`. */
  async function started(): Promise<string> {
    const path = await newPath()
    await stage.push(path, {
      opening: { schemas: { A: {} }, metadata: { license: 'MIT' } },
      puts: [put('1'), put('2')],
    })
    return path
  }
  const openedWith = (schemas: Record<string, unknown>, more = {}) =>
    newPath().then((path) => stage.opened(path, { opening: { schemas, ...more } }))
  const state = async (session: string) => (await ada.get(session)).json
  const recordsOf = async (path: string, who = ada) =>
    (await who.get(`${path}/versions/latest/records?limit=2000`)).json.records as {
      id: string
      type: string
      data: unknown
    }[]

  describe('POST …/pushes', () => {
    test('201 {session_id, base_version, needed_files, expires_at, limits: {batch_bytes, batch_lines, session_idle_seconds, file_bytes}}', async () => {
      const before = Date.now()
      const { status, json: body } = await ada.post(`${await newPath()}/pushes`, { base_version: null })
      expect([status, body]).toEqual([
        201,
        {
          ...{ session_id: expect.stringMatching(/^[0-9a-f-]{36}$/), base_version: null, needed_files: [] },
          expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
          limits: {
            batch_bytes: 128 * 1024 ** 2,
            batch_lines: 10_000,
            session_idle_seconds: 3_600,
            file_bytes: 1024 ** 3,
          },
        },
      ])
      expect(Date.parse(body.expires_at) - before).toBeGreaterThanOrEqual(3_600_000)
    })

    test('needed_files: those declared that the collection does not hold', async () => {
      const path = await newPath()
      await ada.upload(path, 'held')
      const [held, absent] = [fileHash('held'), fileHash('absent')]
      const { json: body } = await ada.post(`${path}/pushes`, {
        base_version: null,
        files: [held, absent, absent],
      })
      expect(body.needed_files).toEqual([absent])
    })

    test('anything but the head is 409 version_conflict with `currentVersion`', async () => {
      const path = await started()
      for (const base of [null, 'v0.9.0', 'v1.0.1', '2.0.0']) {
        const { status, json: body } = await ada.post(`${path}/pushes`, { base_version: base })
        expect([status, body.code, body.currentVersion]).toEqual([409, 'version_conflict', 'v1.0.0'])
      }
      for (const base of ['v1.0.0', '1.0.0']) {
        expect((await ada.post(`${path}/pushes`, { base_version: base })).json.base_version).toBe('v1.0.0')
      }
      const empty = await ada.post(`${await newPath()}/pushes`, { base_version: 'v1.0.0' })
      expect([empty.status, empty.json.currentVersion]).toEqual([409, null])
    })

    test.each([
      [{}, 'base_version'],
      [{ base_version: 1 }, 'base_version'],
      [{ base_version: 'latest' }, 'base_version'],
      [{ base_version: '\u0000' }, 'base_version'],
      [{ base_version: null, strip_unknown_fields: 'true' }, 'strip_unknown_fields'],
      [{ base_version: null, strip_unknown_fields: null }, 'strip_unknown_fields'],
      [{ base_version: null, schemas: [] }, 'schemas'],
      [{ base_version: null, schemas: 'x' }, 'schemas'],
      [{ base_version: null, metadata: [] }, 'metadata'],
      [{ base_version: null, metadata: { readme: 1 } }, 'metadata./readme'],
      [{ base_version: null, files: ['sha256:x'] }, 'files.0'],
      [{ base_version: null, files: {} }, 'files'],
      [{ base_version: null, message: 5 }, 'message'],
      [{ base_version: null, message: 'a\u0000b' }, 'message'],
      [{ base_version: null, message: 'x'.repeat(10_001) }, 'message'],
      [{ base_version: null, app_id: 'a\u0000b' }, 'app_id'],
      [{ base_version: null, app_id: 'two\nlines' }, 'app_id'],
      [{ base_version: null, actor_id: 'x'.repeat(201) }, 'actor_id'],
      [{ base_version: null, unknown: 1 }, 'unknown'],
      [{ base_version: null, ['__proto__']: {} }, '__proto__'],
      [{ base_version: null, constructor: {} }, 'constructor'],
    ])('a missing, mistyped or unknown field is 400 invalid_request: %j', async (body, path) => {
      const answer = await ada.post(`${await newPath()}/pushes`, body)
      expect([
        answer.status,
        answer.json.code,
        answer.json.issues.map((issue: { path: string }) => issue.path),
      ]).toEqual([400, 'invalid_request', [path]])
    })

    test.each([
      ['malformed JSON', '{"base_version":', 'syntax'],
      ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'syntax'],
      ['a duplicate key', '{"base_version":null,"base_version":null}', 'duplicate_key'],
      ['a 20-digit integer', '{"base_version":null,"metadata":{"n":12345678901234567890}}', 'unsafe_integer'],
      ['a number out of range', '{"base_version":null,"metadata":{"n":1e400}}', 'number_out_of_range'],
      ['a lone surrogate', '{"base_version":null,"app_id":"\\ud800"}', 'lone_surrogate'],
      [
        'depth 1e5',
        `{"base_version":null,"metadata":{"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}}`,
        'too_deep',
      ],
    ])('%s is 400 invalid_request, which names the rule', async (_name, body, rule) => {
      const { status, json: refused } = await ada.ask('POST', `${await newPath()}/pushes`, {
        body,
        headers: json,
      })
      expect([status, refused.code, refused.issues[0].rule]).toEqual([400, 'invalid_request', rule])
      expect(refused.error).not.toMatch(/at .*:\d+|SELECT/)
    })

    test.each([
      ['no object', { A: 'x' }, 'A'],
      ['not valid against its meta-schema', { A: { type: 'strange' } }, 'A'],
      ['a $ref that leaves the document', { A: { $ref: 'https://example.org/x' } }, 'A'],
      ['a pattern that does not compile', { A: { pattern: '(' } }, 'A'],
      ['over 256 KiB', { A: { description: 'x'.repeat(262_144) } }, 'A'],
      [
        'private fields that could not be cut',
        { A: { allOf: [{}], properties: { s: { private: true } } } },
        'A',
      ],
      ['a type with a slash', { 'A/B': {} }, 'A/B'],
      ['a type over 128 bytes', { ['ü'.repeat(65)]: {} }, 'ü'.repeat(65)],
      ['a type with NUL', { 'A\u0000': {} }, 'A\u0000'],
      ['a type that begins with a full stop', { '..': {} }, '..'],
      ['an empty type', { '': {} }, ''],
    ])('a schema that is not acceptable is 422 invalid_schema: %s', async (_name, schemas, type) => {
      const { status, json: body } = await ada.post(`${await newPath()}/pushes`, {
        base_version: null,
        schemas,
      })
      expect([status, body.code, body.type]).toEqual([422, 'invalid_schema', type])
    })

    test('thousands of types are taken and read, and hold nobody else up', async () => {
      const path = await newPath()
      const schemas = Object.fromEntries(
        Array.from({ length: 3_000 }, (_, n) => [`T${n}`, { properties: { [`p${n}`]: {} } }]),
      )
      const opening = ada.post(`${path}/pushes`, { base_version: null, schemas })
      let slowest = 0
      for (let done = false; !done; ) {
        const from = performance.now()
        await stage.anyone.get('/collections?limit=1')
        slowest = Math.max(slowest, performance.now() - from)
        done = await Promise.race([
          opening.then(() => true),
          new Promise<false>((resolve) => setTimeout(resolve, 5, false)),
        ])
      }
      const opened = await opening
      expect(opened.status).toBe(201)
      expect(slowest).toBeLessThan(1_500)
      const session = `${path}/pushes/${opened.json.session_id}`
      expect(
        (await ada.lines(`${session}/records`, [{ id: '1', type: 'T7', data: { p7: 1 } }])).json,
      ).toEqual({ received: 1 })
      expect((await ada.post(`${session}/commit`)).status).toBe(201)
      expect(Object.keys((await ada.get(`${path}/versions/latest`)).json.schemas)).toHaveLength(3_000)
    }, 120_000)

    test.each([
      ['metadata', 413, (nested: string) => `"metadata":{"x":${nested}}`],
      ['schemas', 422, (nested: string) => `"schemas":{"A":{"enum":${nested}}}`],
      ['files', 400, (nested: string) => `"files":${nested}`],
      ['what is not known', 400, (nested: string) => `"unknown":${nested}`],
    ])(
      'many MiB of %s hold nobody else up',
      async (_name, status, member) => {
        const body = `{"base_version":null,${member(costlyJson)}}`
        expect(await sentHoldingNobodyUp(ada, 'POST', `${await newPath()}/pushes`, body)).toBe(status)
      },
      120_000,
    )

    test('many MiB of schemas that are taken hold nobody else up when they are asked of', async () => {
      const path = await newPath()
      const nested = '[],'.repeat(80_000)
      const schema = (n: number) => `"T${n}":{"examples":[${nested}[]],"properties":{"s":{"private":true}}}`
      const schemas = `{${Array.from({ length: 32 }, (_, n) => schema(n)).join(',')}}`
      const parsing = timeToParse(schemas)
      const opened = await ada.post(`${path}/pushes`, `{"base_version":null,"schemas":${schemas}}`)
      const session = `${path}/pushes/${opened.json.session_id}`
      const sent = await ada.lines(`${session}/records`, [{ id: '1', type: 'T7', data: { s: 1, t: 2 } }])
      expect([opened.status, sent.status, sent.json]).toEqual([201, 422, expect.anything()])
      await ada.lines(`${session}/records`, [{ id: '1', type: 'T7', data: { s: 1 } }])
      const commit = await heldDuring(() => ada.post(`${session}/commit`))
      expect(commit.result.status).toBe(201)
      const body = `{"base_version":"v1.0.0","schemas":${schemas},"manifest_expected":1}`
      const snapshot = await ada.post(`${path}/versions/negotiate`, body)
      const lines = [{ id: '1', type: 'T7', hash: '0'.repeat(64) }]
      const manifest = await heldDuring(() =>
        ada.lines(`${path}/negotiate/${snapshot.json.session_id}/manifest`, lines),
      )
      expect([manifest.result.status, manifest.result.json.received]).toEqual([200, 1])
      expect(commit.held).toBeLessThan(parsing / 4)
      expect(manifest.held).toBeLessThan(parsing / 4)
      const shown = await stage.anyone.get(`${path}/versions/latest/records`)
      expect(shown.json.records[0].data).toEqual({})
    }, 120_000)

    test('of many faults a hundred are told', async () => {
      const path = await newPath()
      const files = [fileHash('a'), ...Array(200).fill('sha256:x')]
      const faulty = await ada.post(`${path}/pushes`, { base_version: null, files })
      expect([faulty.status, faulty.json.issues.length]).toEqual([400, 100])
      expect(faulty.json.issues[99].path).toBe('files.100')
      const members = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`m${n}`, n]))
      const unknown = await ada.post(`${path}/pushes`, { ...members, base_version: null })
      expect([unknown.status, unknown.json.issues.length]).toEqual([400, 100])
    })

    test('a text that is blank or too long for anything is refused as any other', async () => {
      const path = await newPath()
      const blank = await ada.post(`${path}/pushes`, { base_version: null, message: ' '.repeat(100_000) })
      expect(blank.status).toBe(201)
      const message = '\u{1f600}'.repeat(100_000)
      const long = await ada.post(`${path}/pushes`, { base_version: null, message })
      expect([long.status, long.json.issues]).toEqual([
        400,
        [{ path: 'message', message: 'must have at most 10000 characters' }],
      ])
    })

    test('long metadata is read like short, and removals of what is not there are nothing', async () => {
      const path = await newPath()
      const absent = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`absent ${n}`, null]))
      await stage.push(path, { opening: { schemas: { A: {} }, metadata: { ...absent, a: 'ü', b: 1 } } })
      await stage.push(path, { base: 'v1.0.0', opening: { metadata: { ...absent, b: null } } })
      expect((await ada.get(`${path}/versions/latest`)).json.metadata).toEqual({ a: 'ü' })
      const faulty = await ada.post(`${path}/pushes`, {
        base_version: 'v1.0.1',
        metadata: { ...absent, readme: 1 },
      })
      expect([faulty.status, faulty.json.issues[0].path]).toEqual([400, 'metadata./readme'])
    })

    test('metadata over 1 MiB merged is 413 too_large; 10 MB of it too', async () => {
      const path = await started()
      for (const length of [1_048_576, 10_000_000]) {
        const { status, json: body } = await ada.post(`${path}/pushes`, {
          base_version: 'v1.0.0',
          metadata: { x: 'x'.repeat(length) },
        })
        expect([status, body.code]).toEqual([413, 'too_large'])
        expect(body.error).toMatch(/1 MiB/)
      }
      const halves = { x: 'x'.repeat(600_000) }
      await stage.push(path, { base: 'v1.0.0', opening: { metadata: halves } })
      const both = await ada.post(`${path}/pushes`, { base_version: 'v1.0.1', metadata: { y: halves.x } })
      expect(both.status).toBe(413)
      expect(
        (await ada.post(`${path}/pushes`, { base_version: 'v1.0.1', metadata: { y: halves.x, x: null } }))
          .status,
      ).toBe(201)
    })

    test('a body over its limit is 413 with the limit, packed ones too', async () => {
      const path = await newPath()
      const over = `{"base_version":null,"metadata":{"a":"${'x'.repeat(34_000_000)}"}}`
      for (const [encoding, body] of [
        ['gzip', gzipSync(over)],
        ['zstd', zstdCompressSync(over)],
      ] as const) {
        const { status, json: refused } = await ada.ask('POST', `${path}/pushes`, {
          body,
          headers: { ...json, 'content-encoding': encoding },
        })
        expect([status, refused.code, refused.limitBytes]).toEqual([413, 'too_large', 32 * 1024 ** 2])
      }
    })

    test.each([
      'text/plain',
      'application/x-ndjson',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'nonsense',
    ])('a body of type %s is 415 unsupported_media_type', async (type) => {
      const { status, json: body } = await ada.ask('POST', `${await newPath()}/pushes`, {
        body: '{"base_version":null}',
        headers: { 'content-type': type },
      })
      expect([status, body.code]).toEqual([415, 'unsupported_media_type'])
    })

    test('an unknown `Content-Encoding` is 415, a broken body of a known one 400; packed bodies are taken', async () => {
      const path = await newPath()
      const send = (body: string | Uint8Array, encoding: string) =>
        ada.ask('POST', `${path}/pushes`, { body, headers: { ...json, 'content-encoding': encoding } })
      const unknown = await send('{"base_version":null}', 'lzma')
      expect([unknown.status, unknown.json.code]).toEqual([415, 'unsupported_media_type'])
      expect(unknown.json.error).toMatch(/lzma/)
      expect((await send('no gzip', 'gzip')).status).toBe(400)
      expect((await send(gzipSync('{"base_version":null}'), 'gzip')).status).toBe(201)
      expect((await send(zstdCompressSync('{"base_version":null}'), 'zstd')).status).toBe(201)
    })

    test('no body is 400', async () => {
      const path = `${await newPath()}/pushes`
      for (const none of [{}, { body: '', headers: json }, { body: 'null', headers: json }]) {
        const { status, json: body } = await ada.ask('POST', path, none)
        expect([status, body.code]).toEqual([400, 'invalid_request'])
        expect(body.issues[0].message).toMatch(/A JSON body is needed/)
      }
    })
  })

  describe('who may push', () => {
    test('no credential 401, read key 403, outsider 403 on public and 404 on private, key limited elsewhere 403 and 404', async () => {
      const [open, closed] = [await newPath(), await newPath(false)]
      const elsewhere = await stage.keyOfAda('admin', (await stage.newCollection()).id)
      const refusals = [
        [stage.anyone, open, 401, 'unauthenticated'],
        [stage.anyone, closed, 401, 'unauthenticated'],
        [stage.reader, open, 403, 'insufficient_scope'],
        [stage.eve, open, 403, 'not_a_member'],
        [stage.eve, closed, 404, 'collection_not_found'],
        [elsewhere, open, 403, 'key_limited'],
        [elsewhere, closed, 404, 'collection_not_found'],
      ] as const
      for (const [who, path, status, code] of refusals) {
        const session = await stage.opened(path, { opening: { schemas: { A: {} } } })
        const steps: [string, string, Parameters<Asker['ask']>[2]][] = [
          ['POST', `${path}/pushes`, { body: '{"base_version":null}', headers: json }],
          ['POST', `${session}/records`, { body: '', headers: ndjson }],
          ['POST', `${session}/deletes`, { body: '', headers: ndjson }],
          ['POST', `${session}/commit`, {}],
          ['DELETE', session, {}],
        ]
        for (const [method, step, asked] of steps) {
          const answer = await who.ask(method, step, asked)
          expect([step, answer.status, answer.json.code]).toEqual([step, status, code])
          if (status === 401) expect(answer.headers['www-authenticate']).toBe('Bearer')
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
      const opened = await key.post(`${own.path}/pushes`, { base_version: null, schemas: { A: {} } })
      const session = `${own.path}/pushes/${opened.json.session_id}`
      await key.lines(`${session}/records`, [put('1')])
      expect((await key.post(`${session}/commit`)).status).toBe(201)
    })

    test('a session is one of its collection alone; what is none is 404 push_not_found', async () => {
      const path = await newPath()
      const session = await stage.opened(path, {})
      const id = session.split('/').at(-1)
      for (const other of [
        `${await newPath()}/pushes/${id}`,
        `${path}/pushes/00000000-0000-4000-8000-000000000000`,
        `${path}/pushes/x`,
        `${path}/pushes/%00`,
      ]) {
        for (const [method, rest] of [
          ['GET', ''],
          ['DELETE', ''],
          ['POST', '/commit'],
        ] as const) {
          const { status, json: body } = await ada.ask(method, other + rest)
          expect([status, body.code]).toEqual([404, 'push_not_found'])
        }
        expect((await ada.lines(`${other}/records`, [put('1')])).json.code).toBe('push_not_found')
      }
    })
  })

  describe('POST …/pushes/:id/records', () => {
    test('{received}, any number, any order; of the same (type, id) the last one counts', async () => {
      const path = await newPath()
      const session = await stage.opened(path, { opening: { schemas: { A: {} } } })
      expect((await ada.lines(`${session}/records`, [put('b', 1), put('a', 1), put('b', 2)])).json).toEqual({
        received: 3,
      })
      expect((await ada.lines(`${session}/deletes`, [{ type: 'A', id: 'a' }])).json).toEqual({ received: 1 })
      expect((await ada.lines(`${session}/records`, [put('c', 1)])).json).toEqual({ received: 1 })
      expect(
        (
          await ada.lines(`${session}/deletes`, [
            { type: 'A', id: 'c' },
            { type: 'A', id: 'never there' },
          ])
        ).json,
      ).toEqual({ received: 2 })
      expect((await ada.lines(`${session}/records`, [put('c', 3)])).json).toEqual({ received: 1 })
      expect((await ada.lines(`${session}/records`, [])).json).toEqual({ received: 0 })
      const { json: result } = await ada.post(`${session}/commit`)
      expect(result.changes).toEqual({ added: 2, updated: 0, removed: 0 })
      expect((await recordsOf(path)).map(({ id, data }) => [id, data])).toEqual([
        ['b', 2],
        ['c', 3],
      ])
    })

    test('lines count from 1, blank ones (skipped) included; a BOM at the start is skipped; CRLF is a line end', async () => {
      const session = await openedWith({ A: {} })
      const text = `\ufeff${JSON.stringify(put('1'))}\r\n\r\n \t\n${JSON.stringify(put('2'))}\nbroken\n\n`
      const refused = await ada.lines(`${session}/records`, [text])
      expect(refused.status).toBe(422)
      expect(refused.json).toMatchObject({
        code: 'invalid_records',
        totalErrors: 1,
        validationErrors: [{ line: 5, id: null, type: null, code: 'syntax' }],
      })
      expect((await ada.lines(`${session}/records`, [text.replace('broken', '')])).json).toEqual({
        received: 2,
      })
      const inside = await ada.lines(`${session}/records`, [put('1'), `\ufeff${JSON.stringify(put('2'))}`])
      expect(inside.json.validationErrors).toMatchObject([{ line: 2, code: 'syntax' }])
    })

    const bad = [
      ['nonsense', 'syntax'],
      ['{"id":"1","type":"A","data":{"a":1,"a":2}}', 'duplicate_key'],
      ['{"id":"1","type":"A","data":{"a":1,"\\u0061":2}}', 'duplicate_key'],
      ['{"id":"1","type":"A","data":12345678901234567890}', 'unsafe_integer'],
      ['{"id":"1","type":"A","data":1e400}', 'number_out_of_range'],
      ['{"id":"1","type":"A","data":"\\ud800"}', 'lone_surrogate'],
      [`{"id":"1","type":"A","data":${'['.repeat(1e5)}${']'.repeat(1e5)}}`, 'too_deep'],
      [`{"id":"1","type":"A","data":${'['.repeat(65)}${']'.repeat(65)}}`, 'too_deep'],
      ['[]', 'bad_envelope'],
      ['null', 'bad_envelope'],
      ['{"type":"A","data":1}', 'bad_id'],
      ['{"id":"","type":"A","data":1}', 'bad_id'],
      ['{"id":1,"type":"A","data":1}', 'bad_id'],
      [`{"id":"${'x'.repeat(1_025)}","type":"A","data":1}`, 'bad_id'],
      ['{"id":"1","data":1}', 'bad_type'],
      ['{"id":"1","type":".A","data":1}', 'bad_type'],
      ['{"id":"1","type":"A/B","data":1}', 'bad_type'],
      ['{"id":"1","type":"A\\u0000","data":1}', 'bad_type'],
      ['{"id":"1","type":"A"}', 'bad_envelope'],
      ['{"id":"1","type":"A","data":1,"private":"true"}', 'bad_envelope'],
      [`{"id":"1","type":"A","data":"${'x'.repeat(8_388_608)}"}`, 'record_too_large'],
      ['{"id":"1","type":"B","data":1}', 'unknown_type'],
      ['{"id":"1","type":"__proto__","data":1}', 'unknown_type'],
      ['{"id":"1","type":"P","data":{"n":"x"}}', 'schema_violation'],
      ['{"id":"1","type":"P","data":{"m":1}}', 'unknown_fields'],
      ['{"id":"1","type":"P","data":{"__proto__":1}}', 'unknown_fields'],
    ] as const

    test('validationErrors: [{line, id, type, code, errors?}]; codes of content-model §2, unknown_type, schema_violation, unknown_fields', async () => {
      const session = await openedWith({ A: {}, P: strict })
      const refused = await ada.lines(
        `${session}/records`,
        bad.map(([line]) => line),
      )
      expect([refused.status, refused.json.code, refused.json.totalErrors]).toEqual([
        422,
        'invalid_records',
        bad.length,
      ])
      const { validationErrors } = refused.json
      expect(validationErrors.map(({ line, code }: { line: number; code: string }) => [line, code])).toEqual(
        bad.map(([, code], index) => [index + 1, code]),
      )
      const ofSchema = validationErrors.find(({ code }: { code: string }) => code === 'schema_violation')
      expect(ofSchema).toMatchObject({
        id: '1',
        type: 'P',
        errors: [{ path: '/n', message: expect.any(String) }],
      })
      const onlyData = await ada.lines(`${session}/records`, [{ id: '1', type: 'P', data: { n: 'x' } }])
      expect([onlyData.status, onlyData.json.code]).toEqual([422, 'schema_violation'])
    })

    test('bytes that are not UTF-8 are `syntax`', async () => {
      const session = await openedWith({ A: {} })
      const body = Buffer.concat([
        Buffer.from('{"id":"1","type":"A","data":"'),
        Buffer.from([0xff]),
        Buffer.from('"}'),
      ])
      const { json: refused } = await ada.ask('POST', `${session}/records`, { body, headers: ndjson })
      expect(refused.validationErrors).toMatchObject([{ line: 1, code: 'syntax' }])
    })

    test('a 10,000-line batch whose 7,000th line is broken: named by number, none stored', async () => {
      const path = await newPath()
      const session = await stage.opened(path, { opening: { schemas: { A: {} } } })
      const lines: unknown[] = Array.from({ length: 10_000 }, (_, n) => put(`${n}`))
      lines[6_999] = '{"id":"6999","type":"A","data":{"a":1,}}'
      const refused = await ada.lines(`${session}/records`, lines)
      expect([refused.status, refused.json.code, refused.json.totalErrors]).toEqual([
        422,
        'invalid_records',
        1,
      ])
      expect(refused.json.validationErrors).toEqual([
        expect.objectContaining({ line: 7_000, code: 'syntax' }),
      ])
      expect(refused.json.error).toMatch(/None of this request was stored/)
      expect((await state(session)).total_records).toBe(0)
      await ada.lines(`${session}/records`, [put('only')])
      expect((await ada.post(`${session}/commit`)).json).toMatchObject({ recordCount: 1 })
    })

    test('the first 100, and `totalErrors`', async () => {
      const session = await openedWith({ A: {} })
      const refused = await ada.lines(
        `${session}/records`,
        Array.from({ length: 250 }, () => '{'),
      )
      expect([refused.json.totalErrors, refused.json.validationErrors.length]).toEqual([250, 100])
      expect(refused.json.validationErrors.at(-1).line).toBe(100)
    })

    test('up to 10,000 lines, whose number the message names, and 128 MiB, packed or not', async () => {
      const session = await openedWith({ A: {} })
      const lines = Array.from({ length: 10_001 }, (_, n) => put(`${n}`))
      expect((await ada.lines(`${session}/records`, lines.slice(1))).json).toEqual({ received: 10_000 })
      const over = await ada.lines(`${session}/records`, lines)
      expect([over.status, over.json.code]).toEqual([413, 'too_large'])
      expect(over.json.error).toMatch(/10,?000 lines/)
      const bomb = zstdCompressSync(Buffer.alloc(128 * 1024 ** 2 + 1, 0x20))
      const heavy = await ada.ask('POST', `${session}/records`, {
        body: bomb,
        headers: { ...ndjson, 'content-encoding': 'zstd' },
      })
      expect([heavy.status, heavy.json.code]).toEqual([413, 'too_large'])
      expect(heavy.json.error).toMatch(/128 MiB/)
      expect((await state(session)).total_records).toBe(10_000)
    })

    test.each(['application/json', 'text/plain', 'application/octet-stream'])(
      'a body of type %s is 415',
      async (type) => {
        const session = await openedWith({ A: {} })
        for (const kind of ['records', 'deletes']) {
          const { status, json: body } = await ada.ask('POST', `${session}/${kind}`, {
            body: JSON.stringify(put('1')),
            headers: { 'content-type': type },
          })
          expect([status, body.code]).toEqual([415, 'unsupported_media_type'])
        }
      },
    )

    test('strip_unknown_fields removes what the schema does not list, before hashing', async () => {
      const path = await newPath()
      const data = { n: 1, m: 2, constructor: 3 }
      const opening = { schemas: { P: strict }, strip_unknown_fields: true }
      await stage.push(path, { opening, puts: [{ id: '1', type: 'P', data }] })
      expect((await recordsOf(path))[0]!.data).toEqual({ n: 1 })
      const again = await stage.opened(path, {
        base: 'v1.0.0',
        opening: { strip_unknown_fields: true },
        puts: [{ id: '1', type: 'P', data: { n: 1, other: 1 } }],
      })
      expect((await ada.post(`${again}/commit`)).json.code).toBe('no_changes')
    })

    test('deletes: bad_id, bad_type and unknown_type are refused; types that the push leaves out may still be named', async () => {
      const path = await started()
      const session = await stage.opened(path, { base: 'v1.0.0', opening: { schemas: { B: {} } } })
      const refused = await ada.lines(`${session}/deletes`, [
        { type: 'A', id: '' },
        { type: '', id: '1' },
        { type: 'C', id: '1' },
        { type: 'A', id: '1' },
      ])
      expect(
        refused.json.validationErrors.map(({ line, code }: { line: number; code: string }) => [line, code]),
      ).toEqual([
        [1, 'bad_id'],
        [2, 'bad_type'],
        [3, 'unknown_type'],
      ])
      expect((await ada.lines(`${session}/deletes`, [{ type: 'A', id: '1' }])).status).toBe(200)
    })
  })

  describe('POST …/pushes/:id/commit', () => {
    test('201 {semver, hash, recordCount, fileCount, changes: {added, updated, removed}}', async () => {
      const path = await started()
      const session = await stage.opened(path, {
        base: 'v1.0.0',
        puts: [put('2', { n: 2 }), put('3'), put('4')],
        deletes: [{ type: 'A', id: '1' }],
      })
      const { status, json: result } = await ada.post(`${session}/commit`)
      expect([status, result]).toEqual([
        201,
        {
          semver: 'v1.1.0',
          hash: expect.stringMatching(/^private:[0-9a-f]{64}$/),
          recordCount: 3,
          fileCount: 0,
          changes: { added: 2, updated: 1, removed: 1 },
        },
      ])
      expect((await ada.get(`${path}/versions/latest`)).json).toMatchObject({
        semver: 'v1.1.0',
        hash: result.hash,
        baseSemver: 'v1.0.0',
      })
    })

    test('v1.0.0 first; types or schemas → next major; records or files → next minor; metadata or privacy flags → next patch', async () => {
      const path = await started()
      const semver = async (base: string, change: Parameters<Stage['push']>[1]) =>
        (await stage.push(path, { base, ...change })).semver
      await ada.upload(path, 'file')
      expect(await semver('v1.0.0', { opening: { metadata: { a: 1 } } })).toBe('v1.0.1')
      expect(await semver('v1.0.1', { puts: [put('1', {}, { private: true })] })).toBe('v1.0.2')
      expect(await semver('v1.0.2', { puts: [put('1', { n: 1 })] })).toBe('v1.1.0')
      expect(await semver('v1.1.0', { opening: { files: [fileHash('file')] } })).toBe('v1.2.0')
      expect(
        await semver('v1.2.0', {
          opening: { schemas: { A: {}, B: {} }, metadata: { a: 2 } },
          puts: [put('9')],
        }),
      ).toBe('v2.0.0')
      expect(await semver('v2.0.0', { opening: { schemas: { A: { title: 'A' }, B: {} } } })).toBe('v3.0.0')
      expect(await semver('v3.0.0', { opening: { schemas: { A: { title: 'A' } } } })).toBe('v4.0.0')
    })

    test('`schemas`, given, is the complete set: a type left out goes with its records; not given, the base’s stays', async () => {
      const path = await newPath()
      await stage.push(path, {
        opening: { schemas: { A: {}, B: {} } },
        puts: [put('1'), { id: '1', type: 'B', data: {} }],
      })
      await stage.push(path, { base: 'v1.0.0', puts: [put('2')] })
      expect((await ada.get(`${path}/versions/latest`)).json.typeCounts).toEqual({ A: 2, B: 1 })
      const { changes } = (
        await ada.post(
          `${await stage.opened(path, { base: 'v1.1.0', opening: { schemas: { A: {} } } })}/commit`,
        )
      ).json
      expect(changes).toEqual({ added: 0, updated: 0, removed: 1 })
      expect((await recordsOf(path)).map(({ type }) => type)).toEqual(['A', 'A'])
      const none = await stage.push(path, { base: 'v2.0.0', opening: { schemas: {} } })
      expect(none).toMatchObject({ semver: 'v3.0.0', recordCount: 0 })
    })

    test('a changed schema is asked of every record carried over: 422 schema_violation, and the session stays open', async () => {
      const path = await newPath()
      // An id with U+0000 must come back from the session's row as it is.
      await stage.push(path, {
        opening: { schemas: { A: {} } },
        puts: [put('a\u0000b', { n: 'x' }), put('fits', { n: 1 })],
      })
      const session = await stage.opened(path, { base: 'v1.0.0', opening: { schemas: { A: strict } } })
      const refused = await ada.post(`${session}/commit`)
      expect([refused.status, refused.json.code, refused.json.totalErrors]).toEqual([
        422,
        'schema_violation',
        1,
      ])
      expect(refused.json.validationErrors).toMatchObject([
        { id: 'a\u0000b', type: 'A', code: 'schema_violation' },
      ])
      expect(await state(session)).toMatchObject({ status: 'open', error: refused.json })
      await ada.lines(`${session}/records`, [put('a\u0000b', { n: 2 })])
      expect((await ada.post(`${session}/commit`)).json).toMatchObject({
        semver: 'v2.0.0',
        changes: { updated: 1 },
      })
    })

    test('`metadata` is merged: members replaced, null removes, the rest stays; odd names too', async () => {
      const path = await started()
      await stage.push(path, {
        base: 'v1.0.0',
        opening: {
          metadata: {
            readme: '# A',
            license: null,
            nested: { a: 1 },
            ['__proto__']: { x: 1 },
            constructor: 'c',
            nul: '\u0000',
          },
        },
      })
      await stage.push(path, {
        base: 'v1.0.1',
        opening: { metadata: { nested: { b: 2 } } },
        puts: [put('3')],
      })
      const { text } = await stage.anyone.get(`${path}/versions/latest`)
      const { metadata } = JSON.parse(text)
      expect(Object.entries(metadata).sort()).toEqual(
        Object.entries({
          readme: '# A',
          nested: { b: 2 },
          ['__proto__']: { x: 1 },
          constructor: 'c',
          nul: '\u0000',
        }).sort(),
      )
    })

    test('message, app_id, actor_id are the version’s', async () => {
      const path = await newPath()
      const opening = { schemas: { A: {} }, message: ' Two\nlines ', app_id: 'app', actor_id: 'actor' }
      await stage.push(path, { opening, puts: [put('1')] })
      expect((await ada.get(`${path}/versions/latest`)).json).toMatchObject({
        message: 'Two\nlines',
        appId: 'app',
        actorId: 'actor',
      })
    })

    test('409 no_changes, and the session stays open', async () => {
      const path = await started()
      for (const change of [
        {},
        { puts: [put('1')] },
        { deletes: [{ type: 'A', id: 'absent' }] },
        { opening: { schemas: { A: {} }, metadata: { license: 'MIT' } } },
      ]) {
        const session = await stage.opened(path, { base: 'v1.0.0', ...change })
        const { status, json: body } = await ada.post(`${session}/commit`)
        expect([status, body.code]).toEqual([409, 'no_changes'])
        expect((await state(session)).status).toBe('open')
      }
      const empty = await stage.opened(await newPath(), {})
      expect((await ada.post(`${empty}/commit`)).json.code).toBe('no_changes')
    })

    test('version_conflict at commit, with `currentVersion`; the session has failed', async () => {
      const path = await started()
      const late = await stage.opened(path, { base: 'v1.0.0', puts: [put('late')] })
      await stage.push(path, { base: 'v1.0.0', puts: [put('3')] })
      const refused = await ada.post(`${late}/commit`)
      expect([refused.status, refused.json.code, refused.json.currentVersion]).toEqual([
        409,
        'version_conflict',
        'v1.1.0',
      ])
      expect(await state(late)).toMatchObject({ status: 'failed', error: refused.json, result: null })
      const more = await ada.lines(`${late}/records`, [put('4')])
      expect([more.status, more.json.code]).toEqual([409, 'push_not_open'])
    })

    test('of two commits against one base exactly one wins', async () => {
      const path = await started()
      const sessions = await Promise.all(
        ['a', 'b', 'c'].map((id) => stage.opened(path, { base: 'v1.0.0', puts: [put(id)] })),
      )
      const ends = await Promise.all(sessions.map((session) => ada.post(`${session}/commit`)))
      expect(ends.map(({ status }) => status).sort()).toEqual([201, 409, 409])
      expect((await ada.get(`${path}/versions`)).json).toHaveLength(2)
    })

    test('committing twice answers with the first result, at once or later', async () => {
      const path = await started()
      const session = await stage.opened(path, { base: 'v1.0.0', puts: [put('3')] })
      const [first, second] = await Promise.all([
        ada.post(`${session}/commit`),
        ada.post(`${session}/commit`),
      ])
      expect([first.status, second.status]).toEqual([201, 201])
      const third = await ada.post(`${session}/commit?async=true`)
      expect(new Set([first, second, third].map(({ text }) => text)).size).toBe(1)
      expect((await ada.get(`${path}/versions`)).json).toHaveLength(2)
    })

    test('`?async=true` → 202 {session_id, status: "committing"}, then committed with the same result', async () => {
      const path = await started()
      const session = await stage.opened(path, { base: 'v1.0.0', puts: [put('3')] })
      const accepted = await ada.post(`${session}/commit?async=true`)
      expect([accepted.status, accepted.json]).toEqual([
        202,
        { session_id: session.split('/').at(-1), status: 'committing' },
      ])
      await expect.poll(async () => (await state(session)).status, { timeout: 15_000 }).toBe('committed')
      const { result, error } = await state(session)
      expect(result).toEqual({
        semver: 'v1.1.0',
        hash: expect.any(String),
        recordCount: 3,
        fileCount: 0,
        changes: { added: 1, updated: 0, removed: 0 },
      })
      expect(error).toBe(null)
      expect((await ada.post(`${session}/commit`)).json).toEqual(result)
    })

    test('an asynchronous commit that is refused leaves the error body of the synchronous call', async () => {
      const path = await started()
      const late = await stage.opened(path, { base: 'v1.0.0', puts: [put('late')] })
      await stage.push(path, { base: 'v1.0.0', puts: [put('3')] })
      expect((await ada.post(`${late}/commit?async=true`)).status).toBe(202)
      await expect.poll(async () => (await state(late)).status, { timeout: 15_000 }).toBe('failed')
      expect((await state(late)).error).toMatchObject({
        code: 'version_conflict',
        statusCode: 409,
        currentVersion: 'v1.1.0',
      })
    })

    test.each(['async=yes', 'async=1', 'async=', 'sync=true'])('?%s is 400', async (query) => {
      const session = await openedWith({ A: {} })
      const { status, json: body } = await ada.post(`${session}/commit?${query}`)
      expect([status, body.code]).toEqual([400, 'invalid_request'])
    })

    test('422 files_missing with `filesNeeded`; the session stays open, and commits once they are there', async () => {
      const path = await newPath()
      const [referred, declared] = [fileHash('referred'), fileHash('declared')]
      const session = await stage.opened(path, {
        opening: { schemas: { A: {} }, files: [declared] },
        puts: [put('1', { deep: [{ photo: { $file: referred } }], not: { $file: 'sha256:no' } })],
      })
      const refused = await ada.post(`${session}/commit`)
      expect([refused.status, refused.json.code, refused.json.filesNeeded]).toEqual([
        422,
        'files_missing',
        [declared, referred].sort(),
      ])
      expect(await state(session)).toMatchObject({ status: 'open', needed_files: [declared] })
      await ada.upload(path, 'referred')
      expect((await ada.post(`${session}/commit`)).json.filesNeeded).toEqual([declared])
      await ada.upload(path, 'declared')
      expect((await ada.post(`${session}/commit`)).json).toMatchObject({ recordCount: 1, fileCount: 2 })
    })

    test('a delta leaves records it does not name as they were, private ones private', async () => {
      const path = await newPath()
      await stage.push(path, {
        opening: { schemas: { A: {} } },
        puts: [put('hidden', {}, { private: true }), put('shown')],
      })
      await stage.push(path, { base: 'v1.0.0', puts: [put('new')] })
      expect((await recordsOf(path)).map(({ id }) => id)).toEqual(['hidden', 'new', 'shown'])
      expect((await recordsOf(path, stage.anyone)).map(({ id }) => id)).toEqual(['new', 'shown'])
      await stage.push(path, { base: 'v1.1.0', puts: [put('hidden', {}, { private: false })] })
      expect((await recordsOf(path, stage.anyone)).map(({ id }) => id)).toEqual(['hidden', 'new', 'shown'])
    })

    test('private fields leave the public view when the schema says so, and come when it says so no more', async () => {
      const path = await newPath()
      const schema = (s: object) => ({ schemas: { A: { properties: { n: {}, s } } } })
      await stage.push(path, { opening: schema({ private: true }), puts: [put('1', { n: 1, s: 's3cret' })] })
      expect((await recordsOf(path, stage.anyone))[0]!.data).toEqual({ n: 1 })
      await stage.push(path, { base: 'v1.0.0', opening: schema({}) })
      expect((await recordsOf(path, stage.anyone))[0]!.data).toEqual({ n: 1, s: 's3cret' })
      await stage.push(path, { base: 'v2.0.0', opening: schema({ private: true }) })
      expect((await recordsOf(path, stage.anyone))[0]!.data).toEqual({ n: 1 })
      expect((await recordsOf(path))[0]!.data).toEqual({ n: 1, s: 's3cret' })
    })
  })

  describe('GET and DELETE …/pushes/:id', () => {
    test('{session_id, status, total_records, needed_records, needed_files, expires_at, result, error}', async () => {
      const path = await newPath()
      const session = await stage.opened(path, {
        opening: { schemas: { A: {} } },
        puts: [put('1'), put('2')],
      })
      expect(await state(session)).toEqual({
        ...{ session_id: session.split('/').at(-1), status: 'open', base_version: null, total_records: 2 },
        ...{
          needed_records: 0,
          records_done: 0,
          records_total: 0,
          needed_files: [],
          expires_at: expect.any(String),
          result: null,
          error: null,
        },
      })
      await ada.post(`${session}/commit`)
      expect(await state(session)).toMatchObject({
        status: 'committed',
        result: { semver: 'v1.0.0' },
        error: null,
      })
    })

    test('DELETE → 204; twice is harmless; a cancelled session takes nothing more', async () => {
      const session = await openedWith({ A: {} })
      for (let n = 0; n < 2; n++) {
        const { status, text } = await ada.ask('DELETE', session)
        expect([status, text]).toEqual([204, ''])
      }
      expect((await state(session)).status).toBe('cancelled')
      const refusals = [
        await ada.lines(`${session}/records`, [put('1')]),
        await ada.lines(`${session}/deletes`, []),
        await ada.post(`${session}/commit`),
      ]
      for (const { status, json: body } of refusals)
        expect([status, body.code, body.status]).toEqual([409, 'push_not_open', 'cancelled'])
    })

    test('a committed session cannot be cancelled', async () => {
      const session = await openedWith({ A: {} })
      await ada.post(`${session}/commit`)
      const { status, json: body } = await ada.ask('DELETE', session)
      expect([status, body.code, body.status]).toEqual([409, 'push_not_open', 'committed'])
    })

    test('they expire after 60 minutes without a request', async () => {
      const session = await openedWith({ A: {} })
      ahead += 3_590
      expect((await ada.lines(`${session}/records`, [put('1')])).status).toBe(200)
      ahead += 3_590
      expect((await state(session)).status).toBe('open')
      expect((await ada.lines(`${session}/records`, [put('2')])).status).toBe(200)
      ahead += 3_601
      expect((await state(session)).status).toBe('expired')
      for (const { status, json: body } of [
        await ada.lines(`${session}/records`, [put('3')]),
        await ada.post(`${session}/commit`),
      ]) {
        expect([status, body.code, body.status]).toEqual([409, 'push_not_open', 'expired'])
      }
    })

    test('to ask for the state is a request', async () => {
      const session = await openedWith({ A: {} })
      for (let n = 0; n < 3; n++) {
        ahead += 3_590
        const { status, expires_at } = await state(session)
        expect(status).toBe('open')
        expect(Date.parse(expires_at) - Date.now() - ahead * 1000).toBeGreaterThan(3_590_000)
      }
      ahead += 3_601
      expect((await state(session)).status).toBe('expired')
    })

    test('a commit is a request, and leaves its session open for 60 minutes more when it is refused', async () => {
      const text = 'a file that comes late'
      const path = await newPath()
      const opening = { schemas: { A: {} }, files: [fileHash(text)] }
      const session = await stage.opened(path, { opening, puts: [put('1')] })
      ahead += 3_590
      expect((await ada.post(`${session}/commit`)).json.code).toBe('files_missing')
      ahead += 3_590
      expect((await state(session)).status).toBe('open')
      await ada.upload(path, text)
      expect((await ada.post(`${session}/commit`)).status).toBe(201)
    })

    test('a session of a deleted collection is gone with it', async () => {
      const path = await newPath()
      const session = await stage.opened(path, { opening: { schemas: { A: {} } }, puts: [put('1')] })
      expect((await (await stage.keyOfAda('admin')).ask('DELETE', path)).status).toBe(200)
      for (const { status, json: body } of [await ada.get(session), await ada.post(`${session}/commit`)]) {
        expect([status, body.code]).toEqual([404, 'collection_not_found'])
      }
    })
  })
})
