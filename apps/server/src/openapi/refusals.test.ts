/** Refusals that the method, the path and the entrance of an operation imply. */
import { type Operation, operations } from '@ulmus/wire'
import { expect, test } from 'vitest'
import { codesOf, type DescribedOperation } from './refusals.ts'

const described = Object.entries<Operation>(operations).map(([name, operation]): DescribedOperation => {
  const [method = '', url = ''] = name.split(' ')
  return { ...operation, method, url }
})
const impliedBy = (operation: DescribedOperation) => codesOf({ ...operation, refusals: [] })

test('no operation lists a refusal that is implied', () => {
  const listed = described.flatMap((one) => {
    const implied = impliedBy(one)
    return (one.refusals ?? [])
      .filter((code) => implied.includes(code))
      .map((code) => `${one.method} ${one.url} lists ${code}`)
  })
  expect(listed, 'Delete it from the operation.').toEqual([])
})

const whoseOwner = ['account_not_found', 'not_a_member', 'insufficient_role'] as const
const ofCollection = ['collection_not_found', 'not_a_member', 'key_limited'] as const

test.each([
  ['GET /api/accounts/me', ['publisher_key']],
  ['GET /api/accounts/:slug', ['account_not_found']],
  ['GET /api/accounts/:slug/usage', ['account_not_found', 'not_a_member', 'key_limited']],
  ['DELETE /api/accounts/:slug', [...whoseOwner, 'key_limited', 'insufficient_scope']],
  ['PATCH /api/admin/accounts/:slug', ['not_an_operator', 'account_not_found']],
  ['GET /api/collections/:owner/:slug', ['collection_not_found']],
  ['POST /api/collections/:owner/:slug/pushes', [...ofCollection, 'insufficient_scope']],
  ['DELETE /api/collections/:owner/:slug/publishers/:id', [...ofCollection, 'insufficient_role']],
  ['GET /api/collections/:owner/:slug/webhooks', ['collection_not_found', 'key_limited']],
] as const)('%s implies %s', (name, expected) => {
  const one = described.find(({ method, url }) => `${method} ${url}` === name)!
  expect(impliedBy(one)).toEqual(expect.arrayContaining([...expected]))
})

test.each([
  ['GET /api/accounts/:slug', 'not_a_member'],
  ['GET /api/accounts/:slug/usage', 'insufficient_role'],
  ['PATCH /api/admin/accounts/:slug', 'not_a_member'],
  ['GET /api/collections/:owner/:slug', 'key_limited'],
  ['POST /api/collections/:owner/:slug/pushes', 'insufficient_role'],
  ['GET /api/collections/:owner/:slug/webhooks', 'not_a_member'],
])('%s does not imply %s', (name, code) => {
  const one = described.find(({ method, url }) => `${method} ${url}` === name)!
  expect(impliedBy(one)).not.toContain(code)
})
