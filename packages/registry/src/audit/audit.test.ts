/** http-api §11: every act has its row, written by its own transaction, and only permitted callers read it. */

import { dropOldAuditEvents, numberEvents } from '@ulmus/storage'
import { serviceDatabases } from '@ulmus/storage/testing'
import type { AuditEvent } from '@ulmus/wire'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exportForOperator } from '../accounts/account-export.ts'
import { accountsOf } from '../accounts/accounts.ts'
import { sessionsOf } from '../accounts/browser-sessions.ts'
import { collaboratorsOf } from '../accounts/collaborators.ts'
import { invitationsOf } from '../accounts/invitations.ts'
import { keysOf } from '../accounts/keys.ts'
import { membersOf } from '../accounts/members.ts'
import { collectionsOf } from '../collections/collections.ts'
import { forksOf } from '../collections/forks.ts'
import { metadataOf } from '../metadata/metadata.ts'
import { moderationOf } from '../operators/moderation.ts'
import { openingsOf } from '../operators/openings.ts'
import { operatorsOf } from '../operators/operators.ts'
import { reportsOf } from '../operators/reports.ts'
import { anonymous, type Caller, type Principal } from '../principal.ts'
import { publishingOf } from '../publishing/publishing.ts'
import type { PushOpening } from '../pushes/opening/opening-body.ts'
import { publishLine } from '../pushes/publish-line.ts'
import { pushesOf } from '../pushes/pushes.ts'
import { PushSessions } from '../pushes/session/sessions.ts'
import { questionsOf } from '../questions/questions.ts'
import { recordErasuresOf } from '../record-erasures/record-erasures.ts'
import { tablesOf, usualTables } from '../tables/tables.ts'
import { addVersion, openContext, type TestContext } from '../testing/context.ts'
import { type IssuerKey, makeKey, sign } from '../testing/issuer.ts'
import { versionsOf } from '../versions/versions.ts'
import { webhooksOf } from '../webhooks/webhooks.ts'
import { withdrawalsOf } from '../withdrawals/withdrawals.ts'
import { actions, audited } from './acts.ts'
import { auditOf } from './audit.ts'

