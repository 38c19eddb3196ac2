/** http-api §10: a code is decided once and yields at most one key. */
import { updateAccount } from '@ulmus/storage'
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Collections, collectionsOf } from '../collections/collections.ts'
import type { Caller } from '../principal.ts'
import { openContext, type TestContext } from '../testing/context.ts'
import { expireRows } from '../upkeep/expiry.ts'
import { accountsOf } from './accounts.ts'
import { deviceLoginsOf } from './device-logins.ts'
import { keysOf, liveKeysMax } from './keys.ts'

const start = Date.parse('2026-01-15T10:20:30.400Z')
const day = 86_400_000

describe.each(serviceDatabases)('device logins on $name', (database) => {
  let context: TestContext
  let logins: ReturnType<typeof deviceLoginsOf>
  let collections: Collections
  let time = start
  let subjects = 0
  beforeAll(async () => {
    context = await openContext(database, { now: () => new Date(time) })
    logins = deviceLoginsOf(context)
    collections = collectionsOf(context)
    await context.jobs.start()
  })
  afterAll(() => context.dispose())

  const user = async (name: string): Promise<Caller> => {
    const identity = {
      issuer: 'https://login.example',
      subject: `d${subjects++}`,
      preferredUsername: name,
      email: null,
      name: null,
    }
    const { id, slug } = await accountsOf(context).signIn(identity)
    return {
      kind: 'session',
      accountId: id,
      accountSlug: slug,
      scope: 'admin',
      limitedTo: null,
      credential: null,
      expiresAt: null,
    }
  }
  let addresses = 0
  const ask = (more: { scope?: 'read' | 'write' | 'admin'; collection?: string; network?: string } = {}) =>
    logins.start({
      scope: 'write',
      label: 'ada@laptop',
      userAgent: 'ulmus/1',
      address: '2001:db8::1',
      network: `2001:db8:0:${addresses++}`,
      ...more,
    })
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'ok',
      (error: { code?: string }) => error.code,
    )
  const in90Days = () => new Date(time + 90 * day)

  test('asked, allowed and collected: one key, of the account that allowed it', async () => {
    const ada = await user('ada')
    const { deviceCode, userCode } = await ask()
    expect(userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
    expect(await codeOf(logins.collect(deviceCode))).toBe('authorization_pending')
    const asked = await logins.find(ada, userCode.toLowerCase().replace('-', ' '))
    expect(asked).toMatchObject({
      label: 'ada@laptop',
      scope: 'write',
      collection: null,
      userAgent: 'ulmus/1',
    })
    await logins.allow(ada, userCode, in90Days())
    const made = await logins.collect(deviceCode)
    expect(made).toMatchObject({
      label: 'ada@laptop',
      scope: 'write',
      collectionId: null,
      expiresAt: in90Days().toISOString(),
    })
    expect(await keysOf(context).resolve(made.key)).toMatchObject({
      accountId: ada.accountId,
      scope: 'write',
    })
    expect(await codeOf(logins.collect(deviceCode))).toBe('expired_token')
    expect(await codeOf(logins.find(ada, userCode))).toBe('device_code_not_found')
    const { rows } = await context.database.query('select count(*)::int as n from device_logins')
    expect(rows[0]!['n']).toBe(0)
  })

  test('many polls at once are one key', async () => {
    const ada = await user('ada')
    const { deviceCode, userCode } = await ask()
    await logins.allow(ada, userCode, null)
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => codeOf(logins.collect(deviceCode))))
    expect(outcomes.sort()).toEqual([...Array.from({ length: 7 }, () => 'expired_token'), 'ok'])
    expect(await keysOf(context).list(ada)).toHaveLength(1)
  })

  test('of those who allow and refuse at once, one decides', async () => {
    const [ada, eve] = [await user('ada'), await user('eve')]
    const { deviceCode, userCode } = await ask()
    const decisions = [
      logins.allow(ada, userCode, null),
      logins.refuse(eve, userCode),
      logins.allow(eve, userCode, null),
    ]
    const outcomes = await Promise.all(decisions.map(codeOf))
    expect(outcomes.filter((one) => one === 'ok')).toHaveLength(1)
    const isRefused = outcomes[1] === 'ok'
    expect(await codeOf(logins.collect(deviceCode))).toBe(isRefused ? 'access_denied' : 'ok')
    expect(await codeOf(logins.collect(deviceCode))).toBe('expired_token')
  })

  test('a refusal is returned once, then the code is gone', async () => {
    const ada = await user('ada')
    const { deviceCode, userCode } = await ask()
    await logins.refuse(ada, userCode)
    expect(await codeOf(logins.allow(ada, userCode, null))).toBe('device_code_not_found')
    expect(await codeOf(logins.collect(deviceCode))).toBe('access_denied')
    expect(await keysOf(context).list(ada)).toHaveLength(0)
  })

  test('an approval from before a suspension yields no key after it', async () => {
    const sid = await user('sid')
    const { deviceCode, userCode } = await ask()
    await logins.allow(sid, userCode, in90Days())
    await context.database.transact((tx) => updateAccount(tx, sid.accountId, { suspendedAt: context.now() }))
    expect(await codeOf(logins.collect(deviceCode))).toBe('access_denied')
    expect(await codeOf(logins.collect(deviceCode))).toBe('expired_token')
  })

  test('polling too fast returns slow_down; a second early is tolerated', async () => {
    const { deviceCode } = await ask()
    const askAfter = (ms: number) => {
      time += ms
      return codeOf(logins.collect(deviceCode))
    }
    expect(await askAfter(0)).toBe('authorization_pending')
    expect(await askAfter(3_900)).toBe('slow_down')
    expect(await askAfter(4_100)).toBe('authorization_pending')
    expect(await askAfter(5_000)).toBe('authorization_pending')
  })

  test('codes end after ten minutes, and are dropped', async () => {
    const ada = await user('ada')
    const [pending, allowed] = [await ask(), await ask()]
    await logins.allow(ada, allowed.userCode, null)
    time += 600_001
    expect(await codeOf(logins.find(ada, pending.userCode))).toBe('device_code_not_found')
    for (const { deviceCode } of [pending, allowed])
      expect(await codeOf(logins.collect(deviceCode))).toBe('expired_token')
    await expireRows(context)
    const { rows } = await context.database.query('select count(*)::int as n from device_logins')
    expect(rows[0]!['n']).toBe(0)
    expect(await codeOf(logins.collect('nonsense'))).toBe('expired_token')
  })

  test('a key for one collection: of those alone that the person may read', async () => {
    const [ada, eve] = [await user('ada'), await user('eve')]
    const { id } = await collections.create(ada, ada.accountSlug, {
      slug: 'cities',
      public: false,
    })
    const { deviceCode, userCode } = await ask({ collection: `${ada.accountSlug}/cities` })
    expect(await codeOf(logins.allow(eve, userCode, null))).toBe('collection_not_found')
    await logins.allow(ada, userCode, null)
    expect(await logins.collect(deviceCode)).toMatchObject({ collectionId: id })

    const byFormerName = await ask({ collection: `${ada.accountSlug}/cities` })
    await collections.patch(ada, { owner: ada.accountSlug, slug: 'cities' }, { slug: 'towns' })
    expect(await codeOf(logins.allow(eve, byFormerName.userCode, null))).toBe('collection_not_found')
    await logins.allow(ada, byFormerName.userCode, null)
    expect(await logins.collect(byFormerName.deviceCode)).toMatchObject({ collectionId: id })
  })

  test('a key allows nothing stronger than itself', async () => {
    const ada = await user('ada')
    const weak: Caller = { ...ada, kind: 'key', scope: 'write' }
    const { userCode } = await ask({ scope: 'admin' })
    expect(await codeOf(logins.allow(weak, userCode, null))).toBe('insufficient_scope')
    const ending: Caller = { ...ada, kind: 'key', expiresAt: new Date(time + day) }
    expect(await codeOf(logins.allow(ending, userCode, null))).toBe('key_limited')
    expect(await codeOf(logins.find({ kind: 'anonymous' }, userCode))).toBe('unauthenticated')
  })

  test('an account at its limit of keys gets no more', async () => {
    const ada = await user('ada')
    for (let n = 0; n < liveKeysMax; n++) await keysOf(context).create(ada, { label: `k${n}`, scope: 'read' })
    const { deviceCode, userCode } = await ask()
    await logins.allow(ada, userCode, null)
    expect(await codeOf(logins.collect(deviceCode))).toBe('too_many_keys')
  })

  test('guesses at once are counted as guesses one by one', async () => {
    const eve = await user('eve')
    const codes = await Promise.all(
      Array.from({ length: 60 }, (_, n) => codeOf(logins.find(eve, `CCCC-CC${n}`))),
    )
    expect(codes.filter((code) => code === 'device_code_not_found')).toHaveLength(20)
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(40)
    // Right codes do not count.
    const ada = await user('ada')
    const { userCode } = await ask()
    for (let n = 0; n < 25; n++) expect(await codeOf(logins.find(ada, userCode))).toBe('ok')
  })

  test('codes are not guessed, and one network does not fill the table', async () => {
    const eve = await user('eve')
    for (let n = 0; n < 20; n++)
      expect(await codeOf(logins.find(eve, `BBBB-BB${n}`))).toBe('device_code_not_found')
    const { userCode } = await ask()
    expect(await codeOf(logins.find(eve, userCode))).toBe('rate_limited')
    expect(await codeOf(logins.allow(eve, userCode, null))).toBe('rate_limited')
    for (let n = 0; n < 50; n++) await ask({ network: '192.0.2.1' })
    expect(await codeOf(ask({ network: '192.0.2.1' }))).toBe('rate_limited')
    expect(await codeOf(ask({ network: '192.0.2.2' }))).toBe('ok')
  })
})
