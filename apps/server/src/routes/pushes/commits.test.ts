/** Commits of delta pushes over HTTP: http-api §9, content-model §6, §7. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pushesOn, put, type Stage, setStage } from '../../testing/stage.ts'
import { fileHash, type TestClient } from '../../testing/test-client.ts'

describe.each(anyDatabase)('commits of pushes on $name', (database) => {
  let stage: Stage
  let ada: TestClient

  beforeAll(async () => {
    stage = await setStage(database)
    ada = stage.ada
  })
  afterAll(() => stage.end())
  const { newPath, openedWith, recordsOf, started, state } = pushesOn(() => stage)

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
          publicHash: expect.stringMatching(/^public:[0-9a-f]{64}$/),
          recordCount: 3,
          fileCount: 0,
          changes: { added: 2, updated: 1, removed: 1 },
          ...{ warnings: [], totalWarnings: 0 },
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
      const shown = { opening: { confirm_public: ['A/1'] }, puts: [put('1', { n: 1 })] }
      expect(await semver('v1.0.2', shown)).toBe('v1.1.0')
      expect(await semver('v1.1.0', { opening: { files: [fileHash('file')] } })).toBe('v1.2.0')
      expect(
        await semver('v1.2.0', {
          opening: { schemas: { A: {}, B: {} }, metadata: { a: 2 } },
          puts: [put('9')],
        }),
      ).toBe('v2.0.0')
      expect(await semver('v2.0.0', { opening: { schemas: { A: { title: 'A' }, B: {} } } })).toBe('v3.0.0')
      expect(await semver('v3.0.0', { opening: { schemas: { B: null } } })).toBe('v4.0.0')
    })

    test('types that `schemas` does not name stay; null removes one with its records', async () => {
      const path = await newPath()
      await stage.push(path, {
        opening: { schemas: { A: {}, B: {} } },
        puts: [put('1'), { id: '1', type: 'B', data: {} }],
      })
      await stage.push(path, { base: 'v1.0.0', puts: [put('2')] })
      expect((await ada.get(`${path}/versions/latest`)).json.typeCounts).toEqual({ A: 2, B: 1 })
      const { changes } = (
        await ada.post(
          `${await stage.opened(path, { base: 'v1.1.0', opening: { schemas: { B: null } } })}/commit`,
        )
      ).json
      expect(changes).toEqual({ added: 0, updated: 0, removed: 1 })
      expect((await recordsOf(path)).map(({ type }) => type)).toEqual(['A', 'A'])
      const none = await stage.push(path, { base: 'v2.0.0', opening: { schemas: { A: null } } })
      expect(none).toMatchObject({ semver: 'v3.0.0', recordCount: 0 })
    })

    test('a changed schema is asked of every record carried over: 422 schema_violation, and the session stays open', async () => {
      const path = await newPath()
      // A name with U+0000 must survive storage in the session's row.
      const field = 'n\u0000'
      const strict = { properties: { [field]: { type: 'number' } } }
      await stage.push(path, {
        opening: { schemas: { A: {} } },
        puts: [put('a', { [field]: 'x' }), put('fits', { [field]: 1 })],
      })
      const session = await stage.opened(path, { base: 'v1.0.0', opening: { schemas: { A: strict } } })
      const refused = await ada.post(`${session}/commit`)
      expect([refused.status, refused.json.code, refused.json.totalErrors]).toEqual([
        422,
        'schema_violation',
        1,
      ])
      expect(refused.json.validationErrors).toMatchObject([
        { id: 'a', type: 'A', code: 'schema_violation', errors: [{ path: `/${field}` }] },
      ])
      expect(refused.json.error).toContain('1 record(s) of the base version')
      expect(refused.json.error).toContain('A "a".')
      expect(await state(session)).toMatchObject({ status: 'open', error: refused.json })
      await ada.lines(`${session}/records`, [put('a', { [field]: 2 })])
      expect((await ada.post(`${session}/commit`)).json).toMatchObject({
        semver: 'v2.0.0',
        changes: { updated: 1 },
      })
    })

    test('of a field that is required from now on, it says how many records fail and names some', async () => {
      const path = await newPath()
      const puts = Array.from({ length: 130 }, (_, i) => put(`r${String(i).padStart(3, '0')}`, {}))
      await stage.push(path, { opening: { schemas: { A: {} } }, puts })
      const required = { required: ['name'], properties: { name: { type: 'string' } } }
      const session = await stage.opened(path, { base: 'v1.0.0', opening: { schemas: { A: required } } })
      const { json } = await ada.post(`${session}/commit`)
      expect(json.totalErrors).toBe(130)
      expect(json.validationErrors).toHaveLength(100)
      expect(json.error).toContain('A "r000", A "r001", A "r002", and 127 more')
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
      await expect.poll(async () => (await state(session)).status, { timeout: 20_000 }).toBe('committed')
      const { result, error } = await state(session)
      expect(result).toEqual({
        semver: 'v1.1.0',
        hash: expect.any(String),
        publicHash: expect.any(String),
        recordCount: 3,
        fileCount: 0,
        changes: { added: 1, updated: 0, removed: 0 },
        ...{ warnings: [], totalWarnings: 0 },
      })
      expect(error).toBe(null)
      expect((await ada.post(`${session}/commit`)).json).toEqual(result)
    })

    test('an asynchronous commit that is refused leaves the error body of the synchronous call', async () => {
      const path = await started()
      const late = await stage.opened(path, { base: 'v1.0.0', puts: [put('late')] })
      await stage.push(path, { base: 'v1.0.0', puts: [put('3')] })
      expect((await ada.post(`${late}/commit?async=true`)).status).toBe(202)
      await expect.poll(async () => (await state(late)).status, { timeout: 20_000 }).toBe('failed')
      expect((await state(late)).error).toMatchObject({
        code: 'version_conflict',
        statusCode: 409,
        currentVersion: 'v1.1.0',
      })
    })

    test.each(['async=yes', 'async=2', 'async=', 'sync=true'])('?%s is 400', async (query) => {
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
      await stage.push(path, {
        base: 'v1.1.0',
        opening: { confirm_public: ['A/hidden'] },
        puts: [put('hidden', {}, { private: false })],
      })
      expect((await recordsOf(path, stage.anyone)).map(({ id }) => id)).toEqual(['hidden', 'new', 'shown'])
    })

    test('private fields leave the public view when the schema says so, and come when it says so no more', async () => {
      const path = await newPath()
      const schema = (s: object) => ({
        schemas: { A: { properties: { n: {}, s } } },
        confirm_public: ['s'],
      })
      await stage.push(path, { opening: schema({ private: true }), puts: [put('1', { n: 1, s: 's3cret' })] })
      expect((await recordsOf(path, stage.anyone))[0]!.data).toEqual({ n: 1 })
      await stage.push(path, { base: 'v1.0.0', opening: schema({}) })
      expect((await recordsOf(path, stage.anyone))[0]!.data).toEqual({ n: 1, s: 's3cret' })
      await stage.push(path, { base: 'v2.0.0', opening: schema({ private: true }) })
      expect((await recordsOf(path, stage.anyone))[0]!.data).toEqual({ n: 1 })
      expect((await recordsOf(path))[0]!.data).toEqual({ n: 1, s: 's3cret' })
    })
  })
})
