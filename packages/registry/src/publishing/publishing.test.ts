/** Trusted publishers: their exchange for keys, the rights of these keys, and their ends. */
import { findAccountBySlug, findCollectionById } from '@ulmus/storage'
import { serviceDatabases } from '@ulmus/storage/testing'
import type { CreatePublisher } from '@ulmus/wire'
import type { JWTPayload } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { mayEnter } from '../access/policy.ts'
import { type Keys, keysOf } from '../accounts/keys.ts'
import { membersOf } from '../accounts/members.ts'
import { type Collections, collectionsOf } from '../collections/collections.ts'
import { forksOf } from '../collections/forks.ts'
import { RegistryError } from '../errors/errors.ts'
import type { TrustedIssuer } from '../issuers.ts'
import { type Metadata, metadataOf } from '../metadata/metadata.ts'
import { anonymous, type Caller } from '../principal.ts'
import { pushesOf } from '../pushes/pushes.ts'
import { PushSessions } from '../pushes/session/sessions.ts'
import {
  addAccount,
  addCollection,
  addMember,
  addVersion,
  callerOf,
  openContext,
  type TestContext,
} from '../testing/context.ts'
import { type IssuerKey, makeKey, sign } from '../testing/issuer.ts'
import { expireRows } from '../upkeep/expiry.ts'
import { versionsOf } from '../versions/versions.ts'
import { withdrawalsOf } from '../withdrawals/withdrawals.ts'
import { type Publishing, publishingOf } from './publishing.ts'

const issuer = 'https://gitlab.example'
const origin = 'https://registry.example'
const path = { owner: 'union', slug: 'maps' }
const project = { project_path: 'group/maps', ref: 'main' }
const job: JWTPayload = {
  ...{ iss: issuer, aud: origin, sub: 'project_path:group/maps:ref_type:branch:ref:main' },
  ...{ namespace_id: '72', project_id: '20', ...project, ref_type: 'branch', ref_protected: 'true' },
  ...{ pipeline_source: 'push', job_id: '302', sha: '714a629c0b' },
}

