/**
 * The input rules compared with a slow reference on random texts: both accept the same texts with the same value, and report the same
 * violation at the same character for all others. `INPUT_SEED` repeats a run, `INPUT_TEXTS` makes it longer.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { InputError } from '../json/input-error.ts'
import type { Json } from '../json/json.ts'
import { parseJson } from '../json/parse.ts'
import { scanText } from '../json/scan.ts'
import { runs } from '../testing/runs.ts'
import { type Violation, violationsOf } from '../testing/slow-json.ts'
import { parseStrict } from './input.ts'

const { INPUT_SEED, INPUT_TEXTS } = process.env
const numRuns = Number(INPUT_TEXTS ?? runs(4_000))
const run = { numRuns, ...(INPUT_SEED === undefined ? {} : { seed: Number(INPUT_SEED) }) }

const encoder = new TextEncoder()

const pieces = fc.constantFrom(
  ...[
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    ' ',
    '\n',
    '\t',
    '\r',
    '\f',
    '\u00a0',
    '\ufeff',
    '\u0000',
    '\u001f',
    '\u007f',
    '\u2028',
  ],
  ...[
    '"a"',
    '"a":1',
    '"b":',
    ':"',
    '"":',
    '"__proto__":',
    '{"a":',
    '[[',
    ']]',
    '[[[[',
    '{"a":1,"a":2}',
    '"\\u0061":',
  ],
  ...[
    '\\u0061',
    '\\ud83d',
    '\\ude00',
    '\\uDBFF',
    '\\uDFFF',
    '\\uD7FF',
    '\\uE000',
    '\\u00',
    '\\uXYZW',
    '\\"',
    '\\\\',
    '\\/',
    '\\n',
    '\\x',
    '\\u',
  ],
  ...['\ud83d', '\ude00', '\udbff\udfff', '\ufffd', '\uffff', 'é', 'e\u0301', '😀'],
  ...[
    '0',
    '1',
    '-',
    '-0',
    '00',
    '.',
    '0.5',
    '.5',
    '1.',
    'e',
    'E',
    'e5',
    'e+',
    '1e5',
    '1E-400',
    '1e400',
    '1.8e308',
    '1.7976931348623157e308',
  ],
  ...[
    '9007199254740991',
    '9007199254740992',
    '-9007199254740992',
    '9007199254740993.0',
    '123456789012345',
    '1234567890123456',
    '1'.repeat(400),
  ],
  ...['true', 'false', 'null', 'tru', 'nul', 'NaN', 'Infinity', 'undefined', '/*', '//', "'"],
)
const soup = fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join(''))
const whole = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.json({ maxDepth: 4, stringUnit: 'binary' }),
  fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value, null, '\t')),
)
/** A valid text with up to four places cut out, spliced, doubled or swapped. */
const mutated = fc
  .tuple(
    whole,
    fc.array(fc.tuple(fc.nat(), fc.nat(3), fc.constantFrom('splice', 'double', 'cut'), pieces), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  .map(([text, mutations]) =>
    mutations.reduce((now, [at, length, how, piece]) => {
      const start = at % (now.length + 1)
      if (how === 'cut')
        return at % 5 === 0 ? now.slice(0, start) : now.slice(0, start) + now.slice(start + length)
      if (how === 'double') return now.slice(0, start) + now.slice(Math.max(0, start - 8 * length))
      return now.slice(0, start) + piece + now.slice(start + length)
    }, text),
  )
const members = fc
  .array(
    fc.tuple(
      fc.constantFrom('"a"', '"\\u0061"', '"b"', '"😀"', '"\\ud83d\\ude00"', '"\\ud83d"'),
      fc.constantFrom(
        '1',
        '":"',
        '{"a":1}',
        '{"a":1,"a":2}',
        '1e400',
        '"\\udead"',
        '[{"b":{}}]',
        '9007199254740993',
        '0.12345678901234567890',
      ),
    ),
  )
  .map((list) => `{${list.map(([name, value]) => `${name}:${value}`).join(',')}}`)
const deep = fc
  .tuple(fc.constantFrom('[', '{"a":', '[{"a":'), fc.integer({ min: 1, max: 140 }), pieces)
  .map(([open, levels, piece]) => {
    const close = open === '[' ? ']' : open === '{"a":' ? '}' : '}]'
    return open.repeat(levels) + piece + close.repeat(levels)
  })
const digits = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: 24 })
/** Numbers as programs write floats, and numbers with many digits. */
const numerals = fc.oneof(
  fc
    .tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: 1, max: 60 }))
    .chain(([value, n]) =>
      fc.constantFrom(`${value}`, value.toPrecision(n), value.toExponential(n), value.toFixed(n)),
    ),
  fc
    .tuple(digits, fc.option(digits), fc.option(fc.integer({ min: -340, max: 320 })))
    .map(
      ([whole, fraction, exponent]) =>
        `${BigInt(whole)}${fraction === null ? '' : `.${fraction}`}${exponent === null ? '' : `e${exponent}`}`,
    ),
)
const texts = fc.oneof(soup, whole, mutated, mutated, members, deep, numerals)
const depths = fc.constantFrom(1, 2, 3, 65)

