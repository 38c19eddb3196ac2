import { expect, test } from 'vitest'
import { slugFor } from './slug.ts'

test.each([
  ['World cities', 'world-cities'],
  ['Tromsø: cities & towns', 'tromso-cities-towns'],
  ['  Ünïcode — Straße 9! ', 'unicode-strasse-9'],
  ['日本', ''],
  ['--', ''],
  [`${'a'.repeat(99)} b`, 'a'.repeat(99)],
])('%j has the address %j', (name, slug) => {
  expect(slugFor(name, 100)).toBe(slug)
})
