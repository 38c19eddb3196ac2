/** Dry runs of commits of both kinds over HTTP. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { item, snapshotsOn } from '../../testing/snapshots.ts'
import { pushesOn, put, type Stage, setStage } from '../../testing/stage.ts'
import { fileHash, type TestClient } from '../../testing/test-client.ts'

describe.each(anyDatabase)('dry runs of commits on $name', (database) => {
  let stage: Stage
  let ada: TestClient

  beforeAll(async () => {
    stage = await setStage(database)
    ada = stage.ada
  })
  afterAll(() => stage.end())
  const { newPath, started, state } = pushesOn(() => stage)
  const { opened: openedSnapshot } = snapshotsOn(() => stage)

  const dryRun = (session: string) => ada.post(`${session}/commit?dry_run=true`)
  const pathOf = (session: string) => session.split('/').slice(0, 4).join('/')
  const seen = async (path: string) =>
    (await Promise.all([path, `${path}/versions`, '/collections'].map((one) => ada.get(one)))).map(
      ({ text }) => text,
    )

  /** Expects that a dry run answers like the commit after it, and stays invisible. */
  async function expectAsCommitted(session: string, schemaChanged: boolean): Promise<void> {
    const before = await seen(pathOf(session))
    const found = await dryRun(session)
    expect([found.status, found.json.dry_run], found.text).toEqual([200, true])
    expect(await seen(pathOf(session))).toEqual(before)
    expect(await state(session)).toMatchObject({ status: 'open', result: null, error: null })
    const committed = await ada.post(`${session}/commit`)
    expect(committed.status).toBe(201)
    expect(found.json).toEqual({ dry_run: true, ...committed.json, schemaChanged })
  }

  test('of a delta: 200 with what the commit then answers, a first version and those after it', async () => {
    const path = await newPath()
    const schemas = { A: { properties: { friend: { 'x-ref-type': 'A' } } } }
    const first = { opening: { schemas }, puts: [put('1', { friend: 'missing' }), put('2')] }
    await expectAsCommitted(await stage.opened(path, first), true)
    const second = {
      ...{ base: 'v1.0.0', opening: { metadata: { license: 'MIT' } } },
      ...{ puts: [put('2', {}, { private: true }), put('3')], deletes: [{ type: 'A', id: '1' }] },
    }
    await expectAsCommitted(await stage.opened(path, second), false)
    const third = { base: 'v1.1.0', opening: { schemas: { ...schemas, B: {} } } }
    await expectAsCommitted(await stage.opened(path, third), true)
  })

  test('of a first version without types', async () => {
    await expectAsCommitted(await stage.opened(await newPath(), { opening: { metadata: { a: 1 } } }), false)
  })

  test('of a snapshot', async () => {
    const path = await started()
    const items = [item('1', { n: 1 }), item('3', { n: 3 })]
    const session = await openedSnapshot(path, items, { base_version: 'v1.0.0' })
    await ada.lines(`${session}/records`, items)
    await expectAsCommitted(session, false)
    expect((await ada.get(`${path}/versions/latest`)).json).toMatchObject({ semver: 'v1.1.0' })
  })

  test('several, with more sent in between: each tells what the session has by then', async () => {
    const session = await stage.opened(await started(), { base: 'v1.0.0', puts: [put('3')] })
    expect((await dryRun(session)).json.changes).toEqual({ added: 1, updated: 0, removed: 0 })
    await ada.lines(`${session}/records`, [put('4')])
    expect((await dryRun(session)).json.changes).toEqual({ added: 2, updated: 0, removed: 0 })
    expect((await ada.post(`${session}/commit`)).json.changes).toEqual({ added: 2, updated: 0, removed: 0 })
  })

  const refusals: [string, () => Promise<string>][] = [
    ['no_changes', async () => stage.opened(await started(), { base: 'v1.0.0' })],
    [
      'files_missing',
      async () => stage.opened(await newPath(), { opening: { files: [fileHash('missing')] } }),
    ],
    [
      'schema_violation',
      async () =>
        stage.opened(await started(), { base: 'v1.0.0', opening: { schemas: { A: { required: ['n'] } } } }),
    ],
    ['records_missing', async () => openedSnapshot(await newPath(), [item('1')])],
    ['manifest_incomplete', async () => snapshotsOn(() => stage).openedFor(await newPath(), 2)],
    [
      'version_conflict',
      async () => {
        const path = await started()
        const late = await stage.opened(path, { base: 'v1.0.0', puts: [put('late')] })
        await stage.push(path, { base: 'v1.0.0', puts: [put('3')] })
        return late
      },
    ],
  ]
  test.each(refusals)('refused with %s as the commit is, and the session is open', async (code, open) => {
    const session = await open()
    const refused = await dryRun(session)
    expect(refused.json.code).toBe(code)
    expect(await state(session)).toMatchObject({ status: 'open', error: null })
    const committed = await ada.post(`${session}/commit`)
    expect([refused.status, refused.text]).toEqual([committed.status, committed.text])
  })

  test('what an earlier commit was refused for stays in the session', async () => {
    const session = await stage.opened(await started(), { base: 'v1.0.0' })
    const refused = await ada.post(`${session}/commit`)
    await ada.lines(`${session}/records`, [put('3')])
    expect((await dryRun(session)).status).toBe(200)
    expect(await state(session)).toMatchObject({ status: 'open', error: refused.json })
  })

  test('of a session that has ended: 409 push_not_open', async () => {
    const session = await stage.opened(await started(), { base: 'v1.0.0', puts: [put('3')] })
    expect((await ada.post(`${session}/commit`)).status).toBe(201)
    const { status, json } = await dryRun(session)
    expect([status, json.code, json.status]).toEqual([409, 'push_not_open', 'committed'])
  })

  test('needs the scope `write` and membership', async () => {
    const session = await stage.opened(await started(), { base: 'v1.0.0', puts: [put('3')] })
    for (const [who, code] of [
      [stage.reader, 'insufficient_scope'],
      [stage.eve, 'not_a_member'],
    ] as const) {
      const { status, json } = await who.post(`${session}/commit?dry_run=true`)
      expect([status, json.code]).toEqual([403, code])
    }
  })

  test('with `async=true` it is 400, and nothing is committed; `dry_run=false` is a commit', async () => {
    const session = await stage.opened(await started(), { base: 'v1.0.0', puts: [put('3')] })
    const { status, json } = await ada.post(`${session}/commit?dry_run=true&async=true`)
    expect([status, json.code]).toEqual([400, 'invalid_request'])
    expect(json.issues).toEqual([
      { path: 'dry_run', message: expect.stringContaining('together with `async`') },
    ])
    expect((await ada.post(`${session}/commit?dry_run=yes`)).status).toBe(400)
    expect((await state(session)).status).toBe('open')
    expect((await ada.post(`${session}/commit?dry_run=false`)).status).toBe(201)
  })
})