/** The violation, as parsed from the message; the value if there is none. */
type Outcome = { value: Json } | Violation

function outcomeOf(action: () => Json): Outcome {
  try {
    return { value: action() }
  } catch (cause) {
    if (!(cause instanceof InputError)) throw cause
    const [, before, character] = /^(At|After) character (\d+): /.exec(cause.message) ?? []
    return { code: cause.code as Violation['code'], at: Number(character) - (before === 'At' ? 1 : 0) }
  }
}

/** Expected outcome: the value of `JSON.parse`, or the first violation by the reference. */
function expected(text: string, depthMax: number): Outcome {
  const violations = violationsOf(text, depthMax)
  let value: Json | undefined
  try {
    value = parseJson(text) as Json
  } catch {
    value = undefined
  }
  // Check the reference against the engine: syntax is violated exactly if `JSON.parse` refuses the text.
  expect(violations.some(({ code }) => code === 'syntax')).toBe(value === undefined)
  return violations[0] ?? { value: value! }
}

test('a text is taken or refused as the reference does it, at the same character, by the scan and by the parser', () => {
  const met = new Map<string, number>()
  fc.assert(
    fc.property(texts, depths, (text, depthMax) => {
      const outcome = expected(text, depthMax)
      const code = 'code' in outcome ? outcome.code : 'none'
      met.set(code, (met.get(code) ?? 0) + 1)
      expect(outcomeOf(() => parseStrict(text, { depthMax }))).toEqual(outcome)
      const scanned = outcomeOf(() => {
        scanText(text, depthMax)
        return null
      })
      expect(scanned).toEqual('code' in outcome ? outcome : { value: null })
      if (!text.isWellFormed()) return
      expect(outcomeOf(() => parseStrict(encoder.encode(text), { depthMax }))).toEqual(outcome)
    }),
    run,
  )
  // Each rule decides some of the texts.
  expect([...met.keys()].sort()).toEqual(
    [
      'duplicate_key',
      'lone_surrogate',
      'none',
      'number_out_of_range',
      'syntax',
      'too_deep',
      'too_many_digits',
      'unsafe_integer',
    ].sort(),
  )
  for (const [code, times] of met) expect(times, code).toBeGreaterThan(numRuns / 200)
})

test('bytes are taken as their text is, up to the first that are not UTF-8', () => {
  const bytes = fc
    .tuple(texts, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 }), fc.nat(20))
    .map(([text, changes, cut]) => {
      const changed = encoder.encode(text.toWellFormed())
      for (const [at, byte] of changes) if (changed.length > 0) changed[at % changed.length] = byte
      return cut === 0 ? changed.subarray(0, changed.length >> 1) : changed
    })
  fc.assert(
    fc.property(bytes, depths, (source, depthMax) => {
      const { text, isWhole } = utf8Prefix(source)
      const found = expected(text, depthMax)
      const outcome = isWhole || 'code' in found ? found : { code: 'syntax', at: text.length }
      expect(outcomeOf(() => parseStrict(source, { depthMax }))).toEqual(outcome)
    }),
    { ...run, numRuns: numRuns / 4 },
  )
})

/** The longest prefix that is UTF-8, found by trying all lengths, longest first. */
function utf8Prefix(bytes: Uint8Array): { text: string; isWhole: boolean } {
  for (let length = bytes.length; ; length--) {
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
        bytes.subarray(0, length),
      )
      return { text, isWhole: length === bytes.length }
    } catch {
      // Try a shorter one.
    }
  }
}
