import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  accountSlugMax,
  checkAccountSlug,
  checkCollectionSlug,
  collectionSlugMax,
  isAccountSlug,
  reservedAccountSlugs,
  slugCandidates,
  slugFrom,
} from './slugs.ts'

const codeOf = (work: () => void): string => {
  try {
    work()
    return 'ok'
  } catch (error) {
    return (error as { code: string }).code
  }
}

test.each(['a', '0', 'a-b', 'a--b', 'x'.repeat(39)])('%s is a slug', (slug) => {
  expect(codeOf(() => checkAccountSlug(slug))).toBe('ok')
})

test.each(['', '-', '-a', 'a-', 'A', 'a_b', 'a b', 'ä', 'a\0b', 'a\n', 'x'.repeat(40), '..', 'a/b'])(
  '%j is none',
  (slug) => {
    expect(codeOf(() => checkAccountSlug(slug))).toBe('invalid_slug')
  },
)

test('collections may have longer ones, and none is reserved', () => {
  expect(codeOf(() => checkCollectionSlug('x'.repeat(collectionSlugMax)))).toBe('ok')
  expect(codeOf(() => checkCollectionSlug('x'.repeat(collectionSlugMax + 1)))).toBe('invalid_slug')
  expect(codeOf(() => checkCollectionSlug('me'))).toBe('ok')
})

// Listed in http-api §1.
test.each(['me', 'keys', 'api', 'auth', 'dev', 'docs', 'settings', 'explore', 'new', 'login', 'admin'])(
  '%s is reserved',
  (slug) => {
    expect(codeOf(() => checkAccountSlug(slug))).toBe('reserved_slug')
  },
)

test('docs/limits.md lists the reserved words', () => {
  const text = readFileSync(new URL('../../../../docs/limits.md', import.meta.url), 'utf8')
  const [, listed = ''] = /### Reserved words\n\n.*?: (.*)\.\n/.exec(text) ?? []
  expect(listed).toBe([...reservedAccountSlugs].map((slug) => `\`${slug}\``).join(', '))
})

test('every reserved word could be a slug', () => {
  for (const slug of reservedAccountSlugs) expect(isAccountSlug(slug), slug).toBe(true)
})

test('a refusal shows neither control characters nor megabytes', () => {
  const refusal = (slug: string) => {
    try {
      checkAccountSlug(slug)
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(refusal('a\0\u001b[31m')).not.toMatch(/\p{Cc}/u)
  expect(refusal('x'.repeat(1e6))!.length).toBeLessThan(400)
})

test.each([
  ['Ann Lee', 'ann-lee'],
  ['Søren Ångström', 's-ren-angstrom'],
  ['  --x--  ', 'x'],
  ['ann.lee+test', 'ann-lee-test'],
  ['李', undefined],
  ['', undefined],
  [`${'a'.repeat(38)} b`, 'a'.repeat(38)],
])('slugFrom(%j) is %s', (text, slug) => {
  expect(slugFrom(text)).toBe(slug)
})

test('whatever the text, what comes of it is a slug, and so are its candidates, all different', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.integer({ min: 1, max: 100_000 }),
      (text, from) => {
        const slug = slugFrom(text)
        if (slug === undefined) return
        const candidates = slugCandidates(slug, from, 20)
        expect(new Set(candidates).size).toBe(candidates.length)
        for (const candidate of [slug, ...candidates]) expect(isAccountSlug(candidate)).toBe(true)
        for (const candidate of candidates) expect(candidate.length).toBeLessThanOrEqual(accountSlugMax)
      },
    ),
    { numRuns: 300 },
  )
})

test('candidates pass over what is reserved', () => {
  expect(slugCandidates('admin', 1, 3)).toEqual(['admin-2', 'admin-3'])
  expect(slugCandidates('ann', 1, 3)).toEqual(['ann', 'ann-2', 'ann-3'])
})
