/** Reports about collections: who may make them, what counts once, who reads them, when they end. */
import { serviceDatabases } from '@ulmus/storage/testing'
import type { Report, ReportCollection } from '@ulmus/wire'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountsOf } from '../accounts/accounts.ts'
import { auditOf } from '../audit/audit.ts'
import { collectionsOf } from '../collections/collections.ts'
import { anonymous, type Caller, type Principal } from '../principal.ts'
import { openContext, type TestContext } from '../testing/context.ts'
import { issuer, outcome, signIn } from '../testing/sign-in.ts'
import { expireRows } from '../upkeep/expiry.ts'
import { moderationOf } from './moderation.ts'
import { operatorsOf } from './operators.ts'
import { openReportsMax, reportsOf } from './reports.ts'

const about: ReportCollection = { reason: 'spam', text: 'All of it.' }

describe.each(serviceDatabases)('reports on $name', (database) => {
  let context: TestContext
  let services: ReturnType<typeof servicesOf>
  let root: Caller
  let ada: Caller
  let eve: Caller
  let time = Date.parse('2026-01-15T10:00:00.000Z')
  const servicesOf = (context: TestContext) => ({
    accounts: accountsOf(context),
    audit: auditOf(context),
    collections: collectionsOf(context),
    moderation: moderationOf(context),
    operators: operatorsOf(context),
    reports: reportsOf(context),
  })
  const make = async (slug: string, isPublic = true) => {
    await services.collections.create(ada, 'ada', { slug, public: isPublic })
    return { owner: 'ada', slug }
  }
  const from = (address: string): Principal => ({ kind: 'anonymous', address })
  const listed = async (slug: string): Promise<Report[]> =>
    (await services.reports.list(root, { limit: 100 })).items.filter(
      ({ collection }) => collection.slug === slug,
    )

  beforeAll(async () => {
    const opened = await openContext(database, { now: () => new Date(time++) })
    context = { ...opened, operators: { identities: [{ issuer, subject: 'olga' }], byClaim: false } }
    services = servicesOf(context)
    root = await signIn(context, 'olga')
    ada = await signIn(context, 'ada')
    eve = await signIn(context, 'eve')
  })
  afterAll(() => context.dispose())

  test('all readers make them, and for others a collection is absent or hidden as everywhere', async () => {
    const { reports, moderation } = services
    const [open, closed, hidden] = [await make('open'), await make('closed', false), await make('hidden')]
    await moderation.hide(root, hidden, 'It names people.')
    const absent = { owner: 'ada', slug: 'absent' }
    const outcomes = async (who: Principal) =>
      Promise.all([open, closed, hidden, absent].map((path) => outcome(reports.make(who, path, about))))
    const others = ['ok', 'collection_not_found', 'collection_hidden', 'collection_not_found']
    for (const who of [from('192.0.2.1'), eve, root]) expect(await outcomes(who)).toEqual(others)
    expect(await outcomes(ada)).toEqual(['ok', 'ok', 'ok', 'collection_not_found'])
    expect((await listed('open')).map(({ reporter, network }) => [reporter, network])).toEqual([
      ['ada', null],
      ['olga', null],
      ['eve', null],
      [null, '192.0.2.1'],
    ])
    const states = async (slug: string) => (await listed(slug)).map(({ collection }) => collection)
    expect(await states('closed')).toMatchObject([{ public: false, hidden: false }])
    expect(await states('hidden')).toMatchObject([{ public: false, hidden: true }])
  })

  test('one of an account or a network counts once while it is open, and the first one stays', async () => {
    const { reports } = services
    const path = await make('once')
    const addresses = ['2001:db8:1:2::9', '2001:db8:1:2:3:4:5:6', '2001:db8:1:3::1', '::ffff:192.0.2.1']
    const made = []
    for (const who of [eve, eve, ...addresses.map(from), from('192.0.2.1')])
      made.push(await reports.make(who, path, about))
    expect(made).toEqual([true, false, true, false, true, true, false])
    await reports.make(eve, path, { ...about, text: 'Another text' })
    const found = await listed('once')
    expect(found.map(({ network, text }) => [network, text])).toEqual([
      ['192.0.2.1', 'All of it.'],
      ['2001:db8:1:3', 'All of it.'],
      ['2001:db8:1:2', 'All of it.'],
      [null, 'All of it.'],
    ])
    await reports.close(root, found[0]!.id, { outcome: 'dismissed' })
    await reports.make(from('192.0.2.1'), path, about)
    expect(await listed('once')).toHaveLength(5)
  })

  test('a collection has a bounded number of open ones', async () => {
    const { reports } = services
    const path = await make('full')
    for (let n = 0; n < openReportsMax; n++) await reports.make(from(`192.0.2.${n}`), path, about)
    expect(await outcome(reports.make(from('198.51.100.1'), path, about))).toBe('too_many_reports')
    // One who has reported already gets the answer of before.
    expect(await outcome(reports.make(from('192.0.2.3'), path, about))).toBe('ok')
    expect(await listed('full')).toHaveLength(openReportsMax)
    const [first] = await listed('full')
    await reports.close(root, first!.id, { outcome: 'acted' })
    expect(await outcome(reports.make(from('198.51.100.1'), path, about))).toBe('ok')
  })

  test('operators list and close them; the outcome is kept, and the network is forgotten', async () => {
    const { reports } = services
    const path = await make('judged')
    await reports.make(from('192.0.2.9'), path, { ...about, contact: 'g@example.org' })
    const [{ id } = { id: '' }] = await listed('judged')
    for (const [who, code] of [
      [anonymous, 'unauthenticated'],
      [ada, 'not_an_operator'],
      [eve, 'not_an_operator'],
      [{ ...root, scope: 'write' }, 'insufficient_scope'],
    ] as const) {
      expect(await outcome(reports.list(who, {}))).toBe(code)
      expect(await outcome(reports.countOpen(who))).toBe(code)
      expect(await outcome(reports.close(who, id, { outcome: 'acted' }))).toBe(code)
    }
    const before = await reports.countOpen(root)
    for (const wrong of ['x', '01890000-0000-7000-8000-000000000000'])
      expect(await outcome(reports.close(root, wrong, { outcome: 'acted' }))).toBe('report_not_found')
    await reports.close(root, id, { outcome: 'acted', note: 'Hidden.' })
    expect(await reports.countOpen(root)).toBe(before - 1)
    expect(await listed('judged')).toMatchObject([
      {
        ...{ id, network: null, contact: 'g@example.org', reporter: null },
        closed: { by: 'olga', outcome: 'acted', note: 'Hidden.' },
      },
    ])
    await reports.close(root, id, { outcome: 'dismissed' })
    expect((await listed('judged'))[0]!.closed).toMatchObject({ outcome: 'dismissed', note: null })
  })

  test('open ones come first, page by page there and back', async () => {
    const { reports } = services
    const all = (await reports.list(root, { limit: 100 })).items
    const firstClosed = all.findIndex(({ closed }) => closed !== null)
    expect(all.slice(firstClosed).every(({ closed }) => closed !== null)).toBe(true)
    expect([firstClosed > 0, firstClosed < all.length - 1]).toEqual([true, true])
    const cursorOf = (link: string) => ({ limit: 7, cursor: new URLSearchParams(link).get('cursor')! })
    let page = await reports.list(root, { limit: 7 })
    const pages = [page.items]
    while (page.links.next !== undefined) {
      page = await reports.list(root, cursorOf(page.links.next))
      pages.push(page.items)
    }
    expect(pages.flat()).toEqual(all)
    expect((await reports.list(root, cursorOf(page.links.prev!))).items).toEqual(pages.at(-2))
  })

  test('operators alone read of them in the audit log; neither owner nor reporter does', async () => {
    const { audit, operators, reports } = services
    const path = await make('noted')
    await reports.make(eve, path, about)
    const [{ id } = { id: '' }] = await listed('noted')
    await reports.close(root, id, { outcome: 'dismissed', note: 'Fine.' })
    const ofRegistry = (await operators.audit(root, { limit: 100 })).items
      .filter(({ target }) => target === 'ada/noted')
      .map(({ action, actor, details }) => [action, actor.account, details])
    expect(ofRegistry).toEqual([
      ['report.closed', 'olga', { report: id, outcome: 'dismissed', reason: 'Fine.' }],
      ['collection.reported', 'eve', { report: id, about: 'spam' }],
      ['collection.made', 'ada', { public: true }],
    ])
    for (const [who, slug] of [
      [ada, 'ada'],
      [eve, 'eve'],
    ] as const) {
      const actions = (await audit.list(who, slug, { limit: 100 })).items.map(({ action }) => action)
      expect(actions.filter((action) => action.includes('report'))).toEqual([])
    }
    const lines = context.log.infos.filter(({ facts }) => 'report' in facts && facts.report === id)
    expect(lines.map(({ facts }) => facts)).toEqual([
      { event: 'collection.reported', actor: 'eve', target: 'ada/noted', report: id, about: 'spam' },
      {
        event: 'report.closed',
        actor: 'olga',
        target: 'ada/noted',
        report: id,
        outcome: 'dismissed',
      },
    ])
  })

  test('they end with their collection, the contact with its person, and closed ones after the time of the audit log', async () => {
    const { collections, operators, reports } = services
    const [gone, kept] = [await make('gone'), await make('kept')]
    const finn = await signIn(context, 'finn')
    for (const path of [gone, kept]) {
      await reports.make(finn, path, { ...about, contact: 'finn@example.org' })
      await reports.make(eve, path, about)
    }
    await collections.remove(ada, gone)
    expect(await listed('gone')).toEqual([])
    await operators.erase(root, 'finn')
    const [ofEve, ofFinn] = await listed('kept')
    expect([ofEve!.reporter, ofFinn!.reporter === 'finn', ofFinn!.contact]).toEqual(['eve', false, null])
    await reports.close(root, ofEve!.id, { outcome: 'acted' })
    const day = 86_400_000
    time += (context.limits.auditDays - 1) * day
    await expireRows(context)
    expect(await listed('kept')).toHaveLength(2)
    time += 2 * day
    await expireRows(context)
    expect((await listed('kept')).map(({ id }) => id)).toEqual([ofFinn!.id])
  })
})
