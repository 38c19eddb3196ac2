import { randomUUID } from 'node:crypto'
import { type AccountRow, findCollectionById, findHead, type VersionRow } from '@ulmus/storage'
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anonymous, type Caller } from '../principal.ts'
import {
  addAccount,
  addCollection,
  addMember,
  addVersion,
  callerOf,
  openContext,
  type TestContext,
} from '../testing/context.ts'
import { shown } from '../testing/shown.ts'
import { readContent } from '../versions/content.ts'
import { readSidecar } from '../versions/sidecar.ts'
import { type Collections, collectionsOf } from './collections.ts'
import { type Forks, forksOf } from './forks.ts'

const code = (code: string) => expect.objectContaining({ code })

describe.each(serviceDatabases)('forks on $name', (testDatabase) => {
  let context: TestContext
  let collections: Collections
  let forks: Forks
  let acme: AccountRow
  let target: AccountRow
  let member: Caller
  let outsider: Caller
  let number = 0

  beforeAll(async () => {
    context = await openContext(testDatabase)
    collections = collectionsOf(context)
    forks = forksOf(context)
    await context.jobs.start()
    acme = await addAccount(context, 'acme', 'org')
    target = await addAccount(context, 'target', 'org')
    const ada = await addAccount(context, 'ada')
    const eve = await addAccount(context, 'eve')
    await addMember(context, acme, ada, 'member')
    await addMember(context, target, ada, 'member')
    await addMember(context, target, eve, 'member')
    member = callerOf(ada, 'write')
    outsider = callerOf(eve, 'write')
  })
  afterAll(() => context.dispose())

  const source = async (
    input: { public?: boolean; description?: string } = {},
    first: Parameters<typeof addVersion>[2] | null = {},
  ) => {
    const slug = `s${number++}`
    const row = await addCollection(context, acme, { slug, name: `Source ${slug}`, public: true, ...input })
    const version = first === null ? null : await addVersion(context, row, first)
    return { row, path: { owner: 'acme', slug }, slug, version: version as VersionRow }
  }
  const headOf = async (id: string) => (await findHead(context.database, id)) as VersionRow

  test('a fork has the source’s name, metadata, counts and digest in a v1.0.0 of its own', async () => {
    const metadata = { description: 'cities', license: 'MIT' }
    const { path, row, slug, version } = await source({ description: 'own' }, { metadata })
    const later = await addVersion(context, row, {
      base: version,
      semver: { major: 1, minor: 2, patch: 3 },
      metadata,
    })
    const answer = await forks.create(outsider, path, { targetOrg: 'target' })
    expect(answer).toEqual({
      id: expect.any(String),
      owner: 'target',
      slug,
      name: row.name,
      forkedFrom: { owner: 'acme', slug, version: 'v1.2.3' },
      version: { semver: 'v1.0.0', recordCount: 3 },
    })
    const head = await headOf(answer.id)
    expect(head).toMatchObject({
      fullDigest: later.fullDigest,
      publicDigest: later.publicDigest,
      message: 'Fork',
      baseSemver: null,
      fullRecords: 3,
      fullFiles: 2,
      fullBytes: 1_300,
    })
    expect(shown(await collections.detail(outsider, { owner: 'target', slug }))).toMatchObject({
      name: row.name,
      description: 'cities',
      public: true,
      forkedFrom: { owner: 'acme', slug, version: 'v1.2.3' },
      latestVersion: { semver: 'v1.0.0', metadata, message: 'Fork' },
    })
  })

  test('a fork remembers its ancestors, nearest first', async () => {
    const { path, row, slug } = await source()
    const first = await forks.create(member, path, { targetOrg: 'target' })
    const second = await forks.create(
      member,
      { owner: 'target', slug },
      { targetOrg: 'target', slug: `${slug}-2` },
    )
    const found = await findCollectionById(context.database, second.id, null)
    expect(found?.collection.ancestors).toEqual([first.id, row.id])
  })

  test('a fork stores no tree again: what is written does not grow with the source', async () => {
    const { path } = await source()
    const packs = async () =>
      Number((await context.database.query('select count(*)::int as n from packs')).rows[0]?.['n'])
    const before = await packs()
    await forks.create(member, path, { targetOrg: 'target' })
    expect(await packs()).toBe(before)
  })

  test('a member’s fork has both views, private records included', async () => {
    const { path, version } = await source({}, { secret: true })
    const answer = await forks.create(member, path, { targetOrg: 'target' })
    expect(answer.version.recordCount).toBe(4)
    const head = await headOf(answer.id)
    expect(head).toMatchObject({
      fullDigest: version.fullDigest,
      publicDigest: version.publicDigest,
      sidecar: version.sidecar,
      publicRecords: 3,
    })
  })

  test('an outsider’s fork is made of the public view alone', async () => {
    const { path, version } = await source()
    const answer = await forks.create(outsider, path, { targetOrg: 'target' })
    const content = await readContent(context, await headOf(answer.id))
    expect(content.full).toEqual(content.public)
    const [theirs, ours] = [
      await readSidecar(context.objects, content.sidecar),
      await readContent(context, version),
    ]
    const { roots, references } = await readSidecar(context.objects, ours.sidecar)
    expect(theirs).toEqual({
      roots: { full: roots.public, public: roots.public },
      references: { full: references.public, public: references.public },
      hiddenTrees: {},
      formerlyPrivate: [],
    })
  })

  test('without a target, a fork goes to the caller', async () => {
    const { path, slug } = await source()
    expect(await forks.create(outsider, path, {})).toMatchObject({ owner: 'eve', slug })
    await expect(forks.create(outsider, path, {})).rejects.toEqual(code('slug_taken'))
    const limited = { ...outsider, limitedTo: [randomUUID()] }
    await expect(forks.create(limited, path, {})).rejects.toEqual(code('key_limited'))
    await expect(forks.create(anonymous, path, {})).rejects.toEqual(code('unauthenticated'))
    const own = await forks.create(outsider, { owner: 'eve', slug }, { slug: `${slug}-of-own` })
    expect(own).toMatchObject({ owner: 'eve', forkedFrom: { owner: 'eve', slug } })
  })

  test('the public view of what holds private data is forked by outsiders and members alike', async () => {
    const { path, version, row } = await source({}, { secret: true })
    await expect(forks.create(outsider, path, {})).rejects.toEqual(code('private_content'))
    for (const who of [outsider, member]) {
      const answer = await forks.create(who, path, {
        view: 'public',
        slug: `${path.slug}-${who.accountSlug}`,
      })
      expect(answer.version.recordCount).toBe(3)
      const head = await headOf(answer.id)
      expect(head).toMatchObject({ fullDigest: version.publicDigest, publicDigest: version.publicDigest })
      const content = await readContent(context, head)
      expect(content.full).toEqual(content.public)
    }
    const { rows } = await context.database.query(
      "select from audit_events where account_id = $1 and action = 'collection.forked' and target = $2",
      [row.ownerId, `acme/${path.slug}`],
    )
    expect(rows).toEqual([])
  })

  test('a member forks the public view of a private collection, without its private names; a collaborator does not', async () => {
    const { path, row } = await source({ public: false }, { secret: true })
    await context.database.query('insert into withdrawn_names values ($1, $2)', [row.id, { Secret: [] }])
    const made = await forks.create(member, path, { view: 'public' })
    const fork = await findCollectionById(context.database, made.id, null)
    expect(fork?.collection.public).toBe(false)
    const names = 'select from withdrawn_names where collection_id = $1'
    expect((await context.database.query(names, [made.id])).rows).toEqual([])
    const whole = await forks.create(member, path, { slug: `${path.slug}-whole` })
    expect((await context.database.query(names, [whole.id])).rows).toHaveLength(1)
    await context.database.query("insert into collaborators values ($1, $2, 'admin', now(), $2)", [
      ...[row.id, outsider.accountId],
    ])
    for (const view of [undefined, 'public'] as const)
      await expect(forks.create(outsider, path, { view })).rejects.toEqual(code('private_content'))
  })

  test('an outsider’s fork of what has declared files stores its sidecar, once, and relies on it after', async () => {
    const { path, slug } = await source({}, { declared: true, content: 'declared' })
    const query = async (text: string) => (await context.database.query(text)).rows
    const packs = async () => (await query('select from packs')).length
    const before = await packs()
    const first = await forks.create(outsider, path, { targetOrg: 'target' })
    expect(await packs()).toBe(before + 1)
    const { sidecar } = await headOf(first.id)
    await query(`update objects set condemned = '${randomUUID()}' where hash = '${sidecar}'`)
    const second = await forks.create(outsider, path, { targetOrg: 'target', slug: `${slug}-2` })
    expect(await packs()).toBe(before + 1)
    expect(await headOf(second.id)).toMatchObject({ sidecar })
    expect(await query(`select condemned from objects where hash = '${sidecar}'`)).toEqual([
      { condemned: null },
    ])
    // A refusal in its transaction leaves nothing.
    const other = await source({}, { declared: true, content: 'declared elsewhere' })
    const after = await packs()
    const taken = forks.create(outsider, other.path, { targetOrg: 'target', slug })
    await expect(taken).rejects.toEqual(code('slug_taken'))
    expect(await packs()).toBe(after)
  })

  test('members fork a private collection; the fork is private too', async () => {
    const { path, slug } = await source({ public: false }, { secret: true })
    await forks.create(member, path, { targetOrg: 'target' })
    expect(shown(await collections.detail(member, { owner: 'target', slug }))).toMatchObject({
      public: false,
    })
    await forks.create(member, path, { targetOrg: 'target', slug: `${slug}-open`, public: true })
    expect(shown(await collections.detail(member, { owner: 'target', slug: `${slug}-open` }))).toMatchObject({
      public: false,
    })
  })

  test('`public: false` makes the fork of a public collection private', async () => {
    const { path, slug } = await source()
    await forks.create(outsider, path, { targetOrg: 'target', public: false })
    expect(shown(await collections.detail(outsider, { owner: 'target', slug }))).toMatchObject({
      public: false,
    })
    await expect(collections.detail(anonymous, { owner: 'target', slug })).rejects.toEqual(
      code('collection_not_found'),
    )
  })

  test('forkedFrom is shown only to callers who may see the source now', async () => {
    const { path, slug } = await source()
    await forks.create(outsider, path, { targetOrg: 'target' })
    const fork = { owner: 'target', slug }
    const shown = async (who: Caller | typeof anonymous) => (await collections.detail(who, fork)).forkedFrom
    expect(await shown(anonymous)).toEqual({ owner: 'acme', slug, version: 'v1.0.0' })
    const admin = await addAccount(context, `admin${number}`)
    await addMember(context, acme, admin, 'admin')
    await collections.patch(member, path, { public: false, slug: `${slug}-renamed` })
    expect(await collections.detail(anonymous, fork)).not.toHaveProperty('forkedFrom')
    expect(await collections.detail(outsider, fork)).not.toHaveProperty('forkedFrom')
    expect(await shown(member)).toEqual({ owner: 'acme', slug: `${slug}-renamed`, version: 'v1.0.0' })
    await collections.remove(callerOf(admin), { owner: 'acme', slug: `${slug}-renamed` })
    expect(await collections.detail(member, fork)).not.toHaveProperty('forkedFrom')
  })

  test('each refusal comes before the next one', async () => {
    const secret = await source({}, { secret: true })
    const hidden = await source({ public: false })
    const empty = await source({}, null)
    const taken = await source()
    await forks.create(member, taken.path, { targetOrg: 'target' })
    await addAccount(context, 'closed', 'org')
    const fork = (
      who: Caller | typeof anonymous,
      path: { owner: string; slug: string },
      targetOrg: string,
      slug?: string,
    ) => forks.create(who, path, { targetOrg, slug })
    const nowhere = { owner: 'acme', slug: 'nowhere' }
    const eve = { ...outsider }
    // 401, 403 scope, 403 key_limited: before the look-up of the source.
    await expect(fork(anonymous, nowhere, 'missing')).rejects.toEqual(code('unauthenticated'))
    await expect(fork({ ...eve, scope: 'read' }, nowhere, 'missing')).rejects.toEqual(
      code('insufficient_scope'),
    )
    await expect(fork({ ...eve, limitedTo: [secret.row.id] }, nowhere, 'missing')).rejects.toEqual(
      code('key_limited'),
    )
    // 404 for an absent or hidden source: before the target.
    await expect(fork(eve, nowhere, 'missing')).rejects.toEqual(code('collection_not_found'))
    await expect(fork(eve, hidden.path, 'missing')).rejects.toEqual(code('collection_not_found'))
    // 404 for an absent target or a user: before membership.
    await expect(fork(eve, secret.path, 'missing')).rejects.toEqual(code('account_not_found'))
    await expect(fork(eve, secret.path, 'eve')).rejects.toEqual(code('account_not_found'))
    // 403 not a member of the target: before private content.
    await expect(fork(eve, secret.path, 'closed')).rejects.toEqual(code('not_a_member'))
    // 403 private content: before 422 and 409.
    await expect(fork(eve, secret.path, 'target', 'Not A Slug')).rejects.toEqual(code('private_content'))
    await expect(fork(eve, secret.path, 'target', taken.slug)).rejects.toEqual(code('private_content'))
    // 422: before 409.
    await expect(fork(eve, empty.path, 'target', taken.slug)).rejects.toEqual(code('no_versions'))
    await expect(fork(eve, taken.path, 'target', 'Not A Slug')).rejects.toEqual(code('invalid_slug'))
    // 409.
    await expect(fork(eve, taken.path, 'target')).rejects.toEqual(code('slug_taken'))
  })

  test('of many forks to one slug at the same time exactly one succeeds', async () => {
    const { path } = await source()
    const slug = `raced${number}`
    const tries = await Promise.allSettled(
      Array.from({ length: 6 }, (_, index) =>
        forks.create(index % 2 === 0 ? member : outsider, path, { targetOrg: 'target', slug }),
      ),
    )
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const one of tries) if (one.status === 'rejected') expect(one.reason).toEqual(code('slug_taken'))
  })

  test('fork against delete, and against turning private: a fork that is refused leaves nothing', async () => {
    const admin = await addAccount(context, `deleter${number}`)
    await addMember(context, acme, admin, 'admin')
    for (const spoil of [
      (path: { owner: string; slug: string }) => collections.remove(callerOf(admin), path),
      (path: { owner: string; slug: string }) => collections.patch(callerOf(admin), path, { public: false }),
    ]) {
      const { path, slug } = await source()
      const [forked, spoilt] = await Promise.allSettled([
        forks.create(outsider, path, { targetOrg: 'target' }),
        spoil(path),
      ])
      expect(spoilt.status).toBe('fulfilled')
      const fork = collections.detail(outsider, { owner: 'target', slug })
      if (forked.status === 'fulfilled') await expect(fork).resolves.toMatchObject({ slug })
      else {
        expect(forked.reason).toEqual(code('collection_not_found'))
        await expect(fork).rejects.toEqual(code('collection_not_found'))
      }
    }
  })
})
