/** The model reports violations of acknowledged requests, and accepts any possible outcome of the others. */
import { beforeEach, describe, expect, test } from 'vitest'
import {
  type Change,
  CollectionModel,
  type Content,
  compareContent,
  digestOf,
  emptyContent,
  mergeMetadata,
  type Told,
} from './model.ts'

const contentWith = (n: number): Content => ({ ...emptyContent, records: new Map([['B r', { n }]]) })

/** A push that applies only to `base`, and leaves the single record `n`. */
const pushOn = (base: string | undefined, n: number): Change => ({
  what: `the push of ${n}`,
  apply: (head) => (head?.semver === base ? contentWith(n) : undefined),
})
const told = async (semver: string, content: Content): Promise<Told> => ({
  semver,
  hash: await digestOf(content),
})

let collection: CollectionModel
let first: Told
let second: Told
beforeEach(async () => {
  collection = new CollectionModel('ada', 'birds')
  collection.existence = 'present'
  ;[first, second] = [await told('v1.0.0', contentWith(1)), await told('v1.1.0', contentWith(2))]
  for (const [version, base, n] of [
    [first, undefined, 1],
    [second, 'v1.0.0', 2],
  ] as const) {
    const change = pushOn(base, n)
    collection.pending.push(change)
    expect(await collection.acknowledge(change, version)).toEqual([])
  }
})
const versions = () => collection.versions.map(({ semver }) => semver)

describe('what was acknowledged', () => {
  test('is there, and nothing is wrong', async () => {
    expect(await collection.reconcile([first, second])).toEqual([])
    expect(versions()).toEqual(['v1.0.0', 'v1.1.0'])
  })

  test.each([
    ['the latest version is lost', () => [first], 'lost v1.1.0'],
    ['an older version is lost', () => [second], 'lost v1.0.0'],
    ['all versions are lost', () => [], 'lost v1.0.0'],
    ['a digest is another', () => [first, { ...second, hash: first.hash }], 'another digest of v1.1.0'],
    ['the order is another', () => [second, first], 'out of order'],
  ])('%s', async (_, found, sentence) => {
    expect((await collection.reconcile(found())).join()).toContain(sentence)
  })

  test('is not what the request asked for', async () => {
    const change = pushOn('v1.1.0', 3)
    collection.pending.push(change)
    const wrong = await collection.acknowledge(change, await told('v1.2.0', contentWith(4)))
    expect(wrong.join()).toContain('no worker requested')
  })

  test('is lost while it waits for the fate of a rival', async () => {
    const [winner, rival] = [pushOn('v1.1.0', 3), pushOn('v1.1.0', 4)]
    collection.pending.push(winner, rival)
    expect(await collection.acknowledge(winner, await told('v1.2.0', contentWith(3)))).toEqual([])
    expect((await collection.reconcile([first, second])).join()).toContain('lost v1.2.0')
  })
})

describe('what was not acknowledged', () => {
  test.each([
    ['happened', true],
    ['did not happen', false],
  ])('%s: that is taken, and must stay so', async (_, happened) => {
    collection.pending.push(pushOn('v1.1.0', 3))
    const third = await told('v1.2.0', contentWith(3))
    expect(await collection.reconcile(happened ? [first, second, third] : [first, second])).toEqual([])
    expect(collection.isSure).toBe(true)
    const other = happened ? [first, second] : [first, second, third]
    expect((await collection.reconcile(other)).join()).toContain(
      happened ? 'lost v1.2.0' : 'no worker requested',
    )
  })

  test('happened twice', async () => {
    const change: Change = {
      what: 'an update',
      apply: (head) =>
        head && { ...head.content, metadata: mergeMetadata(head.content.metadata, { license: 'MIT' }) },
    }
    collection.pending.push(change)
    const updated = { ...contentWith(2), metadata: { license: 'MIT' } }
    const twice = [await told('v1.1.1', updated), await told('v1.1.2', updated)]
    expect((await collection.reconcile([first, second, ...twice])).join()).toContain('v1.1.2')
  })

  test('happened in part', async () => {
    collection.pending.push({ what: 'a push', apply: () => ({ ...contentWith(3), metadata: { a: 1 } }) })
    const half = await told('v1.2.0', contentWith(3))
    expect((await collection.reconcile([first, second, half])).join()).toContain('no worker requested')
  })

  test('of two that were for one base, one at most', async () => {
    collection.pending.push(pushOn('v1.1.0', 3), pushOn('v1.1.0', 4))
    const both = [await told('v1.2.0', contentWith(3)), await told('v1.3.0', contentWith(4))]
    expect((await collection.reconcile([first, second, ...both])).join()).toContain('v1.3.0')
  })

  test('a fork without its version', async () => {
    const fork = new CollectionModel('elms', 'birds', { isFork: true })
    fork.existence = 'present'
    fork.pending.push({ what: 'a fork', apply: () => contentWith(2) })
    expect((await fork.reconcile([])).join()).toContain('without a version')
  })
})

