/** The model reports lost, kept and unrequested grants, and accepts both outcomes of an unanswered change. */
import { beforeEach, describe, expect, test } from 'vitest'
import { compareAccess, type Grant, Grants } from './grants.ts'

let grants: Grants
beforeEach(() => {
  grants = new Grants()
  grants.request('cleo', 'write')
  grants.changed('cleo', true)
})
const settle = (found: Record<string, Grant>) =>
  grants.settle('ada/birds', new Map(Object.entries(found))).join()

describe('an acknowledged grant', () => {
  test('is listed', () => {
    expect(settle({ cleo: 'write' })).toBe('')
    expect([grants.of('cleo'), grants.of('dora'), grants.isSure]).toEqual(['write', null, true])
  })

  test.each<[string, Record<string, Grant>, string]>([
    ['is lost', {}, 'gives cleo no grant, not the grant write'],
    ['is another one', { cleo: 'admin' }, 'gives cleo the grant admin, not the grant write'],
    [
      'is joined by another user’s',
      { cleo: 'write', dora: 'read' },
      'gives dora the grant read, not no grant',
    ],
  ])('%s', (_, found, sentence) => {
    expect(settle(found)).toContain(sentence)
  })
})

test('an acknowledged removal must stay', () => {
  grants.request('cleo', null)
  grants.changed('cleo', true)
  expect(settle({})).toBe('')
  expect(settle({ cleo: 'write' })).toContain('gives cleo the grant write, not no grant')
})

test('a refused change leaves the grant as it was', () => {
  grants.request('cleo', 'read')
  grants.changed('cleo', false)
  expect(settle({ cleo: 'read' })).toContain('not the grant write')
})

test.each<[string, Grant | null, Record<string, Grant>]>([
  ['a change', 'read', { cleo: 'read' }],
  ['a removal', null, {}],
])('%s without an answer is settled once', (_, grant, done) => {
  const before: Record<string, Grant> = { cleo: 'write' }
  for (const [found, other] of [
    [done, before],
    [before, done],
  ] as const) {
    grants.settle('ada/birds', new Map([['cleo', 'write']]))
    grants.request('cleo', grant)
    expect(grants.isSure).toBe(false)
    expect(settle(found)).toBe('')
    expect(grants.isSure).toBe(true)
    expect(settle(other)).not.toBe('')
  }
})

test('users by their least grant', () => {
  grants.request('dora', 'read')
  grants.changed('dora', true)
  expect([grants.usersWith('read'), grants.usersWith('write'), grants.usersWith('admin')]).toEqual([
    ['cleo', 'dora'],
    ['cleo'],
    [],
  ])
})

describe('access', () => {
  test.each<[Grant | null, 'public' | 'private', number, number]>([
    [null, 'private', 404, 404],
    [null, 'public', 200, 403],
    ['read', 'private', 200, 403],
    ['read', 'public', 200, 403],
    ['write', 'private', 200, 201],
    ['admin', 'public', 200, 201],
  ])('with the grant %s on a %s collection', (grant, visibility, read, push) => {
    const at = { grant, isPublic: visibility === 'public' }
    expect(compareAccess('cleo', at, { read, push })).toEqual([])
  })

  test.each<[string, Grant | null, { read: number; push: number }, string]>([
    [
      'a removed collaborator reads',
      null,
      { read: 200, push: 404 },
      'no grant: a read is answered 200, not 404',
    ],
    ['a removed collaborator pushes', null, { read: 404, push: 201 }, 'a push is answered 201, not 404'],
    ['a reader pushes', 'read', { read: 200, push: 201 }, 'the grant read: a push is answered 201, not 403'],
    ['a collaborator is refused', 'write', { read: 404, push: 404 }, 'a read is answered 404, not 200'],
  ])('%s', (_, grant, found, sentence) => {
    expect(compareAccess('cleo', { grant, isPublic: false }, found).join()).toContain(sentence)
  })
})
