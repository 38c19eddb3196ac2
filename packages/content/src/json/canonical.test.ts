import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../testing/runs.ts'
import { canonicalize } from './canonical.ts'
import type { InputError } from './input-error.ts'
import type { Json } from './json.ts'
import { parseJson } from './parse.ts'

const json = fc.json({ maxDepth: 4, stringUnit: 'grapheme' }).map((text) => parseJson(text) as Json)

/** RFC 8785, minimal: slow and without a cache. */
function naive(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(naive).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const names = Object.keys(value).sort()
  return `{${names.map((name) => `${JSON.stringify(name)}:${naive(value[name]!)}`).join(',')}}`
}

function codeOf(value: Json): string {
  try {
    canonicalize(value)
  } catch (cause) {
    return (cause as InputError).code
  }
  return 'none'
}

/** The double with the IEEE 754 bits in the 16 hexadecimal digits `bits`. */
function double(bits: string): number {
  const view = new DataView(new ArrayBuffer(8))
  view.setBigUint64(0, BigInt(`0x${bits}`))
  return view.getFloat64(0)
}

describe('canonicalize', () => {
  test('writes the example of RFC 8785 §3.2.2 as §3.2.3 and §3.2.4 have it', () => {
    const source = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`
    const expected =
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
      String.raw`"string":"€$\u000f\nA'B\"\\\\\"/"}`
    expect(canonicalize(parseJson(source) as Json)).toBe(expected)
    const bytes = new TextEncoder().encode(expected)
    expect(Buffer.from(bytes.slice(0, 20)).toString('hex')).toBe('7b226c69746572616c73223a5b6e756c6c2c7472')
    expect(bytes.length).toBe(118)
  })

  test('sorts names by UTF-16 code units as the example of RFC 8785 §3.2.3', () => {
    const source = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude00': 'Emoji: Grinning Face',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    }
    const values = [...canonicalize(source).matchAll(/:"([^"]+)"/g)].map(([, value]) => value)
    expect(values).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ])
  })

  test.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('writes the double %s of RFC 8785 Appendix B as %s', (bits, expected) => {
    expect(canonicalize(double(bits))).toBe(expected)
  })

  test('agrees with a naive derivation, whatever was canonicalised before', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = canonicalize(value)
        expect(text).toBe(naive(value))
        expect(canonicalize(parseJson(text) as Json)).toBe(text)
      }),
      { numRuns: runs(400) },
    )
  })

  test('does not depend on the order of members', () => {
    const names = ['b', 'a', '10', '9', '__proto__', 'ä', '', 'a.b']
    fc.assert(
      fc.property(fc.shuffledSubarray(names, { minLength: 2 }), (order) => {
        const value = Object.fromEntries(order.map((name) => [name, name.length]))
        expect(canonicalize(value)).toBe(naive(value))
        expect(Object.keys(parseJson(canonicalize(value)) as object).sort()).toEqual([...order].sort())
      }),
    )
  })

  test('keeps an own member named __proto__', () => {
    expect(canonicalize(parseJson('{"b":1,"__proto__":{"x":[]},"a":2}') as Json)).toBe(
      '{"__proto__":{"x":[]},"a":2,"b":1}',
    )
  })

  test('remembers more shapes than it has room for without mixing them up', () => {
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 3000; i++) {
        expect(canonicalize({ [`k${i}`]: i, [`a${i}`]: round })).toBe(`{"a${i}":${round},"k${i}":${i}}`)
      }
      for (let i = 0; i < 20; i++)
        expect(canonicalize({ same: 1, [`n${i}`]: 2 })).toBe(`{"n${i}":2,"same":1}`)
    }
    const wide = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`n${299 - i}`, i]))
    expect(canonicalize(wide)).toBe(naive(wide))
    const long = { ['x'.repeat(5000)]: 1, a: 2 }
    expect(canonicalize(long)).toBe(naive(long))
  })

  test('refuses what no JSON text can say', () => {
    expect([NaN, Infinity, -Infinity].map(codeOf)).toEqual(Array(3).fill('number_out_of_range'))
    const lone: Json[] = [
      '\ud800',
      'a\udfffb',
      '\ud800"',
      { '\udc00': 1 },
      { a: ['\n\ud83d'] },
      { '"\ud800': 1 },
    ]
    expect(lone.map(codeOf)).toEqual(Array(lone.length).fill('lone_surrogate'))
    expect(() => canonicalize(undefined as unknown as Json)).toThrow(TypeError)
  })

  test('nests deeper than the input rules admit', () => {
    const text = `${'['.repeat(500)}${']'.repeat(500)}`
    expect(canonicalize(parseJson(text) as Json)).toBe(text)
  })
})