describe.each(serviceDatabases)('the audit log on $name', (database) => {
  let context: TestContext
  let services: ReturnType<typeof servicesOf>
  let ada: Caller
  let eve: Caller
  let key: IssuerKey
  const issuer = 'https://ci.example'
  let time = Date.parse('2026-01-15T10:00:00.000Z')

  const servicesOf = (context: TestContext) => ({
    accounts: accountsOf(context),
    sessions: sessionsOf(context),
    keys: keysOf(context),
    members: membersOf(context),
    invitations: invitationsOf(context),
    collections: collectionsOf(context),
    forks: forksOf(context),
    metadata: metadataOf(context),
    versions: versionsOf(context),
    withdrawals: withdrawalsOf(context),
    recordErasures: recordErasuresOf(context, pushesOf(context, new PushSessions(context))),
    pushes: pushesOf(context, new PushSessions(context)),
    publishing: publishingOf(context),
    questions: questionsOf(context, tablesOf(context, usualTables, 'a test')),
    webhooks: webhooksOf(context),
    audit: auditOf(context),
  })
  const user = async (name: string): Promise<Caller> => {
    const identity = { issuer: 'https://login.example', subject: name, email: null, name: null }
    const { id, slug } = await services.accounts.signIn({ ...identity, preferredUsername: name })
    const { token } = await services.sessions.open({ id, slug })
    return (await services.sessions.resolve(token, '192.0.2.7'))!.caller
  }
  const log = async (who: Caller, slug: string, ask: Parameters<typeof services.audit.list>[2] = {}) =>
    (await services.audit.list(who, slug, ask)).items
  const short = ({ action, target, details }: AuditEvent) => [action, target, details]
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'ok',
      (error: { code?: string }) => error.code,
    )

  beforeAll(async () => {
    key = await makeKey('1')
    const issuers = [{ issuer, kind: 'other' as const, jwks: { keys: [key.jwk] } }]
    context = await openContext(database, { issuers, now: () => new Date(time++) })
    services = servicesOf(context)
    await context.jobs.start()
    ada = await user('ada')
    eve = await user('eve')
  })
  afterAll(() => context.dispose())

  test('lists each act in an organization once, with its actor and address', async () => {
    const { accounts, members, invitations, collections, forks, metadata } = services
    await accounts.createOrg(ada, { slug: 'guild', displayName: 'Guild' })
    const invited = await invitations.create(ada, 'guild', { user: 'eve', role: 'member' })
    await invitations.answer(eve, invited.token, false)
    const { id } = await invitations.create(ada, 'guild', { email: 'e@example.org', role: 'member' })
    await invitations.remove(ada, 'guild', id)
    await members.set(ada, { slug: 'guild', user: 'eve' }, 'member')
    await members.set(ada, { slug: 'guild', user: 'eve' }, 'member')
    await members.set(ada, { slug: 'guild', user: 'eve' }, 'admin')
    const made = await collections.create(eve, 'guild', { slug: 'maps', public: true })
    await addVersion(context, { id: made.id })
    const patch = await metadata.read(eve, bytesOf('{"title":"Maps"}'))
    await metadata.update(eve, { owner: 'guild', slug: 'maps' }, patch)
    const again = await metadata.read(eve, bytesOf('{"title":"More"}'))
    const { job_id } = await metadata.start(eve, { owner: 'guild', slug: 'maps' }, again)
    while ((await metadata.job(eve, { owner: 'guild', slug: 'maps' }, job_id)).status === 'running')
      await new Promise((resolve) => setTimeout(resolve, 20))
    await forks.create(ada, { owner: 'guild', slug: 'maps' }, { targetOrg: 'guild', slug: 'charts' })
    await collections.patch(
      ada,
      { owner: 'guild', slug: 'charts' },
      { slug: 'plans', public: false, name: 'P' },
    )
    await collections.create(ada, 'guild', { slug: 'leaks' })
    const leaks = { owner: 'guild', slug: 'leaks' }
    const opening = bytesOf('{"base_version":null,"schemas":{"A":{}}}')
    const asIs = (outline: unknown) => outline as PushOpening
    const { session_id } = await services.pushes.open(ada, leaks, opening, asIs)
    await services.pushes.commit(ada, leaks, session_id, { async: false })
    const drawn = { ...leaks, v: 'v1.0.0' }
    for (const message of ['old', 'old', null]) await services.withdrawals.deprecate(ada, drawn, message)
    await services.withdrawals.withdraw(ada, drawn, { reason: 'wrong' })
    await services.withdrawals.withdraw(ada, drawn, { reason: 'again' })
    await collections.patch(ada, { owner: 'guild', slug: 'plans' }, { name: 'Q' })
    await collections.remove(ada, { owner: 'guild', slug: 'plans' })
    await members.remove(eve, { slug: 'guild', user: 'eve' })
    await accounts.update(ada, 'guild', { settings: { defaultVisibility: 'public' } })
    await accounts.update(ada, 'guild', { settings: { defaultVisibility: 'public' } })
    await accounts.createOrg(ada, { slug: 'heirs', displayName: 'Heirs' })
    await forks.create(ada, { owner: 'guild', slug: 'maps' }, { targetOrg: 'heirs', slug: 'maps' })
    await collections.create(ada, 'guild', { slug: 'atlases' })
    await collections.transfer(ada, { owner: 'guild', slug: 'atlases' }, 'heirs')
    await accounts.update(ada, 'guild', { slug: 'union', displayName: 'Union' })

    const events = await log(ada, 'union')
    expect(events.map(short).reverse()).toEqual([
      ['organization.made', 'guild', {}],
      ['member.invited', 'eve', { role: 'member' }],
      ['invitation.declined', 'eve', { role: 'member' }],
      ['member.invited', 'whoever has the link', { role: 'member' }],
      ['invitation.removed', 'whoever has the link', { role: 'member' }],
      ['member.set', 'eve', { role: 'member', before: null }],
      ['member.set', 'eve', { role: 'admin', before: 'member' }],
      ['collection.made', 'guild/maps', { public: true }],
      ['version.made', 'guild/maps@v1.0.0', {}],
      ['version.made', 'guild/maps@v1.0.1', {}],
      ['version.made', 'guild/maps@v1.0.2', {}],
      ['collection.made', 'guild/charts', { public: true }],
      ['version.made', 'guild/charts@v1.0.0', {}],
      ['collection.renamed', 'guild/plans', { formerly: 'guild/charts' }],
      ['collection.visibility', 'guild/plans', { public: false }],
      ['collection.made', 'guild/leaks', { public: false }],
      ['version.made', 'guild/leaks@v1.0.0', {}],
      ['version.deprecated', 'guild/leaks@v1.0.0', { message: 'old', version: expect.any(String) }],
      ['version.deprecated', 'guild/leaks@v1.0.0', { message: null, version: expect.any(String) }],
      ['version.withdrawn', 'guild/leaks@v1.0.0', { erase: false, reason: 'wrong' }],
      ['collection.deleted', 'guild/plans', {}],
      ['member.removed', 'eve', { before: 'admin' }],
      ['settings.changed', 'guild', { defaultVisibility: 'public' }],
      ['collection.forked', 'guild/maps', { fork: 'heirs/maps' }],
      ['collection.made', 'guild/atlases', { public: true }],
      ['collection.transferred', 'heirs/atlases', { formerly: 'guild/atlases' }],
      ['account.renamed', 'union', { formerly: 'guild' }],
    ])
    expect((await log(ada, 'heirs')).map(short)[0]).toEqual(events[1] && short(events[1]))
    const byVersion = new Map(
      events.filter(({ action }) => action === 'version.made').map(({ target, actor }) => [target, actor]),
    )
    expect(byVersion.get('guild/maps@v1.0.1')).toEqual({ account: 'eve', ip: '192.0.2.7' })
    // A job, which has no request, records the same.
    expect(byVersion.get('guild/maps@v1.0.2')).toEqual({ account: 'eve', ip: '192.0.2.7' })
  })

  test('lists acts of users on their accounts and keys, with the labels of keys', async () => {
    const { keys, sessions } = services
    const { id, key } = await keys.create(ada, { label: 'nightly', scope: 'admin' })
    const caller = await keys.resolve(key, '192.0.2.8')
    await keys.settle()
    time += 120_000
    await keys.resolve(key, '192.0.2.9')
    await keys.settle()
    await sessions.endOthers(caller)
    // No session is left to end.
    await sessions.endOthers(caller)
    ada = { ...ada, credential: null }
    const other = await keys.create(caller, { label: 'other', scope: 'read' })
    await keys.revoke(caller, other.id)
    await keys.revoke(ada, id)
    const events = (await log(ada, 'ada')).reverse()
    expect(events.map(({ action, target }) => [action, target])).toEqual([
      ['account.signed_in', 'ada'],
      ...[
        ['key.made', id],
        ['key.first_used', id],
        ['session.ended', 'all others'],
        ['key.made', other.id],
      ],
      ...[
        ['key.revoked', other.id],
        ['key.revoked', id],
      ],
    ])
    expect(events[2]).toMatchObject({
      actor: { account: 'ada', key: { id, label: 'nightly' }, ip: '192.0.2.8' },
      details: { label: 'nightly' },
    })
    expect(events.at(-1)!.details).toEqual({ label: 'nightly', scope: 'admin' })
  })

  test('a failed act has no row, and one repeated by chance has one', async () => {
    const count = async () => (await log({ ...eve, credential: null }, 'eve')).length
    const before = await count()
    const failing = audited(context, eve, async (_tx, tell) => {
      tell({ action: 'key.made', account: eve.accountId, target: 'x' })
      throw new Error('undone')
    })
    await expect(failing).rejects.toThrow('undone')
    expect(await count()).toBe(before)
    let runs = 0
    await audited(context, eve, async (_tx, tell) => {
      tell({ action: 'key.made', account: eve.accountId, target: 'x' })
      if (++runs === 1) throw Object.assign(new Error('again'), { code: '40001' })
    })
    expect([runs, (await count()) - before]).toEqual([2, 1])
  })

  test('admins read it, and users their own; other callers cannot', async () => {
    const ben = await user('ben')
    await services.accounts.createOrg(ben, { slug: 'closed', displayName: 'Closed' })
    await services.members.set(ben, { slug: 'closed', user: 'eve' }, 'member')
    const own = { ...eve, credential: null }
    expect(await codeOf(log(own, 'closed'))).toBe('insufficient_role')
    expect(await codeOf(log(own, 'union'))).toBe('not_a_member')
    expect(await codeOf(log(own, 'ben'))).toBe('not_a_member')
    expect(await codeOf(log({ ...own, scope: 'write' }, 'eve'))).toBe('insufficient_scope')
    expect(await codeOf(log({ ...own, limitedTo: ['x'] }, 'eve'))).toBe('key_limited')
    expect(await codeOf(services.audit.list({ kind: 'anonymous' }, 'eve', {}))).toBe('unauthenticated')
    expect(await codeOf(services.audit.stream(own, 'closed', {}))).toBe('insufficient_role')
    expect(await codeOf(log(own, 'missing-account'))).toBe('account_not_found')
    await services.members.set(ben, { slug: 'closed', user: 'eve' }, 'admin')
    expect(await codeOf(log(own, 'closed'))).toBe('ok')
  })

  test('it is narrowed down, paged there and back, and streamed whole', async () => {
    const all = await log(ada, 'union', { limit: 100 })
    expect((await log(ada, 'union', { actor: 'eve' })).length).toBe(
      all.filter(({ actor }) => actor.account === 'eve').length,
    )
    expect(await log(ada, 'union', { actor: 'missing-account' })).toEqual([])
    expect((await log(ada, 'union', { action: 'version.made' })).map(({ action }) => action)).toEqual(
      Array(5).fill('version.made'),
    )
    expect(await log(ada, 'union', { after: all[3]!.at })).toEqual(all.slice(0, 3))
    const paged: AuditEvent[] = []
    const cursorOf = (link: string) => ({ limit: 4, cursor: new URLSearchParams(link).get('cursor')! })
    let page = await services.audit.list(ada, 'union', { limit: 4 })
    const pages = [page.items]
    for (paged.push(...page.items); page.links.next !== undefined; paged.push(...page.items)) {
      page = await services.audit.list(ada, 'union', cursorOf(page.links.next))
      pages.push(page.items)
    }
    expect(paged).toEqual(all)
    expect((await services.audit.list(ada, 'union', cursorOf(page.links.prev!))).items).toEqual(pages.at(-2))
    let text = ''
    for await (const piece of await services.audit.stream(ada, 'union', {})) text += Buffer.from(piece)
    expect(
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(all)
  })

  test('versions say who made them, but outsiders not of those in which only private things changed', async () => {
    const path = { owner: 'union', slug: 'maps' }
    const actorsOf = async (who: Principal) => {
      const { items } = await services.versions.list(who, path, {})
      return items.map(({ actor }) => actor?.slug)
    }
    expect(await actorsOf(anonymous)).toEqual(['eve', 'eve', 'union'])
    await context.database.query('update versions set public_changed = false where patch = 1')
    expect(await actorsOf(anonymous)).toEqual(['eve', undefined, 'union'])
    expect(await actorsOf(ada)).toEqual(['eve', 'eve', 'union'])
  })

  test('lists trusted publishers, and the keys that their tokens were exchanged for', async () => {
    const { collections, publishing } = services
    const path = { owner: 'eve', slug: 'published' }
    const own = { ...eve, credential: null }
    await collections.create(own, 'eve', { slug: path.slug })
    const { id } = await publishing.create(own, path, { issuer, claims: { sub: 'job' }, label: 'nightly' })
    const origin = 'https://registry.example'
    const token = await sign(key, { iss: issuer, aud: origin, sub: 'job' }, { at: new Date(time) })
    await publishing.exchange({ kind: 'anonymous', address: '192.0.2.9' }, { token, ...path }, origin)
    await publishing.change(own, path, id, { label: 'daily' })
    await collections.patch(own, path, { publishersOnly: true })
    await publishing.remove(own, path, id)
    const events = (await log(own, 'eve')).slice(0, 5).reverse()
    const collection = 'eve/published'
    expect(events.map(({ action, actor, details }) => [action, actor, details])).toMatchObject([
      ['publisher.made', { account: 'eve' }, { label: 'nightly', collection, issuer }],
      ['key.exchanged', { account: null, ip: '192.0.2.9' }, { publisher: id, collection, subject: 'job' }],
      ['publisher.changed', { account: 'eve' }, { label: 'daily', collection }],
      ['collection.publishing', { account: 'eve' }, { publishersOnly: true }],
      ['publisher.removed', { account: 'eve' }, { label: 'daily', collection }],
    ])
  })

  test('lists saved questions', async () => {
    await services.collections.create(ada, 'ada', { slug: 'asked', public: true })
    const path = { owner: 'ada', slug: 'asked' }
    const opening = bytesOf('{"base_version":null,"schemas":{"A":{}}}')
    const asIs = (outline: unknown) => outline as PushOpening
    const { session_id } = await services.pushes.open(ada, path, opening, asIs)
    await services.pushes.commit(ada, path, session_id, { async: false })
    const question = { name: 'All', type: 'A' }
    const { slug } = await services.questions.create(ada, path, question)
    await services.questions.remove(ada, path, slug)
    const events = (await log(ada, 'ada')).filter(({ action }) => action.startsWith('question.'))
    expect(events.toReversed().map(short)).toEqual([
      ['question.saved', 'ada/asked', { question: 'all', public: false }],
      ['question.removed', 'ada/asked', { question: 'all', public: false }],
    ])
  })

  test('lists acts on webhooks, without the path of their address', async () => {
    const { webhooks } = services
    const { id: collection } = await services.collections.create(ada, 'ada', { slug: 'heard', public: true })
    const url = 'https://ci.example/secret-path'
    const place = { collection: { owner: 'ada', slug: 'heard' } }
    const { id } = await webhooks.create(eve, place, { url })
    await webhooks.change(eve, id, { label: 'CI' })
    await webhooks.rotate(eve, id)
    const suspend = (when: string) =>
      context.database.query(`update accounts set suspended_at = ${when} where id = $1`, [eve.accountId])
    await suspend('now()')
    await addVersion(context, { id: collection })
    await context.database.transact((tx) => numberEvents(tx, 1_000))
    await webhooks.sendAll()
    await suspend('null')
    await webhooks.remove(eve, id)
    const about = { webhook: id, host: 'ci.example' }
    const events = (await log(eve, 'eve')).filter(({ action }) => action.startsWith('webhook.'))
    expect(events.toReversed().map(short)).toEqual([
      ['webhook.made', 'ada/heard', about],
      ['webhook.changed', 'ada/heard', about],
      ['webhook.rotated', 'ada/heard', about],
      ['webhook.disabled', 'ci.example', { ...about, why: 'maker_gone' }],
      ['webhook.removed', 'ada/heard', about],
    ])
  })

  test('lists acts of operators on accounts', async () => {
    const issuer = 'https://login.example'
    const operated = {
      ...context,
      operators: { identities: [{ issuer, subject: 'eve' }], byClaim: false },
    }
    const operators = operatorsOf(operated)
    await services.collections.create(ada, 'ada', { slug: 'leak', public: true })
    const leak = { owner: 'ada', slug: 'leak' }
    await openingsOf(operated).open(await user('eve'), leak, 'A report.')
    const reports = reportsOf(operated)
    await reports.make({ ...ada, credential: null }, leak, { reason: 'personal_data', text: 'Names' })
    const [report] = (await reports.list({ ...eve, credential: null }, {})).items
    await reports.close({ ...eve, credential: null }, report!.id, { outcome: 'acted' })
    await moderationOf(operated).hide({ ...eve, credential: null }, leak, 'It names people.')
    expect(await log(ada, 'ada', { action: 'collection.hidden' })).toMatchObject([
      {
        target: 'ada/leak',
        actor: { account: 'eve' },
        details: { hidden: true, reason: 'It names people.' },
      },
    ])
    const kept = await user('kept-out')
    const own = { ...eve, credential: null }
    await operators.change(own, 'kept-out', { suspended: true, quotaBytes: 10 })
    await operators.linkIdentity(own, 'kept-out', { issuer, subject: 'another' })
    await operators.erase(own, 'kept-out')
    const { rows } = await context.database.query(
      "select action from audit_events where account_id = $1 and action not like '%signed%' and action like 'account.%' order by at, id",
      [kept.accountId],
    )
    expect(rows.map(({ action }) => action)).toEqual(['account.suspended', 'account.quota', 'account.erased'])
  })

  test('an administrator of the server exports what is stored of a user', async () => {
    const left = await user('left')
    const text = (await Array.fromAsync(await exportForOperator(context, 'left', 'Request 17'))).join('')
    expect(JSON.parse(text)).toMatchObject({ account: { slug: 'left' } })
    const [event] = await log(left, 'left', { action: 'account.exported' })
    expect(event).toMatchObject({
      target: 'left',
      actor: { account: null },
      details: { reason: 'Request 17' },
    })
    await expect(exportForOperator(context, 'union', 'Request 18')).rejects.toMatchObject({
      code: 'not_a_user',
    })
  })

  test('a user who deletes the account stays a name in the log', async () => {
    const gone = await user('gone')
    await services.members.set(ada, { slug: 'union', user: 'gone' }, 'admin')
    await services.collections.create(gone, 'union', { slug: 'left' })
    await services.accounts.remove(gone, 'gone')
    const [event] = await log(ada, 'union', { action: 'collection.made' })
    expect(event).toMatchObject({ target: 'union/left', actor: { account: 'gone' } })
    expect((await log(ada, 'union', { actor: 'gone' })).map(({ target }) => target)).toContain('union/left')
  })

  test('collaborators, in the log of the owner', async () => {
    await services.collections.create(ada, 'ada', { slug: 'shared' })
    const shared = { owner: 'ada', slug: 'shared' }
    const asking = collaboratorsOf({ ...context, limits: { ...context.limits, newMembers: 'invited' } })
    const invited = await asking.set(ada, { ...shared, user: 'eve' }, 'write')
    await services.invitations.answer(eve, invited!.id, true)
    await asking.remove(eve, { ...shared, user: 'eve' })
    const acts = (await log(ada, 'ada')).filter(({ action }) => action.startsWith('collaborator.'))
    expect(acts.map((act) => [act.actor?.account, ...short(act)]).reverse()).toEqual([
      ['ada', 'collaborator.invited', 'ada/shared', { user: 'eve', grant: 'write' }],
      ['eve', 'collaborator.set', 'ada/shared', { user: 'eve', grant: 'write', before: null, invited: true }],
      ['eve', 'collaborator.removed', 'ada/shared', { user: 'eve', before: 'write' }],
    ])
  })

  test('a record that is removed from all versions', async () => {
    await services.collections.create(ada, 'ada', { slug: 'people' })
    const people = { owner: 'ada', slug: 'people' }
    const opening = { base_version: null, schemas: { A: {} } }
    const line = '{"id":"x","type":"A","data":{}}'
    await publishLine(services.pushes, ada, people, { kind: 'records', line, opening } as never)
    await services.recordErasures.erase(ada, { ...people, type: 'A', id: 'x' }, { base_version: 'v1.0.0' })
    expect((await log(ada, 'ada')).map(({ action }) => action)).toContain('record.erased')
  })

  test('every action was done by a test above', async () => {
    const { rows } = await context.database.query('select distinct action from audit_events')
    expect(rows.map(({ action }) => action).sort()).toEqual([...actions].sort())
  })

  test('old rows are dropped, a slice at a time', async () => {
    const count = async () =>
      Number((await context.database.query('select count(*) from audit_events')).rows[0]!['count'])
    const before = await count()
    const drop = () =>
      context.database.transact((tx) => dropOldAuditEvents(tx, new Date(time + 1), before - 1))
    expect([await drop(), await drop(), await drop(), await count()]).toEqual([before - 1, 1, 0, 0])
  })
})

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
