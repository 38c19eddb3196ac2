/** Webhooks with a real receiver over HTTP. The clock is the test's. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { disableBehind, numberEvents, replayEvents, retryDelivery } from '@ulmus/storage'
import { serviceDatabases } from '@ulmus/storage/testing'
import type { CreateWebhook } from '@ulmus/wire'
import { Webhook as Standard } from 'standardwebhooks'
import { Webhook as Svix } from 'svix'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Role } from '../access/policy.ts'
import { collectionsOf } from '../collections/collections.ts'
import type { Context } from '../context.ts'
import { readAllowed } from '../outside/addresses.ts'
import type { Caller } from '../principal.ts'
import { sealingOf } from '../secrets/sealing.ts'
import {
  addAccount,
  addMember,
  addVersion,
  callerOf,
  contextOn,
  openContext,
  type TestContext,
} from '../testing/context.ts'
import { expireRows } from '../upkeep/expiry.ts'
import { type Webhooks, webhooksOf } from './webhooks.ts'

interface Received {
  readonly headers: Record<string, string>
  readonly body: string
}

const day = 86_400_000

describe.each(serviceDatabases)('webhooks on $name', (database) => {
  let context: TestContext
  let webhooks: Webhooks
  let receiver: Server
  let url: string
  let received: Received[] = []
  let answer: (received: Received) => { status: number; headers?: Record<string, string> } | null
  let ada: Caller
  let eve: Caller
  /** To the begin of a minute, since some limits are by the minute. */
  let begin = 0
  let offset = 0
  const callers = new Map<string, Caller>()

  beforeAll(async () => {
    receiver = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const one = {
          headers: request.headers as Record<string, string>,
          body: Buffer.concat(chunks).toString(),
        }
        received.push(one)
        const given = answer(one)
        if (given !== null)
          response.writeHead(given.status, given.headers).end('a secret of the inner network')
      })
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    const outside = { allowed: readAllowed(new URL(url).origin) }
    context = await openContext(database, { outside, now: () => new Date(Date.now() + begin + offset) })
    webhooks = webhooksOf(context)
    for (const name of ['ada', 'eve', 'grace']) callers.set(name, callerOf(await addAccount(context, name)))
    ada = callers.get('ada')!
    eve = callers.get('eve')!
  })
  afterAll(async () => {
    webhooks.close()
    receiver.closeAllConnections()
    receiver.close()
    await context.dispose()
  })
  beforeEach(async () => {
    for (const table of ['webhooks', 'webhook_requests']) await context.database.query(`delete from ${table}`)
    received = []
    answer = () => ({ status: 204 })
    begin = 61_000 - (Date.now() % 60_000)
    offset = 0
  })

  const number = (on: Context = context) => on.database.transact((tx) => numberEvents(tx, 1_000))
  /** Numbers changes and sends all that is due. */
  const run = async (service: Webhooks = webhooks) => {
    await number()
    await service.sendAll()
  }
  let slugs = 0
  const make = async (isPublic: boolean, owner = 'ada', as = ada) => {
    const slug = `c${++slugs}`
    const { id } = await collectionsOf(context).create(as, owner, { slug, public: isPublic })
    await run()
    received = []
    return { id, slug, path: { owner, slug } }
  }
  const hook = (who: Caller, path: { owner: string; slug: string }, more: Partial<CreateWebhook> = {}) =>
    webhooks.create(who, { collection: path }, { url, ...more })
  const types = () => received.map(({ body }) => JSON.parse(body).type)

  test('a request is verified by two receivers of Standard Webhooks, and says what happened', async () => {
    const { id, path } = await make(true)
    const { secret, id: hookId, ...shown } = await hook(ada, path)
    expect(shown).toMatchObject({ account: 'ada', collection: { id, ...path }, enabled: true, madeBy: 'ada' })
    expect(JSON.stringify(await webhooks.find(ada, hookId))).not.toContain(secret)
    await addVersion(context, { id })
    await run()
    expect(received).toHaveLength(1)
    const [{ headers, body }] = received as [Received]
    for (const verifier of [new Standard(secret), new Svix(secret)]) {
      verifier.verify(body, headers)
      expect(() => verifier.verify(`${body} `, headers)).toThrow()
    }
    expect(JSON.parse(body)).toEqual({
      type: 'version.created',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        ...{ collection: { id, ...path }, semver: 'v1.0.0', bump: 'major' },
        url: `https://registry.example/api/collections/ada/${path.slug}/versions/v1.0.0`,
      },
    })
    expect(body).toBe(JSON.stringify(JSON.parse(body)))
    expect(await webhooks.deliveries(ada, hookId, {})).toMatchObject([
      {
        kind: 'version.made',
        state: 'done',
        attempts: 1,
        status: 204,
        why: null,
        nextAt: null,
        messageId: headers['webhook-id'],
      },
    ])
  })

  test('kinds and parts of the number are filters, and a webhook of an account receives all its collections', async () => {
    const { id, path } = await make(true)
    await hook(ada, path, { kinds: ['version.made'], bumps: ['minor'] })
    const all = await webhooks.create(ada, { account: 'ada' }, { url: `${url}/all` })
    const first = await addVersion(context, { id })
    await addVersion(
      context,
      { id },
      { base: first, semver: { major: 1, minor: 1, patch: 0 }, content: 'other' },
    )
    await make(false)
    await run()
    const kinds = (await webhooks.deliveries(ada, all.id, {})).map(({ kind }) => kind)
    expect(kinds).toEqual(['collection.made', 'version.made', 'version.made'])
    const [own] = (await webhooks.list(ada, { collection: path })).filter((one) => one.id !== all.id)
    expect((await webhooks.deliveries(ada, own!.id, {})).map(({ semver }) => semver)).toEqual(['v1.1.0'])
    expect(await webhooks.list(ada, { account: 'ada' })).toHaveLength(2)
  })

  test('a stranger receives public changes only, and nothing once the collection is private', async () => {
    const { id, path } = await make(true)
    const mine = await hook(eve, path)
    expect(mine).toMatchObject({ account: 'eve', madeBy: 'eve' })
    const base = await addVersion(context, { id })
    await run()
    await context.database.query('update versions set public_changed = false where id = $1', [base.id])
    await context.database.transact(async (tx) => {
      await tx.query(
        `insert into outbox (at, kind, collection_id, account_id, name, public, details)
         select now(), 'version.made', $1, $2, 'ada/x', false, '{"semver":"v1.0.1","bump":"patch"}'`,
        [id, ada.accountId],
      )
    })
    await run()
    expect(types()).toEqual(['version.created'])
    await context.database.query(`update collections set public = false where id = $1`, [id])
    await run()
    expect(received).toHaveLength(1)
    await expect(webhooks.list(eve, { collection: path })).rejects.toMatchObject({
      code: 'collection_not_found',
    })
    expect(await webhooks.deliveries(eve, mine.id, {})).toEqual([])
    // The owner does not see it.
    await expect(webhooks.find(ada, mine.id)).rejects.toMatchObject({ code: 'webhook_not_found' })
    await expect(hook(eve, path)).rejects.toMatchObject({ code: 'collection_not_found' })
  })

  test('rights are decided at each request: a member who left receives nothing private that was waiting', async () => {
    const org = await addAccount(context, `org-${Math.random().toString(36).slice(2, 8)}`, 'org')
    const grace = callers.get('grace')!
    const role = (name: Role) => addMember(context, org, { id: grace.accountId }, name)
    await addMember(context, org, { id: ada.accountId }, 'owner')
    await role('member')
    const { id, path } = await make(false, org.slug)
    const own = await hook(grace, path)
    expect(own.account).toBe('grace')
    answer = () => ({ status: 500 })
    await addVersion(context, { id })
    await run()
    expect(received).toHaveLength(1)
    expect(await webhooks.deliveries(grace, own.id, {})).toMatchObject([
      { state: 'waiting', why: 'status', status: 500 },
    ])
    await context.database.query('delete from members where user_id = $1', [grace.accountId])
    answer = () => ({ status: 204 })
    offset = day
    await run()
    expect(received).toHaveLength(1)
    expect(await webhooks.deliveries(grace, own.id, {})).toEqual([])
  })

  test('an admin who changes an address answers for what is heard there', async () => {
    const org = await addAccount(context, `org-${Math.random().toString(36).slice(2, 8)}`, 'org')
    const grace = callers.get('grace')!
    await addMember(context, org, { id: ada.accountId }, 'owner')
    await addMember(context, org, { id: grace.accountId }, 'admin')
    const { path } = await make(false, org.slug)
    const { id } = await hook(ada, path)
    expect(await webhooks.change(grace, id, { label: 'x' })).toMatchObject({ madeBy: 'ada', label: 'x' })
    expect(await webhooks.change(grace, id, { url: `${url}/2` })).toMatchObject({ madeBy: 'grace' })
    await addMember(context, org, { id: grace.accountId }, 'member')
    await expect(webhooks.change(grace, id, { label: 'y' })).rejects.toMatchObject({
      code: 'webhook_not_found',
    })
    for (const who of [
      { ...ada, scope: 'write' as const },
      { ...ada, limitedTo: [id] },
    ])
      await expect(webhooks.find(who, id)).rejects.toMatchObject({ code: 'webhook_not_found' })
  })

  test('a suspended creator receives nothing, until another user enables it', async () => {
    const { id, path } = await make(true)
    const { id: hookId } = await hook(eve, path)
    await context.database.query('update accounts set suspended_at = now() where id = $1', [eve.accountId])
    await addVersion(context, { id })
    await run()
    await context.database.query('update accounts set suspended_at = null where id = $1', [eve.accountId])
    expect(received).toEqual([])
    expect(await webhooks.find(eve, hookId)).toMatchObject({ enabled: false, disabledWhy: 'maker_gone' })
    expect(await webhooks.change(eve, hookId, { enabled: true })).toMatchObject({
      enabled: true,
      disabledWhy: null,
    })
  })

  test('a failing receiver is asked ten times over three days, with the same id; then it is failed', async () => {
    const { id, path } = await make(true)
    const { id: hookId } = await hook(ada, path)
    answer = () => ({ status: 302, headers: { location: url } })
    await addVersion(context, { id })
    const minutes = [0, 5 / 60, 5, 30, 120, 300, 600, 840, 1_200, 1_440]
    for (const [index, wait] of minutes.entries()) {
      offset += wait * 60_000 * 0.85
      if (wait > 0) await run()
      expect(received).toHaveLength(index)
      offset += wait * 60_000 * 0.3 + 1
      await run()
      expect(received).toHaveLength(index + 1)
    }
    offset += 3 * day
    await run()
    expect(received).toHaveLength(10)
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(await webhooks.deliveries(ada, hookId, { state: 'failed' })).toMatchObject([
      { attempts: 10, status: 302, why: 'status', nextAt: null },
    ])
    // Days later all failed, so the next failure disables it.
    const noResult = { status: null, why: null, milliseconds: null, attemptedAt: null }
    const [{ seq }] = (await webhooks.deliveries(ada, hookId, {})) as unknown as [{ seq: number }]
    // Without the service, which sends at once.
    await context.database.transact((tx) => retryDelivery(tx, hookId, seq, context.now()))
    const fresh = [{ state: 'waiting', attempts: 0, ...noResult }]
    expect(await webhooks.deliveries(ada, hookId, {})).toMatchObject(fresh)
    offset += 2 * day
    await run()
    expect(await webhooks.find(ada, hookId)).toMatchObject({ enabled: false, disabledWhy: 'failing' })
    await webhooks.change(ada, hookId, { enabled: true })
    answer = () => ({ status: 200 })
    const again = { after: seq - 1, most: 10, now: context.now() }
    await context.database.transact((tx) => replayEvents(tx, hookId, again))
    expect(await webhooks.deliveries(ada, hookId, {})).toMatchObject(fresh)
    await webhooks.replay(ada, hookId, { after: seq - 1 })
    await run()
    expect(await webhooks.deliveries(ada, hookId, {})).toMatchObject([{ state: 'done', attempts: 1 }])
    expect(received.at(-1)!.headers['webhook-id']).toBe(received[0]!.headers['webhook-id'])
    expect(await webhooks.find(ada, hookId)).toMatchObject({ failingSince: null })
  })

  test('410 disables, Retry-After is heeded up to a day, and no answer is shown to anyone', async () => {
    const { id, path } = await make(true)
    const { id: hookId } = await hook(ada, path)
    answer = () => ({ status: 503, headers: { 'retry-after': '7200' } })
    await addVersion(context, { id })
    await run()
    offset = 7_100_000
    await run()
    expect(received).toHaveLength(1)
    offset = 7_300_000
    answer = () => ({ status: 429, headers: { 'retry-after': '1e9' } })
    await run()
    expect(received).toHaveLength(2)
    answer = () => ({ status: 410 })
    offset += day
    await run()
    expect(await webhooks.find(ada, hookId)).toMatchObject({ enabled: false, disabledWhy: 'gone' })
    const seen = [
      await webhooks.deliveries(ada, hookId, {}),
      await webhooks.find(ada, hookId),
      context.log.infos,
      context.log.warnings,
      context.log.errors,
      (await context.database.query('select * from audit_events')).rows,
    ]
    expect(JSON.stringify(seen)).not.toMatch(/inner network|whsec_/)
    expect(JSON.stringify(seen.slice(2))).not.toContain('/hook')
    expect(
      (
        await context.database.query(
          `select details->>'why' as why from audit_events where action = 'webhook.disabled'`,
        )
      ).rows,
    ).toContainEqual({ why: 'gone' })
  })

  test('a new secret signs beside the former one for a day', async () => {
    const { id, path } = await make(true)
    const { id: hookId, secret } = await hook(ada, path)
    const { secret: other, formerUntil } = await webhooks.rotate(ada, hookId)
    expect(new Date(formerUntil!).getTime() - context.now().getTime()).toBeCloseTo(day, -4)
    await addVersion(context, { id })
    await run()
    const [{ headers, body }] = received as [Received]
    for (const one of [secret, other]) new Standard(one).verify(body, headers)
    offset = day + 60_000
    await webhooks.test(ada, hookId)
    const { headers: later } = received.at(-1)!
    expect(later['webhook-signature']!.split(' ')).toHaveLength(1)
    const { rows } = await context.database.query('select secret, former_secrets from webhooks')
    for (const text of [secret, other])
      expect(Buffer.from(rows[0]!['secret'] as Uint8Array).toString('latin1')).not.toContain(text.slice(6))
  })

  test('tests are limited by webhook and by host', async () => {
    const { path } = await make(true)
    const { id } = await hook(ada, path)
    expect(await webhooks.test(ada, id)).toMatchObject({ delivered: true, status: 204, why: null })
    expect(JSON.parse(received[0]!.body)).toMatchObject({ type: 'webhook.test' })
    await expect(webhooks.test(ada, id)).rejects.toMatchObject({ code: 'rate_limited' })
    for (let n = 0; n < 10; n++) await webhooks.test(eve, (await hook(eve, path)).id)
    const { id: last } = await hook(eve, path)
    await expect(webhooks.test(eve, last)).rejects.toMatchObject({ code: 'rate_limited' })
    // Deleted ones count, and those of others do not.
    for (const { id: one } of await webhooks.list(eve, { collection: path })) await webhooks.remove(eve, one)
    const { id: next } = await hook(eve, path)
    await expect(webhooks.test(eve, next)).rejects.toMatchObject({ code: 'rate_limited' })
    offset = 10_000
    await webhooks.test(ada, id)
  })

  test('strangers send ten requests a minute to a host, and its owner any number', async () => {
    const { id, path } = await make(true)
    await hook(eve, path)
    let base = await addVersion(context, { id })
    for (let patch = 1; patch < 14; patch++)
      base = await addVersion(
        context,
        { id },
        { base, semver: { major: 1, minor: 0, patch }, content: `c${patch}` },
      )
    await run()
    expect(received).toHaveLength(10)
    offset = 61_000
    await run()
    expect(received).toHaveLength(14)
    received = []
    const { id: own } = await hook(ada, path)
    const { next } = await webhooks.replay(ada, own, { after: 0 }).catch(() => ({ next: null }))
    expect(next).toBeNull()
    await run()
    expect(received.length).toBeGreaterThanOrEqual(14)
  })

  test('a receiver that does not answer gets two at a time, and does not hold up others', async () => {
    const { id, path } = await make(true)
    const slow = await hook(ada, path)
    answer = () => null
    let base = await addVersion(context, { id })
    for (let patch = 1; patch < 5; patch++)
      base = await addVersion(
        context,
        { id },
        { base, semver: { major: 1, minor: 0, patch }, content: `s${patch}` },
      )
    await number()
    const running = webhooks.sendAll()
    await expect.poll(() => received.length).toBe(2)
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(received).toHaveLength(2)
    expect((await webhooks.deliveries(ada, slow.id, {})).filter(({ attempts }) => attempts > 0)).toHaveLength(
      2,
    )
    receiver.closeAllConnections()
    answer = () => ({ status: 200 })
    await running
    offset = 10_000
    await run()
    expect((await webhooks.deliveries(ada, slow.id, { state: 'done' })).length).toBe(5)
  })

  test('two servers send each event once, and go on where one died', async () => {
    const { id, path } = await make(true)
    const { id: hookId } = await hook(ada, path)
    const others = [1, 2].map(() => contextOn(context, { outside: context.outside!, now: context.now }))
    const services = others.map((one) => webhooksOf(one))
    let base = await addVersion(context, { id })
    for (let patch = 1; patch < 10; patch++)
      base = await addVersion(
        context,
        { id },
        { base, semver: { major: 1, minor: 0, patch }, content: `t${patch}` },
      )
    await number()
    await Promise.all(services.map((one) => one.sendAll()))
    // Either leaves to the other what it cannot send beside it.
    await expect.poll(() => received.length).toBe(10)
    await Promise.all(services.map((one) => one.sendAll()))
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(10)
    // A server that claimed and died.
    await context.database.query(
      `update deliveries set state = 'waiting', next_at = $2, claimed_until = $3 where webhook_id = $1`,
      [hookId, new Date(), new Date(context.now().getTime() + 20_000)],
    )
    await services[0]!.sendAll()
    expect(received).toHaveLength(10)
    offset = 61_000
    await services[0]!.sendAll()
    await expect.poll(() => received.length).toBe(20)
    expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(10)
    for (const one of others) await one.jobs.stop()
    for (const one of services) one.close()
  })

  test('a replay after 0 sends all that is kept; other numbers that are gone are refused', async () => {
    const { id, path } = await make(true)
    await versions(id, 3)
    await number()
    await context.database.query('delete from events where seq < (select max(seq) from events)')
    const { rows } = await context.database.query<{ seq: number }>('select seq from events')
    const { id: hookId } = await hook(ada, path)
    await expect(webhooks.replay(ada, hookId, { after: rows[0]!.seq - 2 })).rejects.toMatchObject({
      code: 'events_gone',
    })
    expect(await webhooks.replay(ada, hookId, { after: 0 })).toEqual({ events: 1, next: null })
  })

  test('the end of a collection is heard, and then its webhooks go', async () => {
    const { path, id } = await make(true)
    await hook(ada, path)
    await context.database.query('delete from collections where id = $1', [id])
    await expireRows(context)
    await run()
    expect(types()).toEqual(['collection.deleted'])
    await expireRows(context)
    expect((await context.database.query('select 1 from webhooks')).rows).toEqual([])
  })

  test('numbers of webhooks are limited, and addresses checked', async () => {
    const { path } = await make(true)
    for (let n = 0; n < 20; n++) await hook(ada, path)
    await expect(hook(ada, path)).rejects.toMatchObject({
      code: 'too_many_webhooks',
      message: /has 20 webhooks/,
    })
    await hook(eve, path)
    for (const [address, rule] of [
      ['http://example.com/', 'scheme'],
      ['https://10.0.0.1/', 'address'],
      ['https://localhost/hook', 'address'],
      ['https://[::ffff:a9fe:a9fe]/', 'address'],
      ['https://example.com:8443/', 'port'],
      ['https://a:b@example.com/', 'user_info'],
      ['hook', 'not_a_url'],
    ] as const)
      await expect(hook(eve, path, { url: address })).rejects.toMatchObject({
        code: 'url_refused',
        details: { rule },
      })
  })

  const versions = async (id: string, count: number) => {
    let base = await addVersion(context, { id }, { semver: { major: 2, minor: 0, patch: 0 } })
    for (let patch = 1; patch < count; patch++)
      base = await addVersion(
        context,
        { id },
        { base, semver: { major: 2, minor: 0, patch }, content: `v${patch}` },
      )
  }

  test('a backlog of strangers, or of a slow receiver of another account, does not hold up a webhook', async () => {
    const { id, path } = await make(true)
    const grace = callers.get('grace')!
    for (let n = 0; n < 5; n++) await hook(eve, path)
    answer = () => ({ status: 500 })
    await versions(id, 12)
    await run()
    // The minute's requests of strangers are used up, and 50 of theirs wait.
    const own = await make(true, 'grace', grace)
    const { id: hookId } = await hook(grace, own.path)
    answer = () => ({ status: 204 })
    offset = 61_000
    await addVersion(context, { id: own.id })
    await run()
    expect(await webhooks.deliveries(grace, hookId, {})).toMatchObject([{ state: 'done' }])
    await context.database.query('delete from webhooks where account_id = $1', [eve.accountId])
    // One account uses four places at most.
    const many = await make(true)
    answer = (one) => (one.body.includes(`"${many.path.slug}"`) ? null : { status: 204 })
    for (let n = 0; n < 6; n++) {
      const { id: slow } = await hook(ada, many.path)
      await context.database.query('update webhooks set host = $2, proven = true where id = $1', [
        slow,
        `h${n}.example`,
      ])
    }
    await addVersion(context, { id: many.id })
    const { id: second } = await hook(grace, own.path)
    await context.database.query('update webhooks set proven = true where id = $1', [second])
    await webhooks.replay(grace, second, { after: (await lastSeq()) - 4 })
    received = []
    await number()
    const running = webhooks.sendAll()
    await expect
      .poll(() => received.filter(({ body }) => body.includes(`"${many.path.slug}"`)).length)
      .toBe(4)
    await expect
      .poll(async () => (await webhooks.deliveries(grace, second, { state: 'done' })).length)
      .toBe(2)
    answer = () => ({ status: 204 })
    receiver.closeAllConnections()
    await running
  })

  test('webhooks that are deleted meanwhile do not keep events from others', async () => {
    const { id, path } = await make(true)
    const { id: kept } = await hook(ada, path)
    let isDeleting = true
    const deleting = (async () => {
      while (isDeleting) await webhooks.remove(eve, (await hook(eve, path)).id)
    })()
    await versions(id, 15)
    for (let n = 0; n < 5; n++) await run()
    isDeleting = false
    await deleting
    await run()
    expect(await webhooks.deliveries(ada, kept, {})).toHaveLength(15)
  })

  test('a collection that became private, or is gone, has no name for strangers, who can delete their webhook', async () => {
    const { id, path } = await make(true)
    const { id: hookId } = await hook(eve, path)
    await context.database.query(`update collections set public = false, slug = $2 where id = $1`, [
      id,
      `secret-${path.slug}`,
    ])
    expect(await webhooks.find(eve, hookId)).toMatchObject({ collection: { id, owner: null, slug: null } })
    await webhooks.change(eve, hookId, { label: 'x' })
    const { rows } = await context.database.query(
      `select target from audit_events where action = 'webhook.changed' and details->>'webhook' = $1`,
      [hookId],
    )
    expect(rows).toEqual([{ target: 'eve' }])
    await context.database.query(`delete from collections where id = $1`, [id])
    expect(await webhooks.list(eve, { account: 'eve' })).toMatchObject([
      { id: hookId, collection: { owner: null } },
    ])
    await webhooks.remove(eve, hookId)
  })

  test('what a creator receives of another organization is not shown to admins of the first', async () => {
    const [a, b] = [
      await addAccount(context, `orga-${slugs}`, 'org'),
      await addAccount(context, `orgb-${slugs}`, 'org'),
    ]
    const mal = callers.get('grace')!
    for (const org of [a, b]) await addMember(context, org, { id: ada.accountId }, 'owner')
    await addMember(context, a, { id: mal.accountId }, 'admin')
    const { id, path } = await make(false, a.slug)
    const { id: hookId } = await hook(ada, path)
    await context.database.query('update collections set owner_id = $2 where id = $1', [id, b.id])
    await addVersion(context, { id })
    await run()
    expect(received).toEqual([])
    expect(await webhooks.deliveries(mal, hookId, {})).toEqual([])
    expect((await webhooks.find(mal, hookId)).collection).toEqual({ id, owner: null, slug: null })
    await webhooks.replay(mal, hookId, { after: (await lastSeq()) - 1 })
    await run()
    expect(received).toEqual([])
  })
  const lastSeq = async () =>
    Number((await context.database.query('select max(seq) as n from events')).rows[0]!['n'])

  test('a maker who leaves the organization disables its webhook, with a word in its log', async () => {
    const org = await addAccount(context, `orgc-${slugs}`, 'org')
    const grace = callers.get('grace')!
    await addMember(context, org, { id: ada.accountId }, 'owner')
    await addMember(context, org, { id: grace.accountId }, 'admin')
    const { id, path } = await make(false, org.slug)
    const { id: hookId } = await hook(grace, path)
    await context.database.query('delete from members where user_id = $1 and org_id = $2', [
      grace.accountId,
      org.id,
    ])
    await addVersion(context, { id })
    await run()
    expect(received).toEqual([])
    expect(await webhooks.find(ada, hookId)).toMatchObject({ enabled: false, disabledWhy: 'maker_gone' })
  })

  test('a server without the key sends nothing, and one with another key leaves the event to the others', async () => {
    const { id, path } = await make(true)
    const { id: hookId } = await hook(ada, path)
    const { outside, now } = context
    const strange = sealingOf(Buffer.alloc(32, 9))
    const [without, other] = [null, strange].map((sealing) =>
      webhooksOf({ ...contextOn(context, { outside: outside!, now }), sealing }),
    )
    await addVersion(context, { id })
    await number()
    await without!.sendAll()
    expect(await webhooks.deliveries(ada, hookId, {})).toMatchObject([{ state: 'waiting', attempts: 0 }])
    await other!.sendAll()
    expect(await webhooks.deliveries(ada, hookId, {})).toMatchObject([{ state: 'waiting', why: 'secret' }])
    expect(await other!.test(ada, hookId)).toMatchObject({ delivered: false, why: 'secret' })
    offset = 10_000
    await run()
    expect(await webhooks.deliveries(ada, hookId, {})).toMatchObject([{ state: 'done' }])
  })

  test('a retry of a request under way does not send another beside it', async () => {
    const { id, path } = await make(true)
    const { id: hookId } = await hook(ada, path)
    answer = () => null
    await addVersion(context, { id })
    await number()
    const running = webhooks.sendAll()
    await expect.poll(() => received.length).toBe(1)
    const [{ seq }] = (await webhooks.deliveries(ada, hookId, {})) as unknown as [{ seq: number }]
    for (let n = 0; n < 5; n++) expect((await webhooks.retry(ada, hookId, seq)).attemptedAt).not.toBeNull()
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(received).toHaveLength(1)
    // Disabled while a request is under way: nothing waits afterwards.
    await webhooks.change(ada, hookId, { enabled: false })
    receiver.closeAllConnections()
    await running
    expect(await webhooks.deliveries(ada, hookId, {})).toMatchObject([{ state: 'failed', nextAt: null }])
  })

  test('each former secret signs for a day, however often a new one is made', async () => {
    const { path } = await make(true)
    const { id: hookId, secret } = await hook(ada, path)
    const second = await webhooks.rotate(ada, hookId)
    const third = await webhooks.rotate(ada, hookId)
    await webhooks.test(ada, hookId)
    const [{ headers, body }] = received as [Received]
    for (const one of [secret, second.secret, third.secret]) new Standard(one).verify(body, headers)
    for (let n = 0; n < 4; n++) await webhooks.rotate(ada, hookId)
    offset = 10_000
    await webhooks.test(ada, hookId)
    expect(received.at(-1)!.headers['webhook-signature']!.split(' ')).toHaveLength(5)
  })

  test('a key that expires makes no webhook, since that would outlive it', async () => {
    const { path } = await make(true)
    const expiring = { ...ada, expiresAt: new Date(Date.now() + 3_600_000) }
    await expect(hook(expiring, path)).rejects.toMatchObject({ code: 'key_limited', message: /outlive/ })
    const { id } = await hook(ada, path)
    for (const change of [{ url: `${url}/x` }, { enabled: true }])
      await expect(webhooks.change(expiring, id, change)).rejects.toMatchObject({ code: 'key_limited' })
    await webhooks.change(expiring, id, { label: 'x' })
  })

  test('a webhook for which more events wait than are allowed is disabled', async () => {
    const { path } = await make(true)
    const { id: hookId } = await hook(ada, path)
    await context.database.query(
      `insert into events (seq, at, kind, collection_id, account_id, name, public, details)
       select 1000000 + n, now(), 'version.made', gen_random_uuid(), $1, 'ada/x', true, '{}' from generate_series(1, 2001) n`,
      [ada.accountId],
    )
    const wait = (count: number) =>
      context.database.query(
        `insert into deliveries (webhook_id, seq, state, attempts, next_at)
         select $1, 1000000 + n, 'waiting', 0, now() from generate_series(1, $2::int) n on conflict do nothing`,
        [hookId, count],
      )
    const look = () => context.database.transact((tx) => disableBehind(tx, 2_000))
    await wait(2_000)
    expect(await look()).toEqual([])
    await wait(2_001)
    expect(await look()).toMatchObject([{ id: hookId }])
    expect(await webhooks.find(ada, hookId)).toMatchObject({ enabled: false, disabledWhy: 'behind' })
    await context.database.query('delete from events where seq > 1000000')
  })

  test('replays let at most 1,000 events wait, so that they never disable the webhook', async () => {
    const { path, id } = await make(true)
    const { id: hookId } = await hook(ada, path)
    await context.database.query(
      `insert into events (seq, at, kind, collection_id, account_id, name, public, details)
       select 2000000 + n, now(), 'version.made', $2::uuid, $1::uuid, 'ada/x', true, '{}' from generate_series(1, 1500) n`,
      [ada.accountId, id],
    )
    // A receiver that takes nothing: nothing is sent meanwhile.
    await webhooks.change(ada, hookId, { enabled: false })
    const after = 2_000_000
    expect(await webhooks.replay(ada, hookId, { after })).toEqual({ events: 1_000, next: after + 1_000 })
    expect(await webhooks.replay(ada, hookId, { after: after + 1_000 })).toEqual({
      events: 0,
      next: after + 1_000,
    })
    await context.database.query(`update deliveries set state = 'done' where webhook_id = $1`, [hookId])
    expect(await webhooks.replay(ada, hookId, { after: after + 1_000 })).toEqual({ events: 500, next: null })
    await context.database.query('delete from events where seq > 2000000')
  })

  test('a webhook receives nothing that was done before it was made, or while it was off', async () => {
    answer = () => ({ status: 204 })
    const old = await collectionsOf(context).create(ada, 'ada', { slug: 'before', public: true })
    await collectionsOf(context).patch(ada, { owner: 'ada', slug: 'before' }, { public: false })
    const { id } = await webhooks.create(ada, { account: 'ada' }, { url })
    const namesHeard = async () => {
      received = []
      await context.database.transact((tx) => numberEvents(tx, 1_000))
      offset += 1_000
      await webhooks.sendAll()
      return received.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.collection.id === old.id)
    }
    expect(await namesHeard()).toEqual([])
    await collectionsOf(context).patch(ada, { owner: 'ada', slug: 'before' }, { public: true })
    expect(await namesHeard()).toHaveLength(1)
    await webhooks.change(ada, id, { enabled: false })
    await collectionsOf(context).patch(ada, { owner: 'ada', slug: 'before' }, { public: false })
    await webhooks.change(ada, id, { enabled: true })
    expect(await namesHeard()).toEqual([])
    await collectionsOf(context).patch(ada, { owner: 'ada', slug: 'before' }, { public: true })
    // Switched on twice, it loses nothing.
    await webhooks.change(ada, id, { enabled: true })
    expect(await namesHeard()).toHaveLength(1)
    await webhooks.remove(ada, id)
  })
})
