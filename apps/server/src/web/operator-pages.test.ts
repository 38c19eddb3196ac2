/** `/admin/state` over HTTP: failed jobs with their buttons, load, disk; for operators only. */
import { type FailedJobs, type RefusedWrites, retriedQueues } from '@ulmus/registry'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../testing/serve.ts'
import { type TestClient, testClient } from '../testing/test-client.ts'

describe.each(anyDatabase)('the state of the registry on $name', (database) => {
  let server: TestServer
  let dispose: () => Promise<void>
  let operator: TestClient
  const signIn = async (login: string) => testClient(server.url, await server.signIn(login), '')

  const send = (form: Record<string, string>) =>
    operator.request('POST', '/admin', {
      body: String(new URLSearchParams(form)),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    })

  beforeAll(async () => {
    const test = await database.settings()
    dispose = test.dispose
    const operators = [{ issuer: 'urn:ulmus:development', subject: 'operator' }]
    server = await serveForTest(test.settings, { operators })
    operator = await signIn('operator')
  })
  afterAll(async () => {
    await server.close()
    await dispose()
  })

  test('says that nothing failed and that the server has just begun, and how much is free', async () => {
    expect((await operator.get('/admin')).text).toContain('href="/admin/state"')
    const { text } = await operator.get('/admin/state')
    for (const words of ['Nothing failed.', 'started less than two minutes ago', ' are free on the disk of '])
      expect(text).toContain(words)
    expect(text).toMatch(/<meter aria-label="Used space on the disk of [^"]+"[^>]* value="\d+"/)
    expect(text).toMatch(/>Database<\/th><td[^>]*>[\d.]+ [kMG]B</)
    expect((await (await signIn('stranger')).get('/admin/state')).text).not.toContain('<meter')
  })

  test('links of a row lead to fields of forms that name its account, and its row shows the result', async () => {
    await signIn('cy')
    const row = (html: string) => html.split('<tr').find((part) => part.includes('href="/cy"'))!
    const links = [
      ...row((await operator.get('/admin')).text).matchAll(/href="(\/admin\?for=cy[^"#]*)#([^"]+)"/g),
    ]
    expect(links.map(([, , id]) => id)).toEqual(
      ['why', 'quotaBytes', 'issuer', 'receiver', 'confirm'].map((name) => `field-${name}`),
    )
    for (const [, link, id] of links) {
      const { text } = await operator.get(link!.replaceAll('&amp;', '&'))
      // Each leads to one form alone.
      expect(links.filter((other) => text.includes(`id="${other[2]}"`)).map((other) => other[2])).toEqual([
        id,
      ])
      expect(text).toMatch(/name="(?:account|quotaOf|linkTo|leaver)"[^>]* value="cy"/)
    }
    for (const [form, result] of [
      [{ do: 'suspend', account: 'cy', keeps: 'on' }, 'Its public collections stay public'],
      [{ do: 'release', account: 'cy' }, 'cy may sign in again'],
      [{ do: 'quota', quotaOf: 'cy', quotaBytes: '10,000,000' }, 'cy may store 10 MB.'],
      [{ do: 'quota', quotaOf: 'cy', quotaBytes: '1.5 GB' }, 'cy may store 1.5 GB.'],
      [{ do: 'quota', quotaOf: 'cy', quotaBytes: '' }, 'cy has the default quota.'],
    ] as const) {
      const { status, text: after } = await send(form)
      expect([status, row(after).includes(result), after.split('id="done"').length]).toEqual([200, true, 2])
      expect(row(after).includes('>Suspended<')).toBe(form.do === 'suspend')
    }
    for (const [given, offered] of [
      ['12,345,678', '12345678'],
      ['5,000,000,000', '5 GB'],
      ['1.5 GB', '1.5 GB'],
      ['10 GiB', '10 GiB'],
      ['0', '0 B'],
      ['9007199254740991', '9007199254740991'],
    ] as const) {
      await send({ do: 'quota', quotaOf: 'cy', quotaBytes: given })
      const { text } = await operator.get('/admin?for=cy&form=quota')
      const [, value] = /name="quotaBytes"[^>]* value="([^"]*)"/.exec(text)!
      expect(value).toBe(offered)
      expect((await send({ do: 'quota', quotaOf: 'cy', quotaBytes: value! })).status).toBe(200)
    }
    const unclear = await send({ do: 'quota', quotaOf: 'cy', quotaBytes: 'much' })
    expect([unclear.status, unclear.text.includes('such as 10 GB')]).toEqual([400, true])
    await send({ do: 'suspend', account: 'cy' })
    for (const form of [
      { do: '', account: 'cy' },
      { do: 'constructor', account: 'cy' },
    ])
      expect((await send(form)).status).toBe(400)
    expect(row((await operator.get('/admin')).text)).toContain('>Suspended<')
    const again = await send({ do: 'suspend', account: 'cy', why: 'It sent <b>spam</b>' })
    expect([again.status, row(again.text).includes('cy is suspended')]).toEqual([200, true])
    expect((await operator.get('/admin/audit')).text).toContain('reason: It sent &lt;b>spam')
    const long = await send({ do: 'suspend', account: 'cy', why: 'x'.repeat(1_001) })
    expect([long.status, long.text.includes('at most 1000 characters')]).toEqual([400, true])
    await send({ do: 'release', account: 'cy' })
    const hidden = await send({ do: 'hide', hidden: 'cy/none', reason: 'Spam' })
    expect([hidden.status, hidden.text]).toEqual([
      400,
      expect.stringContaining('There is no public collection cy/none. Private ones cannot be hidden.'),
    ])
    expect(hidden.text).toMatch(/<details class="account-forms">/)
    const refused = await send({ do: 'suspend', account: 'ghost' })
    expect([refused.status, refused.text.includes('id="done"')]).toEqual([400, false])
    expect(refused.text).toMatch(/name="account"[^>]* value="ghost"/)
  })

  test('an erased person is offered no form but that for its collections', async () => {
    const dan = await signIn('dan')
    await dan.post('/api/accounts/dan/collections', { slug: 'kept' })
    await signIn('dot')
    const people = async () => /(\d+) people/.exec((await operator.get('/admin')).text)![1]
    const before = Number(await people())
    for (const account of ['dan', 'dot'])
      expect((await send({ do: 'erase', account, confirm: account })).status).toBe(200)
    expect(Number(await people())).toBe(before - 2)
    const { text } = await operator.get('/admin?q=erased-')
    expect(text).toContain('>Erased<')
    expect(text).not.toContain('>Suspended<')
    expect(Array.from(text.matchAll(/form=(\w+)#field/g), ([, form]) => form)).toEqual(['transfer'])
    expect(text).not.toContain('value="release"')
  })

  test('hides a collection by its address, says so to others and why to members, and shows it again', async () => {
    const ada = await signIn('ada')
    await ada.post('/api/accounts/ada/collections', { slug: 'leak', public: true })
    const unnamed = await send({ do: 'hide', hidden: 'leak', reason: 'x' })
    expect([unnamed.status, unnamed.text.includes('Name the collection as owner/slug')]).toEqual([400, true])
    const hidden = await send({
      do: 'hide',
      hidden: `${server.url}/ada/leak?x=1`,
      reason: 'It names <b>people</b>',
    })
    expect([hidden.status, hidden.text.includes('ada/leak is hidden')]).toEqual([200, true])
    const anyone = testClient(server.url, undefined, '')
    const refused = await anyone.get('/ada/leak')
    expect([refused.status, refused.text.includes('This collection is hidden')]).toEqual([410, true])
    expect(refused.text).not.toContain('people')
    for (const path of ['/ada/leak', '/ada']) {
      const { text } = await ada.get(path)
      expect([path, />Hidden<\/span>/.test(text), />Private<\/span>/.test(text)]).toEqual([path, true, false])
    }
    expect((await ada.get('/ada/leak')).text).toContain('It names &lt;b>people')
    expect((await operator.get('/admin')).text).toContain('value="ada/leak"')
    expect((await send({ do: 'show', shown: 'ada/leak' })).status).toBe(200)
    expect((await anyone.get('/ada/leak')).status).toBe(200)
  })

  test('draws the load once two minutes were measured', async () => {
    for (let n = 0; n < 3; n++) {
      await operator.get('/healthz')
      server.registry.load.sample()
    }
    const { text } = await operator.get('/admin/state')
    const [requests, ...others] = [...text.matchAll(/<svg class="plot" role="img" aria-label="([^"]+)"/g)]
    expect(requests![1]).toMatch(/^Line of Requests a minute by time: \d\d:\d\d UTC [\d,.]+/)
    expect(others.length).toBe(2)
    expect(text.match(/<polyline/g)!.length).toBe(3)
    expect(text).not.toContain('NaN')
  })

  test('lists what failed, escaped, with a button that helps, and warns of a full disk', async () => {
    const state = server.registry.operatorState
    const [at, id, hostile] = [new Date(), '<i>', '<b>&"']
    const webhook = { id, at, host: hostile, account: 'operator', deliveries: 3, status: 500, why: 'status' }
    const nextAt = new Date(Date.now() + 7_200_000)
    const disks = [{ folder: '/data', bytes: 1e9, freeBytes: 9e7, isScarce: true }]
    const bytes = { databaseBytes: 1, packs: 2, files: 3, setAside: 4, pushes: 5 }
    const usage = { disks, isDatabaseHere: false, areObjectsHere: false, ...bytes, tables: undefined }
    const failed: FailedJobs = {
      deliveries: [
        { ...webhook, enabled: true, disabledWhy: null, nextAt },
        { ...webhook, id: 'off', enabled: false, disabledWhy: 'failing', nextAt: null },
      ],
      writes: [{ id, queue: 'commit', owner: 'operator', slug: 'birds', at, error: hostile }],
      deletions: [{ id, at, attempts: 4, error: 'x'.repeat(5_000), nextAt }],
      strips: [{ id, owner: 'operator', slug: 'birds', at, attempts: 6 }],
      mails: [
        { id, kind: 'invitation', account: null, at, attempts: 1, error: hostile, nextAt: null },
        { id: 'report', kind: 'report', account: null, at, attempts: 2, error: null, nextAt },
      ],
      sweep: at,
      tasks: [{ name: hostile, since: at, times: 2, error: hostile }],
      tables: [{ id, owner: id, account: 'operator', records: 7, at, kind: 'too_costly' }],
    }
    Object.assign(state, { failed: async () => failed, disk: async () => usage, disks: async () => disks })
    const { text } = await operator.get('/admin/state')
    expect(text).not.toContain('<b>')
    expect(text).not.toContain('x'.repeat(1_000))
    for (const queue of retriedQueues) expect(text).toContain(`name="queue" value="${queue}"`)
    expect(text.match(/>Send again</g)!.length).toBe(3)
    expect(text.match(/>in 2 hours</g)!.length).toBe(3)
    for (const words of [
      '3 requests to ',
      'All requests failed for 5 days.',
      'Push to ',
      'Table of 7 records',
      'Mail about a report',
    ])
      expect(text).toContain(words)
    for (const path of ['/admin', '/admin/state'])
      expect((await operator.get(path)).text).toContain('is free: 90 MB of 1 GB')
  })

  test('says at the top of both pages that a store refuses writes, since when and why', async () => {
    const since = new Date(Date.now() - 7_200_000)
    const refused: RefusedWrites[] = [
      { store: 'disk', isFull: true, since },
      { store: 'objects', isFull: false, since, why: '<b>AccessDenied' },
    ]
    Object.assign(server.registry.operatorState, { refusedWrites: async () => refused })
    for (const path of ['/admin', '/admin/state']) {
      const { text } = await operator.get(path)
      expect(text).not.toContain('<b>')
      const [disk, objects] = [...text.matchAll(/<p class="note bad" role="status">.*?<\/p>/gs)].map(
        ([note]) => note.replaceAll(/<[^>]+>/g, ''),
      )
      expect(disk).toMatch(
        /^Nothing can be published\. Writes get 507, since 2 hours ago: less than DISK_RESERVE_BYTES/,
      )
      expect(objects).toMatch(
        /Writes get 503, .*the object store takes none \(&lt;b>AccessDenied\)\. Reads go on/,
      )
      expect(text.indexOf('Nothing can be published')).toBeLessThan(text.indexOf('<h2'))
    }
  })

  test('answers a retry of nothing with a sentence, and hostile fields with a refusal', async () => {
    const sent = await operator.postForm('/admin/state', { queue: 'delivery', id: '<b>' })
    expect([sent.status, sent.text.includes('does not wait any more')]).toEqual([200, true])
    for (const queue of ['__proto__', 'constructor', ''])
      expect((await operator.postForm('/admin/state', { queue, id: 'x' })).status).toBe(400)
  })
})
