import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import type { VisitedCollection } from '../data/collection.ts'
import { Value } from './value.tsx'

const inTable = (value: unknown) =>
  renderToString(h(Value, { value, seen: {} as VisitedCollection, most: 80 }))

test('a table reads no more members of a nested value than it shows', () => {
  let reads = 0
  const member = { enumerable: true, get: () => ++reads && 0 }
  const names = Array.from({ length: 20_000 }, (_, n) => [`m${n}`, member])
  const html = inTable(Object.defineProperties({}, Object.fromEntries(names)))
  expect(html).toContain('20,000 fields')
  expect(reads).toBeLessThan(5_000)
})

test.each([
  ['a list', Array.from({ length: 20_000 }, (_, n) => n), '20,000 items'],
  ['a list of lists', [Array.from({ length: 20_000 }, () => 0)], '1 item'],
  [
    'a member that names a prototype',
    JSON.parse('{"__proto__":{"a":1},"long":"0123456789012345678901234567890"}'),
    '2 fields',
  ],
])('%s is shown as if the whole were read', (_, value, size) => {
  const html = inTable(value)
  const text = html.replaceAll('&quot;', '"')
  expect(text).toContain(JSON.stringify(value).slice(0, 31))
  expect(text).toContain(JSON.stringify(value, null, 2).slice(0, 1_000))
  expect(html).toContain(size)
})
