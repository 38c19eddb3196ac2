/** Pages of accounts over HTTP: large organizations, audit logs, and defaults of the form for a new collection. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linksOf } from '../testing/crawl.ts'
import { addOrg, serveForTest, type TestServer } from '../testing/serve.ts'
import { type TestClient, testClient } from '../testing/test-client.ts'

describe.each(anyDatabase)('pages of accounts on $name', (database) => {
  let server: TestServer
  let dispose: () => Promise<void>

  beforeAll(async () => {
    const test = await database.settings()
    dispose = test.dispose
    const operators = [{ issuer: 'urn:ulmus:development', subject: 'operator' }]
    server = await serveForTest(test.settings, { operators })
  })
  afterAll(async () => {
    await server.close()
    await dispose()
  })
  const signIn = async (login: string) => testClient(server.url, await server.signIn(login), '')

  describe('members of an organization of 101', { timeout: 120_000 }, () => {
    const at = '/crowd/-/members'
    let zoe: TestClient

    beforeAll(async () => {
      const founder = await server.signIn('founder')
      const others = Array.from({ length: 99 }, (_, n) => `member-${String(n).padStart(2, '0')}`)
      for (const login of others) await server.signIn(login)
      zoe = await signIn('zoe')
      const joining = Object.fromEntries(others.map((login) => [login, 'member' as const]))
      await addOrg(server, founder, 'crowd', { ...joining, zoe: 'owner' })
    }, 120_000)

    const peopleOn = (html: string) =>
      [...html.matchAll(/<th scope="row"><a href="\/([^"]+)"/g)].map(([, slug]) => slug)
    const nextOf = (path: string, page: Awaited<ReturnType<TestClient['get']>>) =>
      linksOf({ ...page, path }).find((link) => link.startsWith(`${at}?cursor=`))!

    test('the last by name manages it from every page, and reaches all', async () => {
      const first = await zoe.get(at)
      const next = nextOf(at, first)
      const second = await zoe.get(next)
      expect([...peopleOn(first.text), ...peopleOn(second.text)].length).toBe(101)
      expect(peopleOn(second.text)).toEqual(['zoe'])
      for (const { text } of [first, second]) {
        expect(text).toContain('Add a member')
        expect(text).toContain('aria-label="Role of ')
      }
      expect(second.text).toContain('Leave<span')
      expect(nextOf(next, second)).toBeDefined()
    })

    test('its form leads back to the page that it was sent from, and to the first where that is empty by then', async () => {
      const next = nextOf(at, await zoe.get(at))
      const changed = await zoe.postForm(next, { user: 'zoe', role: 'owner' })
      expect([changed.status, changed.headers.location]).toEqual([303, next])
      expect((await zoe.postForm(next, { do: 'remove', user: 'zoe' })).headers.location).toBe('/crowd')
      const founder = await signIn('founder')
      expect(peopleOn((await founder.get(next)).text)).toHaveLength(100)
      await founder.postForm(at, { user: 'zoe', role: 'owner' })
    })

    test('its page says that there are more than it counted', async () => {
      expect((await zoe.get('/crowd')).text).toContain('more than 100 members')
    })
  })

  describe('audit logs', () => {
    const rowsOf = (html: string) => (html.match(/<tr>/g) ?? []).length - 1
    let operator: TestClient

    beforeAll(async () => {
      operator = await signIn('operator')
    })

    test('a page leads to the next one of what it was asked for', async () => {
      const founder = await signIn('founder')
      const counts: number[] = []
      let path: string | undefined = '/crowd/-/audit?action=member.set&after=2026-01-01'
      while (path !== undefined) {
        const page = await founder.get(path)
        counts.push(rowsOf(page.text))
        expect(page.text.includes('value="2026-01-01"')).toBe(true)
        const [, next] = /<a rel="next" href="([^"]+)"/.exec(page.text) ?? []
        path = next?.replaceAll('&amp;', '&')
      }
      expect(counts).toEqual([50, 50, 1])
    })

    test('a filter after tomorrow lists nothing, an invalid day shows an error', async () => {
      const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
      expect((await operator.get(`/admin/audit?after=${tomorrow}`)).text).toContain('There is nothing here.')
      for (const day of ['yesterday', '2026-02-30', '2026-1-1', '0000-00-00']) {
        const wrong = await operator.get(`/admin/audit?after=${day}`)
        expect([day, wrong.status, wrong.text.includes('must be a day')]).toEqual([day, 400, true])
      }
    })

    test('an instant that no database keeps is refused with a sentence', async () => {
      for (const instant of [
        '0000-01-01T00:00:00Z',
        '0001-01-01T00:00:00+10:00',
        '9999-12-31T23:59:59-10:00',
      ]) {
        for (const path of ['/api/admin/audit', '/api/accounts/operator/audit.ndjson']) {
          const { status, json } = await operator.get(`${path}?after=${encodeURIComponent(instant)}`)
          expect([status, json.issues[0].path]).toEqual([400, 'after'])
        }
      }
    })

    test('every action has words and can be chosen', async () => {
      const { text } = await operator.get('/admin/audit')
      for (const action of ['collection.forked', 'identity.linked'])
        expect(text).toContain(`value="${action}"`)
      expect(text).not.toMatch(/>[a-z]+\.[a-z_]+ <bdi>/)
    })

    test('operators read what everybody did, and what is under way', async () => {
      const { text } = await operator.get('/admin/audit?actor=founder')
      expect(rowsOf(text)).toBe(50)
      expect(/<td[^>]*>gave a role to <bdi>member-98<\/bdi>/.test(text)).toBe(true)
      const pusher = testClient(server.url, await server.signIn('pusher'))
      await pusher.post('/accounts/pusher/collections', { slug: 'pushed' })
      await pusher.post('/collections/pusher/pushed/pushes', { base_version: null, schemas: { A: {} } })
      expect(/Under way:.*1 open push</.test((await operator.get('/admin')).text)).toBe(true)
    })
  })

  test('the row of an account leads to forms that are filled in, and escapes the name in the address', async () => {
    const operator = await signIn('operator')
    await signIn('leaver')
    const { text } = await operator.get('/admin?q=leaver')
    const fields = { quota: 'quotaBytes', identity: 'issuer', transfer: 'receiver', erase: 'confirm' }
    for (const [form, id] of Object.entries(fields))
      expect(text).toContain(`href="/admin?for=leaver&amp;form=${form}#field-${id}"`)
    expect(text).not.toContain('href="/admin?for=leaver&amp;form=owner#field-owner"')
    // Owner is offered where owners lack, and nowhere else.
    await addOrg(server, await server.signIn('alone'), 'orphaned')
    const ownerForm = 'href="/admin?for=orphaned&amp;form=owner#field-owner"'
    expect((await operator.get('/admin?q=orphaned')).text).not.toContain(ownerForm)
    await operator.patch('/api/admin/accounts/alone', { suspended: true })
    expect((await operator.get('/admin?q=orphaned')).text).toContain(ownerForm)
    const filled = (await operator.get('/admin?for=leaver')).text
    const inputs = filled.match(/<input[^>]*>/g)!.filter((input) => input.includes('value="leaver"'))
    for (const name of ['quotaOf', 'linkTo', 'leaver', 'account'])
      expect(inputs.some((input) => input.includes(`name="${name}"`))).toBe(true)
    // The confirmation is typed, and what was entered stays after a refusal.
    expect(inputs.some((input) => input.includes('name="confirm"'))).toBe(false)
    const sent = { do: 'quota', quotaOf: 'other', quotaBytes: 'many' }
    expect((await operator.postForm('/admin?for=leaver', sent)).text).toMatch(
      /name="quotaOf"[^>]*value="other"/,
    )
    expect((await operator.get('/admin?for=%22%3E%3Cb%3E')).text).not.toContain('"><b>')
  })

  test('the sample is one press away from an empty registry and an empty account, and is made once', async () => {
    const [newcomer, anyone] = [await signIn('newcomer'), testClient(server.url, undefined, '')]
    const offer = 'action="/new/sample"'
    for (const at of ['/', '/newcomer']) expect((await newcomer.get(at)).text).toContain(offer)
    expect((await anyone.get('/')).text).not.toContain(offer)
    const [at, form] = ['/newcomer/countries', { owner: 'newcomer' }]
    const made = await newcomer.postForm('/new/sample', form)
    expect([made.status, made.headers.location]).toEqual([303, `${at}/records/Country`])
    const { json } = await anyone.get(`/api/collections${at}`)
    expect(json).toMatchObject({ public: true, latestVersion: { recordCount: 56 } })
    expect(json.latestVersion.metadata.license).toBe('CC0-1.0')
    expect((await anyone.get(`${at}/records/Country/NOR`)).text).toContain('59.91° N, 10.75° E')
    // The same card in all lists.
    const cardIn = (html: string) =>
      /<li><div class="head-row">.*?<\/time>/s.exec(html)?.[0].replace(/h[23]>/g, 'h>')
    const [card, ...others] = await Promise.all(
      ['/newcomer', '/', '/explore?q=countries'].map(async (path) => cardIn((await newcomer.get(path)).text)),
    )
    const words = card!.replace(/<[^>]*>/g, '')
    expect(words).toMatch(/^Countries \(sample\)newcomer\/countriesFifty countries/)
    expect(words).toMatch(/v1\.0\.0 ?56 records ?[\d.]+ kB ?Continent, Country ?CC0-1\.0 ?Updated/)
    expect(others).toEqual([card, card])
    const again = await newcomer.postForm('/new/sample', form)
    expect([again.status, again.text.includes(`href="${at}"`)]).toEqual([409, true])
    for (const path of ['/', '/newcomer']) expect((await newcomer.get(path)).text).not.toContain(offer)
    expect((await anyone.get('/')).text).toContain(`<a href="${at}/records">56 records</a>`)
  })

  describe('the form of a new collection', () => {
    const chosenIn = (html: string) =>
      /<input type="radio" name="visibility" value="([^"]*)" checked/.exec(html)![1]!

    test('leaves it to the settings of the organization, unless its maker says otherwise', async () => {
      const { cookie } = await server.signIn('keeper')
      await addOrg(server, { cookie }, 'commons')
      const keeper = testClient(server.url, { cookie }, '')
      // Its page offers to make one, to its members alone.
      const empty = async (client: TestClient) =>
        /<p class="empty-title">.*?<\/div>/s.exec((await client.get('/commons')).text)![0]
      expect(await empty(keeper)).toMatch(/No collections yet\..*href="\/new\?owner=commons"/s)
      expect(await empty(testClient(server.url, undefined, ''))).toContain('No collections that you can see')
      const rules = { do: 'rules', visibility: 'members', default: 'public' }
      expect((await keeper.postForm('/commons/-/settings', rules)).status).toBe(303)
      const usual = chosenIn((await keeper.get('/new?owner=commons')).text)
      const made = async (owner: string, slug: string, visibility: string) => {
        const { status } = await keeper.postForm('/new', { owner, slug, visibility, next: 'page' })
        return [status, (await keeper.get(`/api/collections/${owner}/${slug}`)).json.public]
      }
      expect(await made('commons', 'usual', usual)).toEqual([303, true])
      expect(await made('commons', 'kept', 'private')).toEqual([303, false])
      expect(await made('keeper', 'own', usual)).toEqual([303, false])
      expect(await made('keeper', 'told', 'public')).toEqual([303, true])
    })

    test('makes the address from the name if it is left empty', async () => {
      const maker = testClient(server.url, { cookie: (await server.signIn('maker')).cookie }, '')
      const made = await maker.postForm('/new', {
        owner: 'maker',
        name: 'Tromsø & towns',
        slug: '',
        next: 'page',
      })
      expect(made.headers.location).toBe('/maker/tromso-towns')
      expect((await maker.get('/api/collections/maker/tromso-towns')).json.name).toBe('Tromsø & towns')
      const org = await maker.postForm('/new/org', {
        name: 'A museum with a name that is too long for a handle',
        slug: '',
      })
      expect(org.headers.location).toBe('/a-museum-with-a-name-that-is-too-long-f')
      const nameless = await maker.postForm('/new', { owner: 'maker', name: '日本', slug: '', next: 'page' })
      expect([nameless.status, nameless.text.includes('value="日本"')]).toEqual([422, true])
    })

    test('preselects Private for users without an organization', async () => {
      const { text } = await (await signIn('loner')).get('/new')
      expect([chosenIn(text), text.match(/name="visibility"/g)!.length]).toEqual(['private', 2])
    })
  })
})
