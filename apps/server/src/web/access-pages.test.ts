/** The page of access, and the pages of a collection for its collaborators. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Collaboration, grants, type Person, setCollaboration } from '../testing/collaboration.ts'
import { crawl, type Fetched, linksOf, postingButtonsIn } from '../testing/crawl.ts'
import { blankIn, decoded } from '../testing/html.ts'
import { expectStatus } from '../testing/test-client.ts'

const bare = (html: string): string =>
  decoded(html.replace(/<svg.*?<\/svg>/gs, '').replace(/<[^>]*>/g, '')).replace(/\s+/g, ' ')
const readersLine = (html: string): string | undefined => {
  const line = /<p class="readers">.*?<\/p>/s.exec(html)?.[0]
  return line && bare(line).trim()
}
const savedNote = (html: string): string | undefined => {
  const note = /<p class="note saved" role="status">.*?<\/p>/s.exec(html)?.[0]
  return note && bare(note).trim()
}

describe.each(anyDatabase)('access on pages, on $name', { timeout: 120_000 }, (database) => {
  let place: Collaboration
  beforeAll(async () => {
    place = await setCollaboration(database)
  })
  afterAll(() => place.end())

  test('an admin adds a collaborator, changes the grant and removes it', async () => {
    const { by } = place
    const at = await place.newCollection('acme')
    const page = `${at}/access`
    const grantOfUma = async () =>
      (await by.ada.get(`/api/collections${at}/collaborators`)).json
        .map((one: { account: { slug: string }; grant: string }) => [one.account.slug, one.grant])
        .filter(([slug]: string[]) => slug === 'uma')
    expect(linksOf({ ...(await by.ada.get(`${at}/settings`)), path: `${at}/settings` })).toContain(page)
    const added = await by.ada.postForm(page, { user: '@uma', grant: 'read' })
    expect([added.status, added.headers.location]).toEqual([303, `${page}?saved=collaborator-set`])
    expect(savedNote((await by.ada.get(added.headers.location!)).text)).toBe(
      'The collaborator has this grant now.',
    )
    expect(await grantOfUma()).toEqual([['uma', 'read']])
    expect((await by.uma.get(at)).status).toBe(200)
    await by.ada.postForm(page, { user: 'uma', grant: 'write' })
    const { text } = await by.ada.get(page)
    expect(text).toMatch(/aria-label="Grant of uma".*?value="write" selected/s)
    expect(bare(text)).toContain('2 members of acme read and change all of it: ada (owner), ben')
    expect(bare(text)).toContain('reads nothing: the collection is private. Change this')
    expect(linksOf({ ...(await by.ada.get(page)), path: page })).toContain('/acme/-/members')
    await by.ada.postForm(page, { do: 'remove', user: 'uma' })
    expect([await grantOfUma(), (await by.uma.get(at)).status]).toEqual([[], 404])

    const unknown = await by.ada.postForm(page, { user: 'absent', grant: 'write' })
    expect([unknown.status, unknown.text.includes('value="absent"')]).toEqual([404, true])
    expect(unknown.text).toMatch(/value="write" checked/)
    expect((await by.ada.postForm(page, { user: 'uma', grant: 'all' })).status).toBe(400)
  })

  /** Parameters of links that are no other question about the same data. */
  const isPlain = (path: string) =>
    [...new URL(path, 'http://x').searchParams.keys()].every((name) =>
      ['version', 'type', 'id'].includes(name),
    )
  const formEnds =
    /^\/(?:push|edit|new|delete|restore|withdraw|erase|fork|settings|publishing|webhooks|access)$/

  /** Canonical paths of pages that need a query. */
  const lacksQuery = /\/(?:restore|erase|record)$/

  /** Forms that links lead to from the overview and from a record, as ends of paths. Every link leads somewhere. */
  async function formsFor(person: Person, at: string): Promise<Map<string, Fetched>> {
    const found = new Map<string, Fetched>()
    await crawl(place.by[person], [at, `${at}/records/A/1`], {
      isInside: (path) => path.startsWith(at) && isPlain(path) && !lacksQuery.test(path),
      onPage: (page) => {
        expect([person, page.path, page.status < 400]).toEqual([person, page.path, true])
        const path = page.path.split('?')[0]!.slice(at.length)
        if (formEnds.test(path.slice(path.lastIndexOf('/')))) found.set(path, page)
      },
    })
    return found
  }

  const ofReaders = ['/access', '/webhooks']
  const ofWriters = [
    ...ofReaders,
    ...['/edit', '/push', '/restore', '/withdraw'],
    ...['/records/A/1/delete', '/records/A/1/edit', '/records/A/2/delete', '/records/A/2/edit'],
    ...['/records/A/new', '/schemas/A/edit', '/schemas/new'],
  ]
  const ofAdmins = [...ofWriters, ...['/publishing', '/questions/asked/edit', '/settings']]

  test('links lead to all forms that a grant permits, and to no other', async () => {
    const at = await place.newCollection('acme')
    const forms = new Map<Person, Map<string, Fetched>>()
    for (const person of ['rita', 'will', 'amy', 'ben', 'ada'] as const)
      forms.set(person, await formsFor(person, at))
    const linksFor = (person: Person) => [...forms.get(person)!.keys()].sort()
    expect(linksFor('rita')).toEqual([...ofReaders].sort())
    expect(linksFor('will')).toEqual([...ofWriters].sort())
    expect(linksFor('amy')).toEqual([...ofAdmins].sort())
    expect(linksFor('ada')).toEqual([...ofAdmins, '/erase', '/fork'].sort())
    const ofMembers = [...ofAdmins, '/fork'].filter((end) => !['/publishing', '/withdraw'].includes(end))
    expect(linksFor('ben')).toEqual(ofMembers.sort())
    for (const person of ['rita', 'will', 'amy'] as const)
      for (const [end, { path }] of forms.get('ada')!)
        if (!forms.get(person)!.has(end) && end !== '/fork')
          expect([person, end, (await place.by[person].get(path)).status]).toEqual([person, end, 403])

    const buttons = (person: Person, end: string) =>
      postingButtonsIn(forms.get(person)!.get(end)!.text)
        .filter(({ action }) => action === undefined)
        .map(({ value }) => value ?? 'send')
    expect(buttons('will', '/withdraw')).toEqual(['warn'])
    expect(buttons('amy', '/withdraw')).toEqual(['warn'])
    expect(buttons('ada', '/withdraw')).toEqual(['warn', 'withdraw'])
    expect(buttons('rita', '/access')).toEqual(['leave'])
    expect(buttons('ben', '/access')).toEqual([])
    expect(buttons('amy', '/access').filter((value) => value === 'remove')).toHaveLength(2)
    expect(buttons('amy', '/access')).toContain('leave')
    expect(buttons('amy', '/settings')).toEqual(['send'])
    expect(forms.get('amy')!.get('/settings')!.text).toContain('Only acme can delete or transfer it.')
    // A collaborator with the grant admin sees the members, and may not open their page.
    const own = forms.get('amy')!.get('/access')!
    expect(bare(own.text)).toContain('2 members of acme read and change all of it')
    expect(linksOf(own)).not.toContain('/acme/-/members')
  })

  test('a writer warns readers of a version', async () => {
    const at = await place.newCollection('acme')
    const form = { do: 'warn', message: 'It is old' }
    const warned = await place.by.will.postForm(`${at}/withdraw?version=v1.0.0`, form)
    expect([warned.status, warned.headers.location]).toEqual([303, `${at}/v/v1.0.0`])
    expect((await place.by.rita.get(`${at}/v/v1.0.0`)).text).toContain('It is old')
    const withdrawal = { do: 'withdraw', confirm: 'v1.0.0', reason: 'x' }
    expect((await place.by.will.postForm(`${at}/withdraw?version=v1.0.0`, withdrawal)).status).toBe(403)
  })

  test('the overview names the readers of a private collection to them alone', async () => {
    const { by } = place
    const lineOf = async (person: Person, at: string) => readersLine((await by[person].get(at)).text)
    const acme = await place.newCollection('acme')
    expect(await lineOf('ada', acme)).toBe('Private: 2 members of acme, 3 collaborators')
    expect(await lineOf('rita', acme)).toBe(
      'Private: 2 members of acme, 3 collaborators You are a collaborator: you may read all of it. Leave',
    )
    const links = async (person: Person) => linksOf({ ...(await by[person].get(acme)), path: acme })
    expect(await links('ben')).toContain(`${acme}/access`)
    expect(readersLine((await by.ada.get(`${acme}?view=public`)).text)).toBeUndefined()
    const own = await place.newCollection('ada')
    expect(await lineOf('ada', own)).toBe('Private: you and 3 collaborators')
    expect(await lineOf('will', own)).toContain('Private: ada and 3 collaborators You are')
    for (const user of Object.keys(grants)) await by.ada.postForm(`${own}/access`, { do: 'remove', user })
    expect(await lineOf('ada', own)).toBe('Private: you alone')
    const shared = await place.newCollection('acme', true)
    expect(await lineOf('ada', shared)).toBeUndefined()
    expect(await lineOf('eve', shared)).toBeUndefined()
    expect(await lineOf('rita', shared)).toBe('You are a collaborator: you may read all of it. Leave')
  })

  test('a collaborator leaves, from a private collection to the home page', async () => {
    const { by } = place
    for (const [isPublic, to] of [
      [false, '/?saved=left'],
      [true, '/acme/SLUG?saved=left'],
    ] as const) {
      const at = await place.newCollection('acme', isPublic)
      for (const person of ['rita', 'amy'] as const) {
        const left = await by[person].postForm(`${at}/access`, { do: 'leave' })
        expect([left.status, left.headers.location]).toEqual([303, to.replace('/acme/SLUG', at)])
        const text = 'You left the collection: you are no longer its collaborator.'
        expect(savedNote((await by[person].get(left.headers.location!)).text)).toBe(text)
        expect((await by[person].get(`${at}/access`)).status).toBe(isPublic ? 403 : 404)
      }
    }
  })

  test('members fork private collections; of a public one others fork what the public sees', async () => {
    const hidden = await place.newCollection('acme')
    const open = await place.newCollection('acme', true)
    const formOf = async (person: Person, at: string) =>
      /name="org"/.test((await place.by[person].get(`${at}/fork`)).text)
    expect([await formOf('rita', hidden), await formOf('rita', open)]).toEqual([false, true])
    expect((await place.by.rita.get(`${open}/fork`)).text).toContain('Your fork has what the public sees')
    const { headers } = await place.by.rita.postForm(`${open}/fork`, {
      ...{ org: 'rita', slug: 'of-rita', content: 'public', visibility: 'private' },
    })
    expect(headers.location).toBe('/rita/of-rita')
    expect([await formOf('ben', hidden), await formOf('eve', open)]).toEqual([true, true])
    expect((await place.by.rita.get(hidden)).text).not.toContain(`${hidden}/fork`)
  })

  test('the home page lists a shared collection with its owner', async () => {
    const at = await place.newCollection('acme')
    const [owner, slug] = at.slice(1).split('/')
    const shared = `Shared by ${owner}: you are a collaborator.`
    const ofRita = bare((await place.by.rita.get('/')).text)
    expect([ofRita.includes(`acme/${slug}`), ofRita.includes(shared)]).toEqual([true, true])
    const ofAda = bare((await place.by.ada.get('/')).text)
    expect([ofAda.includes(`acme/${slug}`), ofAda.includes(shared)]).toEqual([true, false])
    // Later ones push it to a further page: no other page of the collaborator has it.
    for (let n = 0; n < 5; n++) await place.newCollection('acme')
    const links: string[] = []
    for (let path: string | undefined = '/'; path !== undefined; ) {
      const page: Fetched = { ...(await place.by.rita.get(path)), path }
      links.push(...linksOf(page))
      path = /<a rel="next" href="([^"]+)"/.exec(page.text)?.[1]
    }
    expect([
      links.includes(at),
      linksOf({ ...(await place.by.rita.get('/')), path: '/' }).includes(at),
    ]).toEqual([true, false])
  })

  test('hostile and blank names of people do nothing, and are visible', async () => {
    const at = await place.newCollection('acme')
    const page = `${at}/access`
    await place.by.ada.postForm(page, { user: 'uma', grant: 'read' })
    for (const displayName of ['"><script>alert(1)</script>', '\u200b']) {
      await expectStatus(place.by.uma.patch('/api/accounts/uma', { displayName }))
      const { text } = await place.by.ada.get(page)
      expect(text).not.toContain('<script>alert')
      expect(blankIn(text)).toEqual([])
    }
    const hostile = { user: '"><img src=x onerror=alert(1)>', grant: 'read' }
    const refused = await place.by.ada.postForm(page, hostile)
    expect(refused.status).toBe(404)
    expect(refused.text).not.toContain('<img src=x')
  })

  test('the audit log names the collaborator and the grant', async () => {
    const at = await place.newCollection('acme')
    await place.by.ada.postForm(`${at}/access`, { do: 'remove', user: 'will' })
    const log = bare((await place.by.ada.get('/acme/-/audit')).text)
    expect(log).toContain(`removed a collaborator of ${at.slice(1)} (user: will, before: write)`)
    expect(log).toContain(`gave a collaborator a grant on ${at.slice(1)} (user: will, grant: write)`)
  })
})

