import { describe, expect, test } from 'vitest'
import { InputError } from '../json/input-error.ts'
import { scanText } from '../json/scan.ts'
import { parseDeleteLine, parseRecordLine, parseStrict } from './input.ts'

const encoder = new TextEncoder()

function codeOf(action: () => unknown): string {
  try {
    action()
  } catch (cause) {
    if (cause instanceof InputError) return cause.code
    throw cause
  }
  return 'none'
}

/** A text with `inner` at nesting level `levels`. */
function nested(levels: number, inner = ''): string {
  return `${'['.repeat(levels)}${inner}${']'.repeat(levels)}`
}

const violations: [string, string][] = [
  // syntax
  ['', 'syntax'],
  [' ', 'syntax'],
  ['{', 'syntax'],
  ['{"a":1,}', 'syntax'],
  ['[1,]', 'syntax'],
  ['[1 2]', 'syntax'],
  ["{'a':1}", 'syntax'],
  ['{a:1}', 'syntax'],
  ['{"a" 1}', 'syntax'],
  ['01', 'syntax'],
  ['+1', 'syntax'],
  ['1.', 'syntax'],
  ['.5', 'syntax'],
  ['1e', 'syntax'],
  ['-', 'syntax'],
  ['NaN', 'syntax'],
  ['nul', 'syntax'],
  ['True', 'syntax'],
  ['"a', 'syntax'],
  ['"\t"', 'syntax'],
  ['"\\x"', 'syntax'],
  ['"\\u12g4"', 'syntax'],
  ['"\\', 'syntax'],
  ['1 // one', 'syntax'],
  ['{} {}', 'syntax'],
  ['\ufeff{}', 'syntax'],
  ['\u00a01', 'syntax'],
  ['\f1', 'syntax'],
  // duplicate_key
  ['{"a":1,"a":1}', 'duplicate_key'],
  ['{"a":1,"\\u0061":2}', 'duplicate_key'],
  ['{"x":[{"é":1,"b":{},"\\u00e9":2}]}', 'duplicate_key'],
  ['{"__proto__":1,"__proto__":2}', 'duplicate_key'],
  ['{"":1,"":2}', 'duplicate_key'],
  ['{"a":":","a":1}', 'duplicate_key'],
  ['{"\\"":1,"\\u0022":2}', 'duplicate_key'],
  ['{"😀":1,"\\ud83d\\ude00":2}', 'duplicate_key'],
  // unsafe_integer: by value, whatever the notation
  ['9007199254740993', 'unsafe_integer'],
  ['-9007199254740993', 'unsafe_integer'],
  ['9007199254740993.0', 'unsafe_integer'],
  ['9007199254740993e0', 'unsafe_integer'],
  ['9007199254740.993E3', 'unsafe_integer'],
  ['1234567890123456768', 'unsafe_integer'],
  ['123456789012345683968', 'unsafe_integer'],
  ['12345678901234567890e1', 'unsafe_integer'],
  ['[1,{"a":123456789012345678901234567890}]', 'unsafe_integer'],
  [`1${'0'.repeat(400)}`, 'unsafe_integer'],
  // too_many_digits
  ['0.1234567890123456789012345', 'too_many_digits'],
  ['33.3333333333333333', 'too_many_digits'],
  ['9007199254740993.5', 'too_many_digits'],
  // number_out_of_range
  ['1E-400', 'number_out_of_range'],
  ['-0.1e-323', 'number_out_of_range'],
  ['1e400', 'number_out_of_range'],
  ['-1E+309', 'number_out_of_range'],
  [`1${'0'.repeat(400)}.5`, 'number_out_of_range'],
  ['[1.8e308]', 'number_out_of_range'],
  // lone_surrogate
  ['"\\ud800"', 'lone_surrogate'],
  ['"\\udC00"', 'lone_surrogate'],
  ['"\ud800"', 'lone_surrogate'],
  ['"\udfff"', 'lone_surrogate'],
  ['"\\ud83d\\ud83d\\ude00"', 'lone_surrogate'],
  ['"\\ud83dx\\ude00"', 'lone_surrogate'],
  ['"\\ude00\\ud83d"', 'lone_surrogate'],
  ['{"\\ud800":1}', 'lone_surrogate'],
  // too_deep
  [nested(66), 'too_deep'],
  [`${'{"a":'.repeat(66)}1${'}'.repeat(66)}`, 'too_deep'],
  [nested(100_000), 'too_deep'],
]

