/** Pages of webhooks over HTTP, with a real receiver: made, tested, delivered, disabled, and hidden from others. */
import { createHmac } from 'node:crypto'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { innerText, type Receiver, startReceiver } from '../testing/receiver.ts'
import { serveForTest, type TestServer } from '../testing/serve.ts'
import { pushVersion } from '../testing/stage.ts'
import { expectStatus, type TestClient, testClient } from '../testing/test-client.ts'

const secretIn = (html: string): string | undefined => /whsec_[\w+/=]+/.exec(html)?.[0]
const linkIn = (html: string): string => /href="(\/[\w-]+\/-\/webhooks\/[\w-]+)"/.exec(html)![1]!

describe.each(anyDatabase)('pages of webhooks on $name', (database) => {
  let server: TestServer
  let receiver: Receiver
  let dispose: () => Promise<void>
  let ada: TestClient
  let eve: TestClient
  let key: TestClient
  let offset = 0
  let made = 0

  beforeAll(async () => {
    receiver = await startReceiver()
    const opened = await database.settings()
    dispose = opened.dispose
    const now = () => new Date(Date.now() + offset)
    server = await serveForTest(opened.settings, { now, outside: { allow: receiver.origin } })
    const signedIn = await server.signIn('ada')
    ada = testClient(server.url, signedIn, '')
    eve = testClient(server.url, await server.signIn('eve'), '')
    key = testClient(server.url, await server.keyFor(signedIn.cookie, 'admin'))
    await expectStatus(key.post('/accounts', { slug: 'atlas', displayName: 'Atlas' }), 201)
  })
  afterAll(async () => {
    await server.close()
    await dispose()
    receiver.close()
  })
  beforeEach(() => {
    receiver.status = 204
    receiver.received.length = 0
    // A webhook may be tested once in 6 seconds, and a host 10 times a minute.
    offset += 61_000
  })

  async function collection(isPublic = true): Promise<string> {
    const slug = `c${++made}`
    await expectStatus(key.post('/accounts/ada/collections', { slug, public: isPublic }), 201)
    return `ada/${slug}`
  }
  const publish = (name: string, base: string | null = null) =>
    pushVersion(key, `/collections/${name}`, {
      base,
      opening: base === null ? { schemas: { A: {} } } : {},
      puts: [{ id: `${base}`, type: 'A', data: {} }],
    })
  const fields = () => ({ url: `${receiver.origin}/hook`, label: 'For CI', 'kind_version.made': 'on' })

  /** Makes a webhook on the page of a collection. */
  async function webhookOf(name: string, who = ada): Promise<{ path: string; secret: string }> {
    const { status, text } = await who.postForm(`/${name}/webhooks`, fields())
    expect(status, text).toBe(200)
    return { path: linkIn(text), secret: secretIn(text)! }
  }

  test('a webhook is made on the page of a collection; its secret is shown once', async () => {
    const name = await collection()
    expect((await ada.get(`/${name}/settings`)).text).toContain(`href="/${name}/webhooks"`)
    expect((await ada.get(`/${name}/webhooks`)).text).toContain('No webhooks yet.')
    const answer = await ada.postForm(`/${name}/webhooks`, fields())
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'no-store'])
    expect(secretIn(answer.text)).toHaveLength('whsec_'.length + 44)
    const path = linkIn(answer.text)
    expect(path).toMatch(/^\/ada\/-\/webhooks\//)
    for (const page of [`/${name}/webhooks`, '/ada/-/webhooks', path]) {
      const { text } = await ada.get(page)
      expect([page, text.includes(`${receiver.origin}/hook`), secretIn(text)]).toEqual([
        page,
        true,
        undefined,
      ])
    }
    const { text: own } = await ada.get(path)
    expect(own).toMatch(/name="kind_version\.made" checked/)
    expect(own).toContain(`href="/${name}/webhooks"`)
    for (const html of [answer.text, own]) expect(html).not.toContain('kind_collection.made')
    expect((await ada.get('/ada/-/webhooks')).text).toContain('kind_collection.made')
    expect(answer.text).toContain('The webhook belongs to you.')
    expect((await ada.get('/settings')).text).toContain('href="/ada/-/webhooks"')
  })

  test('a refused form says why, and keeps what was entered', async () => {
    const name = await collection()
    const wrong = { ...fields(), url: 'https://127.0.0.1/hook', label: 'Kept', bump_major: 'on' }
    const refused = await ada.postForm(`/${name}/webhooks`, wrong)
    expect(refused.status).toBe(422)
    expect(refused.text).toMatch(/role="alert".*inner network/s)
    expect(refused.text).toContain('value="https://127.0.0.1/hook"')
    expect(refused.text).toMatch(/name="bump_major" checked/)
    expect(refused.text).not.toMatch(/name="bump_minor" checked/)
    expect((await ada.postForm(`/${name}/webhooks`, { url: '' })).status).toBe(400)
    expect((await ada.get(`/${name}/webhooks`)).text).toContain('No webhooks yet.')
  })

  test('a test request is signed, and its result is shown without the answer', async () => {
    const { path, secret } = await webhookOf(await collection())
    const arrived = await ada.postForm(path, { do: 'test' })
    expect(arrived.text).toMatch(/The test request arrived\.<\/strong> 204 <span class="quiet">in \d+ ms/)
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.received
    expect(JSON.parse(body)).toMatchObject({ type: 'webhook.test' })
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const hmac = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    expect(headers['webhook-signature']).toBe(`v1,${hmac.update(signed).digest('base64')}`)

    const soon = await ada.postForm(path, { do: 'test' })
    expect([soon.status, soon.text.includes('Too many requests')]).toEqual([429, true])
    expect(soon.text).toContain('Send a test request')
    offset += 7_000
    receiver.status = 500
    const failed = await ada.postForm(path, { do: 'test' })
    expect(failed.text).toMatch(/The test request failed\.<\/strong> 500: the receiver did not accept it/)
    expect(failed.text).not.toContain(innerText)
  })

  test('deliveries are listed by state, sent again and replayed', async () => {
    const name = await collection()
    const { path } = await webhookOf(name)
    receiver.status = 500
    await publish(name)
    await expect
      .poll(async () => (await ada.get(path)).text, { timeout: 15_000 })
      .toContain('500: the receiver')
    const { text } = await ada.get(path)
    expect(text).not.toContain(innerText)
    expect(text).toMatch(/>Waiting<\/span>/)
    expect(text).toMatch(/, next: <time/)
    const seq = /name="retry" value="(\d+)"/.exec(text)![1]!
    expect((await ada.get(`${path}?state=waiting`)).text).toContain(`value="${seq}"`)
    expect((await ada.get(`${path}?state=done`)).text).toContain('There are none in this state.')
    expect((await ada.get(`${path}?before=${seq}`)).text).not.toContain(`value="${seq}"`)
    expect((await ada.get(`${path}?before=x&state=y`)).text).toContain(`value="${seq}"`)

    receiver.status = 204
    const again = await ada.postForm(path, { retry: seq })
    expect([again.status, again.headers.location]).toEqual([303, `${path}?done=again`])
    expect((await ada.get(`${path}?done=again`)).text).toContain('The event is sent again.')
    await expect
      .poll(async () => (await ada.get(`${path}?state=done`)).text, { timeout: 15_000 })
      .toContain(`value="${seq}"`)
    expect((await ada.postForm(path, { retry: '999999' })).status).toBe(404)

    const replayed = await ada.postForm(path, { do: 'replay', after: `${Number(seq) - 1}` })
    expect(replayed.text).toContain('1 event is sent again.')
    expect((await ada.postForm(path, { do: 'replay', after: 'x' })).status).toBe(400)
    const ids = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id']))
    await expect.poll(() => receiver.received.length, { timeout: 15_000 }).toBeGreaterThan(2)
    expect(ids().size).toBe(1)
  })

  test('the page says why the registry disabled it, and enables it', async () => {
    const name = await collection()
    const { path } = await webhookOf(name)
    receiver.status = 410
    await publish(name)
    const disabled = /The registry disabled this webhook\.<\/strong> The receiver answered 410 Gone\./
    await expect.poll(async () => (await ada.get(path)).text, { timeout: 15_000 }).toMatch(disabled)
    const enabled = await ada.postForm(path, { do: 'enable' })
    expect(enabled.headers.location).toBe(`${path}?done=enabled`)
    expect((await ada.get(enabled.headers.location!)).text).toContain('The webhook is enabled.')
    await ada.postForm(path, { do: 'disable' })
    const { text } = await ada.get(path)
    expect(text).toContain('The webhook is disabled: nothing is sent.')
    expect(text).toContain('410: the receiver')
    const retried = await ada.postForm(path, { retry: /name="retry" value="(\d+)"/.exec(text)![1]! })
    const again = await ada.get(retried.headers.location!)
    expect(again.text).toContain('The event will be sent again when the webhook is enabled.')
    expect(again.text).toContain(', next: when enabled')
    expect(again.text).not.toContain('410: the receiver')
    const replayed = await ada.postForm(path, { do: 'replay', after: '0' })
    expect(replayed.text).toContain('1 event will be sent again when the webhook is enabled.')
  })

  test('it is changed, gets a new secret, and is deleted after confirmation', async () => {
    const { path, secret } = await webhookOf(await collection())
    const saved = await ada.postForm(path, { ...fields(), label: 'New label', bump_patch: 'on' })
    expect(saved.headers.location).toBe(`${path}?done=saved`)
    expect((await ada.get(path)).text).toMatch(/value="New label".*name="bump_patch" checked/s)
    const rotated = await ada.postForm(path, { do: 'rotate' })
    expect(secretIn(rotated.text)).not.toBe(secret)
    expect(rotated.headers['cache-control']).toBe('no-store')
    expect(rotated.text).toContain('also signed with the former secret, which is valid until')
    expect((await ada.postForm(path, { do: 'delete', confirm: 'yes' })).status).toBe(400)
    expect((await ada.get(path)).status).toBe(200)
    const host = new URL(receiver.origin).host
    const deleted = await ada.postForm(path, { do: 'delete', confirm: host })
    expect([deleted.status, deleted.headers.location]).toEqual([303, '/ada/-/webhooks'])
    expect((await ada.get(path)).status).toBe(404)
  })

  test('a reader of a public collection has webhooks of their own, and sees none of others', async () => {
    const name = await collection()
    await publish(name)
    expect((await eve.get(`/${name}`)).text).toContain(`href="/${name}/webhooks"`)
    const ofAda = (await webhookOf(name)).path
    const { path } = await webhookOf(name, eve)
    expect(path).toMatch(/^\/eve\/-\/webhooks\//)
    expect((await ada.get(`/${name}/webhooks`)).text).not.toContain(path)
    expect((await eve.get(`/${name}/webhooks`)).text).not.toContain(ofAda)
    const absent = '/ada/-/webhooks/01890000-0000-7000-8000-000000000000'
    for (const [who, hidden] of [
      [eve, ofAda],
      [ada, path],
    ] as const)
      for (const ask of [who.get, (at: string) => who.postForm(at, { do: 'rotate' })]) {
        const [one, other] = [await ask(hidden), await ask(absent)]
        expect([one.status, one.text.replaceAll(hidden, absent)]).toEqual([404, other.text])
      }
    // Under the name of another account, the address leads to the page.
    expect((await eve.get(path.replace('/eve/', '/ada/'))).headers.location).toBe(path)

    const hidden = await collection(false)
    expect((await eve.get(`/${hidden}/webhooks`)).status).toBe(404)
    expect((await eve.postForm(`/${hidden}/webhooks`, fields())).status).toBe(404)
    const anyone = testClient(server.url, undefined, '')
    expect((await anyone.get(`/${name}/webhooks`)).headers.location).toMatch(/^\/auth\/login/)
  })

  test('an organization has its webhooks beside its members', async () => {
    expect((await ada.get('/atlas/-/members')).text).toContain('href="/atlas/-/webhooks"')
    const { text } = await ada.postForm('/atlas/-/webhooks', fields())
    expect(linkIn(text)).toMatch(/^\/atlas\/-\/webhooks\//)
    expect((await ada.get(linkIn(text))).text).toContain('all of atlas')
    expect((await eve.get('/atlas/-/webhooks')).status).toBe(403)
  })

  test('markup in addresses and labels stays text', async () => {
    const label = '<script>alert(1)</script>'
    const url = `${receiver.origin}/"><script>alert(1)</script>`
    const { text } = await ada.postForm('/ada/-/webhooks', { ...fields(), label, url })
    for (const html of [text, (await ada.get(linkIn(text))).text]) expect(html).not.toContain('<script>alert')
  })

  test('without requests to other servers, the form says so', async () => {
    const opened = await database.settings()
    const closed = await serveForTest(opened.settings, { outside: null })
    const client = testClient(closed.url, await closed.signIn('ada'), '')
    const { status, text } = await client.postForm('/ada/-/webhooks', fields())
    expect([status, text.includes('switched requests to other servers off')]).toEqual([501, true])
    await closed.close()
    await opened.dispose()
  })
})
