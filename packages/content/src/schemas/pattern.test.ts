import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuMilliseconds, runs } from '../testing/runs.ts'
import { compilePattern, PatternError } from './pattern.ts'

const samples = [
  '',
  'a',
  'b',
  'aa',
  'ab',
  'a b',
  'a\nb',
  '\u2028',
  '\u00a0',
  '\ufeff',
  '\u180e',
  'é',
  '😀',
  '😀a',
  '-',
  ']',
  '[',
  '^',
  '\b',
  '\0',
  '_',
  '9',
  'Я',
  'λ',
  '/',
]

describe('compilePattern', () => {
  test.each([
    ...[
      '^[a-z]+$',
      '.',
      '^.$',
      'a.b',
      '\\s',
      '\\S',
      '^[\\s]$',
      '^[^\\s]$',
      '^[\\S]$',
      '^[^\\S]$',
      '[\\b]',
      '\\bb',
      '\\Ba',
    ],
    ...[
      '[]',
      '[^]',
      '^[^]$',
      '[a[]',
      '[[^]',
      '[(?<x>]',
      '[\\]\\[]',
      '[.]',
      '^[^a]$',
      '\\[',
      '\\.',
      '[\\-\\]]',
    ],
    ...[
      '\\u0061',
      '\\u{61}',
      '^\\ud83d\\ude00$',
      '^[\\ud83d\\ude00]$',
      '^[\\u{1f5ff}-\\u{1f600}]$',
      '\\x61',
      '\\cH',
      '\\0',
      '\\/',
      '\\n',
    ],
    ...[
      '(?<name>a)b',
      '(?:a|b)+?$',
      'a{2}',
      'a{0,1}$',
      '^(a*)*$',
      '\\d',
      '\\w',
      '\\W',
      '[\\w-]',
      '\\p{Lu}',
      '\\P{L}',
    ],
    ...['\\p{Letter}', '^\\p{Script=Greek}$', '\\p{sc=Cyrillic}', '[^\\p{L}]', '\\p{gc=Nd}', '$', '^', '|a'],
  ])('%s matches what ECMAScript says', (source) => {
    const pattern = compilePattern(source)
    const native = new RegExp(source, 'u')
    expect(samples.filter((sample) => pattern.test(sample))).toEqual(
      samples.filter((sample) => native.test(sample)),
    )
  })

  test('matches what ECMAScript says, for patterns and texts at random', () => {
    const atom = fc.constantFrom(
      'a',
      '.',
      '\\s',
      '\\w',
      '[ab]',
      '[^a\\s]',
      '[\\S]',
      '\\u{1f600}',
      '(?:a|b)',
      '(b)',
      '^',
      '$',
      '|',
      '\\b',
    )
    const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '*?')
    const part = fc
      .tuple(atom, quantifier)
      .map(([what, times]) => (/^[\^$|]$|^\\b$/.test(what) ? what : what + times))
    const source = fc.array(part, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(''))
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '😀', '\u2028', '_'), maxLength: 6 })
    fc.assert(
      fc.property(source, fc.array(text, { minLength: 5, maxLength: 5 }), (written, texts) => {
        const pattern = compilePattern(written)
        const native = new RegExp(written, 'u')
        expect(texts.map((sample) => pattern.test(sample))).toEqual(
          texts.map((sample) => native.test(sample)),
        )
      }),
      { numRuns: runs(400) },
    )
  })

  test.each([
    ['a'.repeat(257), /257 characters; at most 256/],
    ['(', /does not compile/],
    ['\\-', /does not compile/],
    ['a{2,1}', /does not compile/],
    ['(?=a)', /lookaround/],
    ['(?!a)', /lookaround/],
    ['(?<=a)b', /lookaround/],
    ['(?<!a)b', /lookaround/],
    ['(a)\\1', /backreference/],
    ['(?<n>a)\\k<n>', /backreference/],
    ['a{1001}', /linear time/],
    ['(?:(?:a|b|ab|ba|aab){0,30}){0,30}', /too large/],
  ])('refuses %s', (source, message) => {
    expect(() => compilePattern(source)).toThrow(PatternError)
    expect(() => compilePattern(source)).toThrow(message)
  })

  test.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(.*a){20}b', '^(\\w+\\s?)*$', '(x+x+)+y'])(
    '%s, catastrophic where patterns backtrack, is fast',
    (source) => {
      const pattern = compilePattern(source)
      const started = cpuMilliseconds()
      expect(pattern.test(`${'a'.repeat(50_000)}!`)).toBe(false)
      expect(cpuMilliseconds() - started).toBeLessThan(1000)
    },
  )

  test('does not search a text whose length makes even linear time long', () => {
    const pattern = compilePattern('^(?:.{0,30}){1,30}')
    expect(pattern.test('aaa')).toBe(true)
    expect(pattern.test('a'.repeat(8_000_000))).toBe(false)
  })
})
