import { describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../json/json.ts'
import { topicsOf, topicText } from './topics.ts'

test.each<[keywords: Json, topics: string[]]>([
  [
    ['Birds', 'Sound'],
    ['birds', 'sound'],
  ],
  ['Birds, Sound ,birds,, ', ['birds', 'sound']],
  ['birds', ['birds']],
  [['a, b'], ['a, b']],
  [['  Land \t\n use\u00a0map '], ['land use map']],
  [
    ['CAFE\u0301', 'Café', 'ÉCOLE'],
    ['café', 'école'],
  ],
  [
    ['ΟΔΟΣ', '鳥', '🐦', 'C++'],
    ['οδος', '鳥', '🐦', 'c++'],
  ],
  [
    ['x'.repeat(50), 'y'.repeat(51), '🐦'.repeat(50)],
    ['x'.repeat(50), '🐦'.repeat(50)],
  ],
  [['e\u0301'.repeat(50)], ['é'.repeat(50)]],
  [[1, null, true, ['a'], { a: 1 }, 'kept'], ['kept']],
  [['a\0b', '\u0007', 'a\u0085b', '\u200b', '\ufeff', ' ', ''], []],
  [
    ['constructor', '__proto__', '<b>'],
    ['constructor', '__proto__', '<b>'],
  ],
  [{ 0: 'a', length: 1 }, []],
  [7, []],
  [null, []],
])('keywords %j are the topics %j', (keywords, topics) => {
  expect(topicsOf({ keywords })).toEqual(topics)
})

test('metadata without keywords has no topics', () => {
  expect(topicsOf({})).toEqual([])
  expect(topicsOf(JSON.parse('{"__proto__": {"keywords": "a"}}') as JsonObject)).toEqual([])
})

describe('hostile keywords', () => {
  test('of a great number, the first 20 count', () => {
    const many = Array.from({ length: 10_000 }, (_, n) => `k${n}`)
    expect(topicsOf({ keywords: many })).toEqual(many.slice(0, 20))
    expect(topicsOf({ keywords: many.join() })).toEqual(many.slice(0, 20))
    expect(topicsOf({ keywords: [...Array<Json>(10_000).fill(0), 'late'] })).toEqual([])
  })

  test('of a mebibyte are ignored without normalizing them', () => {
    // Marks in the wrong order: sorting all of them would take minutes.
    const marks = `a${'\u0301'.repeat(250_000)}${'\u0323'.repeat(250_000)}`
    const before = process.threadCpuUsage()
    expect(topicsOf({ keywords: [marks, 'x'.repeat(1_000_000), ' '.repeat(1_000_000), 'kept'] })).toEqual([
      'kept',
    ])
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(1_000)
  })
})

test('a topic is its own topic, whatever characters it has', () => {
  for (let point = 0; point <= 0x10_ffff; point++) {
    const topic = topicText(`a${String.fromCodePoint(point)} b`)
    if (topic !== undefined && topicText(topic) !== topic) throw new Error(`U+${point.toString(16)}`)
  }
})