describe.each(serviceDatabases)('trusted publishers on $name', (database) => {
  let context: TestContext
  let key: IssuerKey
  let issuers: TrustedIssuer[]
  let publishing: Publishing
  let keys: Keys
  let services: {
    collections: Collections
    metadata: Metadata
    pushes: ReturnType<typeof pushesOf>
  }
  let [ada, ben, eve]: Caller[] = []
  let time = Date.now()
  let collectionId: string
  const owner = () => ada!

  const rowOf = (slug: string) =>
    context.database
      .query<{ id: string }>('select id from accounts where slug = $1', [slug])
      .then(({ rows }) => rows[0]!.id)

  beforeAll(async () => {
    key = await makeKey('1')
    issuers = [{ issuer, kind: 'gitlab', jwks: { keys: [key.jwk] } }]
    context = await openContext(database, { issuers, now: () => new Date(time) })
    publishing = publishingOf(context)
    keys = keysOf(context)
    const [a, b, e] = [
      await addAccount(context, 'ada'),
      await addAccount(context, 'ben'),
      await addAccount(context, 'eve'),
    ]
    ;[ada, ben, eve] = [callerOf(a), callerOf(b), callerOf(e)]
    const union = await addAccount(context, 'union', 'org')
    await addMember(context, union, a, 'owner')
    await addMember(context, union, b, 'admin')
    const member = await addAccount(context, 'mel')
    await addMember(context, union, member, 'member')
    const collection = await addCollection(context, union, { slug: 'maps', public: false })
    collectionId = collection.id
    await addCollection(context, union, { slug: 'other', public: true })
    services = {
      collections: collectionsOf(context),
      metadata: metadataOf(context),
      pushes: pushesOf(context, new PushSessions(context)),
    }
    await context.jobs.start()
  })
  afterAll(() => context.dispose())
  beforeEach(async () => {
    for (const { id } of (await publishing.list(owner(), path)).publishers)
      await publishing.remove(owner(), path, id)
  })

  const add = (wanted: Partial<CreatePublisher> = {}, who = owner()) =>
    publishing.create(who, path, { issuer, claims: project, ...wanted })
  const token = (claims: JWTPayload = {}, by = key) => sign(by, { ...job, ...claims }, { at: new Date(time) })
  const exchange = async (claims: JWTPayload = {}, where = path) =>
    publishing.exchange(anonymous, { token: await token(claims), ...where }, origin)
  const refused = (work: Promise<unknown>) =>
    work.then(
      () => 'ok',
      (error: unknown) => {
        if (!(error instanceof RegistryError)) throw error
        return error.code
      },
    )
  const resolved = async (claims: JWTPayload = {}) => keys.resolve((await exchange(claims)).key, '192.0.2.1')
  const acts = async (action: string) => {
    const { rows } = await context.database.query(
      'select * from audit_events where action = $1 order by at, id',
      [action],
    )
    return rows
  }

  test('a token is exchanged once, for a key of the collection that expires and is not listed', async () => {
    const { id } = await add({ lifetimeMinutes: 5 })
    const one = await token()
    const made = await publishing.exchange(anonymous, { token: one, ...path }, origin)
    expect(made).toMatchObject({ scope: 'write', expiresIn: 300 })
    const who = await keys.resolve(made.key)
    expect(who).toMatchObject({
      ...{ accountSlug: 'union', scope: 'write', limitedTo: [collectionId], roleCap: 'member' },
      means: { key: { label: 'group/maps' }, workload: { publisher: id, claims: { sha: '714a629c0b' } } },
    })
    const again = publishing.exchange(anonymous, { token: one, ...path }, origin)
    await expect(again).rejects.toThrow('exchanged before')
    const { rows } = await context.database.query(
      'select count(*) as n from api_keys where publisher_id = $1',
      [id],
    )
    expect(rows[0]!['n']).toBe(1)
    const [exchanged] = await acts('key.exchanged')
    expect(exchanged).toMatchObject({ actor_id: null, details: { publisher: id, collection: 'union/maps' } })
    expect(JSON.stringify(await acts('key.exchanged'))).not.toContain(made.key)
    time += 301_000
    expect(await refused(keys.resolve(made.key))).toBe('unauthenticated')
    await expireRows(context)
    const left = await context.database.query('select 1 from used_tokens')
    expect(left.rows).toHaveLength(1)
    time += 25 * 3_600_000
    await expireRows(context)
    for (const table of ['used_tokens', 'api_keys where publisher_id is not null'])
      expect((await context.database.query(`select 1 from ${table}`)).rows).toEqual([])
  })

  test('two exchanges of one token at once make one key', async () => {
    await add()
    const one = await token()
    const both = await Promise.all(
      [1, 2, 3, 4].map(() => refused(publishing.exchange(anonymous, { token: one, ...path }, origin))),
    )
    expect(both.sort()).toEqual(['invalid_grant', 'invalid_grant', 'invalid_grant', 'ok'])
  })

  test('the refusal is the same for an absent collection, a hidden one and one without publisher', async () => {
    const refusalAt = async (where: typeof path, claims: JWTPayload = {}) => {
      const error = await exchange(claims, where).catch((error: RegistryError) => error)
      const { message, code, details } = error as RegistryError
      const { presented } = details as { presented: Record<string, string> }
      const { iat: _, exp: __, ...rest } = presented
      return { message, code, rest }
    }
    const without = await refusalAt(path)
    expect(without).toMatchObject({ code: 'invalid_grant', rest: { project_id: '20' } })
    expect(await refusalAt({ owner: 'union', slug: 'missing' })).toEqual(without)
    expect(await refusalAt({ owner: 'missing-account', slug: 'maps' })).toEqual(without)
    expect(await refusalAt({ owner: 'union', slug: 'other' })).toEqual(without)
    await add({ claims: { project_path: 'group/others' } })
    expect(await refusalAt(path)).toEqual(without)
    await add()
    await exchange()
    const another = await refusalAt(path, { project_id: '21' })
    expect({ ...another, rest: { ...another.rest, project_id: '20' } }).toEqual(without)
    expect(JSON.stringify(another)).not.toContain('group/others')
  })

  test('another project of the same name is refused, and its ids are shown to admins', async () => {
    const { id, ...made } = await add()
    expect(made.pinned).toBeNull()
    await exchange()
    const { pinned } = await publishing.get(owner(), path, id)
    expect(pinned).toEqual({ project_id: '20', namespace_id: '72' })
    expect(await refused(exchange({ project_id: '21' }))).toBe('invalid_grant')
    // Recorded after the answer: a second refusal before that could be the first one recorded.
    await expect
      .poll(async () => (await publishing.get(owner(), path, id)).refused)
      .toMatchObject({ claims: { project_id: '21', namespace_id: '72' } })
    expect(await refused(exchange({ namespace_id: '73' }))).toBe('invalid_grant')
    await publishing.change(owner(), path, id, { claims: { project_path: 'group/maps' } })
    expect(await publishing.get(owner(), path, id)).toMatchObject({ pinned, refused: null })
    expect(await refused(exchange({ project_id: '21' }))).toBe('invalid_grant')
    // Another publisher of the same project has its ids, too: with the first free ones it would let the other in.
    const again = await add({ claims: { ...project, ref: ['main', 'develop'] } })
    expect(again.pinned).toEqual(pinned)
    expect(await refused(exchange({ project_id: '21' }))).toBe('invalid_grant')
    for (const one of [id, again.id]) await publishing.remove(owner(), path, one)
    const [first, second] = [await add(), await add()]
    expect([first.pinned, second.pinned]).toEqual([null, null])
    await exchange({ project_id: '21' })
    const pins = (await publishing.list(owner(), path)).publishers.map((one) => one.pinned?.['project_id'])
    expect(pins).toEqual(['21', '21'])
    expect(await refused(exchange())).toBe('invalid_grant')
  })

  test('of refusals at once the first is recorded, and none of claims that were changed meanwhile', async () => {
    const { id } = await add()
    await exchange()
    const recorded = async () => (await publishing.get(owner(), path, id)).refused?.claims?.['project_id']
    /** Runs `work` between the refusal of project `id` and its record. */
    const before = async (projectId: string, work: () => Promise<unknown>) => {
      const { promise: held, resolve: release } = Promise.withResolvers<void>()
      const { promise: done, resolve: end } = Promise.withResolvers<unknown>()
      const { database } = context
      const original = database.transact.bind(database)
      const spy = vi.spyOn(database, 'transact').mockImplementationOnce(async (run) => {
        await held
        const written = original(run)
        end(written)
        return written
      })
      await refused(exchange({ project_id: projectId }))
      await expect.poll(() => spy.mock.calls.length).toBe(1)
      spy.mockRestore()
      await work()
      release()
      await done
    }
    await before('22', async () => {
      await refused(exchange({ project_id: '21' }))
      await expect.poll(recorded).toBe('21')
    })
    expect(await recorded()).toBe('21')
    const others = { project_path: 'group/others' }
    await publishing.change(owner(), path, id, { claims: { project_path: 'group/maps' } })
    await before('22', () => publishing.change(owner(), path, id, { claims: others }))
    expect(await publishing.get(owner(), path, id)).toMatchObject({ claims: others, refused: null })
  })

  test('jobs that a publisher does not name are refused', async () => {
    await add()
    for (const claims of [
      { ref: 'develop' },
      { project_path: 'group/others' },
      { ref_protected: 'false' },
      { pipeline_source: 'merge_request_event' },
      { aud: 'https://other.example' },
    ])
      expect([claims, await refused(exchange(claims))]).toEqual([claims, 'invalid_grant'])
    const forged = await token({}, await makeKey('1'))
    const error = await publishing
      .exchange(anonymous, { token: forged, ...path }, origin)
      .catch((error: RegistryError) => error)
    expect(error).toMatchObject({ code: 'invalid_grant', details: {} })
  })

  test('its key pushes and reads, and cannot delete, withdraw, change settings, fork or make keys', async () => {
    await add()
    const who = await resolved()
    const { collections, pushes } = services
    const withdrawals = withdrawalsOf(context)
    expect((await collections.detail(who, path)).id).toBe(collectionId)
    const cases: [() => Promise<unknown>, string][] = [
      [() => collections.remove(who, path), 'key_limited'],
      [() => collections.patch(who, path, { public: true }), 'publisher_key'],
      [() => collections.patch(who, path, { name: 'Mine' }), 'publisher_key'],
      [() => collections.patch(who, path, { publishersOnly: false }), 'insufficient_scope'],
      [() => collections.transfer(who, path, 'eve'), 'insufficient_scope'],
      [() => collections.create(who, 'union', { slug: 'more' }), 'key_limited'],
      [() => withdrawals.withdraw(who, { ...path, v: 'v1.0.0' }, { reason: 'x' }), 'insufficient_scope'],
      [() => withdrawals.deprecate(who, { ...path, v: 'v1.0.0' }, 'x'), 'insufficient_role'],
      [() => forksOf(context).create(who, path, { targetOrg: 'union', slug: 'forked' }), 'key_limited'],
      [() => keys.create(who, { label: 'x', scope: 'read', collectionId }), 'publisher_key'],
      [() => publishing.list(who, path), 'insufficient_scope'],
      [() => add({}, who), 'insufficient_scope'],
      [() => membersOf(context).list(who, 'union', {}), 'key_limited'],
    ]
    for (const [work, code] of cases) expect(await refused(work())).toBe(code)
    expect(await keys.list(who)).toEqual([])
    expect(mayEnter(who, { scope: 'any' })).toBe('publisher_key')
    const other = { owner: 'union', slug: 'other' }
    const opening = (where: typeof path, by: Caller) =>
      pushes.open(by, where, bytesOf('{"base_version":null,"schemas":{"A":{"type":"object"}}}'), () => ({
        base_version: null,
      }))
    expect(await refused(opening(other, who))).toBe('key_limited')
    const { session_id } = await opening(path, who)
    await pushes.receive(who, path, session_id, 'records', bytesOf('{"id":"a","type":"A","data":{}}'))
    await pushes.commit(who, path, session_id, { async: false })
    const [made] = (await versionsOf(context).list(owner(), path, {})).items
    expect(made).toMatchObject({
      actor: { slug: 'union' },
      workload: { issuer, kind: 'gitlab', claims: { sha: '714a629c0b', ref_protected: 'true' } },
    })
    // A fork is made by its author, and not by the job of its source.
    await forksOf(context).create(owner(), path, { targetOrg: 'union', slug: 'forked' })
    const [forked] = (await versionsOf(context).list(owner(), { ...path, slug: 'forked' }, {})).items
    expect(forked).not.toHaveProperty('workload')
    expect(await refused(withdrawals.withdraw(who, { ...path, v: 'v1.0.0' }, { reason: 'x' }))).toBe(
      'insufficient_scope',
    )
  })

  test('a publisher that reads cannot push', async () => {
    await add({ scope: 'read' })
    const who = await resolved()
    const update = services.metadata.update(who, path, { title: 'x' })
    expect(await refused(update)).toBe('insufficient_scope')
  })

  test('its keys end with it, with a change of it, and with the trust in its issuer', async () => {
    const { id } = await add()
    const raw = (await exchange()).key
    await publishing.change(owner(), path, id, { label: 'renamed' })
    const who = await keys.resolve(raw)
    const elsewhere = keysOf({ ...context, issuers: [] })
    expect(await refused(elsewhere.resolve(raw))).toBe('unauthenticated')
    await publishing.change(owner(), path, id, { lifetimeMinutes: 30 })
    expect(await refused(keys.resolve(raw))).toBe('unauthenticated')
    const second = (await exchange()).key
    const caller = await keys.resolve(second)
    await publishing.remove(owner(), path, id)
    expect(await refused(keys.resolve(second))).toBe('unauthenticated')
    // A request that was admitted before records nothing afterwards.
    for (const gone of [who, caller])
      expect(await refused(services.metadata.update(gone, path, { title: 'late' }))).toBe('unauthenticated')
    expect(await refused(exchange())).toBe('invalid_grant')
  })

  test('it works on after the member who made it left', async () => {
    await add({}, ben!)
    await membersOf(context).remove(owner(), { slug: 'union', user: 'ben' })
    expect((await resolved()).accountSlug).toBe('union')
    await membersOf(context).set(owner(), { slug: 'union', user: 'ben' }, 'admin')
  })

  test('a suspended owner publishes nothing, and a transfer removes publishers', async () => {
    await add()
    const union = await rowOf('union')
    await context.database.query('update accounts set suspended_at = now() where id = $1', [union])
    expect(await refused(exchange())).toBe('invalid_grant')
    await context.database.query('update accounts set suspended_at = null where id = $1', [union])
    const raw = (await exchange()).key
    await services.collections.transfer(owner(), path, 'ada')
    expect(await refused(keys.resolve(raw))).toBe('unauthenticated')
    const moved = { owner: 'ada', slug: 'maps' }
    expect(await refused(exchange({}, moved))).toBe('invalid_grant')
    expect((await publishing.list(owner(), moved)).publishers).toEqual([])
    await services.collections.transfer(owner(), moved, 'union')
  })

  test('a collection may take versions of its publishers alone', async () => {
    await add()
    const { collections, metadata } = services
    const mel: Caller = { ...eve!, accountId: await rowOf('mel'), accountSlug: 'mel' }
    expect(await refused(collections.patch(mel, path, { publishersOnly: true }))).toBe('insufficient_role')
    expect(
      await refused(collections.patch({ ...owner(), scope: 'write' }, path, { publishersOnly: true })),
    ).toBe('insufficient_scope')
    await collections.patch(owner(), path, { publishersOnly: true })
    expect((await collections.detail(owner(), path)).publishersOnly).toBe(true)
    for (const who of [owner(), mel])
      expect(await refused(metadata.update(who, path, { title: 'x' }))).toBe('publishers_only')
    // Also a version that was on its way when the setting changed.
    const found = { id: collectionId }
    expect(await refused(addVersion(context, found, { semver: { major: 9, minor: 0, patch: 0 } }))).toBe(
      'publishers_only',
    )
    await metadata.update(await resolved(), path, { title: 'by a publisher' })
    await collections.patch(owner(), path, { publishersOnly: false })
    await metadata.update(mel, path, { title: 'by a member' })
    expect((await acts('collection.publishing')).map(({ details }) => details)).toEqual([
      { publishersOnly: true },
      { publishersOnly: false },
    ])
  })

  test('admins of the collection alone see and change publishers, of trusted issuers, at most 20', async () => {
    const { id } = await add()
    const mel: Caller = { ...eve!, accountId: await rowOf('mel'), accountSlug: 'mel' }
    for (const [who, code] of [
      [anonymous, 'collection_not_found'],
      [eve!, 'collection_not_found'],
      [mel, 'insufficient_role'],
      [{ ...owner(), scope: 'write' }, 'insufficient_scope'],
      [{ ...owner(), limitedTo: [crypto.randomUUID()] }, 'collection_not_found'],
    ] as const) {
      expect(await refused(publishing.list(who, path))).toBe(code)
      expect(await refused(publishing.get(who, path, id))).toBe(code)
      expect(await refused(publishing.create(who, path, { issuer, claims: project }))).toBe(code)
      expect(await refused(publishing.change(who, path, id, { label: 'x' }))).toBe(code)
      expect(await refused(publishing.remove(who, path, id))).toBe(code)
    }
    const elsewhere = { owner: 'union', slug: 'other' }
    expect(await refused(publishing.get(owner(), elsewhere, id))).toBe('publisher_not_found')
    expect(await refused(publishing.remove(owner(), elsewhere, id))).toBe('publisher_not_found')
    expect(await refused(publishing.remove(owner(), path, 'x'))).toBe('publisher_not_found')
    expect(await refused(add({ issuer: 'https://evil.example' }))).toBe('issuer_not_trusted')
    expect(await refused(add({ issuer: `${issuer}/` }))).toBe('issuer_not_trusted')
    expect(await refused(add({ claims: { ref: 'main' } }))).toBe('invalid_request')
    for (let n = 1; n < 20; n++) await add({ label: `${n}` })
    expect(await refused(add())).toBe('too_many_publishers')
    const off = publishingOf({ ...context, issuers: [] })
    expect(await refused(off.create(owner(), path, { issuer, claims: project }))).toBe(
      'publishing_unavailable',
    )
    expect(await refused(off.change(owner(), path, id, { claims: project }))).toBe('issuer_not_trusted')
    const request = { token: await token(), ...path }
    expect(await refused(off.exchange(anonymous, request, origin))).toBe('publishing_unavailable')
    expect((await off.list(owner(), path)).publishers[0]!.kind).toBeNull()
  })

  test('a workload is shown to the readers that the publisher says, and not with private changes', async () => {
    await context.database.query('update collections set public = true where id = $1', [collectionId])
    const seen = async (who: Caller | typeof anonymous) =>
      (await versionsOf(context).list(who, path, { limit: 1 })).items[0]!.workload !== undefined
    for (const [n, shows] of (['none', 'members', 'everyone'] as const).entries()) {
      const { id } = await add({ shows })
      await services.metadata.update(await resolved(), path, { title: `by ${shows}` })
      await publishing.remove(owner(), path, id)
      expect([await seen(owner()), await seen(anonymous)]).toEqual([n > 0, n > 1])
    }
    await context.database.query('update versions set public_changed = false where collection_id = $1', [
      collectionId,
    ])
    expect([await seen(owner()), await seen(anonymous)]).toEqual([true, false])
    const [latest] = (await versionsOf(context).list(owner(), path, { limit: 1 })).items
    const { reason } = await withdrawalsOf(context).withdraw(
      owner(),
      { ...path, v: latest!.semver },
      { reason: 'x', erase: true },
    )
    expect(reason).toBe('x')
    const { rows } = await context.database.query(
      'select workload from versions where withdrawn_at is not null',
    )
    expect(rows).toEqual([{ workload: null }])
  })

  const opened = async (by: Caller) => {
    const head = (await findCollectionById(context.database, collectionId, null))!.head
    const base = head && `v${head.major}.${head.minor}.${head.patch}`
    const opening = JSON.stringify({ base_version: base, schemas: { A: { type: 'object' } } })
    return services.pushes.open(by, path, bytesOf(opening), (read) => read as { base_version: string | null })
  }

  test('members add no records to the session of a job where publishers alone publish', async () => {
    const { collections, pushes } = services
    await add()
    const who = await resolved()
    const mel = callerOf((await findAccountBySlug(context.database, 'mel'))!)
    const { session_id } = await opened(who)
    await collections.patch(owner(), path, { publishersOnly: true })
    const line = () => bytesOf('{"id":"b","type":"A","data":{}}')
    expect(await refused(pushes.receive(mel, path, session_id, 'records', line()))).toBe('publishers_only')
    expect(await refused(pushes.commit(mel, path, session_id, { async: false }))).toBe('publishers_only')
    await pushes.receive(who, path, session_id, 'records', line())
    await pushes.cancel(mel, path, session_id)
    await collections.patch(owner(), path, { publishersOnly: false })
  })

  test('work that a job left to the background ends with its publisher', async () => {
    const { id } = await add()
    const who = await resolved()
    const head = (await findCollectionById(context.database, collectionId, null))!.head!
    await publishing.remove(owner(), path, id)
    // As background work lands it: without the credential, which was checked when the work was accepted.
    const later = addVersion(
      context,
      { id: collectionId },
      {
        base: head,
        semver: { major: 8, minor: 0, patch: 0 },
        means: who.means!,
      },
    )
    expect(await refused(later)).toBe('unauthenticated')
  })

  test('a publisher has at most 100 keys at once', async () => {
    const { id } = await add()
    await exchange()
    await context.database.query(
      `insert into api_keys (id, account_id, hash, start, label, scope, limited, created_at, expires_at, publisher_id)
       select gen_random_uuid(), account_id, 'x' || n, start, label, scope, limited, created_at, expires_at, publisher_id
       from api_keys, generate_series(1, 99) n where publisher_id = $1`,
      [id],
    )
    await expect(exchange()).rejects.toThrow('100 keys')
    time += 16 * 60_000
    await exchange()
  })

  test('who sees the job of a version follows the setting of its publisher', async () => {
    const { id } = await add({ shows: 'everyone' })
    await services.metadata.update(await resolved(), path, { note: String(Math.random()) })
    const shown = async () =>
      (
        await context.database.query(
          `select workload->>'shows' as shows from versions where workload->>'publisher' = $1`,
          [id],
        )
      ).rows
    expect(await shown()).toEqual([{ shows: 'everyone' }])
    await publishing.change(owner(), path, id, { shows: 'none' })
    expect(await shown()).toEqual([{ shows: 'none' }])
  })

  test('an issuer that became another kind has no publishers of the former one', async () => {
    await add()
    const kept = issuers[0]!
    issuers[0] = { ...kept, kind: 'other' }
    expect(await refused(exchange({ ref_protected: 'false' }))).toBe('invalid_grant')
    issuers[0] = kept
    await exchange()
  })

  test('the audit log says which jobs are trusted', async () => {
    const { id } = await add()
    await publishing.change(owner(), path, id, { claims: { project_path: 'evil/maps' } })
    const made = (await acts('publisher.made')).at(-1)!['details']
    const changed = (await acts('publisher.changed')).at(-1)!['details']
    expect([made, changed]).toMatchObject([
      { issuer, scope: 'write', claims: JSON.stringify(project) },
      { scope: 'write', claims: '{"project_path":"evil/maps"}' },
    ])
  })
})

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}
