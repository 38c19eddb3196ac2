import { expect, test } from 'vitest'
import { completionsAt, type TableNames } from './completion.ts'

const tables: TableNames[] = [
  ['City', ['_id', 'name', 'country', 'order']],
  ['Country', ['_id', 'name', 'area']],
  ['two words', ['tag"s', '__proto__', 'constructor']],
]
/** Texts that complete a statement at `|`, and the statement after the first one. */
function complete(marked: string) {
  const caret = marked.indexOf('|')
  const statement = marked.replace('|', '')
  const { start, found } = completionsAt(statement, caret, tables)
  const [first] = found
  const after = first && statement.slice(0, start) + first.text + statement.slice(caret)
  return { texts: found.map(({ text }) => text), after }
}

test('a word is completed by names that begin with it, then by those that contain it', () => {
  expect(complete('SELECT cou|')).toEqual({ texts: ['country', 'Country'], after: 'SELECT country' })
  expect(complete('SELECT * FROM ci|\nLIMIT 1').after).toBe('SELECT * FROM City\nLIMIT 1')
  expect(complete('SELECT untr|').texts).toEqual(['country', 'Country'])
  expect(complete('SELECT are| FROM Country').after).toBe('SELECT area FROM Country')
})

test('columns of the tables that the statement mentions come first', () => {
  expect(complete('SELECT a| FROM City').texts[0]).toBe('area')
  expect(completionsAt('SELECT nam FROM Country', 10, tables).found[0]).toMatchObject({
    name: 'name',
    of: 'Country',
  })
  expect(completionsAt('SELECT nam', 10, tables).found[0]!.of).toBe('City, Country')
})

test('after a table or its alias and a dot come its columns', () => {
  expect(complete('SELECT Country.|').texts).toEqual(['_id', 'name', 'area'])
  expect(complete('SELECT c.ar| FROM City b JOIN Country AS c').after).toBe(
    'SELECT c.area FROM City b JOIN Country AS c',
  )
  expect(complete('SELECT "two words".t|').texts).toEqual(['"tag""s"', '__proto__', 'constructor'])
  expect(complete('SELECT w.t| FROM "two words" w').texts[0]).toBe('"tag""s"')
})

test('names that SQL would misread are in quotation marks; an open mark is kept', () => {
  expect(complete('SELECT ord|').after).toBe('SELECT "order"')
  expect(complete('FROM two|').after).toBe('FROM "two words"')
  expect(complete('SELECT "cou|').after).toBe('SELECT "country"')
  expect(complete('SELECT "tag"|').texts).toEqual([])
  expect(complete('SELECT __pro|').after).toBe('SELECT __proto__')
})

test.each([
  "SELECT 'cou|",
  "SELECT 'it''s cou|",
  'SELECT 1 -- cou|',
  'SELECT /* cou|',
  'SELECT 1 |',
  'SELECT 12|',
  '|',
])('nothing completes %s', (marked) => {
  expect(complete(marked).texts).toEqual([])
})

test('what follows an ended text or comment is completed', () => {
  for (const before of [
    "SELECT 'it''s', ",
    "SELECT 1 -- it's\n, ",
    'SELECT /* " */ ',
    'SELECT "it\'s -- ", ',
  ])
    expect(complete(`${before}cou|`).after).toBe(`${before}country`)
})

test('a complete word has no list, and a list is short', () => {
  expect(complete('SELECT area|').texts).toEqual([])
  const wide: TableNames[] = [['T', Array.from({ length: 50 }, (_, n) => `n${n}`)]]
  expect(completionsAt('SELECT n', 8, wide).found).toHaveLength(8)
})
