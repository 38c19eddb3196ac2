import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../../database/database.ts'
import { databases } from '../../testing/databases.ts'
import { shortRunsIn, termsSearched, wordsOf } from './words.ts'

describe('words', () => {
  test.each([
    ['World Cities', "'world':1A 'cities':2A"],
    ['world-countries/v2_final', "'world':1A 'countries':2A 'v2':3A 'final':4A"],
    ["O'Brien \\ it's", "'o':1A 'brien':2A 'it':3A 's':4A"],
    ['ZÜRICH Ελλάς Åland İstanbul', "'zurich':1A 'ελλασ':2A 'aland':3A 'istanbul':4A"],
    ['東京 Tokyo', "'東':1A '京':2A 'tokyo':3A"],
    ['서울', "'서울':1A"],
    ['2023年 data', "'2023':1A '年':2A 'data':3A"],
    [' -- ', ''],
  ])('of %j', (text, words) => expect(wordsOf(text, 'A')).toBe(words))

  test.each([
    ['world cit', "'world':* & 'cit':*"],
    ['ada/birds', "'ada':* & 'birds':*"],
    ['東京', "('東' <-> '京':*)"],
    ["'); drop table", "'drop':* & 'table':*"],
    ['!!', ''],
  ])('searched by %j', (text, query) => expect(termsSearched(text).join(' & ')).toBe(query))

  test('of long texts are bounded and have no addresses', () => {
    expect(shortRunsIn('See *the* [site](https://example.org/a?b), please')).toBe('See the site please')
    expect(shortRunsIn('x'.repeat(1_000_000))).toHaveLength(256)
    expect(shortRunsIn('a '.repeat(1_000_000)).length).toBeLessThan(32_000)
    expect(wordsOf(shortRunsIn(`a${'\u0301\u0316'.repeat(500_000)}`), 'D')).toMatch(/^'a/)
  })
})

describe.each(databases)('words on $name', ({ open }) => {
  let database: Database
  let dispose: () => Promise<void>
  beforeAll(async () => {
    ;({ database, dispose } = await open())
  })
  afterAll(() => dispose())

  const finds = async (text: string, search: string): Promise<boolean> => {
    const { rows } = await database.query('select $1::tsvector @@ $2::tsquery as found', [
      wordsOf(text, 'C'),
      termsSearched(search).join(' & '),
    ])
    return rows[0]!['found'] === true
  }

  test.each([
    ['Cities of the world', 'city', false],
    ['Cities of the world', 'CIT wor', true],
    ['Zürich', 'zurich', true],
    ['Zurich', 'ZÜR', true],
    ['東京都の地図', '京都', true],
    ['東京都の地図', '都京', false],
  ])('%j is found by %j: %s', async (text, search, found) => expect(await finds(text, search)).toBe(found))

  test('any text is taken, and is found by each of its words and what they begin with', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 }).map((some) => some.replaceAll('\0', ''))
    await fc.assert(
      fc.asyncProperty(text, fc.nat(), async (some, at) => {
        const word = some.split(/[^\p{L}\p{N}\p{M}]+/u)[at % 4]
        if (word === undefined || termsSearched(word).length === 0) return
        expect(await finds(some, word)).toBe(true)
        expect(await finds(some, [...word].slice(0, 1 + (at % 3)).join('') || word)).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  test('a text of any length is taken', async () => {
    expect(await finds('word '.repeat(100_000), 'word')).toBe(true)
    expect(await finds('x'.repeat(100_000), 'x'.repeat(200))).toBe(true)
  })
})
