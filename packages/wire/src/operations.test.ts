import { expect, expectTypeOf, test } from 'vitest'
import type { CommittedPush, CommittingPush, CreateKey, DryRun, Member } from './index.ts'
import {
  type AnswerOf,
  type BodyOf,
  operations,
  type ParamsOf,
  type QueryInput,
  type QueryOf,
} from './operations.ts'

test('ids are unique', () => {
  const ids = Object.values(operations).map(({ id }) => id)
  expect(ids.length).toBeGreaterThan(60)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
})

test('an operation gives the types of what it takes and answers', () => {
  expectTypeOf<ParamsOf<'GET /api/accounts/:slug'>>().toEqualTypeOf<{ slug: string }>()
  expectTypeOf<BodyOf<'POST /api/accounts/keys'>>().toEqualTypeOf<CreateKey>()
  expectTypeOf<AnswerOf<'GET /api/accounts/:slug/members'>>().toEqualTypeOf<Member[]>()
  expectTypeOf<AnswerOf<'POST /api/collections/:owner/:slug/pushes/:id/commit'>>().toEqualTypeOf<
    DryRun | CommittedPush | CommittingPush
  >()
  type Diff = 'GET /api/collections/:owner/:slug/versions/:v/diff'
  expectTypeOf<QueryOf<Diff>['limit']>().toEqualTypeOf<number>()
  expectTypeOf<QueryInput<Diff>['from']>().toEqualTypeOf<string | undefined>()
  expectTypeOf<QueryInput<Diff>['limit']>().toEqualTypeOf<number | undefined>()
})
