/** Hostile values, by their place in a request. */
import fc from 'fast-check'
import type { Random } from './random.ts'

const nil = '00000000-0000-0000-0000-000000000000'
const digest = 'ab'.repeat(32)

/** Splits a text at spaces. */
const words = (text: string): string[] => text.trim().split(/ +|\n +/)

/** Path segments, already encoded; an empty one removes the segment. */
const segments: readonly string[] = [
  '',
  ...words(`
    . .. %2e %2e%2e ..%2f..%2f..%2fetc%2fpasswd %2F %5c * {id} :id // ;a=b %00 a%00b %0d%0aSet-Cookie:%20a=b
    %7f % %zz %2 %25 %2500 %20 + %EF%BB%BF %ed%a0%80 %ff %c0%80 %F0%9F%98%80 %E2%80%AE e%CC%81 %C3%A9 é ÿ
    %EF%BF%BF __proto__ constructor hasOwnProperty null undefined true NaN -1 0 1e9 9007199254740993 latest
    LATEST v1.0.0 1.0.0 v01.0.0 v1.0 v1.0.0-a+b v999999999999999999999.0.0 v2147483648.0.0
    ffffffff-ffff-ffff-ffff-ffffffffffff 01890000-0000-7000-8000-00000000000 ' %22 %27%20or%20%271%27=%271
    %3Cscript%3E $%7Bjndi:x%7D %25s%25n _ %25 - a- -a a--b me keys api admin negotiate records.ndjson
  `),
  digest,
  digest.toUpperCase(),
  `sha256:${digest}`,
  `sha256:${'g'.repeat(64)}`,
  `sha256%3A${digest}`,
  `private:${digest}`,
  nil,
  `{${nil}}`,
  nil.toUpperCase(),
  'a'.repeat(39),
  'a'.repeat(101),
  'A'.repeat(4_000),
  '%61'.repeat(1_500),
  '%F0%9F%98%80'.repeat(300),
  'a'.repeat(8_193),
  `${'..%2f'.repeat(400)}`,
]

export const hostileSegment = (random: Random): string =>
  random.chance(0.75)
    ? random.pick(segments)
    : encodeURIComponent(random.of(fc.string({ unit: 'binary', maxLength: 30 })).toWellFormed())

/** Values of query parameters, already encoded. */
const queryValues: readonly string[] = [
  '',
  ...words(String.raw`
    0 1 2 -1 00 1.5 1e3 1e400 0x10 Infinity NaN 9007199254740993 99999999999999999999 2147483647 2147483648
    -2147483649 9223372036854775808 +1 1%20 %201 1,2 %2B1 %D9%A1 true false TRUE yes 1;2 null [] {} [1] %25
    %5f %% %zz %c0%80 %ed%a0%80 %00 a%00 %F0%9F%98%80 %5C %27 ' %22 _ * %0a é latest v1.0.0 W10 WyJhIl0
    bnVsbA WyJhIiwiYiJd WzEsMl0 WyJcdWQ4MDAiLCJhIl0 e30 AAAA ==== -_-_ WyIiLCIiXQ WyJhIiwiXHUwMDAwIl0
    2026-01-01T00:00:00.000Z 2026-13-45T99:99:99Z 0000-00-00 +275760-09-13T00:00:00.001Z
    -271821-04-20T00:00:00Z 9999-12-31T23:59:59Z 9999-12-31T23:59:59-10:00 0000-01-01T00:00:00Z
    0001-01-01T00:00:00%2B10:00 added updated removed ../.. //evil.example /\evil.example
    https://evil.example/ /%0d%0aa:b javascript:alert(1) ada/cities@v1.0.0 /@ @ a/b/c@latest a@@b [[[[ ( :*
    %26 %7C ! %3C-%3E a%20%26%20b a%27:*
  `),
  'a'.repeat(3_000),
  digest,
  `sha256:${digest}`,
]

export const hostileQueryValue = (random: Random): string =>
  random.chance(0.8)
    ? random.pick(queryValues)
    : encodeURIComponent(random.of(fc.string({ unit: 'binary', maxLength: 40 })).toWellFormed())

