import { afterEach, expect, test } from 'vitest'
import { createClient, createPushClient } from './client.ts'
import { UlmusError } from './errors.ts'
import { exactJson } from './exact-json.ts'
import { type FaultyServer, startFaultyServer } from './testing/faulty-server.ts'
import { SessionKeeper } from './testing/session-keeper.ts'

const open: FaultyServer[] = []
afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

async function start() {
  const keeper = new SessionKeeper()
  const server = await startFaultyServer((request) => keeper.handle(request))
  open.push(server)
  const options = { baseUrl: server.url, apiKey: 'ul_test', retry: { attempts: 1 } }
  return { keeper, server, client: createClient(options), pushClient: createPushClient(options) }
}

class Plain {
  name = 'Oslo'
  left = undefined
}
class Opaque {
  readonly #name = 'Oslo'
  get name() {
    return this.#name
  }
}
const circle: Record<string, unknown> = {}
circle['self'] = circle
const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)])
const price = { toJSON: () => '12.50' }

test.each<[string, unknown, string]>([
  ['undefined members', { a: undefined, b: 1 }, '{"b":1}'],
  ['null, booleans, texts', [null, true, 'ä"\\ud800\u0000'], '[null,true,"ä\\"\\\\ud800\\u0000"]'],
  ['minus zero, which is the same number', -0, '0'],
  ['a date', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
  ['toJSON', { price }, '{"price":"12.50"}'],
  ['toJSON that leaves a member out', { a: { toJSON: () => undefined } }, '{}'],
  ['an instance of a class', new Plain(), '{"name":"Oslo"}'],
  ['no prototype', Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
  ['a member named __proto__', JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
  ['one object in two places', [price, price], '["12.50","12.50"]'],
  ['65 levels', deep(65), `${'['.repeat(65)}1${']'.repeat(65)}`],
  [
    'a hidden member named by a symbol',
    Object.defineProperty({}, Symbol('a'), { value: 1, enumerable: false }),
    '{}',
  ],
])('%s is written exactly', (_, value, text) => expect(exactJson(value, () => 'It')).toBe(text))

/** A value that must not be sent; the code and the sentence of the refusal. */
const refused: [string, unknown, string, string][] = [
  ['NaN', { a: Number.NaN }, 'number_out_of_range', '/a is NaN,'],
  ['Infinity', [1, -Infinity], 'number_out_of_range', '/1 is -Infinity,'],
  ['undefined in a list', { a: [1, undefined] }, 'not_json', '/a/1 is undefined,'],
  ['a hole', { a: Object.assign(new Array(3), { 0: 1, 2: 3 }) }, 'not_json', '/a/1 is undefined,'],
  ['toJSON that gives undefined in a list', [{ toJSON: () => undefined }], 'not_json', '/0 is undefined,'],
  ['toJSON that gives NaN', { a: { toJSON: () => Number.NaN } }, 'number_out_of_range', '/a is NaN,'],
  ['an invalid date', { a: new Date('?') }, 'not_json', '/a is a Date,'],
  ['a Map', { 'a/b~': new Map([[1, 2]]) }, 'not_json', '/a~1b~0 is a Map,'],
  ['a Set', { a: new Set([1]) }, 'not_json', '/a is a Set,'],
  ['a RegExp', { a: /x/ }, 'not_json', '/a is a RegExp,'],
  ['an Error', { a: new Error('x') }, 'not_json', '/a is a Error,'],
  ['a promise', { a: Promise.resolve(1) }, 'not_json', '/a is a Promise,'],
  ['a Buffer', { a: Buffer.from('x') }, 'not_json', '/a is a Buffer,'],
  ['a typed array', { a: new Float32Array(2) }, 'not_json', '/a is a Float32Array,'],
  ['bytes', { a: new ArrayBuffer(2) }, 'not_json', '/a is a ArrayBuffer,'],
  ['hidden data', { a: new Opaque() }, 'not_json', '/a is a Opaque,'],
  ['a BigInt', { a: 1n }, 'not_json', '/a is a bigint,'],
  ['a function', { a: () => 1 }, 'not_json', '/a is a function,'],
  ['a symbol', { a: Symbol('x') }, 'not_json', '/a is a symbol,'],
  [
    'a member named by a symbol',
    { a: { [Symbol('x')]: 1 } },
    'not_json',
    '/a is an object with a member named by a symbol',
  ],
  ['half a surrogate pair', { a: ['\ud83d'] }, 'lone_surrogate', '/a/0 is half a surrogate pair'],
  ['half a pair in a name', { '\ude00': 1 }, 'lone_surrogate', 'is half a surrogate pair'],
  ['a circle', { a: circle }, 'too_deep', 'contains itself'],
  ['66 levels', deep(66), 'too_deep', 'over 65 levels deep'],
]

const first = { baseVersion: null, schemas: { T: {} } }
const line = (data: unknown) => [{ id: '7', type: 'T', data: data as object }]

test.each(refused)('%s is refused before anything is sent', async (_, value, code, sentence) => {
  const { server, client, pushClient } = await start()
  const rows = [{ key: 1 }, { key: 7, value: value as object }]
  const calls: Record<string, () => Promise<unknown>> = {
    push: () => client.push('ada/a', { ...first, records: line(value), create: {} }),
    pushOfPushClient: () => pushClient.push('ada/a', { ...first, records: line(value) }),
    dryRun: () => client.dryRun.push('ada/a', { ...first, records: line(value) }),
    snapshot: () => client.snapshot('ada/a', { ...first, records: () => line(value) }),
    dryRunOfSnapshot: () => client.dryRun.snapshot('ada/a', { ...first, records: () => line(value) }),
    mirror: () => client.mirror('ada/a', { type: 'T', id: 'key', rows }),
  }
  const isSurrogate = code === 'lone_surrogate'
  for (const [name, call] of Object.entries(calls)) {
    const error: unknown = await call().then(
      () => 'no error',
      (reason) => reason,
    )
    expect(error, name).toBeInstanceOf(UlmusError)
    expect(error, name).toMatchObject({ status: 0, code })
    const { message } = error as UlmusError
    if (code !== 'too_deep') expect(message, name).toContain(sentence)
    expect(message, name).toMatch(/(The record "7" of type "T"|Row 2, T "7"): \/(data|value)/)
    // An unpaired surrogate is found when the batch is made.
    if (!(isSurrogate && /push|dryRun$/i.test(name))) expect(server.requests, name).toEqual([])
    server.requests.length = 0
  }
})

test.each(refused)('%s is refused in all other bodies', async (_, value, code) => {
  const { server, client } = await start()
  const json = { x: value as string }
  const calls: Record<string, () => Promise<unknown>> = {
    metadata: () => client.metadata.patch('ada/a', json),
    asyncMetadata: () => client.metadata.patchAsync('ada/a', json),
    metadataOfPush: () => client.push('ada/a', { ...first, metadata: json }),
    schemaOfPush: () => client.push('ada/a', { ...first, schemas: { T: json as object } as never }),
    schemaOfSnapshot: () =>
      client.snapshot('ada/a', { ...first, schemas: { T: json as object } as never, records: () => [] }),
    webhook: () => client.webhooks.create('ada/a', { url: 'https://a.example', ...json } as never),
    changes: () => client.collections.update('ada/a', json as never),
    organization: () => client.orgs.create({ slug: 'a', ...json } as never),
    statement: () => client.tables.sql('ada/a', 'v1.0.0', json as never),
  }
  for (const [name, call] of Object.entries(calls))
    await expect(call(), name).rejects.toMatchObject({ status: 0, code })
  expect(server.requests).toEqual([])
})

test('a value that an iterator gives in the middle of a push is not sent, and nothing is published', async () => {
  const { keeper, client } = await start()
  function* records() {
    for (let n = 0; n < 25; n++) yield { id: `${n}`, type: 'T', data: { n: n === 20 ? Number.NaN : n } }
  }
  const pushed = client.push('ada/a', { ...first, records: records() }, { batchLines: 10 })
  await expect(pushed).rejects.toThrow('The record "20" of type "T": /data/n is NaN')
  expect([...keeper.sessions.values()]).toEqual(['cancelled'])
  expect(keeper.published.size).toBe(0)
})

test('a row whose id is no number is refused', async () => {
  const { server, client } = await start()
  const id = () => Number.NaN as never
  await expect(client.mirror('ada/a', { type: 'T', id, rows: [{}] })).rejects.toThrow('Row 1')
  expect(server.requests).toEqual([])
})
