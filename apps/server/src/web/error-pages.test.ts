/** Errors of addresses that belong to no page: browsers get the page of all errors, programs JSON. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../testing/serve.ts'
import { testClient } from '../testing/test-client.ts'

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const unknown = [
  '/assets/x',
  '/downloads/x',
  '/dev/x',
  '/auth/x',
  '/dev/<b>x',
  '/assets/%22%3E%3Cb%3E',
] as const

describe.each(anyDatabase)('pages of errors on $name', (database) => {
  let server: TestServer
  let dispose: () => Promise<void>
  beforeAll(async () => {
    const test = await database.settings()
    dispose = test.dispose
    server = await serveForTest(test.settings)
  })
  afterAll(async () => {
    await server.close()
    await dispose()
  })
  const get = (path: string, accept?: string, method = 'GET') =>
    testClient(server.url, undefined, '').request(method, path, {
      headers: accept === undefined ? {} : { accept },
    })

  test.each([
    ['/%zz', 400, 'This cannot be done'],
    ['/%', 400, 'This cannot be done'],
    ['/docs/%ff?x=%zz', 400, 'This cannot be done'],
    ...unknown.map((path) => [path, 404, 'There is nothing here'] as const),
    ['/auth/logout', 405, 'Nothing can be sent here'],
  ] as const)('%s', async (path, status, title) => {
    const page = await get(path, browser)
    expect([page.status, page.headers['content-type']]).toEqual([status, 'text/html; charset=utf-8'])
    expect(page.text).toContain(`<h1>${title}</h1>`)
    expect(page.text).not.toContain('<b>')
    expect(page.headers['content-security-policy']).toContain("script-src 'self'")
    for (const accept of [undefined, '*/*', 'application/json']) {
      const { headers, json } = await get(path, accept)
      expect([json.statusCode, headers['content-type']]).toEqual([status, 'application/json; charset=utf-8'])
      expect(headers['allow']).toBe(page.headers['allow'])
    }
  })

  test('the API and the probes answer browsers with JSON', async () => {
    for (const path of ['/api/nowhere', '/api/%zz', '/api', '/api?x=%zz']) {
      const { headers, json } = await get(path, browser)
      expect([path, headers['content-type']]).toEqual([path, 'application/json; charset=utf-8'])
      expect(json.statusCode).toBeGreaterThanOrEqual(400)
    }
    expect((await get('/healthz', browser, 'DELETE')).json.code).toBe('method_not_allowed')
  })
})
