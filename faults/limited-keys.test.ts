/** The model reports keys that are lost, outlive their collections or work for others. */
import { beforeEach, describe, expect, test } from 'vitest'
import { type LimitedKey, LimitedKeys, statusWith } from './limited-keys.ts'
import { CollectionModel } from './model.ts'

let birds: CollectionModel
let trees: CollectionModel
let other: CollectionModel
let key: LimitedKey
let keys: LimitedKeys
beforeEach(() => {
  ;[birds, trees, other] = [collection('birds'), collection('trees'), collection('other')]
  key = { id: '1', key: 'ul_1', collections: [trees, birds], revocation: 'none' }
  keys = new LimitedKeys('limited w1')
  keys.add(key)
})
function collection(slug: string): CollectionModel {
  const made = new CollectionModel('ada', slug)
  made.existence = 'present'
  return made
}
const both = { id: '1', collections: ['ada/birds', 'ada/trees'] }
const settle = (...listed: { id: string; collections: string[] }[]) => keys.settle(listed).wrong.join()

test('a key has its collections, at their present addresses', () => {
  expect(settle(both)).toBe('')
  birds.isOf('elms')
  expect(settle({ id: '1', collections: ['ada/trees', 'elms/birds'] })).toBe('')
  expect(settle(both)).toContain('works for ada/birds, ada/trees, not for ada/trees, elms/birds')
})

test('a lost key is found', () => {
  expect(settle()).toContain('the key 1 is revoked, which no worker requested')
})

describe('a deletion', () => {
  beforeEach(() => {
    birds.existence = 'absent'
  })
  const one = { id: '1', collections: ['ada/trees'] }

  test('takes the collection from the key', () => {
    expect(settle(one)).toBe('')
    expect(settle(both)).toContain('works for ada/birds, ada/trees, not for ada/trees')
  })

  test('of the last collection revokes the key: it never lives on, and never without limits', () => {
    trees.existence = 'absent'
    expect(settle()).toBe('')
    expect(settle({ id: '1', collections: [] })).toContain('after the deletion of all of its collections')
    expect(statusWith(key, other)).toBe(401)
  })
})

test('an acknowledged revocation stays', () => {
  key.revocation = 'done'
  expect(settle()).toBe('')
  expect(settle(both)).toContain('exists after its revocation')
})

test.each([true, false])('a revocation without an answer is settled once: happened %s', (happened) => {
  key.revocation = 'unsure'
  expect(keys.sure).toEqual([])
  expect(settle(...(happened ? [] : [both]))).toBe('')
  expect(settle(...(happened ? [both] : []))).not.toBe('')
})

test('a creation without an answer explains one unknown key', () => {
  keys.addUnanswered()
  const unknown = { id: '2', collections: ['ada/birds'] }
  expect(keys.settle([both, unknown])).toEqual({ wrong: [], unknown: ['2'] })
  expect(settle(both, unknown)).toContain('1 keys "limited w1" exist that no worker has; 0 may')
})

test('a key reads its collections and public ones', () => {
  const statuses = () => [birds, other].map((one) => statusWith(key, one))
  expect(statuses()).toEqual([200, 404])
  other.isPublic = true
  birds.existence = 'absent'
  expect(statuses()).toEqual([404, 200])
  key.revocation = 'done'
  expect(statuses()).toEqual([401, 401])
})
