import { expect, test } from 'vitest'
import { call, requestOf } from './calls.ts'
import { openTransport } from './transport.ts'

const transport = openTransport({ baseUrl: 'http://registry.invalid' })

test('path parameters are percent-encoded', () => {
  const params = { owner: 'ada', slug: 'cities', v: 'public:1', type: 'A/B', id: '$& :slug' }
  expect(
    requestOf('GET /api/collections/:owner/:slug/versions/:v/records/:type/:id', params, {
      query: { proof: true },
    }),
  ).toEqual({
    method: 'GET',
    path: '/api/collections/ada/cities/versions/public%3A1/records/A%2FB/%24%26%20%3Aslug',
    query: { proof: true },
  })
})

test('a parameter that URL parsers take for a step is refused before it is sent', async () => {
  for (const slug of ['.', '..'])
    await expect(call(transport, 'GET /api/accounts/:slug', { slug })).rejects.toThrow(TypeError)
})

test('what an operation does not take does not compile', () => {
  const calls = () => [
    // @ts-expect-error No such operation.
    call(transport, 'GET /api/accounts/:slug/friends', { slug: 'ada' }),
    // @ts-expect-error A path parameter is missing.
    call(transport, 'GET /api/accounts/:slug', {}),
    // @ts-expect-error The parameter has another name.
    call(transport, 'GET /api/accounts/:slug', { owner: 'ada' }),
    // @ts-expect-error The scope is none.
    call(transport, 'POST /api/accounts/keys', {}, { json: { label: 'x', scope: 'root' } }),
    // @ts-expect-error The body is missing.
    call(transport, 'POST /api/accounts/keys', {}),
    // @ts-expect-error It takes no query.
    call(transport, 'GET /api/accounts/me', {}, { query: { limit: 1 } }),
  ]
  expect(calls).toBeTypeOf('function')
})
