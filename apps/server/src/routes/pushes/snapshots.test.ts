/**
 * Snapshot pushes over HTTP: openings, permissions and the end of sessions. http-api §9. Properties common to both kinds of push are also
 * tested in pushes.test.ts.
 */
import { zstdCompressSync } from 'node:zlib'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entries, entryOf, hashOf, item, snapshotsOn } from '../../testing/snapshots.ts'
import { type Stage, setStage } from '../../testing/stage.ts'
import { fileHash, json, ndjson, type TestClient } from '../../testing/test-client.ts'

const zeros = '0'.repeat(64)

describe.each(anyDatabase)('snapshots on $name', (database) => {
  let stage: Stage
  let ada: TestClient
  /** Offset of the server's clock into the future. Seconds. */
  let ahead = 0

  beforeAll(async () => {
    stage = await setStage(database, { now: () => new Date(Date.now() + ahead * 1000) })
    ada = stage.ada
  })
  afterAll(() => stage.end())
  const { chunk, negotiate, newPath, opened, openedFor, openingOf, sessionOf, snapshot, state } = snapshotsOn(
    () => stage,
  )

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
          ...{ warnings: [], total_warnings: 0 },
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
      // The same content under another id or type is another record.
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
          ...{ warnings: [], total_warnings: 0 },
          next: `/api/collections/ada/${slug}/versions/negotiate/${body.session_id}/manifest`,
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
      const { status, json: refused } = await ada.post(`${await newPath()}/versions/negotiate`, body)
      expect([status, refused.code, refused.issues[0].rule]).toEqual([400, 'invalid_request', rule])
    })

    test.each(['[]', 'null', '"x"', '1'])('a body that is no object is 400: %s', async (body) => {
      const answer = await ada.post(`${await newPath()}/versions/negotiate`, body)
      expect([answer.status, answer.json.code]).toEqual([400, 'invalid_request'])
    })

    test.each(['text/plain', 'application/x-ndjson', 'multipart/form-data'])(
      'a body of type %s is 415',
      async (type) => {
        const answer = await ada.request('POST', `${await newPath()}/versions/negotiate`, {
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
      ['metadata', { x: 'x'.repeat(2 * 1024 ** 2) }, 'The metadata', '2 MiB (1 MiB once it is merged)'],
      [
        'message',
        'x'.repeat(256 * 1024),
        'What comes beside `schemas`, `metadata`, `files` and `manifest`',
        '256 KiB',
      ],
    ])('too much %s beside the manifest is 413 with the limit', async (name, value, what, limit) => {
      const { status, json } = await negotiate(await newPath(), { manifest: [], [name]: value })
      expect([status, json.code, json.error]).toEqual([
        413,
        'too_large',
        `${what} is over the limit of ${limit}.`,
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
        const { status, json: body } = await ada.request('POST', step, {
          body: bomb(mebibytes * 1024 ** 2 + 1),
          headers: { ...type, ...packed },
        })
        expect([step, status, body.code]).toEqual([step, 413, 'too_large'])
        expect(body.error).toContain(`${mebibytes} MiB`)
      }
    })
  })

  describe('GET and DELETE …/versions/negotiate/:id', () => {
    test('{session_id, status, total_records, needed_records (a count), total_files, needed_files, next_files_after, expires_at, result, error}', async () => {
      const path = await newPath()
      const declared = fileHash('declared')
      const items = [item('1'), item('2')]
      const session = await opened(path, items, { files: [declared] })
      await ada.lines(`${session}/records`, [items[0]])
      expect(await state(session)).toEqual({
        ...{ session_id: session.split('/').at(-1), status: 'open', base_version: null },
        ...{ total_records: 2, needed_records: 1 },
        ...{ total_files: 1, needed_files: [declared], next_files_after: null },
        ...{ records_done: 0, records_total: 0, expires_at: expect.any(String), result: null, error: null },
      })
    })

    test('DELETE → 204; twice is harmless; a cancelled session takes nothing more', async () => {
      const session = await opened(await newPath(), [item('1')])
      for (let n = 0; n < 2; n++) {
        const { status, text } = await ada.delete(session)
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

    test('sessions have the path that opened them; `negotiate` is never read as a version', async () => {
      const path = await newPath()
      const id = (await opened(path, [item('1')])).split('/').at(-1)
      const at = `${path}/versions/negotiate`
      expect((await state(`${at}/${id}`)).status).toBe('open')
      for (const [asked, code] of [
        ['', 'version_not_found'],
        ['/records/A/1', 'version_not_found'],
        ['/records', 'push_not_found'],
        ['/files', 'push_not_found'],
      ] as const) {
        const { status, json } = await ada.get(`${at}${asked}`)
        expect([asked, status, json.code]).toEqual([asked, 404, code])
      }
      for (const verb of ['manifest', 'records', 'commit']) {
        const { status, headers } = await ada.get(`${at}/${id}/${verb}`)
        expect([verb, status, headers.allow]).toEqual([verb, 405, 'POST'])
        const former = await ada.post(`${path}/negotiate/${id}/${verb}`)
        expect([former.status, former.json.code]).toEqual([404, 'route_not_found'])
      }
      expect((await ada.get(`${path}/negotiate/${id}`)).json.code).toBe('route_not_found')
    })

    test('a session belongs to its kind and collection; an unknown one is 404 push_not_found', async () => {
      const path = await newPath()
      const id = (await opened(path, [item('1')])).split('/').at(-1)
      const delta = (await stage.opened(path, {})).split('/').at(-1)
      const others = [
        `${await newPath()}/versions/negotiate/${id}`,
        `${path}/pushes/${id}`,
        `${path}/versions/negotiate/${delta}`,
        `${path}/versions/negotiate/x`,
        `${path}/versions/negotiate/%00`,
      ]
      for (const other of others) {
        const answers = [
          await ada.get(other),
          await ada.delete(other),
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
        // A caller without access must not learn about faults in the body.
        const steps: [string, string, Parameters<TestClient['request']>[2]][] = [
          ['POST', `${path}/versions/negotiate`, { body: '{', headers: json }],
          ['POST', `${session}/manifest`, { body: '{', headers: ndjson }],
          ['POST', `${session}/records`, { body: '{', headers: ndjson }],
          ['POST', `${session}/commit`, {}],
          ['DELETE', session, {}],
        ]
        for (const [method, step, asked] of steps) {
          const answer = await who.request(method, step, asked)
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
})
