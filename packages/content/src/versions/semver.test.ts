import { describe, expect, test } from 'vitest'
import { hashText } from '../hash.ts'
import type { ViewDocument } from './document.ts'
import {
  changeBetween,
  compareSemver,
  formatSemver,
  nextSemver,
  parseSemver,
  type VersionChange,
  type VersionViews,
} from './semver.ts'

const version = (text: string) => parseSemver(text)!

describe('a version number', () => {
  test.each([
    ['v1.2.3', { major: 1, minor: 2, patch: 3 }],
    ['1.2.3', { major: 1, minor: 2, patch: 3 }],
    ['v0.0.0', { major: 0, minor: 0, patch: 0 }],
    ['2147483647.10.0', { major: 2147483647, minor: 10, patch: 0 }],
  ])('%s is read', (text, expected) => {
    expect(parseSemver(text)).toEqual(expected)
    expect(formatSemver(expected)).toBe(text.startsWith('v') ? text : `v${text}`)
  })

  test.each([
    '',
    'latest',
    'v1',
    'v1.2',
    '1.2.3.4',
    'V1.2.3',
    'vv1.2.3',
    '01.2.3',
    '1.02.3',
    '1.2.3-a',
    ' 1.2.3',
    '1.2.3\n',
    '-1.2.3',
    '2147483648.0.0',
    '1.0.99999999999',
  ])('%j is none', (text) => expect(parseSemver(text)).toBeUndefined())

  test('is ordered by its parts as numbers', () => {
    const sorted = ['v0.9.9', 'v1.0.0', 'v1.0.9', 'v1.0.10', 'v1.2.0', 'v1.10.0', 'v2.0.0', 'v10.0.0']
    expect([...sorted].reverse().map(version).sort(compareSemver).map(formatSemver)).toEqual(sorted)
    expect(compareSemver(version('1.2.3'), version('v1.2.3'))).toBe(0)
  })
})

describe('nextSemver', () => {
  test.each<[string | null, VersionChange, string]>([
    [null, 'first', 'v1.0.0'],
    ['v1.2.3', 'schema', 'v2.0.0'],
    ['v1.2.3', 'content', 'v1.3.0'],
    ['v1.2.3', 'other', 'v1.2.4'],
  ])('after %s, %s: %s', (base, change, expected) => {
    expect(formatSemver(nextSemver(base === null ? null : version(base), change))).toBe(expected)
  })

  test.each<[string | null, VersionChange]>([
    [null, 'other'],
    [null, 'none'],
    ['v1.0.0', 'first'],
    ['v1.0.0', 'none'],
    ['v1.0.2147483647', 'other'],
  ])('after %s, %s: none', (base, change) => {
    expect(() => nextSemver(base === null ? null : version(base), change)).toThrow(RangeError)
  })
})

describe('changeBetween', () => {
  const tree = (name: string) => ({ root: hashText(name), count: 1, bytes: 10 })
  const view = (changes: Partial<ViewDocument> = {}): ViewDocument => ({
    files: { root: null, count: 0, bytes: 0 },
    metadata: { a: 1, b: 2 },
    types: { T: { schema: hashText('schema'), ...tree('records') } },
    ...changes,
  })
  const views = (changes: Partial<ViewDocument> = {}, open = changes): VersionViews => ({
    full: view(changes),
    public: view(open),
  })
  const typeWith = (schema: string, records: string) => ({ schema: hashText(schema), ...tree(records) })
  const base = views()

  test.each<[string, VersionViews, VersionChange]>([
    ['nothing', views(), 'none'],
    ['members of metadata in another order', views({ metadata: { b: 2, a: 1 } }), 'none'],
    [
      'a type more',
      views({ types: { T: typeWith('schema', 'records'), U: typeWith('schema', 'records') } }),
      'schema',
    ],
    ['a type less', views({ types: {} }), 'schema'],
    ['another type', views({ types: { U: typeWith('schema', 'records') } }), 'schema'],
    ['an inherited name as type', views({ types: { toString: typeWith('schema', 'records') } }), 'schema'],
    ['a schema', views({ types: { T: typeWith('other', 'records') } }), 'schema'],
    ['a schema and records', views({ types: { T: typeWith('other', 'other') } }), 'schema'],
    ['records', views({ types: { T: typeWith('schema', 'other') } }), 'content'],
    ['files', views({ files: tree('files') }), 'content'],
    ['records and metadata', views({ types: { T: typeWith('schema', 'other') }, metadata: {} }), 'content'],
    ['metadata', views({ metadata: { a: 1 } }), 'other'],
    ['what is private', views({}, { types: { T: typeWith('schema', 'other') } }), 'other'],
    ['the files that are private', views({}, { files: tree('files') }), 'other'],
  ])('%s', (_, next, expected) => {
    expect(changeBetween(base, next)).toBe(expected)
  })

  test('without a base is the first', () => {
    expect(changeBetween(null, base)).toBe('first')
  })
})
