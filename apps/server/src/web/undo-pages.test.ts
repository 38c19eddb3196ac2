/** Forms that publish an earlier version again, and that remove a record from all versions. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linksOf } from '../testing/crawl.ts'
import { pushesOn, type Stage, setStage } from '../testing/stage.ts'
import { type TestClient, testClient } from '../testing/test-client.ts'

describe.each(anyDatabase)('the way back, on $name', (database) => {
  let stage: Stage
  let ada: TestClient
  let anyone: TestClient

  beforeAll(async () => {
    stage = await setStage(database)
    ada = testClient(stage.server.url, await stage.server.signIn('ada'), '')
    anyone = testClient(stage.server.url, undefined, '')
  })
  afterAll(() => stage.end())
  const { newPath } = pushesOn(() => stage)
  const put = (id: string, data = {}) => ({ id, type: 'A', data })

  /** A public collection with the versions v1.0.0 and v1.1.0. Returns its path in the API and the path of its page. */
  async function twoVersions() {
    const path = await newPath()
    await stage.push(path, { opening: { schemas: { A: {} } }, puts: [put('1'), put('2')] })
    await stage.push(path, { base: 'v1.0.0', puts: [put('1', { x: 'spoilt' })] })
    return { path, at: path.replace('/collections', '') }
  }
  const linksAt = async (client: TestClient, path: string) =>
    linksOf({ ...(await client.get(path)), path }).map((link) => link.replaceAll('&amp;', '&'))

  test('an earlier version is published again from its page and from the list', async () => {
    const { path, at } = await twoVersions()
    const form = `${at}/restore?version=v1.0.0`
    for (const below of ['/versions', '/v/v1.0.0', '/v/v1.0.0/records/A', '/v/v1.0.0/records/A/1']) {
      expect(await linksAt(ada, `${at}${below}`), below).toContain(form)
      expect(await linksAt(anyone, `${at}${below}`), below).not.toContain(form)
    }
    expect(await linksAt(ada, `${at}/v/v1.1.0`)).not.toContain(`${at}/restore?version=v1.1.0`)
    const shown = await ada.get(form)
    expect([shown.status, shown.text.includes('value="v1.1.0"')]).toEqual([200, true])
    const done = await ada.postForm(form, { base: 'v1.1.0', message: 'Back' })
    expect([done.status, done.headers.location]).toEqual([303, `${at}?saved=restored-v1.2.0`])
    expect((await ada.get(String(done.headers.location))).text).toContain('Version v1.2.0 is published')
    expect((await stage.anyone.get(`${path}/versions/latest/records/A/1`)).json.data).toEqual({})
    const late = await ada.postForm(`${at}/restore?version=v1.1.0`, { base: 'v1.1.0' })
    expect([late.status, late.text.includes('Version v1.2.0 was published in the meantime')]).toEqual([
      409,
      true,
    ])
    const again = await ada.postForm(form, { base: 'v1.2.0' })
    expect(again.headers.location).toBe(`${at}?saved=same-content`)
  })

  test('private data becomes public again only by a tick', async () => {
    const { path, at } = await twoVersions()
    await stage.push(path, { base: 'v1.1.0', puts: [{ ...put('1'), private: true }] })
    const form = `${at}/restore?version=v1.0.0`
    const refused = await ada.postForm(form, { base: 'v1.2.0' })
    expect([refused.status, refused.text.includes('A/1')]).toEqual([422, true])
    const ticked = await ada.postForm(form, { base: 'v1.2.0', 'public.0': 'A/1' })
    expect([ticked.status, ticked.headers.location]).toEqual([303, `${at}?saved=restored-v1.2.1`])
  })

  test('a record is removed from all versions, with a receipt', async () => {
    const { path, at } = await twoVersions()
    const form = `${at}/erase?type=A&id=1`
    for (const below of ['/records/A/1', '/v/v1.0.0/records/A/1', '/records/A/1/delete'])
      expect(await linksAt(ada, `${at}${below}`), below).toContain(form)
    expect(await linksAt(anyone, `${at}/records/A/1`)).not.toContain(form)
    const shown = await ada.get(form)
    expect(shown.text).toMatch(/v1\.2\.0.*is published without the record/s)
    expect(shown.text).toMatch(/2 versions with the record.*v1\.1\.0, v1\.0\.0/s)
    const unsure = await ada.postForm(form, { base: 'v1.1.0', confirm: 'yes' })
    expect([unsure.status, unsure.text.includes('Nothing was removed')]).toEqual([400, true])
    const late = await ada.postForm(form, { base: 'v1.0.0', confirm: 'erase' })
    expect(late.status).toBe(409)
    const eve = testClient(stage.server.url, await stage.server.signIn('eve'), '')
    expect((await eve.postForm(form, { base: 'v1.1.0', confirm: 'erase' })).status).toBe(403)
    const done = await ada.postForm(form, { base: 'v1.1.0', confirm: 'erase' })
    expect([
      done.status,
      /Save this receipt.*published(?:"|&quot;): (?:"|&quot;)v1\.2\.0/s.test(done.text),
    ]).toEqual([200, true])
    expect((await stage.anyone.get(`${path}/versions/v1.0.0`)).status).toBe(410)
    expect((await stage.anyone.get(`${path}/versions/latest/records/A/2`)).status).toBe(200)
    expect((await ada.get(form)).status).toBe(404)
  })

  test('the description typed at creation is in the form, and can be cleared there', async () => {
    const { path, at } = await twoVersions()
    await stage.ada.patch(path, { description: 'Typed at creation' })
    expect((await ada.get(`${at}/edit`)).text).toContain('Typed at creation</textarea>')
    await ada.postForm(`${at}/edit`, { do: 'save', description: 'Typed at creation', license: 'MIT' })
    const { description, latestVersion } = (await stage.anyone.get(path)).json
    expect([description, latestVersion.metadata]).toEqual([
      'Typed at creation',
      { description: 'Typed at creation', license: 'MIT' },
    ])
    await ada.postForm(`${at}/edit`, { do: 'save', description: '', license: 'MIT' })
    expect((await stage.anyone.get(path)).json.description).toBe(null)
  })
})
