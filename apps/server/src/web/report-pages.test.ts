/** The form that reports a collection, with and without a session, and the reports on `/admin`. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stoppedClock } from '../testing/serve.ts'
import { type Stage, setStage } from '../testing/stage.ts'
import { type TestClient, testClient } from '../testing/test-client.ts'

const limits = { anonymous: 1_000, account: 1_000, signIn: 1_000, reports: 5 }

describe.each(anyDatabase)('reports on pages, on $name', (database) => {
  let stage: Stage
  let anyone: TestClient
  let operator: TestClient
  const signIn = async (login: string) => testClient(stage.server.url, await stage.server.signIn(login), '')
  const send = (who: TestClient, path: string, form: Record<string, string>) =>
    who.request('POST', path, {
      body: String(new URLSearchParams(form)),
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' },
    })

  beforeAll(async () => {
    const operators = [{ issuer: 'urn:ulmus:development', subject: 'operator' }]
    stage = await setStage(database, { operators, rateLimits: limits, now: stoppedClock() })
    anyone = testClient(stage.server.url, undefined, '')
    operator = await signIn('operator')
    await stage.ada.post('/accounts/ada/collections', { slug: 'cities', public: true })
    await stage.push('/collections/ada/cities', { opening: { schemas: { A: {} } } })
  })
  afterAll(() => stage.end())

  test('visitors find the form, and members do not', async () => {
    const link = 'href="/ada/cities/report"'
    expect((await anyone.get('/ada/cities')).text).toContain(link)
    expect((await (await signIn('eve')).get('/ada/cities')).text).toContain(link)
    expect((await (await signIn('ada')).get('/ada/cities')).text).not.toContain(link)
  })

  test('a visitor without a session reports, an operator reads it, hides the collection and closes it', async () => {
    const elsewhere = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' }
    const forged = { body: 'reason=spam&text=x', headers: elsewhere }
    expect((await anyone.request('POST', '/ada/cities/report', forged)).status).toBe(403)
    const empty = await send(anyone, '/ada/cities/report', { text: ' ' })
    expect([empty.status, empty.text.includes('Choose a reason for the report.')]).toEqual([400, true])
    const hostile = { reason: 'illegal', text: '<script>x</script>\nline', contact: '<b>@example.org' }
    const sent = await send(anyone, '/ada/cities/report', hostile)
    expect([sent.status, sent.text.includes('The operators have your report')]).toEqual([200, true])
    const again = await send(anyone, '/ada/cities/report', { reason: 'spam', text: 'Another' })
    expect([again.status, again.text.includes('an earlier one from your network is open')]).toEqual([
      200,
      true,
    ])
    expect(again.text).not.toContain('The operators have your report')
    const { text } = await operator.get('/admin')
    expect(text).toContain('1 open report<')
    expect(text).toContain('&lt;script>x&lt;/script>\nline')
    expect(text).not.toContain('<script>x')
    expect(text).toContain('&lt;b>@example.org')
    expect(text).toContain('href="/admin?hide=ada%2Fcities#field-reason"')
    expect((await operator.get('/admin?hide=ada%2Fcities')).text).toMatch(
      /name="hidden"[^>]* value="ada\/cities"/,
    )
    const log = await operator.get('/admin/audit?action=collection.reported')
    expect(log.text).toContain('a reader without an account')
    const [{ id }] = (await operator.get('/api/admin/reports')).json
    const closed = await send(operator, '/admin', { do: 'acted', report: id, note: 'Hidden <i>' })
    expect([closed.status, closed.text.includes('you acted')]).toEqual([200, true])
    expect(closed.text).not.toContain('open report<')
    expect(closed.text).toContain('Hidden &lt;i>')
  })

  test('an operator opens a private collection with a reason, and its pages say so', async () => {
    await stage.ada.post('/accounts/ada/collections', { slug: 'closed' })
    await stage.push('/collections/ada/closed', {
      opening: { schemas: { A: {} } },
      puts: [{ id: 'secret', type: 'A', data: {} }],
    })
    const page = '/ada/closed/records/A'
    expect((await operator.get(page)).status).toBe(404)
    const without = await send(operator, '/admin', { do: 'open', opened: 'ada/closed', openReason: ' ' })
    expect([without.status, without.text.includes('Give the reason')]).toEqual([400, true])
    expect((await operator.get(page)).status).toBe(404)
    const form = { do: 'open', opened: `${stage.server.url}/ada/closed`, openReason: 'A <b>report</b>' }
    const opened = await send(operator, '/admin', form)
    expect([opened.status, opened.text.includes('href="/ada/closed"')]).toEqual([200, true])
    const { status, text } = await operator.get(page)
    expect([status, text.includes('secret')]).toEqual([200, true])
    expect(text).toContain('You read this private collection as an operator until')
    expect(text).toContain('A &lt;b>report')
    expect(text).not.toContain('href="/ada/closed/fork"')
    expect((await operator.get('/ada/closed/settings')).status).toBe(403)
    expect((await operator.get('/api/collections/ada/closed')).json).toMatchObject({ slug: 'closed' })
    const key = await stage.server.keyFor((await stage.server.signIn('operator')).cookie, 'admin')
    const byKey = testClient(stage.server.url, key, '')
    expect((await byKey.get('/api/collections/ada/closed')).status).toBe(404)
    expect((await byKey.post('/api/admin/collections/ada/closed/open', { reason: 'x' })).json.code).toBe(
      'session_required',
    )
    expect((await anyone.get(page)).status).toBe(404)
    const own = await (await signIn('ada')).get('/ada/-/audit')
    expect(own.text).toContain('opened, to read it for an hour, the collection')
    expect(own.text).toContain('A &lt;b>report')
  })

  test('pages and API share a limit of their own', async () => {
    const path = '/ada/cities/report'
    const answers = []
    for (let n = 0; n < 2; n++) answers.push((await send(anyone, path, { reason: 'spam', text: 'x' })).status)
    for (let n = 0; n < 2; n++)
      answers.push((await anyone.post(`/api/collections${path}`, { reason: 'spam', text: 'x' })).status)
    // Four were sent by the test before.
    expect(answers).toEqual([200, 429, 429, 429])
    expect((await anyone.get(path)).status).toBe(200)
    const eve = await signIn('eve')
    expect((await send(eve, path, { reason: 'spam', text: 'x' })).text).toContain('have your report')
    expect((await send(eve, path, { reason: 'spam', text: 'x' })).text).toContain('have your earlier one')
    const key = await stage.server.keyFor((await stage.server.signIn('eve')).cookie, 'read')
    const byKey = testClient(stage.server.url, key)
    expect((await byKey.post('/collections/ada/cities/report', { reason: 'spam', text: 'x' })).json).toEqual({
      ...{ ok: true, recorded: false },
    })
  })
})
