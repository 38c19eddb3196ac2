/** Commands for the access to a collection, and invitations to collections, against a complete server: output and exit codes. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../../../server/src/testing/serve.ts'
import { type Ended, openPerson, type Person } from '../testing/cli.ts'

const ends: (() => unknown)[] = []
afterAll(async () => {
  for (const end of ends.toReversed()) await end()
})

async function personOf(server: TestServer, login: string, scope: 'write' | 'admin' = 'admin') {
  const { cookie } = await server.signIn(login)
  const person = openPerson(server.url, await server.keyFor(cookie, scope))
  ends.push(() => person.dispose())
  return person
}

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
/** Lines without their dates. */
const undated = ({ out }: Ended) => out.trimEnd().replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'TIME')

describe.each(anyDatabase)('access and a server on $name', ({ settings: open }) => {
  const start = async (newMembers: 'added' | 'invited') => {
    const { settings, dispose } = await open()
    ends.push(dispose)
    const server = await serveForTest(settings, { newMembers })
    ends.push(() => server.close())
    return server
  }
  let server: TestServer
  let ada: Person
  let bob: Person
  beforeAll(async () => {
    server = await start('added')
    ada = await personOf(server, 'ada')
    bob = await personOf(server, 'bob')
    await server.signIn('eva')
    await done(ada, 'orgs', 'create', 'atlas')
    await done(ada, 'orgs', 'add', 'atlas', 'eva')
  })

  test('a grant is given, listed with its reason, changed and revoked', async () => {
    const path = 'atlas/cities'
    await done(ada, 'collections', 'create', path)
    await refused(bob, ['show', path], 1, /\w/)
    const given = await done(ada, 'access', 'grant', path, 'bob', 'read')
    expect([given.out, given.said]).toEqual(['', `bob is a collaborator of ${path} with the grant read.\n`])
    expect((await done(bob, 'show', path)).out).toMatch(/^visible to +members of atlas, and collaborators$/m)
    await done(ada, 'access', 'grant', path, 'eva', 'admin')
    const shown = await done(ada, 'access', path)
    expect(undated(shown).split('\n')).toEqual([
      'ada\trole\towner\t\t',
      'eva\trole\tmember\t\t',
      'bob\tgrant\tread\tada\tTIME',
      'eva\tgrant\tadmin\tada\tTIME',
    ])
    expect(shown.said).toBe('Private: only these users read it.\n')
    expect(await jsonOf(ada, 'access', path)).toMatchObject({
      ...{ public: false, memberCount: 2, invitations: [] },
      collaborators: [{ account: { slug: 'bob' }, grant: 'read' }, { account: { slug: 'eva' } }],
    })
    await refused(bob, ['access', path], 4, /the grant `read`; this requires `admin`/)
    await refused(bob, ['access', 'grant', path, 'bob', 'admin'], 4, /the grant `read`/)

    expect(await jsonOf(ada, 'access', 'grant', path, 'bob', 'admin')).toEqual({ ok: true })
    await done(bob, 'access', 'grant', path, 'bob', 'write')
    await refused(bob, ['access', 'revoke', path, 'eva'], 4, /the grant `write`/)
    expect((await done(ada, 'access', 'revoke', path, 'bob')).said).toMatch(/bob is no longer a collaborator/)
    await refused(bob, ['show', path], 1, /\w/)
    await refused(ada, ['access', 'revoke', path, 'bob'], 1, /not a collaborator of `atlas\/cities`/)
  })

  test('a collaborator leaves, and a public collection says that everybody reads some of it', async () => {
    const path = 'ada/birds'
    await done(ada, 'collections', 'create', path, '--public')
    await done(ada, 'access', 'grant', path, 'bob', 'admin')
    const shown = await done(bob, 'access', path)
    expect(undated(shown)).toBe('ada\trole\towner\t\t\nbob\tgrant\tadmin\tada\tTIME')
    expect(shown.said).toMatch(/^Public: everybody reads its public view/)
    expect(await jsonOf(bob, 'access', 'revoke', path, 'bob')).toEqual({ ok: true })
    await refused(bob, ['access', path], 4, /not a member of `ada`/)
  })

  test('without a reference it is about the collection of the folder', async () => {
    await done(ada, 'collections', 'create', 'ada/plants')
    await ada.ulmus('plants', 'init', 'ada/plants')
    expect((await ada.ulmus('plants', 'access')).out).toBe('ada\trole\towner\t\t\n')
    await refused(ada, ['access'], 2, /No collection given/)
  })

  test('wrong grants, users and scopes are refused', async () => {
    const path = 'ada/maps'
    await done(ada, 'collections', 'create', path)
    await refused(ada, ['access', 'grant', path, 'bob', 'owner'], 2, /read, write or admin/)
    await refused(ada, ['access', 'grant', path, 'no-such-user', 'read'], 1, /no-such-user/)
    await refused(ada, ['access', 'grant', path, 'atlas', 'read'], 6, /is an organization/)
    await refused(ada, ['access', 'grant', path, 'ada', 'read'], 1, /owns the collection/)
    const writer = await personOf(server, 'ada', 'write')
    await refused(writer, ['access', 'grant', path, 'bob', 'read'], 4, /login --scope admin/)
    await refused(bob, ['access', path], 1, /\w/)
  })

  test('where collaborators must agree, a grant prints a link, which they answer', async () => {
    const asking = await start('invited')
    const eva = await personOf(asking, 'eva')
    const max = await personOf(asking, 'max')
    await done(eva, 'collections', 'create', 'eva/trees')
    const given = await done(eva, 'access', 'grant', 'eva/trees', 'max', 'write')
    expect(given.out).toMatch(/^http\S+\/invitations\/\S+\n$/)
    expect(given.said).toMatch(/max, who becomes a collaborator of eva\/trees with the grant write/)
    const shown = await done(eva, 'access', 'eva/trees')
    expect(undated(shown)).toBe('eva\trole\towner\t\t\nmax\tinvitation\twrite\teva\tTIME')
    expect(shown.said).toMatch(/Invited users must accept first/)
    const listed = undated(await done(max, 'invitations'))
    expect(listed).toMatch(/^\S+\teva\/trees\tcollaborator: write\teva\tTIME$/)
    expect((await done(max, 'invitations', 'decline', given.out.trim())).said).toBe(
      'The invitation to eva/trees is declined.\n',
    )
    await done(eva, 'access', 'grant', 'eva/trees', 'max', 'read')
    await done(eva, 'access', 'revoke', 'eva/trees', 'max')
    expect(await jsonOf(max, 'invitations')).toEqual([])
    const made = await jsonOf(eva, 'access', 'grant', 'eva/trees', 'max', 'read')
    expect(made).toMatchObject({ user: { slug: 'max' }, grant: 'read', mailed: false })
    expect((await done(max, 'invitations', 'accept', made.id)).said).toBe(
      'You are a collaborator of eva/trees.\n',
    )
    await done(max, 'show', 'eva/trees')
  })
})