/** Headers by name; each value is one that HTTP can carry. */
const headerValues: Readonly<Record<string, readonly string[]>> = {
  'if-none-match': [
    '*',
    '"',
    '""',
    'W/"',
    'W/"a"',
    '"a", "b"',
    ',,,',
    '"a"b',
    `${'"a",'.repeat(1_500)}"b"`,
    '\u00ff',
  ],
  'if-match': ['*', '"a"', '"'],
  'if-modified-since': ['Wed, 21 Oct 2099 07:28:00 GMT', 'yesterday', ''],
  range: [
    ...[
      'bytes=0-',
      'bytes=0-0',
      'bytes=-1',
      'bytes=-0',
      'bytes=5-2',
      'bytes=99999999999999999999-',
      'bytes=0-99999999999999999999',
    ],
    ...[
      'bytes=',
      'bytes=-',
      'bytes=a-b',
      'items=0-1',
      'bytes=0-1,2-3',
      'bytes= 0 - 1',
      'bytes=0-0,'.repeat(500),
      'bytes=1-1;',
      'BYTES=0-1',
    ],
  ],
  'if-range': ['"a"', 'W/"a"', 'yesterday', 'Wed, 21 Oct 2026 07:28:00 GMT'],
  accept: [
    'text/html',
    'application/xml',
    '*/*;q=0',
    ';;;',
    ',',
    'text/html;q=0.9,application/json;q=9',
    'a'.repeat(5_000),
    'application/*',
  ],
  'accept-encoding': [
    'gzip',
    'br',
    'zstd',
    'deflate',
    'identity;q=0',
    '*;q=0',
    'gzip;q=0,br;q=0',
    'gzip;q=nonsense',
    'x'.repeat(3_000),
    '',
  ],
  'accept-language': ['de', '*', ';q='],
  authorization: [
    'Bearer',
    'Bearer ',
    'Basic YTpi',
    'bearer ul_x',
    'Bearer ul_x',
    `Bearer ul_${'a'.repeat(49)}`,
    `Bearer ${'x'.repeat(6_000)}`,
    'Bearer \u00ff',
  ],
  cookie: [
    'a',
    '=',
    ';;;',
    'ulmus_session=x',
    `a=${'b'.repeat(4_000)}`,
    'ulmus_session=%',
    'ulmus_session="',
    '\u00ff=\u00ff',
  ],
  origin: ['null', 'http://evil.example', 'http://', 'nonsense', '\u00ff'],
  'sec-fetch-site': ['cross-site', 'same-site', 'none', 'nonsense', ''],
  'x-request-id': ['a', 'a b', '../..', 'a'.repeat(3_000), '"', '%00', '\u00ff'],
  'x-forwarded-for': ['127.0.0.1', '::1', 'nonsense', ',,,', '1.2.3.4, 5.6.7.8'],
  'x-forwarded-proto': ['https', 'nonsense'],
  'x-http-method-override': ['DELETE'],
  forwarded: ['for=_a', 'for="[::1]"'],
  host: ['evil.example', 'localhost:1', '[::1]', 'a b', '%00', 'x'.repeat(300)],
  expect: ['100-continue', 'nonsense'],
  upgrade: ['websocket', 'h2c'],
  connection: ['close', 'upgrade', 'keep-alive, x-request-id'],
  te: ['trailers', 'chunked'],
  prefer: ['respond-async'],
}

export function hostileHeader(random: Random): [name: string, value: string] {
  const name = random.pick(Object.keys(headerValues))
  return [name, random.pick(headerValues[name]!)]
}

/** `Content-Type` instead of the right one; undefined: none. */
export const contentTypes: readonly (string | undefined)[] = [
  ...[
    undefined,
    '',
    'application/json',
    'application/x-ndjson',
    'application/ndjson',
    'text/plain',
    'APPLICATION/JSON',
    'application/json;',
  ],
  ...[
    'application/json; charset=utf-16',
    'application/json; charset=nonsense',
    'application/json, text/plain',
    'application/jsonx',
    'json',
    '/',
  ],
  ...[
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=a',
    'multipart/form-data',
    'application/problem+json',
    '*/*',
    '\u00ff',
  ],
  ...[
    'application/octet-stream',
    `application/json; a=${'b'.repeat(4_000)}`,
    'text/html',
    'application/json;charset="',
    'application/merge-patch+json',
  ],
]

