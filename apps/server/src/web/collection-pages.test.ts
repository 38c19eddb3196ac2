/** Pages of collections over HTTP: the shown version, the cited digest, and links after a refusal. */

import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addOrg } from '../testing/serve.ts'
import { pushesOn, put, type Stage, setStage } from '../testing/stage.ts'
import { type TestClient, testClient } from '../testing/test-client.ts'

describe.each(anyDatabase)('pages of collections on $name', (database) => {
  let stage: Stage
  let ada: TestClient
  let anyone: TestClient

  beforeAll(async () => {
    stage = await setStage(database)
    const signedIn = await stage.server.signIn('ada')
    ada = testClient(stage.server.url, signedIn, '')
    anyone = testClient(stage.server.url, undefined, '')
    await addOrg(stage.server, signedIn, 'guild', {})
  })
  afterAll(() => stage.end())
  const { newPath, started } = pushesOn(() => stage)
  const pageOf = (path: string) => path.replace('/collections', '')
  const linksOn = async (client: TestClient, path: string) =>
    Array.from((await client.get(path)).text.matchAll(/ href="([^"]*)"/g), ([, href]) => href)

  test('the form of members refuses an unknown handle and keeps it', async () => {
    const at = '/guild/-/members'
    const refused = await ada.postForm(at, { user: 'missing-user', role: 'admin' })
    expect(refused.status).toBe(404)
    expect(refused.text).toContain('value="missing-user"')
    expect(refused.text).toMatch(/role="alert"[\s\S]*missing-user/)
    const withAt = await ada.postForm(at, { user: '@missing-user', role: 'admin' })
    expect([withAt.status, withAt.text.includes('missing-user')]).toEqual([404, true])
    const half = await ada.postForm(at, { user: 'eve@', role: 'admin' })
    expect(half.text).toContain('eve@ looks like an e-mail address, but is not a whole one.')
    const absent = await ada.postForm('/no-such-org/-/members', { user: 'eve', role: 'admin' })
    expect([absent.status, absent.text.includes('name="user"')]).toEqual([404, false])
  })

  test('a collection is transferred once its slug is typed', async () => {
    const { path, slug } = await stage.newCollection()
    const at = `${pageOf(path)}/settings`
    const unsure = await ada.postForm(at, { do: 'transfer', to: 'guild' })
    expect(unsure.status).toBe(400)
    const field = /<input id="field-confirm_transfer"[^>]*>/.exec(unsure.text)![0]
    expect(field).toMatch(/aria-describedby="fault-confirm_transfer" aria-invalid[^>]* autofocus/)
    expect(unsure.text).toContain(
      `id="fault-confirm_transfer">Type the address ${slug} to confirm. Nothing was transferred.`,
    )
    expect(unsure.text).not.toContain('<code>confirm_transfer')
    const sure = await ada.postForm(at, { do: 'transfer', to: 'guild', confirm_transfer: slug })
    expect([sure.status, sure.headers.location]).toEqual([303, `/guild/${slug}`])
  })

  test('a collection without versions has no form to fork it', async () => {
    const { text } = await ada.get(`${pageOf(await newPath())}/fork`)
    expect([text.includes('so there is nothing to fork.'), text.includes('name="org"')]).toEqual([
      true,
      false,
    ])
  })

  test('the form of a fork names the forks that exist, and proposes an address that is free', async () => {
    const { path, slug } = await stage.newCollection()
    await stage.push(path, { opening: { schemas: { A: {} } } })
    const formIn = async () => {
      const { text } = await ada.get(`${pageOf(path)}/fork`)
      const [, address] = /<input[^>]*name="slug"[^>]* value="([^"]*)"/.exec(text) ?? []
      return { text, address, org: /<option value="([^"]*)" selected/.exec(text)?.[1] }
    }
    const before = await formIn()
    expect([before.org, before.address, before.text.includes('<dt>Forks')]).toEqual(['guild', slug, false])
    expect((await ada.postForm(`${pageOf(path)}/fork`, { org: 'guild', slug })).status).toBe(303)
    const after = await formIn()
    expect(after.address).toBe(`${slug}-2`)
    expect(after.text).toMatch(new RegExp(`<dt>Forks</dt>.*?href="/guild/${slug}"`, 's'))
  })

  test('a collection without versions has no tabs that would show its overview', async () => {
    const path = await newPath()
    const tabs = async () => {
      const { text } = await ada.get(pageOf(path))
      const [, inside] = /<nav class="tabs"[^>]*>(.*?)<\/nav>/s.exec(text)!
      return [...inside!.matchAll(/<\/svg>([^<]*)/g)].map(([, name]) => name)
    }
    expect(await tabs()).toEqual(['Overview', 'Versions', 'Settings'])
    expect((await ada.get(`${pageOf(path)}/schemas/new`)).text).toContain('aria-current="page"')
    await stage.push(path, { opening: { schemas: { A: {} } } })
    expect(await tabs()).toEqual(['Overview', 'Records', 'SQL', 'Schemas', 'Files', 'Versions', 'Settings'])
  })

  test('empty lists of versions and files lead to the next step', async () => {
    const empty = pageOf(await newPath())
    expect(await linksOn(ada, `${empty}/versions`)).toContain(`${empty}/push`)
    const { text } = await ada.get(`${pageOf(await started())}/files`)
    expect([text.includes('This version has no files.'), text.includes('0 files')]).toEqual([true, false])
  })

  test('the digest for members is shown only if something is private', async () => {
    const path = pageOf(await started())
    expect((await ada.get(path)).text).not.toContain('<dt>In full</dt>')
  })

  test('a withdrawn version and a missing record lead back into their collection', async () => {
    const path = await started()
    const at = pageOf(path)
    await stage.push(path, { base: 'v1.0.0', puts: [put('3')] })
    await (await stage.keyOfAda('admin')).post(`${path}/versions/v1.0.0/withdraw`, {
      reason: 'It was wrong.',
    })
    const gone = await anyone.get(`${at}/v/v1.0.0`)
    expect([gone.status, gone.text.includes('It was wrong.')]).toEqual([410, true])
    expect(gone.text).toContain(`<a href="${at}">${at.slice(1)}</a>`)
    expect(await linksOn(anyone, `${at}/v/v1.0.0`)).toEqual(expect.arrayContaining([at, `${at}/versions`]))
    const missing = `${at}/v/v1.1.0/records/A/zzz`
    expect((await anyone.get(missing)).text).toContain('zzz')
    expect(await linksOn(anyone, missing)).toEqual(
      expect.arrayContaining([`${at}/v/v1.1.0/records/A`, at, `${at}/versions`]),
    )
    const hidden = pageOf(await newPath(false))
    expect(await linksOn(anyone, `${hidden}/records/A/zzz`)).not.toContain(hidden)
  })

  test('the public view of a private collection says that the public sees nothing', async () => {
    const path = await newPath(false)
    await stage.push(path, {
      opening: { schemas: { A: { properties: { open: {}, hidden: { private: true } } } } },
      puts: [put('1', { open: 1, hidden: 2 })],
    })
    const { text } = await ada.get(`${pageOf(path)}?view=public`)
    expect(text).toContain('The public sees nothing: the collection is private.')
    expect(text).toContain('Made public, it would look like this, without column A.hidden.')
  })

  test('an old version is described as it was, on its page, in its head and to search engines', async () => {
    const path = await newPath()
    const first = 'What the first version was said to be, in more than fifty characters.'
    await stage.push(path, {
      opening: { schemas: { A: {} }, metadata: { description: first } },
      puts: [put('1')],
    })
    const described = (description: string | null) => stage.ada.patch(`${path}/metadata`, { description })
    await described('What it is said to be now.')
    await described(null)
    const shown = async (version: string) => {
      const { text } = await anyone.get(`${pageOf(path)}${version}`)
      const dataset = JSON.parse(/<script type="application\/ld\+json">(.*?)<\/script>/s.exec(text)![1]!)
      return [
        /<meta name="description" content="([^"]*)"/.exec(text)?.[1],
        /class="lead"[^>]*>([^<]*)</.exec(text)?.[1],
        dataset.description,
      ]
    }
    expect(await shown('/v/v1.0.0')).toEqual([first, first, first])
    const [head, lead, dataset] = await shown('/v/v1.0.1')
    expect([head, lead]).toEqual(['What it is said to be now.', 'What it is said to be now.'])
    expect(dataset).toContain('What it is said to be now.')
    expect((await shown('/v/v1.0.2'))[1]).toBeUndefined()
  })

  test('members and readers cite one digest of a public collection, which a stranger can verify', async () => {
    const path = await newPath()
    const pushed = await stage.push(path, {
      opening: { schemas: { A: { properties: { open: {}, hidden: { private: true } } } } },
      puts: [put('1', { open: 1, hidden: 2 })],
    })
    const [ours, theirs] = [
      await stage.ada.get(`${path}/versions/latest`),
      await stage.anyone.get(`${path}/versions/latest`),
    ]
    expect(ours.json.hash).toMatch(/^private:/)
    expect([ours.json.publicHash, theirs.json.publicHash, pushed]).toEqual([
      theirs.json.hash,
      theirs.json.hash,
      expect.objectContaining({ publicHash: theirs.json.hash }),
    ])
    const cited = async (client: TestClient) =>
      new Set(
        (await client.get(pageOf(path))).text.match(/(?:public|private):[0-9a-f]{64}(?=<|\n| \}|&quot;)/g),
      )
    expect(await cited(ada)).toEqual(await cited(anyone))
    expect((await ada.get(pageOf(path))).text).toContain('<dt>In full</dt>')
    expect(await cited(anyone)).toEqual(new Set([theirs.json.hash]))
  })

  test('the type in the query of a records page is the one that is shown', async () => {
    const path = await newPath()
    await stage.push(path, {
      opening: { schemas: { A: {}, Keeper: {} } },
      puts: [put('1'), { id: 'kim', type: 'Keeper', data: {} }],
    })
    const { status, text } = await anyone.get(`${pageOf(path)}/records?type=Keeper`)
    expect([status, text.includes('/records/Keeper/kim'), text.includes('/records/A/1')]).toEqual([
      200,
      true,
      false,
    ])
    expect((await anyone.get(`${pageOf(path)}/records?type=Nothing`)).status).toBe(404)
  })

  test('faults of JSON in a form have the line and the column that the person typed', async () => {
    const path = await started()
    const at = pageOf(path)
    const data = '{\n  "a": nope\n}'
    const record = await ada.postForm(`${at}/records/A/1/edit`, { base: 'v1.0.0', data })
    expect([record.status, record.text]).toEqual([400, expect.stringContaining('Line 2, column 8')])
    expect(record.text).toContain('nope')
    const metadata = await ada.postForm(`${at}/edit`, { do: 'save', others: '{"a": 1,\n"a": 2}' })
    expect([metadata.status, metadata.text]).toEqual([400, expect.stringContaining('Line 2, column 1')])
  })

  test('every page has one heading of the first level', async () => {
    const newcomer = testClient(stage.server.url, await stage.server.signIn('newcomer'), '')
    const at = pageOf(await started())
    for (const [client, path] of [
      [newcomer, '/newcomer'],
      [newcomer, '/'],
      [anyone, '/explore'],
      [anyone, at],
      [anyone, `${at}/records/A/1`],
      [ada, `${at}/edit`],
      [ada, `${at}/settings`],
      [ada, '/guild/-/members'],
      [anyone, `${at}/records/A/none`],
    ] as const) {
      const { text } = await client.get(path)
      expect([path, text.match(/<h1[ >]/g)?.length]).toEqual([path, 1])
    }
  })

  test('lists say how many records a collection has for their reader, its size and licence', async () => {
    const { path, slug } = await stage.newCollection()
    await stage.push(path, {
      opening: { schemas: { A: {} }, metadata: { license: 'CC-BY-4.0' } },
      puts: [put('1'), put('2'), put('3', {}, { private: true })],
    })
    const [open] = (await stage.anyone.get('/collections?limit=1')).json
    expect(open).toMatchObject({ slug, recordCount: 2, license: 'CC-BY-4.0' })
    const { totalBytes } = (await stage.anyone.get(path)).json.latestVersion
    expect(open.totalBytes).toBe(totalBytes)
    const [own] = (await stage.ada.get('/accounts/me/collections?limit=1')).json
    expect(own).toMatchObject({ slug, recordCount: 3, license: 'CC-BY-4.0' })
    const { text } = await anyone.get('/explore')
    expect(text).toMatch(/2 records<[\s\S]*CC-BY-4\.0/)
    await stage.newCollection()
    const [empty] = (await stage.anyone.get('/collections?limit=1')).json
    expect(empty).toMatchObject({ latestVersion: null, recordCount: null, totalBytes: null, license: null })
  })

  test('the page of metadata suggests licences of SPDX, and asks once about one in another case', async () => {
    const path = await started()
    const at = pageOf(path)
    const license = async () => (await stage.anyone.get(path)).json.latestVersion.metadata.license
    const { text } = await ada.get(`${at}/edit`)
    expect(text).toMatch(/name="license"[^>]* list="licences"/)
    expect(text).toContain('<option value="CC-BY-4.0">Creative Commons Attribution 4.0</option>')
    const form = { do: 'save', license: 'cc-by-4.0' }
    const asked = await ada.postForm(`${at}/edit`, form)
    expect([asked.status, await license()]).toEqual([400, 'MIT'])
    expect(asked.text).toContain('id="fault-license">Did you mean CC-BY-4.0?')
    expect(asked.text).toContain('name="asked" value="cc-by-4.0"')
    expect((await ada.postForm(`${at}/edit`, { ...form, asked: 'cc-by-4.0' })).status).toBe(303)
    expect(await license()).toBe('cc-by-4.0')
    expect(await linksOn(anyone, at)).not.toContain('https://spdx.org/licenses/cc-by-4.0')
    await ada.postForm(`${at}/edit`, { do: 'save', license: 'CC-BY-4.0' })
    expect(await linksOn(anyone, at)).toContain('https://spdx.org/licenses/CC-BY-4.0')
  })

  test('topics are written on the page of metadata, and lead to the collections that have them', async () => {
    const path = await started()
    const at = pageOf(path)
    const metadata = async () => (await stage.anyone.get(path)).json.latestVersion.metadata
    const others = '{"title": "T"}'
    await ada.postForm(`${at}/edit`, { do: 'save', keywords: 'Sea  Birds, <b>, ', others })
    expect(await metadata()).toEqual({ keywords: ['Sea  Birds', '<b>'], title: 'T' })
    expect((await ada.get(`${at}/edit`)).text).toMatch(/name="keywords"[^>]* value="Sea {2}Birds, &lt;b>"/)
    for (const page of [at, '/explore?topic=sea+BIRDS']) {
      const links = await linksOn(anyone, page)
      expect(links).toEqual(expect.arrayContaining(['/explore?topic=sea+birds', '/explore?topic=%3Cb%3E']))
    }
    const { text } = await anyone.get('/explore?topic=%3Cb%3E&topic=Sea+Birds&sort=name&q=a')
    expect(text).not.toContain('<b>')
    expect(text).toContain('<input type="hidden" name="topic" value="sea birds"')
    expect(text).toContain('href="/explore?q=a&amp;topic=%3Cb%3E&amp;sort=name"')
    for (const none of ['other', 'x'.repeat(300), '%00', '%E2%80%8B']) {
      const empty = await anyone.get(`/explore?topic=${none}`)
      expect([empty.status, empty.text.includes('No collection has these topics.')]).toEqual([200, true])
    }

    await stage.ada.patch(`${path}/metadata`, { keywords: 'Sea Birds' })
    await ada.postForm(`${at}/edit`, { do: 'save', keywords: 'Sea birds, Atlas', others })
    expect(await metadata()).toMatchObject({ keywords: 'Sea birds, Atlas' })
    for (const keywords of [7, ['a, b'], [1, 'a'], [], '']) {
      await stage.ada.patch(`${path}/metadata`, { keywords })
      const form = { do: 'save', keywords: '', others: JSON.stringify({ title: 'U', keywords }) }
      expect((await ada.get(`${at}/edit`)).text).toContain('&quot;keywords&quot;: ')
      await ada.postForm(`${at}/edit`, form)
      expect(await metadata()).toMatchObject({ title: 'U', keywords })
    }
    await stage.ada.patch(`${path}/metadata`, { keywords: ['gone'] })
    await ada.postForm(`${at}/edit`, { do: 'save', keywords: '', others })
    expect(await metadata()).toEqual({ title: 'T' })
  })

  test('the API reference leads back to the documentation', async () => {
    expect(await linksOn(anyone, '/docs/api')).toEqual(expect.arrayContaining(['/', '/docs']))
  })
})
