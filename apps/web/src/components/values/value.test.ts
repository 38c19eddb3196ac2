import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import type { VisitedCollection } from '../../data/collection.ts'
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

const plain = (html: string) => html.replaceAll(/<[^>]*>/g, '')
const onPage = (value: unknown) => renderToString(h(Value, { value, seen: {} as VisitedCollection }))

test.each([
  ['#1f77b4', true],
  ['#1F77B480', true],
  ['#2ca', true],
  ['#abcd', true],
  ['#000', true],
  // Numbers of issues.
  ['#123', false],
  ['#1234', false],
  ['#12', false],
  ['#12345', false],
  ['#gggggg', false],
  ['1f77b4', false],
  [' #1f77b4', false],
  ['#1f77b4\n', false],
  ['red', false],
  ['#1f77b4"/><script>', false],
])('%j has a sample of its colour: %s', (text, isColour) => {
  for (const html of [inTable(text), onPage(text)]) {
    expect(html.includes(`<rect width="12" height="12" fill="${text}">`)).toBe(isColour)
    expect(html.includes('<svg')).toBe(isColour)
    expect(html).not.toContain('style=')
    expect(plain(html).trim()).toBe(isColour ? text : plain(renderToString(h('p', null, text))).trim())
  }
})

test('a web link has its host first in a table, and says where it leads if a name pretends to be a host', () => {
  const [long, forged] = [
    `https://example.org:81/${'path/'.repeat(40)}?q=1`,
    'https://bank.example@evil.example/a',
  ]
  expect(plain(inTable('http://example.org'))).toBe('example.org')
  expect(inTable('https://example.org/a?b=1#c')).toContain(
    '<bdi>example.org</bdi><bdi class="quiet">/a?b=1#c</bdi>',
  )
  expect(plain(inTable(long))).toMatch(/^example\.org:81\/path\/.*…$/)
  expect(plain(inTable(long)).length).toBeLessThanOrEqual(81)
  expect(plain(onPage(long))).toBe(long)
  expect(plain(inTable(forged))).toBe('evil.example/a')
  expect(plain(onPage(forged))).toBe(`${forged} leads to evil.example`)
  for (const text of ['https://', 'https://[::', 'javascript:alert(1)', 'https://a b', 'ftp://a.example'])
    for (const html of [inTable(text), onPage(text)]) expect(html).not.toContain('<a')
})

test('a long text unfolds in a table, up to 1,000 characters, and no further than the page has room', () => {
  const text = `${'word '.repeat(19)}${'x'.repeat(2_000)}`
  const cell = (value: string, unfoldedAt?: number) =>
    renderToString(
      h(Value, {
        value,
        seen: {} as VisitedCollection,
        most: 80,
        ...(unfoldedAt && { cell: { page: '/record', id: 'MIT', column: 'terms', unfoldedAt } }),
      }),
    )
  const unfolded = (unfoldedAt?: number) =>
    /<div class="whole-text">.*<bdi class="text">(.*?)<\/bdi>/.exec(cell(text, unfoldedAt))?.[1]
  expect(unfolded(2_000)).toBe(`${text.slice(0, 1_000)}…`)
  expect(unfolded(200)).toBe(`${text.slice(0, 200)}…`)
  expect(unfolded(80)).toBeUndefined()
  expect(unfolded()).toBeUndefined()
  expect(cell(text, 200)).toContain(
    '<p class="place"><a href="/record"><bdi>MIT</bdi></a> <bdi>terms</bdi></p>',
  )
  // Only a cut text leads to the record's page, which has the rest.
  const rest = '<a href="/record">The whole text</a>'
  expect(cell(text, 2_000)).toContain(`…</bdi>${rest}</div></details>`)
  expect(cell(text.slice(0, 1_000), 2_000)).not.toContain(rest)
})

test('on the page of a record, members of an object are rows of names and values, and texts of a list are lines; a few numbers are one line', () => {
  const html = onPage({ root: '+4', inner: { a: 1, empty: {}, list: [] }, ['__proto__']: 2 })
  expect(html.match(/<li class="pair"><span class="quiet"><bdi>[^<]+<\/bdi><\/span> /g)!.length).toBe(5)
  expect(onPage({ root: '+4' })).toContain('<li class="pair">')
  for (const short of [{}, [], [60, 100]])
    expect(onPage(short)).toBe(`<code class="json">${JSON.stringify(short).replaceAll('"', '&quot;')}</code>`)
  // Items of a list have no names.
  expect(onPage(['.no', '.nu'])).toMatch(/<ul class="tree"><li>[^{]*\.no.*<li>.*\.nu/)
  expect(onPage(['x'.repeat(30), 'y'.repeat(30)])).not.toContain('pair')
})