/** `Content-Encoding` of a body that does not have this encoding. */
export const contentEncodings: readonly string[] = [
  ...[
    'gzip',
    'br',
    'zstd',
    'deflate',
    'identity',
    'GZIP',
    'x-gzip',
    'compress',
    'gzip, gzip',
    'nonsense',
    '',
    '*',
    'gzip;q=1',
  ],
]

/** JSON in place of the expected JSON, including schemas for operations that accept schemas. */
const jsonValues: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -0,
    1,
    -1,
    0.5,
    1e308,
    5e-324,
    Number.MAX_SAFE_INTEGER,
    Number.MIN_SAFE_INTEGER,
    2 ** 31,
    2 ** 63,
  ],
  ...[
    '',
    ' ',
    'a',
    '\u0000',
    'a\u0000b',
    '\ud800',
    '\udfff\ud800',
    '\u{1f600}',
    '\ufeff',
    '\u202e',
    '\u2028',
    '\r\n',
    '__proto__',
    'constructor',
  ],
  ...[
    'x'.repeat(201),
    'x'.repeat(10_001),
    'é'.repeat(600),
    'latest',
    'v1.0.0',
    'v9.9.9',
    nil,
    digest,
    `sha256:${digest}`,
    'sha256:',
    '../..',
    'me',
  ],
  ...[
    '2026-01-01T00:00:00.000Z',
    '2026-02-30T00:00:00Z',
    '+275760-09-13T00:00:00.000Z',
    '0001-01-01T00:00:00Z',
    'http://a',
    'null',
    '[]',
    '-1',
  ],
  ...[
    [],
    [[]],
    [null],
    {},
    { '': '' },
    { a: { a: { a: {} } } },
    { length: 1e9 },
    { toJSON: 1 },
    { constructor: { prototype: 1 } },
    ['a', 'a'],
  ],
  ...[
    Array(300).fill(0),
    Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`k${n}`, n])),
    JSON.parse('{"__proto__":{"x":1}}'),
  ],
  ...[
    { $ref: '#' },
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } },
    { $ref: 'http://127.0.0.1:1/' },
    { $dynamicRef: '#a' },
    { $id: 'urn:a' },
  ],
  ...[
    { pattern: '(a+)+$' },
    { pattern: '(' },
    { pattern: '\\p{L}{1,999}' },
    { type: 'nothing' },
    { type: [] },
    { enum: [] },
    { required: 'a' },
  ],
  ...[
    { properties: { a: { private: true } } },
    { private: 'yes' },
    { not: {} },
    { allOf: [] },
    { items: [{}] },
    { $schema: 'http://x' },
    { minimum: 'a' },
  ],
  ...[
    { properties: [] },
    { properties: { __proto__: null, a: { 'x-ref-type': 'B' } } },
    { $file: `sha256:${digest}` },
    { $file: 7 },
    { private: true },
  ],
  ...[
    { multipleOf: 0 },
    { maxLength: -1 },
    { format: 'nonsense' },
    { if: { $ref: '#' }, else: false },
    { patternProperties: { '(': {} } },
    { const: null },
  ],
  ...[
    { unevaluatedProperties: false },
    { dependentSchemas: { a: { $ref: '#' } } },
    { contains: {}, minContains: 1e9 },
    { $anchor: 'a b' },
  ],
]

export const hostileJson = (random: Random): unknown =>
  random.chance(0.8) ? random.pick(jsonValues) : random.of(fc.jsonValue({ maxDepth: 4 }))

/** Text to insert into a body. */
export const textPieces: readonly string[] = [
  ...[
    '\u0000',
    '\ufeff',
    '\r',
    '\n',
    '\n\n\n',
    ' ',
    '\t',
    '\v',
    '\u2028',
    '"',
    '\\',
    '\\u0000',
    '\\ud800',
    '\\x',
    '{',
    '}',
    '[',
    ']',
    ',',
    ',,',
    ':',
  ],
  ...[
    '1e999',
    '-',
    '00',
    '9007199254740993',
    '1e-9999',
    'NaN',
    'Infinity',
    'nul',
    'true',
    '/*a*/',
    '//',
    "'",
    '`',
    '{}',
    '[]',
    '{"a":1,"a":2}',
  ],
  ...[
    '"__proto__":{},',
    '"id":"a",',
    '"id":"a","id":"a",',
    '[[[[[[[[',
    '\ud800',
    '\uffff',
    '0'.repeat(500),
    '['.repeat(70),
    '{"a":'.repeat(70),
  ],
]
