/** Commands for organizations, the audit log and withdrawal against a complete server: output and exit codes. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../../../server/src/testing/serve.ts'
import { type Ended, openPerson, type Person } from '../testing/cli.ts'

describe.each(anyDatabase)('organizations and a server on $name', ({ settings: open }) => {
  let server: TestServer
  let dispose: () => Promise<void>
  let ada: Person
  let bob: Person
  let stranger: Person
  const people: Person[] = []

  const personOf = async (login: string, scope: 'read' | 'write' | 'admin') => {
    const { cookie } = await server.signIn(login)
    const person = openPerson(server.url, await server.keyFor(cookie, scope))
    people.push(person)
    return person
  }

  beforeAll(async () => {
    const { settings, dispose: disposeDatabase } = await open()
    dispose = disposeDatabase
    server = await serveForTest(settings)
    ada = await personOf('ada', 'admin')
    bob = await personOf('bob', 'admin')
    stranger = openPerson(server.url)
    people.push(stranger)
    await done(ada, 'orgs', 'create', 'atlas')
  })
  afterAll(async () => {
    for (const person of people) person.dispose()
    await server.close()
    await dispose()
  })

  async function done(person: Person, ...args: string[]): Promise<Ended> {
    const ended = await person.ulmus('.', ...args)
    expect(ended, ended.said).toMatchObject({ code: 0 })
    return ended
  }
  const jsonOf = async (person: Person, ...args: string[]) =>
    JSON.parse((await done(person, ...args, '--json')).out)
  async function refused(person: Person, args: string[], code: number, said: RegExp) {
    const ended = await person.ulmus('.', ...args)
    expect(ended.said).toMatch(said)
    expect(ended, ended.said).toMatchObject({ code, out: '' })
  }
  /** `owner/slug` with versions v1.0.0 and v1.0.1. */
  async function birds(slug: string): Promise<string> {
    const collection = `ada/${slug}`
    await done(ada, 'collections', 'create', collection, '--public')
    const api = async (path: string, body: object) =>
      JSON.parse(
        (
          await done(
            ada,
            'api',
            'POST',
            `/collections/${collection}/pushes${path}`,
            '-d',
            JSON.stringify(body),
          )
        ).out,
      )
    const { session_id: session } = await api('', { base_version: null, schemas: { Bird: {} } })
    await done(
      ada,
      ...['api', 'POST', `/collections/${collection}/pushes/${session}/records`],
      ...['--type', 'application/x-ndjson', '-d', '{"id":"wren","type":"Bird","data":{}}'],
    )
    await api(`/${session}/commit`, {})
    await done(ada, 'metadata', 'set', collection, 'license=MIT')
    return collection
  }

  test('a user invited by name sees the invitation and joins', async () => {
    const made = await done(ada, 'orgs', 'invite', 'atlas', 'bob', '--role', 'admin')
    expect(made.out).toMatch(new RegExp(`^${server.url}/invitations/\\S+\n$`))
    expect(made.said).toMatch(/not shown again.*bob.*an admin of atlas.*expires/s)
    expect((await done(ada, 'orgs', 'invitations', 'atlas')).out).toMatch(/^\S+\tbob\tadmin\tada\t.+\n$/)
    const [{ id, org }] = await jsonOf(bob, 'invitations')
    expect(org.slug).toBe('atlas')
    expect((await done(bob, 'invitations', 'list')).out).toMatch(new RegExp(`^${id}\tatlas\tadmin\tada\t`))
    expect((await done(bob, 'invitations', 'accept', id)).said).toBe('You are a member of atlas.\n')
    expect((await done(ada, 'orgs', 'members', 'atlas')).out).toMatch(/^bob\tadmin\t/m)
    await refused(ada, ['orgs', 'invite', 'atlas', 'bob'], 1, /is already a member of `atlas`/)
  })

  test('where membership needs consent, adding a user prints an invitation link', async () => {
    const { settings, dispose: disposeDatabase } = await open()
    const asking = await serveForTest(settings, { newMembers: 'invited' })
    const eva = openPerson(asking.url, await asking.keyFor((await asking.signIn('eva')).cookie, 'admin'))
    await asking.signIn('bob')
    await done(eva, 'orgs', 'create', 'flock')
    const added = await done(eva, 'orgs', 'add', 'flock', 'bob')
    expect(added.out).toMatch(/^http\S+\/invitations\/\S+\n$/)
    expect(added.said).toMatch(/bob, who becomes a member of flock/)
    expect((await done(eva, 'orgs', 'members', 'flock')).out).not.toMatch(/bob/)
    eva.dispose()
    await asking.close()
    await disposeDatabase()
  })

  test('an address is invited by a link, which declines; an invitation is taken back', async () => {
    const link = (await done(ada, 'orgs', 'invite', 'atlas', 'eve@example.org')).out.trim()
    const eve = await personOf('eve', 'admin')
    expect(await jsonOf(eve, 'invitations')).toEqual([])
    expect((await done(eve, 'invitations', 'decline', link)).said).toMatch(/atlas is declined/)
    await refused(eve, ['invitations', 'accept', link.split('/').at(-1)!], 1, /no such invitation/)

    const second = await jsonOf(ada, 'orgs', 'invite', 'atlas', 'eve@example.org')
    expect(second).toMatchObject({ email: 'eve@example.org', user: null, role: 'member' })
    expect((await done(ada, 'orgs', 'invitations', 'atlas')).out).toMatch(/\teve@example\.org\tmember\t/)
    expect(await jsonOf(ada, 'orgs', 'uninvite', 'atlas', second.id)).toEqual({ ok: true })
    expect(await jsonOf(ada, 'orgs', 'invitations', 'atlas')).toEqual([])
    await refused(ada, ['orgs', 'uninvite', 'atlas', second.id], 1, /no such invitation/)
  })

  test('a caller without the needed scope cannot invite, and the error names the scope', async () => {
    const writer = await personOf('ada', 'write')
    await refused(writer, ['orgs', 'invite', 'atlas', 'eve'], 4, /`admin` scope.*login --scope admin/s)
    await refused(
      await personOf('mia', 'admin'),
      ['orgs', 'invite', 'atlas', 'eve'],
      4,
      /not a member of `atlas`/,
    )
    await refused(stranger, ['invitations'], 4, /ulmus login/)
  })

  test('settings are shown, and changed by owners', async () => {
    const before = { membersMayChangeVisibility: true, defaultVisibility: 'private' }
    expect(await jsonOf(ada, 'orgs', 'settings', 'atlas')).toEqual(before)
    const changes = ['--members-may-change-visibility', 'no', '--default-visibility', 'public']
    expect((await done(ada, 'orgs', 'settings', 'atlas', ...changes)).said).toMatch(/atlas.*changed/)
    expect((await done(ada, 'orgs', 'settings', 'atlas')).out).toBe(
      'members may change visibility  no\ndefault visibility             public\n',
    )
    expect(await jsonOf(ada, 'orgs', 'settings', 'atlas', '--default-visibility', 'private')).toEqual({
      ok: true,
    })
    expect(await jsonOf(ada, 'orgs', 'settings', 'atlas')).toMatchObject({
      membersMayChangeVisibility: false,
    })
    await refused(bob, ['orgs', 'settings', 'atlas', '--default-visibility', 'public'], 4, /the role `owner`/)
    await refused(ada, ['orgs', 'settings', 'atlas', '--default-visibility', 'secret'], 2, /private/)
  })

  test('a new collection is as the settings of its organization say, unless a flag says otherwise', async () => {
    await done(ada, 'orgs', 'create', 'commons')
    await done(ada, 'orgs', 'settings', 'commons', '--default-visibility', 'public')
    const isPublic = async (collection: string) =>
      JSON.parse((await done(ada, 'api', 'GET', `/collections/${collection}`)).out).public
    for (const [collection, flags, visibility] of [
      ['commons/usual', [], 'public'],
      ['commons/kept', ['--private'], 'private'],
      ['ada/usual', [], 'private'],
      ['ada/told', ['--public'], 'public'],
    ] as const) {
      const made = await done(ada, 'collections', 'create', collection, ...flags)
      expect([made.out, made.said]).toEqual([`${collection}\n`, expect.stringContaining(`, ${visibility}.`)])
      expect([collection, await isPublic(collection)]).toEqual([collection, visibility === 'public'])
    }
    const both = ['--public', '--private']
    await refused(ada, ['collections', 'create', 'commons/torn', ...both], 2, /--public and --private/)

    for (const [collection, flags, visibility] of [
      ['commons/pushed', [], 'public'],
      ['commons/pushed-kept', ['--private'], 'private'],
      ['ada/pushed', [], 'private'],
    ] as const) {
      const push = (...more: string[]) => ada.ulmus(collection, 'push', '--snapshot', ...more)
      await ada.ulmus(collection, 'init', collection)
      expect(await push(...both)).toMatchObject({ code: 2 })
      const pushed = await push(...flags)
      expect(pushed.said).toContain(`Created the collection ${collection}, ${visibility}.`)
      expect([collection, await isPublic(collection)]).toEqual([collection, visibility === 'public'])
    }
  })

  test('a collection goes to another account', async () => {
    const collection = await birds('moving')
    await refused(bob, ['collections', 'transfer', collection, 'atlas'], 4, /\w/)
    const moved = await done(ada, 'collections', 'transfer', collection, 'atlas')
    expect(moved.out).toBe('atlas/moving\n')
    expect((await done(ada, 'show', collection)).out).toMatch(/members of atlas|everybody/)
    expect(await jsonOf(ada, 'collections', 'transfer', 'atlas/moving', 'ada')).toEqual({
      owner: 'ada',
      slug: 'moving',
    })
  })

  test('a version is deprecated and no longer', async () => {
    const collection = await birds('warned')
    const version = `${collection}@v1.0.0`
    expect((await done(ada, 'deprecate', version, 'The wren is wrong.')).said).toMatch(/deprecated/)
    expect((await done(ada, 'log', collection)).out).toMatch(/^v1\.0\.0\t.*\tdeprecated\t/m)
    expect((await done(ada, 'show', version)).out).toMatch(/^deprecated +The wren is wrong\.$/m)
    expect((await done(ada, 'clone', version, 'warned', '--quiet')).said).toMatch(
      /deprecated: The wren is wrong/,
    )
    const again = /v1\.0\.0 is deprecated: The wren is wrong/
    expect((await ada.ulmus('warned', 'checkout', 'v1.0.0')).said).toMatch(again)
    expect((await done(ada, 'export', version, '-o', 'warned.tar.gz', '--json')).said).toMatch(again)
    await done(ada, 'deprecate', `${collection}@v1.0.1`, 'This one, too.')
    for (const how of [['pull'], ['pull', '--quiet']])
      expect((await ada.ulmus('warned', ...how)).said).toMatch(/v1\.0\.1 is deprecated: This one, too/)
    expect((await done(ada, 'show', collection)).out).toMatch(/^deprecated +This one, too\.$/m)
    await done(ada, 'deprecate', `${collection}@v1.0.1`, '--clear')
    expect(await jsonOf(ada, 'deprecate', version, '--clear')).toEqual({ ok: true })
    expect((await done(ada, 'log', collection)).out).not.toMatch(/deprecated/)
    await refused(ada, ['deprecate', version], 2, /message.*--clear/s)
    await refused(ada, ['deprecate', version, 'Both', '--clear'], 2, /--clear/)
    await refused(ada, ['deprecate', collection, 'All of it'], 2, /has no version.*ulmus log ada\/warned/s)
    await refused(bob, ['deprecate', version, 'Mine'], 4, /\w/)
  })

  test('a version is withdrawn after confirmation', async () => {
    const collection = await birds('gone')
    const version = `${collection}@v1.0.1`
    const withdraw = ['withdraw', version, '--reason', 'It names people.']
    await refused(ada, withdraw, 2, /gone@v1\.0\.1 would become unreadable.*cannot be undone.*--yes/s)
    await refused(
      ada,
      [...withdraw, '--erase'],
      2,
      /no other version of any collection has are erased.*--yes/s,
    )
    await refused(ada, ['withdraw', version, '--yes'], 2, /reason/)
    await refused(ada, ['withdraw', collection, '--reason', 'x', '--yes'], 2, /has no version/)
    await refused(ada, ['withdraw', `${collection}@latest`, '--reason', 'x', '--yes'], 2, /by its number/)
    await refused(ada, ['withdraw', `${version}#Bird`, '--reason', 'x', '--yes'], 2, /whole versions/)
    await refused(bob, [...withdraw, '--yes'], 4, /\w/)
    await done(ada, 'clone', version, 'gone')
    const ended = await done(ada, ...withdraw, '--yes')
    expect(ended.said).toMatch(/gone@v1\.0\.1 is withdrawn\. `latest` is now v1\.0\.0/)
    expect((await done(ada, 'log', collection)).out).toMatch(/^v1\.0\.1\t.*\twithdrawn\t/m)
    await refused(ada, ['show', version], 1, /withdrawn on .*It names people/)
    const pull = await ada.ulmus('gone', 'pull')
    expect(pull.said).toMatch(/v1\.0\.1` was withdrawn[\s\S]*ulmus clone ada\/gone/)
    expect(pull.code).toBe(1)
    const erased = await jsonOf(ada, ...withdraw, '--erase', '--yes')
    expect(erased).toMatchObject({ semver: 'v1.0.1', erase: true, latest: 'v1.0.0' })
  })

  test('a record is removed from all versions after confirmation', async () => {
    const collection = await birds('forgotten')
    const record = `${collection}#Bird/wren`
    const erase = ['erase', record]
    await refused(
      ada,
      erase,
      2,
      /2 versions with Bird\/wren become unreadable.*v1\.1\.0 is published.*--yes/s,
    )
    await refused(ada, ['erase', collection], 2, /Name one record/)
    await refused(ada, ['erase', `${collection}@v1.0.0#Bird/wren`], 2, /without a version/)
    await refused(bob, [...erase, '--yes'], 4, /\w/)
    expect(await jsonOf(ada, ...erase, '--dry-run')).toMatchObject({ latest: 'v1.0.1', publishes: 'v1.1.0' })
    const receipt = await jsonOf(ada, ...erase, '--yes', '--reason', 'It was asked for')
    expect(receipt).toMatchObject({
      ...{ collection, type: 'Bird', id: 'wren', published: 'v1.1.0', latest: 'v1.1.0' },
      versions: ['v1.0.1', 'v1.0.0'],
    })
    await refused(ada, ['show', `${collection}@v1.0.0`], 1, /withdrawn on .*It was asked for/)
    await refused(ada, [...erase, '--yes'], 1, /Bird/)
    await done(ada, 'show', `${collection}@v1.1.0`)
  })

  test('events: rows, JSON, and lines as they come', async () => {
    const collection = await birds('heard')
    await expect
      .poll(async () => (await done(ada, 'events', collection, '--kind', 'version.created')).out)
      .toMatch(/^\d+\t\d{4}-\d\d-\d\d \d\d:\d\d\tversion\.made\tada\/heard\tv1\.0\.0\tmajor\n/)
    const events = await jsonOf(ada, 'events', collection)
    expect(events[0]).toMatchObject({ kind: 'collection.made', collection: { slug: 'heard' } })
    const rest = await jsonOf(ada, 'events', collection, '--after', String(events[0].seq), '--limit', '1')
    expect(rest).toEqual([events[1]])
    const lines = (await done(ada, 'events', collection, '--ndjson')).out
    expect(
      lines
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(events)
    expect((await done(ada, 'events', '--owner', 'ada', '--after', 'latest')).out).toBe('')
    await refused(ada, ['events', '--kind', 'version.born'], 2, /version\.made/)
    await refused(ada, ['events', '--after', 'now'], 2, /latest/)
    await refused(ada, ['events', '--follow', '--json'], 2, /--ndjson/)
  })

  test('the audit log: a table, pages of JSON, lines', async () => {
    const collection = await birds('logged')
    await done(ada, 'withdraw', `${collection}@v1.0.0`, '--reason', 'It names people.', '--yes')
    const all = await done(ada, 'audit', 'ada', '--action', 'version.made')
    expect(all.out).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d\tada\tversion\.made\tada\/\S+@v1\.0\.1\ttest\t/)
    const events = await jsonOf(ada, 'audit', 'ada', '--action', 'version.made', '--limit', '2')
    expect(events).toHaveLength(2)
    expect(events[0].actor).toMatchObject({ account: 'ada', key: { label: 'test' } })
    const lines = (await done(ada, 'audit', 'ada', '--ndjson', '--action', 'version.made')).out
    expect(JSON.parse(lines.split('\n')[0]!)).toEqual(events[0])
    const withdrawn = await done(ada, 'audit', 'ada', '--action', 'version.withdrawn')
    expect(withdrawn.out).toMatch(/reason=It names people\./)
    expect((await done(ada, 'audit', 'ada', '--actor', 'bob')).out).toBe('')
    expect((await done(ada, 'audit', 'ada', '--after', '2999-01-01', '--ndjson')).out).toBe('')
    await refused(ada, ['audit', 'ada', '--after', 'yesterday'], 2, /2026-01-31/)
    await refused(ada, ['audit', 'ada', '--json', '--ndjson'], 2, /--json and --ndjson/)
    await refused(await personOf('ada', 'write'), ['audit', 'ada'], 4, /login --scope admin/)
    await refused(bob, ['audit', 'ada'], 4, /\w/)
  })

  test('what an account has stored', async () => {
    await birds('heavy')
    const own = await done(ada, 'usage')
    expect(own.out).toMatch(/^account +ada$/m)
    expect(own.out).toMatch(/^used +[\d.,]+ (B|kB)$/m)
    expect(own.out).toMatch(/^quota +none/m)
    expect(own.out).toMatch(/^ {2}ada\/heavy +/m)
    expect(await jsonOf(ada, 'usage', 'atlas')).toMatchObject({ quotaBytes: null, collections: [] })
    await refused(bob, ['usage', 'ada'], 4, /\w/)
    await refused(stranger, ['usage'], 4, /ulmus login/)
  })
})
