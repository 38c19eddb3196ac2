import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { spellingSentence } from './faults.ts'
import { issuerFault } from './issuer-fault.ts'

const provider = (issuer: string) =>
  JSON.stringify({
    issuer,
    ...{ authorization_endpoint: 'https://x.example/a', token_endpoint: 'https://x.example/t' },
    jwks_uri: 'https://x.example/k',
  })

/** The sentence about a server that answers its description in this way. */
async function faultOf(answer: { status?: number; type?: string; body: (url: string) => string }) {
  let url = ''
  const server = createServer((_request, response) => {
    response.writeHead(answer.status ?? 200, { 'content-type': answer.type ?? 'application/json' })
    response.end(answer.body(url))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const options = { issuer: () => url, clientId: 'ulmus', clientSecret: 's' }
  const fault = await issuerFault(options)
  await new Promise((resolve) => server.close(resolve))
  return { fault, after: await issuerFault(options) }
}

test('a provider has no fault, and one that is gone does not answer', async () => {
  const { fault, after } = await faultOf({ body: provider })
  expect(fault).toBeUndefined()
  expect(after?.sentence).toMatch(/^OIDC_ISSUER, http:.* does not answer: .*ECONNREFUSED/)
})

test.each<[Parameters<typeof faultOf>[0], RegExp]>([
  [
    { body: () => provider('https://else.example') },
    /names another issuer: https:\/\/else\.example\. Set OIDC_ISSUER/,
  ],
  [{ status: 404, body: () => 'no' }, /is no OpenID Connect provider now: .* answers 404\./],
  [{ type: 'text/html', body: () => '<!doctype html>' }, /is no OpenID Connect provider: .* a web page/],
  [{ body: () => '<!doctype html>' }, /is no OpenID Connect provider: /],
  [{ body: () => '{}' }, /is no OpenID Connect provider: /],
])('%#: one sentence about a wrong issuer', async (answer, sentence) => {
  const { fault } = await faultOf(answer)
  expect(fault?.level).toBe('error')
  expect(fault?.sentence).toMatch(sentence)
  expect(fault?.sentence).toMatch(/the rest works\.$/)
})

test('an issuer that the provider writes otherwise is named with the right one', async () => {
  for (const own of [(url: string) => `${url}/`, (url: string) => url.replace('http', 'HTTP')]) {
    let right = ''
    const { fault } = await faultOf({
      body: (url) => {
        right = own(url)
        return provider(right)
      },
    })
    expect(fault?.level).toBe('warn')
    expect(fault?.sentence).toContain(`; the provider calls itself ${right}: set it so. OPERATORS must`)
  }
})

test('a provider without TLS is named, without the trace of OpenSSL', async () => {
  const server = createServer((_request, response) => response.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const issuer = () => `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const fault = await issuerFault({ issuer, clientId: 'ulmus', clientSecret: 's' })
  await new Promise((resolve) => server.close(resolve))
  expect(fault?.sentence).toContain('does not answer: it does not speak TLS. Correct it')
})

test('a description of several tenants names no issuer to set', () => {
  const own = 'https://login.microsoftonline.com/{tenantid}/v2.0'
  expect(spellingSentence('https://login.microsoftonline.com/common/v2.0', own)).toBeUndefined()
})
