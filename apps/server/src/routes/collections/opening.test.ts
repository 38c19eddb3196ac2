/** A private collection becomes public with its older versions: the answer, the settings page and the banner say what they show. */
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, setStage } from '../../testing/stage.ts'
import { expectStatus, testClient } from '../../testing/test-client.ts'

const put = (id: string, isPrivate = false, type = 'Person') => ({
  ...{ id, type, data: { name: id, email: `${id}@example.org` } },
  private: isPrivate,
})
const email = { private: true }
const schemaOf = (fields: object) => ({ properties: { name: {}, ...fields } })

describe.each(serviceDatabases)('opening older versions, on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await setStage(database)
  })
  afterAll(() => stage.end())

  /** v1.0.0 and v1.1.0 show the column, three records and a type that the latest version keeps private or has no more. */
  async function history() {
    const { path } = await stage.newCollection({ public: false })
    const open = { Person: schemaOf({ email: {} }), Note: schemaOf({ email: {} }) }
    const puts = [put('a'), put('b'), put('c'), put('d'), put('n', false, 'Note')]
    await stage.push(path, { opening: { schemas: open }, puts })
    const latest = async () => (await stage.ada.get(path)).json.latestVersion.semver
    await stage.push(path, { base: 'v1.0.0', puts: [put('b', true)] })
    const closed = { Person: schemaOf({ email }), Note: schemaOf({ email }) }
    await stage.push(path, {
      base: await latest(),
      opening: { schemas: closed },
      puts: [put('c', true)],
      deletes: [{ type: 'Person', id: 'd' }],
    })
    const hidden = { Person: schemaOf({ email }), Note: { private: true, ...schemaOf({ email }) } }
    await stage.push(path, { base: await latest(), opening: { schemas: hidden } })
    return path
  }
  const warningsOf = (json: { warnings?: { message: string }[] }) =>
    (json.warnings ?? []).map(({ message }) => message)

  test('the answer lists columns, records and types that were public, and a dry run changes nothing', async () => {
    const path = await history()
    const versions = (await stage.ada.get(`${path}/versions`)).json.map(
      ({ semver }: { semver: string }) => semver,
    )
    const dry = await expectStatus(stage.ada.patch(`${path}?dry_run=true`, { public: true }), 200)
    expect((await stage.anyone.get(path)).status).toBe(404)
    const { json } = await expectStatus(stage.ada.patch(path, { public: true }), 200)
    expect(json).toEqual(dry.json)
    expect(json.ok).toBe(true)
    const [v4, v3, v2, v1] = versions
    expect(v4).toBeDefined()
    expect(json.warnings).toMatchObject([
      { code: 'public_before', type: 'Note', versions: [v3, v2, v1], versionCount: 3 },
      { code: 'public_before', type: 'Person', field: 'email', versions: [v2, v1] },
      { code: 'public_before', type: 'Person', records: 3, ids: ['b', 'c', 'd'], versions: [v2, v1] },
    ])
    expect(await stage.ada.patch(path, { public: true })).toMatchObject({ json: { ok: true } })
    expect(await stage.ada.patch(path, { name: 'x' })).toMatchObject({ json: { ok: true } })
  })

  test('withdrawn versions do not count, and a collection without such history answers as before', async () => {
    const path = await history()
    const admin = await stage.keyOfAda('admin')
    const { warnings } = (await stage.ada.patch(`${path}?dry_run=true`, { public: true })).json
    for (const v of new Set<string>(warnings.flatMap(({ versions }: { versions: string[] }) => versions)))
      await expectStatus(admin.post(`${path}/versions/${v}/withdraw`, { reason: 'names people' }), 200)
    expect((await stage.ada.patch(path, { public: true })).json).toEqual({ ok: true })
  })

  test('a record that left and came back is not among them', async () => {
    const { path } = await stage.newCollection({ public: false })
    await stage.push(path, { opening: { schemas: { Person: {} } }, puts: [put('a'), put('b')] })
    await stage.push(path, { base: 'v1.0.0', deletes: [{ type: 'Person', id: 'a' }] })
    await stage.push(path, { base: 'v1.1.0', puts: [put('a')] })
    expect((await stage.ada.patch(path, { public: true })).json).toEqual({ ok: true })
  })

  test('the banner and the settings name it, and Save needs a tick', async () => {
    const path = await history()
    const cookie = (await stage.server.signIn('ada')).cookie
    const site = testClient(stage.server.url, { cookie }, '')
    const page = path.replace('/collections', '')
    expect((await site.get(page)).text).toMatch(
      /Made public, its older versions would show more\. The type Note/,
    )
    const slug = page.split('/').at(-1)!
    const form = { name: 'Birds', slug, visibility: 'public' }
    const first = await site.postForm(`${page}/settings`, form)
    expect(first.status).toBe(200)
    expect(first.text).toMatch(
      /Not saved yet\..*The column email of Person.*3 records of Person \(b, c, d\)/s,
    )
    expect(first.text).toContain(`${page}/withdraw?version=v1.0.0`)
    expect((await stage.anyone.get(path)).status).toBe(404)
    expect((await site.postForm(`${page}/settings`, { ...form, open_older: 'yes' })).status).toBe(303)
    expect((await stage.anyone.get(path)).status).toBe(200)
    expect((await site.get(page)).text).not.toContain('older versions would show')
  })

  test('a long history is compared by what differs, and the rest is counted', async () => {
    const { path } = await stage.newCollection({ public: false })
    const many = Array.from({ length: 200 }, (_, index) => put(`r${index}`))
    await stage.push(path, { opening: { schemas: { Person: {} } }, puts: [...many, put('gone')] })
    await stage.push(path, { base: 'v1.0.0', deletes: [{ type: 'Person', id: 'gone' }] })
    for (let patch = 0; patch < 20; patch++) await stage.ada.patch(`${path}/metadata`, { n: patch })
    const { warnings } = (await stage.ada.patch(`${path}?dry_run=true`, { public: true })).json
    expect(warningsOf({ warnings })).toEqual([
      '1 record of `Person` (`gone`) is private or gone now, and was public in v1.0.0.',
    ])
  })
})