const faultless = [
  'null',
  ' \t\r\n[ ]\n',
  '{}',
  '{"a":{"a":{"a":1}},"b":{"a":1}}',
  '[{"a":1},{"a":1}]',
  '"\\":\\",\\"a\\":"',
  '{"a\\\\":1,"a":"\\\\\\"{[:"}',
  '9007199254740991',
  '-9007199254740991',
  '[9007199254740992,9007199254740992.0,9007199254740992e0,-10000000000000000,1e16,1e308]',
  '[123456789012345680000,12345678901234568e4,1e23,1e+21,1.7976931348623157e308,5e-324,4.9e-324]',
  // As C, R and Python write floats; and zeros.
  '[0.10000000000000001,0.1000000000000000055511151231257827,0.30000000000000000,0.30000000000000004]',
  '[-0,-0.0,0e0,0E-999,0e999,0.00,1.10,1.23456789e-320]',
  '"12345678901234567890 1e400"',
  '"\\ud83d\\ude00"',
  '"\ud83d\\ude00"',
  '"\\ud83d\ude00"',
  '"😀\\\\ud800"',
  '"\\/\\b\\f\\n\\r\\t\\u0000"',
  nested(65),
  nested(64, '"[[[[[["'),
  '{"__proto__":{"__proto__":1}}',
]

describe('parseStrict', () => {
  test.each(violations.map(([text, code]) => ({ start: text.slice(0, 40), text, code })))(
    '$start breaks $code',
    ({ text, code }) => {
      expect(codeOf(() => parseStrict(text))).toBe(code)
      if (text.isWellFormed()) expect(codeOf(() => parseStrict(encoder.encode(text)))).toBe(code)
    },
  )

  test.each(faultless)('%j is faultless', (text) => {
    expect(parseStrict(text)).toEqual(JSON.parse(text))
    expect(() => scanText(text, 65)).not.toThrow()
    if (text.isWellFormed()) expect(parseStrict(encoder.encode(text))).toEqual(JSON.parse(text))
  })

  test.each([
    ['{"a":1,"a":', 'duplicate_key'],
    ['{"a":1 "a":1}', 'syntax'],
    ['[9007199254740993,', 'unsafe_integer'],
    ['[9007199254740993x', 'unsafe_integer'],
    ['[x,9007199254740993]', 'syntax'],
    ['[1e400,9007199254740993]', 'number_out_of_range'],
    ['[9007199254740993,1e400]', 'unsafe_integer'],
    ['{"a":"\\ud800","a":1}', 'lone_surrogate'],
    ['{"a":1,"a":"\\ud800"}', 'duplicate_key'],
    ['{"\\ud800":1,"\\ud800":1}', 'lone_surrogate'],
    ['["\\ud800\t"]', 'lone_surrogate'],
    ['["\t\\ud800"]', 'syntax'],
    [`["\\ud800",${nested(66)}]`, 'lone_surrogate'],
    [nested(66, '"\\ud800"'), 'too_deep'],
    [`${'['.repeat(66)}x`, 'too_deep'],
    [nested(65, '1e400'), 'number_out_of_range'],
    [`{"id":"","type":5,"x":1e400}`, 'number_out_of_range'],
  ])('%j: what occurs first decides, %s', (text, code) => {
    expect(codeOf(() => parseRecordLine(text))).toBe(code)
    expect(codeOf(() => parseRecordLine(encoder.encode(text)))).toBe(code)
  })

  test.each([
    [[0xff], 'syntax'],
    [[0x22, 0xc3, 0x22], 'syntax'],
    [[0x22, 0xed, 0xa0, 0x80, 0x22], 'syntax'],
    [[0x22, 0xc0, 0x80, 0x22], 'syntax'],
    [[0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], 'syntax'],
    [[...encoder.encode('{"a":1,"a":"'), 0xff], 'duplicate_key'],
    [[...encoder.encode('{"a":"'), 0xff, ...encoder.encode('","a":1}')], 'syntax'],
    [[...encoder.encode('["\ufffd",9007199254740993,"\ufffd'), 0xe2, 0x82], 'unsafe_integer'],
    [[...encoder.encode('["\ufffd'), 0xe2, 0x82, ...encoder.encode('",9007199254740993]')], 'syntax'],
    [[...encoder.encode('{}'), 0x80], 'syntax'],
  ])('bytes %j that are not UTF-8: %s', (bytes, code) => {
    expect(codeOf(() => parseStrict(Uint8Array.from(bytes)))).toBe(code)
  })

  test('takes another depth', () => {
    expect(codeOf(() => parseStrict(nested(3), { depthMax: 2 }))).toBe('too_deep')
    expect(codeOf(() => parseStrict(nested(90), { depthMax: 90 }))).toBe('none')
  })

  test('says where and what', () => {
    expect(() => parseStrict('{"a":1,"a":2}')).toThrow('At character 8: the member "a" occurs a second time.')
    expect(() => parseStrict('[1e400]')).toThrow('At character 2: the number 1e400 is too large')
    expect(() => parseStrict('[1')).toThrow('ends too early')
    expect(() => parseStrict('[1}')).toThrow('At character 3: "}" is not what JSON allows here.')
  })
})

