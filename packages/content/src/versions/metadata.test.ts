import { describe, expect, test } from 'vitest'
import { canonicalize } from '../json/canonical.ts'
import { mergeMetadata, metadataBytes, metadataIssues } from './document.ts'

describe('mergeMetadata', () => {
  test('replaces top-level members whole, adds new ones and removes those given as null', () => {
    const base = { description: 'a', nested: { x: 1, y: null }, gone: 1 }
    expect(mergeMetadata(base, { nested: { z: 2 }, gone: null, more: [null], absent: null })).toEqual({
      description: 'a',
      nested: { z: 2 },
      more: [null],
    })
    expect(base).toEqual({ description: 'a', nested: { x: 1, y: null }, gone: 1 })
  })

  test('treats __proto__ as any member', () => {
    const merged = mergeMetadata(JSON.parse('{"__proto__":{"a":1}}'), { b: 2 })
    expect(canonicalize(merged)).toBe('{"__proto__":{"a":1},"b":2}')
    expect(mergeMetadata(merged, JSON.parse('{"__proto__":null,"b":null}'))).toEqual({})
  })
})

describe('metadataIssues', () => {
  test('asks for strings, or null, in three members', () => {
    expect(metadataIssues({ description: 'a', readme: null, license: '', other: 1 })).toEqual([])
    expect(metadataIssues({ description: 1, readme: {}, license: false }).map((issue) => issue.path)).toEqual(
      ['/description', '/readme', '/license'],
    )
    expect(metadataIssues({})).toEqual([])
  })
})

test('metadataBytes counts UTF-8 of the canonical form', () => {
  expect(metadataBytes({ b: 'é', a: 1 })).toBe('{"a":1,"b":"é"}'.length + 1)
})
