/**
 * Delta pushes over HTTP: openings, permissions and the end of sessions. http-api §9, content-model §2, §7. Their lines are in
 * push-lines.test.ts, their commits in push-commits.test.ts.
 */
import { constants, gzipSync, zstdCompressSync } from 'node:zlib'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firstGood } from '../../../../../packages/content/src/testing/measured.ts'
import { pushesOn, put, type Stage, setStage } from '../../testing/stage.ts'
import { fileHash, json, ndjson, type TestClient, type TestResponse } from '../../testing/test-client.ts'

describe.each(anyDatabase)('pushes on $name', (database) => {
  let stage: Stage
  let ada: TestClient
  /** Offset of the server's clock into the future. Seconds. */
  let ahead = 0

  beforeAll(async () => {
    stage = await setStage(database, { now: () => new Date(Date.now() + ahead * 1000) })
    ada = stage.ada
  })
  afterAll(() => stage.end())
  const { newPath, openedWith, started, state } = pushesOn(() => stage)

  describe('POST …/pushes', () => {
    test('201 {session_id, base_version, needed_files, expires_at, limits: {batch_bytes, batch_lines, session_idle_seconds, file_bytes}}', async () => {
      const before = Date.now()
      const { status, json: body } = await ada.post(`${await newPath()}/pushes`, { base_version: null })
      expect([status, body]).toEqual([
        201,
        {
          ...{ session_id: expect.stringMatching(/^[0-9a-f-]{36}$/), base_version: null, needed_files: [] },
          ...{ warnings: [], total_warnings: 0 },
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
      const { status, json: refused } = await ada.post(`${await newPath()}/pushes`, body)
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
      ['a type with a C1 control', { 'A\u0085': {} }, 'A\u0085'],
      ['a type that turns the direction', { 'A\u202e': {} }, 'A\u202e'],
      ['a type that begins with a full stop', { '..': {} }, '..'],
      ['an empty type', { '': {} }, ''],
    ])('a schema that is not acceptable is 422 invalid_schema: %s', async (_name, schemas, type) => {
      const { status, json: body } = await ada.post(`${await newPath()}/pushes`, {
        base_version: null,
        schemas,
      })
      expect([status, body.code, body.type]).toEqual([422, 'invalid_schema', type])
    })

    test('a thousand types are accepted and read, and do not delay other requests', async () => {
      const path = await newPath()
      const schemas = Object.fromEntries(
        Array.from({ length: 1_000 }, (_, n) => [`T${n}`, { properties: { [`p${n}`]: {} } }]),
      )
      const slowestMax = 1_500
      const { slowest, opened } = await firstGood(
        async () => {
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
          return { slowest, opened: await opening }
        },
        (one) => one.slowest < slowestMax,
      )
      expect(opened.status).toBe(201)
      expect(slowest).toBeLessThan(slowestMax)
      const session = `${path}/pushes/${opened.json.session_id}`
      expect(
        (await ada.lines(`${session}/records`, [{ id: '1', type: 'T7', data: { p7: 1 } }])).json,
      ).toEqual({ received: 1 })
      expect((await ada.post(`${session}/commit`)).status).toBe(201)
      expect(Object.keys((await ada.get(`${path}/versions/latest`)).json.schemas)).toHaveLength(1_000)
    }, 120_000)

    test('more than 1,000 types, or 4 MiB of their schemas, are 422 too_many_types in either kind of push', async () => {
      const path = await newPath()
      const limits = { limitTypes: 1_000, limitBytes: 4_194_304 }
      const typed = (length: number, schema: unknown) =>
        Object.fromEntries(Array.from({ length }, (_, n) => [`T${n}`, schema]))
      // Its canonical form takes 262,144 bytes, the limit of one schema: 16 are 4 MiB.
      const longest = { description: 'x'.repeat(262_144 - '{"description":""}'.length) }
      for (const [schemas, details] of [
        [typed(1_001, {}), { types: 1_001, ...limits }],
        [typed(17, longest), limits],
      ] as const) {
        for (const [kind, more] of [
          ['pushes', {}],
          ['versions/negotiate', { manifest: [] }],
        ] as const) {
          const { status, json: body } = await ada.post(`${path}/${kind}`, {
            base_version: null,
            schemas,
            ...more,
          })
          const { error, ...rest } = body
          expect([status, rest]).toEqual([422, { code: 'too_many_types', statusCode: 422, ...details }])
          expect(error).toContain(details === limits ? '4194304 bytes' : '1001 types')
        }
      }
      const most = await ada.post(`${path}/pushes`, { base_version: null, schemas: typed(16, longest) })
      expect(most.status).toBe(201)
    }, 120_000)

    test('a refusal lists at most a hundred faults', async () => {
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

    test('long metadata is read like short, and removals of absent members change nothing', async () => {
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
        const { status, json: refused } = await ada.request('POST', `${path}/pushes`, {
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
      const { status, json: body } = await ada.request('POST', `${await newPath()}/pushes`, {
        body: '{"base_version":null}',
        headers: { 'content-type': type },
      })
      expect([status, body.code]).toEqual([415, 'unsupported_media_type'])
    })

    test('an unknown `Content-Encoding` is 415, a broken body of a known one 400; packed bodies are taken', async () => {
      const path = await newPath()
      const send = (body: string | Uint8Array, encoding: string) =>
        ada.request('POST', `${path}/pushes`, { body, headers: { ...json, 'content-encoding': encoding } })
      const unknown = await send('{"base_version":null}', 'lzma')
      expect([unknown.status, unknown.json.code]).toEqual([415, 'unsupported_media_type'])
      expect(unknown.json.error).toMatch(/lzma/)
      expect((await send('no gzip', 'gzip')).status).toBe(400)
      expect((await send(gzipSync('{"base_version":null}'), 'gzip')).status).toBe(201)
      expect((await send(zstdCompressSync('{"base_version":null}'), 'zstd')).status).toBe(201)
    })

    test('a zstd body that needs a window over 8 MiB is 400: its decoder would take as much memory', async () => {
      const path = `${await newPath()}/pushes`
      const body = `{"base_version":null}${' '.repeat(16 * 1024 ** 2)}`
      const send = (windowLog: number) =>
        ada.request('POST', path, {
          body: zstdCompressSync(body, { params: { [constants.ZSTD_c_windowLog]: windowLog } }),
          headers: { ...json, 'content-encoding': 'zstd' },
        })
      const refused = await send(24)
      expect([refused.status, refused.json.code]).toEqual([400, 'invalid_request'])
      expect((await send(23)).status).toBe(201)
    })

    test('no body is 400', async () => {
      const path = `${await newPath()}/pushes`
      for (const none of [{}, { body: '', headers: json }, { body: 'null', headers: json }]) {
        const { status, json: body } = await ada.request('POST', path, none)
        expect([status, body.code]).toEqual([400, 'invalid_request'])
        expect(body.issues[0].message).toMatch(/A JSON body with/)
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
        const steps: [string, string, Parameters<TestClient['request']>[2]][] = [
          ['POST', `${path}/pushes`, { body: '{"base_version":null}', headers: json }],
          ['POST', `${session}/records`, { body: '', headers: ndjson }],
          ['POST', `${session}/deletes`, { body: '', headers: ndjson }],
          ['POST', `${session}/commit`, {}],
          ['DELETE', session, {}],
        ]
        for (const [method, step, asked] of steps) {
          const answer = await who.request(method, step, asked)
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

    test('a session belongs to its collection; an unknown one is 404 push_not_found', async () => {
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
          const { status, json: body } = await ada.request(method, other + rest)
          expect([status, body.code]).toEqual([404, 'push_not_found'])
        }
        expect((await ada.lines(`${other}/records`, [put('1')])).json.code).toBe('push_not_found')
      }
    })
  })

  describe('GET and DELETE …/pushes/:id', () => {
    test('{session_id, status, total_records, needed_records, total_files, needed_files, next_files_after, expires_at, result, error}', async () => {
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
          ...{ total_files: 0, needed_files: [], next_files_after: null },
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

    test('of many declared files the state names a thousand at a time that the collection lacks', async () => {
      const path = await newPath()
      const uploaded = Array.from({ length: 5 }, (_, n) => `uploaded ${n}`)
      for (const bytes of uploaded) await ada.upload(path, bytes)
      const lacking = Array.from({ length: 2_500 }, (_, n) => fileHash(`lacking ${n}`)).sort()
      const files = [...uploaded.map((bytes) => fileHash(bytes)), ...lacking]
      const session = await stage.opened(path, { opening: { schemas: { A: {} }, files } })
      const named: string[] = []
      const pages: number[] = []
      for (let next: string | null = ''; next !== null; ) {
        const told: TestResponse['json'] = (
          await ada.get(next === '' ? session : `${session}?files_after=${next}`)
        ).json
        expect(told.total_files).toBe(2_505)
        pages.push(told.needed_files.length)
        named.push(...told.needed_files)
        next = told.next_files_after
      }
      expect(pages).toEqual([1_000, 1_000, 500])
      expect(named).toEqual(lacking)
      const faulty = await ada.get(`${session}?files_after=x`)
      expect([faulty.status, faulty.json.code]).toEqual([400, 'invalid_request'])
    })

    test('DELETE → 204; twice is harmless; a cancelled session takes nothing more', async () => {
      const session = await openedWith({ A: {} })
      for (let n = 0; n < 2; n++) {
        const { status, text } = await ada.delete(session)
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
      const { status, json: body } = await ada.delete(session)
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
      expect((await (await stage.keyOfAda('admin')).delete(path)).status).toBe(200)
      for (const { status, json: body } of [await ada.get(session), await ada.post(`${session}/commit`)]) {
        expect([status, body.code]).toEqual([404, 'collection_not_found'])
      }
    })
  })
})