describe('parseRecordLine', () => {
  const line = (members: Record<string, unknown>) =>
    JSON.stringify({ id: 'a', type: 'T', data: {}, ...members })

  test('takes a name as it is written, after a record with names like it', () => {
    const line = (data: string) => `{"id":"1","type":"T","data":${data}}`
    parseRecordLine(line('{"code":1,"gr\\\\u0":1}'))
    expect(parseRecordLine(line('{"code":1,"gr\\u00f6\\u00dfe":1}')).data).toEqual({ code: 1, größe: 1 })
  })

  test('takes the record and leaves the rest', () => {
    expect(parseRecordLine(line({ data: [1], extra: 1 }))).toEqual({ id: 'a', type: 'T', data: [1] })
    expect(parseRecordLine(line({ data: null, private: false }))).toEqual({
      id: 'a',
      type: 'T',
      data: null,
      private: false,
    })
    expect(parseRecordLine(encoder.encode(line({ private: true })))).toEqual({
      id: 'a',
      type: 'T',
      data: {},
      private: true,
    })
  })

  test.each([
    ['[]', 'bad_envelope'],
    ['null', 'bad_envelope'],
    ['"id"', 'bad_envelope'],
    [line({ Private: true }), 'bad_envelope'],
    [line({ priavte: true }), 'bad_envelope'],
    [line({ isPrivate: false }), 'bad_envelope'],
    [line({ 'x-private': true }), 'bad_envelope'],
    [line({ visibility: 'private', hash: 'x', note: 1 }), 'none'],
    ['{}', 'bad_id'],
    [line({ id: 1 }), 'bad_id'],
    [line({ id: null }), 'bad_id'],
    [line({ id: '' }), 'bad_id'],
    [line({ id: 'x'.repeat(1025) }), 'bad_id'],
    [line({ id: 'é'.repeat(513) }), 'bad_id'],
    [line({ id: 'x'.repeat(1024) }), 'none'],
    [line({ id: 'é'.repeat(512) }), 'none'],
    [line({ id: '../ \u0000' }), 'none'],
    [line({ type: undefined }), 'bad_type'],
    [line({ type: [] }), 'bad_type'],
    [line({ type: '' }), 'bad_type'],
    [line({ type: '.T' }), 'bad_type'],
    [line({ type: 'a/b' }), 'bad_type'],
    [line({ type: 'a\\b' }), 'bad_type'],
    [line({ type: 'a\u001fb' }), 'bad_type'],
    [line({ type: 'a\u007f' }), 'bad_type'],
    [line({ type: 'x'.repeat(129) }), 'bad_type'],
    [line({ type: '€'.repeat(43) }), 'bad_type'],
    [line({ type: `${'€'.repeat(42)}xx` }), 'none'],
    [line({ type: 'T.a b\u0080' }), 'none'],
    [line({ data: undefined }), 'bad_envelope'],
    [line({ private: 'yes' }), 'bad_envelope'],
    [line({ private: null }), 'bad_envelope'],
    // With two violations, the earlier one in the table is reported.
    [line({ id: 1, type: 1 }), 'bad_id'],
    [line({ id: 1, data: undefined }), 'bad_id'],
    [line({ type: 1, data: undefined }), 'bad_type'],
    [line({ type: '.', private: 1 }), 'bad_type'],
    ['{"type":"T","__proto__":{"id":"a","data":1}}', 'bad_id'],
  ])('%j is %s', (text, code) => {
    expect(codeOf(() => parseRecordLine(text))).toBe(code)
  })
})

describe('parseDeleteLine', () => {
  test('takes id and type', () => {
    expect(parseDeleteLine('{"id":"a","type":"T","data":1,"private":3}')).toEqual({ id: 'a', type: 'T' })
  })

  test.each([
    ['5', 'bad_envelope'],
    ['{"type":"T"}', 'bad_id'],
    ['{"id":"a"}', 'bad_type'],
    ['{"id":"a","id":"b","type":"T"}', 'duplicate_key'],
  ])('%j is %s', (text, code) => {
    expect(codeOf(() => parseDeleteLine(text))).toBe(code)
  })
})