/** A list of versions; withdrawn ones have reasons. */
const listed = (reasons: Record<string, string>, ...all: Told[]): Told[] =>
  all.map((told) => ({ ...told, marks: { withdrawn: reasons[told.semver] ?? null, deprecated: null } }))
const marksOf = (semver: string) => collection.versions.find((one) => one.semver === semver)!.marks

describe('a withdrawal', () => {
  test('that was acknowledged stays: what stands again is found, and what has another reason', async () => {
    marksOf('v1.1.0').askWithdrawal('a leak', false)
    expect(marksOf('v1.1.0').withdrawn('it', { reason: 'a leak', erase: false })).toEqual([])
    expect(collection.head?.semver).toBe('v1.0.0')
    expect(await collection.reconcile(listed({ 'v1.1.0': 'a leak' }, first, second))).toEqual([])
    expect((await collection.reconcile(listed({ 'v1.1.0': 'why' }, first, second))).join()).toContain(
      'for "why"',
    )
  })

  test('that was acknowledged is found when it is taken back', async () => {
    marksOf('v1.0.0').askWithdrawal('a leak', false)
    marksOf('v1.0.0').withdrawn('it', { reason: 'a leak', erase: false })
    expect((await collection.reconcile(listed({}, first, second))).join()).toContain('v1.0.0 stands')
  })

  test('that no worker requested is found', async () => {
    const told = listed({ 'v1.0.0': 'a leak' }, first, second)
    expect((await collection.reconcile(told)).join()).toContain('v1.0.0 is withdrawn')
    const wrong = marksOf('v1.1.0').withdrawn('it', { reason: 'a leak', erase: true })
    expect(wrong.join()).toContain('which no worker gave as the reason')
    expect(wrong.join()).toContain('to be erased, which no worker requested')
  })

  test.each([
    ['happened', { 'v1.1.0': 'a leak' }, {}],
    ['did not happen', {}, { 'v1.1.0': 'a leak' }],
  ] as [string, Record<string, string>, Record<string, string>][])(
    'that was not answered %s: that is taken, and must stay so',
    async (_, found, other) => {
      marksOf('v1.1.0').askWithdrawal('a leak', true)
      expect([collection.isSure, collection.head?.semver]).toEqual([false, 'v1.0.0'])
      expect(await collection.reconcile(listed(found, first, second))).toEqual([])
      expect(collection.isSure).toBe(true)
      const isWithdrawn = 'v1.1.0' in found
      expect(collection.head?.semver).toBe(isWithdrawn ? 'v1.0.0' : 'v1.1.0')
      expect(marksOf('v1.1.0').erasure).toBe(isWithdrawn ? 'maybe' : 'none')
      expect(await collection.reconcile(listed(other, first, second))).not.toEqual([])
    },
  )

  test('keeps its first reason, and its erasure once that is acknowledged', () => {
    const marks = marksOf('v1.1.0')
    marks.askWithdrawal('a leak', false)
    marks.withdrawn('it', { reason: 'a leak', erase: false })
    marks.askWithdrawal('another', true)
    expect(marks.withdrawn('it', { reason: 'a leak', erase: false }).join()).toContain('not to be erased')
    expect(marks.withdrawn('it', { reason: 'a leak', erase: true })).toEqual([])
    expect(marks.erasure).toBe('asked')
    expect(marks.withdrawn('it', { reason: 'another', erase: true }).join()).toContain('for "another"')
  })

  test('leaves its number taken: a later version that has a lower one, or the same, is found', async () => {
    marksOf('v1.1.0').askWithdrawal('a leak', false)
    marksOf('v1.1.0').withdrawn('it', { reason: 'a leak', erase: false })
    collection.pending.push(pushOn('v1.0.0', 3))
    const reasons = { 'v1.1.0': 'a leak' }
    const lower = listed(reasons, first, second, await told('v1.0.1', contentWith(3)))
    expect((await collection.reconcile(lower)).join()).toContain('v1.0.1 after v1.1.0')
    const higher = listed(reasons, first, second, await told('v1.2.0', contentWith(3)))
    expect(await collection.reconcile(higher)).toEqual([])
  })

  test('of a base lets no push land on it, but one that was under way', async () => {
    const landed = listed({ 'v1.1.0': 'a leak' }, first, second, await told('v1.2.0', contentWith(3)))
    const { marks } = collection.head!
    marks.askWithdrawal('a leak', false)
    marks.withdrawn('it', { reason: 'a leak', erase: false })
    collection.pending.push(pushOn('v1.1.0', 3))
    expect((await collection.reconcile(landed)).join()).toContain('no worker requested')
    marksOf('v1.1.0').wasOvertaken = true
    collection.pending.push(pushOn('v1.1.0', 3))
    expect(await collection.reconcile(landed)).toEqual([])
    expect(marksOf('v1.1.0').wasOvertaken).toBe(false)
  })
})

