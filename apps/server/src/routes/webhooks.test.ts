/** Webhooks over HTTP: servers without them, and secrets, which leave the registry once. More is in packages/registry/src/webhooks. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { databases } from '@ulmus/storage/testing'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { serveForTest } from '../testing/serve.ts'
import { testClient } from '../testing/test-client.ts'

test('a server that may not ask others has no webhooks', async () => {
  const { settings, dispose } = await databases[0]!.settings()
  const server = await serveForTest(settings, { outside: null })
  const { cookie } = await server.signIn('ada')
  const ada = testClient(server.url, await server.keyFor(cookie, 'admin'))
  await ada.post('/accounts/ada/collections', { slug: 'cities', public: true })
  for (const path of ['/collections/ada/cities/webhooks', '/accounts/ada/webhooks']) {
    const answer = await ada.post(path, { url: 'https://ci.example/' })
    expect([answer.status, answer.json.code]).toEqual([501, 'webhooks_unavailable'])
    expect((await ada.get(path)).json).toEqual([])
  }
  await server.close()
  await dispose()
})

test.each(databases)(
  'a push is heard within seconds, and the secret is nowhere but in one answer ($name)',
  async ({ settings: open }) => {
    const heard: { headers: Record<string, string>; body: string }[] = []
    const receiver = createServer(async (request, response) => {
      heard.push({ headers: request.headers as Record<string, string>, body: await text(request) })
      response.writeHead(204).end()
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
    const { settings, dispose } = await open()
    const log = new PassThrough()
    const logged = text(log)
    const server = await serveForTest(settings, {
      ...{ outside: { allow: origin }, logTo: log, logLevel: 'trace' },
    })
    const { cookie } = await server.signIn('ada')
    const ada = testClient(server.url, await server.keyFor(cookie, 'admin'))
    await ada.post('/accounts/ada/collections', { slug: 'cities', public: true })
    const hooks = '/collections/ada/cities/webhooks'
    const { json: made, status } = await ada.post(hooks, { url: `${origin}/hook`, kinds: ['version.made'] })
    expect(status).toBe(201)
    const { json: rotated } = await ada.post(`/webhooks/${made.id}/rotate`)
    const push = { base_version: null, schemas: { City: {} } }
    const { session_id } = (await ada.post('/collections/ada/cities/pushes', push)).json
    await ada.post(`/collections/ada/cities/pushes/${session_id}/commit`, {})
    await expect.poll(() => heard.length, { timeout: 10_000 }).toBe(1)
    const { headers, body } = heard[0]!
    for (const secret of [made.secret, rotated.secret]) new Webhook(secret).verify(body, headers)
    expect(JSON.parse(body)).toMatchObject({
      type: 'version.created',
      data: { url: `${server.url}/api/collections/ada/cities/versions/v1.0.0` },
    })
    expect((await ada.get(JSON.parse(body).data.url.slice(server.url.length + 4))).status).toBe(200)

    await ada.post(`/webhooks/${made.id}/test`)
    const again = await ada.post(`/webhooks/${made.id}/test`)
    expect(again.json).toEqual({
      error: `Too many requests. Try again in ${again.headers['retry-after']} seconds.`,
      ...{ code: 'rate_limited', statusCode: 429 },
    })
    expect(Number(again.headers['retry-after'])).toBeLessThanOrEqual(6)

    const answers = [
      await ada.get(hooks),
      await ada.get('/accounts/ada/webhooks'),
      await ada.get(`/webhooks/${made.id}`),
      await ada.get(`/webhooks/${made.id}/deliveries`),
      await ada.patch(`/webhooks/${made.id}`, { label: 'x' }),
      await ada.get('/accounts/ada/audit'),
    ].map((answer) => answer.text)
    await server.close()
    log.end()
    for (const secret of [made.secret, rotated.secret])
      expect([...answers, await logged].join('\n')).not.toContain(secret.slice(6, 40))
    await dispose()
    receiver.close()
  },
)