describe.each(anyDatabase)('invited collaborators on pages, on $name', (database) => {
  let place: Collaboration
  beforeAll(async () => {
    place = await setCollaboration(database, 'invited')
  })
  afterAll(() => place.end())

  test('a collaborator is invited by a link that is shown once, and joins', async () => {
    const { by } = place
    const at = await place.newCollection('acme')
    const page = `${at}/access`
    const invited = await by.ada.postForm(page, { user: 'rita', grant: 'write' })
    const [, token] = /\/invitations\/([\w-]{43})/.exec(invited.text)!
    expect([invited.status, bare(invited.text).includes('Send this link to rita.')]).toEqual([200, true])
    const pending = await by.ada.get(page)
    expect([bare(pending.text).includes('rita as collaborator (write), until')]).toEqual([true])
    expect(pending.text).not.toContain(token)

    const home = await by.rita.get('/')
    expect(bare(home.text)).toContain(`Join ${at.slice(1)} to read all of it and publish`)
    expect((await by.eve.get(`/invitations/${token}`)).status).toBe(404)
    const invitation = bare((await by.rita.get(`/invitations/${token}`)).text)
    expect(invitation).toContain(
      `ada has invited you to the collection ${at.slice(1)}, to read all of it and publish.`,
    )
    expect(invitation).toContain('You get no access to other collections of acme')
    const joined = await by.rita.postForm(`/invitations/${token}`, { do: 'accept' })
    expect([joined.status, joined.headers.location]).toEqual([303, `${at}?saved=joined`])
    expect(savedNote((await by.rita.get(joined.headers.location!)).text)).toBe('You are a collaborator now.')
  })

  test('an invitation is cancelled, and another one declined', async () => {
    const { by } = place
    const at = await place.newCollection('ada')
    const page = `${at}/access`
    await by.ada.postForm(page, { user: 'will', grant: 'read' })
    const [button] = postingButtonsIn((await by.ada.get(page)).text).filter(
      ({ value }) => value === 'take-back',
    )
    expect(button?.fields).toEqual(['user'])
    const cancelled = await by.ada.postForm(page, { do: 'take-back', user: 'will' })
    expect(savedNote((await by.ada.get(cancelled.headers.location!)).text)).toBe(
      'The invitation is cancelled.',
    )
    const invited = await by.ada.postForm(page, { user: 'will', grant: 'read' })
    const [path] = /\/invitations\/[\w-]{43}/.exec(invited.text)!
    expect((await by.will.postForm(path, { do: 'decline' })).headers.location).toBe('/')
    expect((await by.will.get(at)).status).toBe(404)
  })
})