describe('a deprecation', () => {
  const warned = (message: string | null): Told[] => [
    first,
    { ...second, marks: { withdrawn: null, deprecated: message } },
  ]
  test('that was acknowledged stays, and one that no worker requested is found', async () => {
    marksOf('v1.1.0').askDeprecation('old')
    marksOf('v1.1.0').deprecated(true)
    expect(await collection.reconcile(warned('old'))).toEqual([])
    expect((await collection.reconcile(warned(null))).join()).toContain('warns of null')
  })

  test.each(['old', null])('that was not answered is settled once: %s', async (message) => {
    marksOf('v1.1.0').askDeprecation('old')
    expect(collection.isSure).toBe(false)
    expect(await collection.reconcile(warned(message))).toEqual([])
    expect(collection.isSure).toBe(true)
    expect(await collection.reconcile(warned(message === null ? 'old' : null))).not.toEqual([])
  })
})

test('an erasure takes the deprecation with it, and one that was not answered may have', async () => {
  const listed = (deprecated: string | null): Told[] => [
    first,
    { ...second, marks: { withdrawn: 'a leak', deprecated } },
  ]
  const marks = marksOf('v1.1.0')
  marks.askDeprecation('old')
  marks.deprecated(true)
  marks.askWithdrawal('a leak', false)
  marks.withdrawn('it', { reason: 'a leak', erase: false })
  expect((await collection.reconcile(listed(null))).join()).toContain('warns of null')
  expect(await collection.reconcile(listed(null))).toEqual([])
  expect((await collection.reconcile(listed('old'))).join()).toContain('warns of old')
  marks.askWithdrawal('a leak', true)
  expect(await collection.reconcile(listed('old'))).toEqual([])
  expect(await collection.reconcile(listed(null))).toEqual([])
  marks.withdrawn('it', { reason: 'a leak', erase: true })
  expect((await collection.reconcile(listed('old'))).join()).toContain('warns of old')
})

test('an open change of a grant leaves the collection unsure; a lost grant is found', () => {
  const { grants } = collection
  grants.request('cleo', 'read')
  expect(collection.isSure).toBe(false)
  grants.changed('cleo', true)
  expect(collection.isSure).toBe(true)
  expect(grants.settle(collection.path, new Map()).join()).toContain(
    'gives cleo no grant, not the grant read',
  )
})

test('a transfer that is open leaves it unsure whose it is; the former address redirects', () => {
  collection.owners = ['ada', 'elms']
  expect([collection.isSure, collection.path]).toEqual([false, '/api/collections/ada/birds'])
  collection.isOf('ada')
  expect([...collection.formerOwners]).toEqual([])
  collection.owners = ['ada', 'elms']
  collection.isOf('elms')
  expect([collection.isSure, collection.path]).toEqual([true, '/api/collections/elms/birds'])
  expect([...collection.formerOwners]).toEqual(['ada'])
  collection.owners = ['elms', 'ada']
  collection.isOf('ada')
  expect([...collection.formerOwners]).toEqual(['elms'])
  collection.owners = ['ada', 'elms']
  collection.isOf('ada')
  expect([...collection.formerOwners]).toEqual(['elms'])
})

describe('a version that is read', () => {
  const expected: Content = { ...emptyContent, records: new Map([['B r', { n: 1 }]]) }
  const hash = '0'.repeat(64)
  const line = (data: object) => JSON.stringify({ id: 'r', type: 'B', data, hash })
  test.each([
    ['lacks a record', { lines: '', recordCount: 1, metadata: {} }, 'lacks the record B r'],
    ['counts otherwise', { lines: '', recordCount: 0, metadata: {} }, 'it should be 1'],
    ['has another record', { lines: line({ n: 2 }), recordCount: 1, metadata: {} }, 'another record B r'],
    [
      'has a hash that is not its own',
      { lines: line({ n: 1 }), recordCount: 1, metadata: {} },
      'not its own',
    ],
    ['has other metadata', { lines: '', recordCount: 1, metadata: { a: 1 } }, 'other metadata'],
  ])('%s', (_, read, sentence) => {
    expect(compareContent('it', expected, read).join()).toContain(sentence)
  })
})
