/** Records and commits of snapshot pushes over HTTP: http-api §9. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entries, entryOf, hashOf, type Item, item, many, snapshotsOn } from '../../testing/snapshots.ts'
import { type Stage, setStage } from '../../testing/stage.ts'
import { fileHash, json, type TestClient } from '../../testing/test-client.ts'

describe.each(anyDatabase)('commits of snapshots on $name', (database) => {
  let stage: Stage
  let ada: TestClient

  beforeAll(async () => {
    stage = await setStage(database)
    ada = stage.ada
  })
  afterAll(() => stage.end())
  const { chunk, negotiate, newPath, opened, openedFor, recordsOf, sessionOf, snapshot, state } = snapshotsOn(
    () => stage,
  )

  describe('POST …/versions/negotiate/:id/manifest', () => {
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
    })

    test('a broken line refuses the chunk, by its number; a body of another type is 415', async () => {
      const session = await openedFor(await newPath(), 2)
      const refused = await ada.lines(`${session}/manifest`, [entryOf(item('1')), '', '{"id":'])
      expect([refused.status, refused.json.validationErrors]).toMatchObject([
        422,
        [{ line: 3, code: 'syntax' }],
      ])
      const typed = await ada.request('POST', `${session}/manifest`, { body: '{}', headers: json })
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

  describe('POST …/versions/negotiate/:id/records', () => {
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
    })

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

  describe('POST …/versions/negotiate/:id/commit', () => {
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
          publicHash: expect.stringMatching(/^public:[0-9a-f]{64}$/),
          ...{ recordCount: 4, fileCount: 0, changes: { added: 2, updated: 1, removed: 1 } },
          ...{ warnings: [], totalWarnings: 0 },
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
      // "This is everything": an undeclared, unreferenced file is removed.
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
      // A record with only a change of privacy is carried over as well.
      const hidden = await opened(path, [item('1', { n: 'x' }, { private: true }), item('2', { n: 1 })], {
        ...{ base_version: 'v1.0.0', schemas },
      })
      expect((await ada.post(`${hidden}/commit`)).json).toMatchObject({
        ...{ code: 'schema_violation', totalErrors: 1, validationErrors: [{ id: '1', type: 'A' }] },
      })
      // Removed and re-sent records are not validated in their old form.
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

    test('`private: true` is sent again with every snapshot: without it a record becomes public once that is confirmed', async () => {
      const path = await newPath()
      const [hidden, shown] = [item('1', {}, { private: true }), item('2')]
      await snapshot(path, [hidden, shown])
      const { json: turned } = await negotiate(path, {
        ...{ base_version: 'v1.0.0', manifest: [entryOf(item('1')), { ...entryOf(shown), private: true }] },
      })
      expect(turned.needed_records).toEqual([])
      const commit = `${sessionOf(path, turned.session_id)}/commit`
      expect((await ada.post(commit)).json).toMatchObject({
        code: 'private_record_made_public',
        madePublicRecords: [{ id: '1' }],
        totalMadePublic: 1,
      })
      const { json: result } = await ada.post(commit, { confirm_public: [`${hidden.type}/1`] })
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
    })

    test('an asynchronous commit that is refused leaves the error body of the synchronous call', async () => {
      const path = await newPath()
      const session = await opened(path, [item('1')])
      expect((await ada.post(`${session}/commit?async=true`)).status).toBe(202)
      await expect.poll(async () => (await state(session)).status, { timeout: 20_000 }).toBe('open')
      expect((await state(session)).error).toMatchObject({
        ...{ code: 'records_missing', statusCode: 400, missing_hashes: [hashOf(item('1'))] },
      })
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
