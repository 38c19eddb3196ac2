import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuMilliseconds, runs } from '../testing/runs.ts'
import { parseJson } from './parse.ts'

const shown = (text: string) => JSON.stringify(parseJson(text))

describe('a name with an escape is not taken for a name of another text', () => {
  test.each([
    ['{"p1":1,"b\\\\":1}', '{"p1":1,"b\\n":2}', 'b\n'],
    ['{"p2":1,"\\\\":1}', '{"p2":1,"\\"":2}', '"'],
    ['{"p3":1,"gr\\\\u0":1}', '{"p3":1,"gr\\u00f6\\u00dfe" : 2}', 'größe'],
    ['{"p4":1,"n":{"q":1,"b\\\\":1}}', '{"p4":1,"n":{"q":1,"b\\t":{"x":[]}}}', 'b\t'],
  ])('%s, then %s', (first, second, name) => {
    parseJson(first)
    expect(shown(second)).toContain(JSON.stringify(name))
  })
})

/** Names of characters that JSON escapes, and of characters that stand in escapes. */
const name = fc.string({
  unit: fc.constantFrom('\\', '"', '\n', '\u0000', 'ö', 'u', '0', 'n', 'a'),
  maxLength: 5,
})
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, -1.5, 1e300, 'a', '\\', '":', '\\":', '{"a":1}', '[', ' '),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(name, fc.constantFrom('__proto__', '1', 'constructor', '')), tie('value'), {
      maxKeys: 5,
    }),
  ),
}))
const ascii = (text: string) =>
  text.replace(/[^\u0000-\u007f]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

test('any values that are parsed one after the other are those that were written', () => {
  fc.assert(
    fc.property(value, fc.boolean(), fc.constantFrom(undefined, 1, '\t'), (one, isAscii, space) => {
      const text = JSON.stringify(one, undefined, space)
      expect(JSON.stringify(parseJson(isAscii ? ascii(text) : text), undefined, space)).toBe(text)
    }),
    { numRuns: runs(5000) },
  )
})

test.each([
  ['{"a\\n":1,"b":2,"a\\n":{"c":3}}', '{"a\\n":{"c":3},"b":2}'],
  ['{"\\u005f_proto__":{"a":1},"b\\n":2}', '{"__proto__":{"a":1},"b\\n":2}'],
  ['{"b\\n":1,"10":1,"\\u0031":2}', '{"1":2,"10":1,"b\\n":1}'],
  [' [ { } , [ ] , -1e5 , "\\n" , { "\\n" : null } ] ', '[{},[],-100000,"\\n",{"\\n":null}]'],
])('repeated, special and spaced names: %s', (text, expected) => expect(shown(text)).toBe(expected))

test('a text that is not JSON is refused', () => {
  for (const text of ['', '{"a\\n":1', '{"a\\n" 1}', '"\\', '\\"', '{"\\x":1}', '{"a\\n":01}', 'undefined'])
    expect(() => parseJson(text), text).toThrow(SyntaxError)
})

test('hostile texts cost little more than their length', () => {
  const length = 1_000_000
  for (const text of [
    `{"a\\n":"${'\\"'.repeat(length / 2)}"}`,
    `{"a\\n":"${'\\\\'.repeat(length / 2)}"}`,
    `["${'\\\\'.repeat(length / 2)}"]`,
    `{"a\\n":[${'"\\n",'.repeat(length / 5)}1]}`,
    `{"a\\n":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
    `{"a\\n":1${' '.repeat(length)}}`,
  ]) {
    const before = cpuMilliseconds()
    parseJson(text)
    expect(cpuMilliseconds() - before).toBeLessThan(1_500)
  }
})
