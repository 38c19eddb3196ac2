/** Records over HTTP: http-api §7, content-model §3, §5. */
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { brotliDecompressSync, createGunzip, gunzipSync } from 'node:zlib'
import { compareUtf8, type Json, recordOf, verifyProof } from '@ulmus/content'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Stage, setStage } from '../../testing/stage.ts'
import type { TestClient } from '../../testing/test-client.ts'

interface Place {
  type: string
  id: string
}

const cursorOf = (...place: unknown[]): string => Buffer.from(JSON.stringify(place)).toString('base64url')
const encode = encodeURIComponent
/** Ids that a path must encode, that UTF-8 and UTF-16 order differently, that are members of all objects, or that have the maximum length. */
const ids = [
  'a/b',
  '%',
  '%2F',
  '100%',
  ' ',
  '+',
  '?',
  '#',
  '"',
  '\\',
  ';',
  '&',
  'ü',
  '漢',
  '\u{ffff}',
  '\u{1f600}',
].concat(
  '.',
  '..',
  '...',
  '../x',
  '__proto__',
  'constructor',
  'toString',
  'x'.repeat(1024),
  'ü'.repeat(512),
  '\u{1f600}'.repeat(256),
)
const types = ['Zoo', 'Ä', '\u{ffff}', '\u{1f600}', '__proto__', 'constructor']

describe.each(anyDatabase)('records on $name', (database) => {
  let stage: Stage
  let ada: TestClient
  let anyone: TestClient
  /** A collection with 2,105 records of type `N`. */
  let many: string
  /** A collection with odd ids and types. */
  let odd: string

  beforeAll(async () => {
    stage = await setStage(database)
    ada = stage.ada
    anyone = stage.anyone
    many = `${(await stage.newCollection()).path}`
    odd = `${(await stage.newCollection()).path}`
    await stage.push(many, {
      opening: { schemas: { N: {} } },
      puts: Array.from({ length: 2_105 }, (_, n) => ({ id: `id-${n}`, type: 'N', data: { n } })),
    })
    const schemas: Record<string, unknown> = Object.fromEntries(types.map((type) => [type, {}]))
    await stage.push(odd, {
      opening: { schemas },
      puts: types.flatMap((type) =>
        ids.map((id) => ({ id, type, data: { '\u{ffff}': id, ['__proto__']: type } })),
      ),
    })
  })
  afterAll(() => stage.end())

  const read = async (path: string, query = '') =>
    (await ada.get(`${path}/versions/latest/records?${query}`)).json

  async function readAll(path: string, limit: number): Promise<(Place & { data: Json; hash: string })[]> {
    const records = []
    for (let after: string | null = ''; after !== null; ) {
      const page = await read(path, `limit=${limit}${after && `&after=${after}`}`)
      records.push(...page.records)
      expect(page.pagination.hasMore).toBe(page.pagination.nextCursor !== null)
      after = page.pagination.nextCursor
    }
    return records
  }

  describe('GET …/versions/:v/records', () => {
    test('{records: [{id, type, data, hash}], pagination: {limit, hasMore, nextCursor, total}}; limit 100', async () => {
      const page = await read(many)
      expect(page.records).toHaveLength(100)
      expect(page.records[0]).toEqual({
        id: 'id-0',
        type: 'N',
        data: { n: 0 },
        hash: recordOf('id-0', 'N', { n: 0 }).hash,
      })
      const last = page.records.at(-1)
      expect(page.pagination).toEqual({
        limit: 100,
        hasMore: true,
        nextCursor: cursorOf('N', last.id),
        total: 2_105,
      })
    })

    test('limit at most 2,000: more than 2,000 counts as 2,000', async () => {
      for (const limit of ['2000', '2001', '999999999999999999999']) {
        const page = await read(many, `limit=${limit}`)
        expect([page.records.length, page.pagination.limit]).toEqual([2_000, 2_000])
      }
      expect((await read(many, 'limit=1')).records).toHaveLength(1)
    })

    test('compressed, a page is no stream: it tells its length', async () => {
      const [path, query] = [`${many}/versions/latest/records`, 'limit=800']
      const plain = await anyone.get(`${path}?${query}`)
      expect(plain.bytes.length).toBeGreaterThan(65_536)
      for (const [encoding, decode] of [
        ['gzip', gunzipSync],
        ['br', brotliDecompressSync],
      ] as const) {
        const packed = await anyone.get(`${path}?${query}`, { 'accept-encoding': encoding })
        expect(packed.headers['content-length']).toBe(String(packed.bytes.length))
        expect(decode(packed.bytes).equals(plain.bytes)).toBe(true)
      }
    })

    test.each([
      'limit=0',
      'limit=x',
      'limit=-1',
      'limit=1e2',
      'limit=',
      'limit=1&limit=2',
      'after=',
      'after=%00',
      'after=abc',
      'offset=1',
      '__proto__=1',
      'type=a&type=b',
    ])('%s is 400 invalid_request', async (query) => {
      const { status, json } = await anyone.get(`${many}/versions/latest/records?${query}`)
      expect([status, json.code, json.issues[0].path]).toEqual([400, 'invalid_request', query.split('=')[0]])
    })

    test('cursors tile the records: each once, in order, whatever the limit', async () => {
      const whole = await readAll(many, 2_000)
      expect(whole).toHaveLength(2_105)
      expect(await readAll(many, 701)).toEqual(whole)
      expect(await readAll(odd, 7)).toEqual(await readAll(odd, 2_000))
    })

    test('order of records is always type, then id, both by UTF-8 bytes', async () => {
      const found = (await readAll(odd, 100)).map(({ type, id }) => [type, id])
      const expected = types.flatMap((type) => ids.map((id) => [type, id]))
      const compare = ([a, b]: string[], [c, d]: string[]) => compareUtf8(a!, c!) || compareUtf8(b!, d!)
      expect(found).toEqual(expected.sort(compare))
    })

    test('a client can make a cursor from the last record it has, also from one that is not there', async () => {
      const whole = await readAll(odd, 2_000)
      const after = async (place: Place) => read(odd, `limit=2&after=${cursorOf(place.type, place.id)}`)
      for (const [index, record] of whole.entries()) {
        if (index % 17 > 0) continue
        expect((await after(record)).records).toEqual(whole.slice(index + 1, index + 3))
      }
      expect((await after({ type: '', id: '' })).records).toEqual(whole.slice(0, 2))
      expect((await after({ type: 'Zz', id: 'between' })).records).toEqual(
        whole.filter(({ type }) => compareUtf8(type, 'Zz') > 0).slice(0, 2),
      )
      expect((await after({ type: '\u{10ffff}', id: '' })).records).toEqual([])
    })

    test.each([
      ['no base64url', '*'],
      ['padded', `${cursorOf('N', 'x')}=`],
      ['no JSON', Buffer.from('[').toString('base64url')],
      ['no UTF-8', Buffer.from([0x5b, 0xff]).toString('base64url')],
      ['no list', Buffer.from('{}').toString('base64url')],
      ['one member', cursorOf('N')],
      ['three members', cursorOf('N', 'x', 'y')],
      ['no strings', cursorOf('N', 1)],
      ['not JCS', Buffer.from('["N", "x"]').toString('base64url')],
      ['a lone surrogate', Buffer.from('["N","\\ud800"]').toString('base64url')],
      ['very long', 'A'.repeat(8_000)],
    ])('a cursor that is none (%s) is 400', async (_why, cursor) => {
      for (const rest of ['records', 'records.ndjson']) {
        const { status, json } = await anyone.get(`${many}/versions/latest/${rest}?after=${encode(cursor)}`)
        expect([status, json.code, json.issues[0].path]).toEqual([400, 'invalid_request', 'after'])
      }
    })

    test('`type` and `id` select, alone and together, and cursors go on within the selection', async () => {
      expect((await read(odd, `type=${encode('Ä')}`)).pagination.total).toBe(ids.length)
      const both = await read(odd, `type=${encode('Ä')}&id=${encode('..')}`)
      expect(both.records.map(({ type, id }: Place) => [type, id])).toEqual([['Ä', '..']])
      const first = await read(odd, `id=${encode('a/b')}&limit=4`)
      expect(first.pagination).toMatchObject({ hasMore: true, total: types.length })
      const rest = await read(odd, `id=${encode('a/b')}&after=${first.pagination.nextCursor}`)
      expect(rest.pagination).toMatchObject({ hasMore: false, nextCursor: null })
      const found = [...first.records, ...rest.records].map(({ type }: Place) => type)
      expect(found).toEqual([...types].sort(compareUtf8))
      for (const query of ['id=absent', 'id=', `id=${'y'.repeat(5000)}`]) {
        expect(await read(odd, query)).toEqual({
          records: [],
          pagination: { limit: 100, hasMore: false, nextCursor: null, total: 0 },
        })
      }
    })
  })

  test.each(['Absent', '', 'toString', '%00'])(
    'a `type` that is not there (%s) is 404, and the answer names those that are',
    async (type) => {
      for (const rest of ['records', 'records.ndjson']) {
        const { status, json } = await anyone.get(`${many}/versions/latest/${rest}?type=${type}`)
        expect([status, json.code]).toEqual([404, 'type_not_found'])
        expect(json.error).toContain('It has `N`.')
      }
    },
  )

  describe('GET …/versions/:v/records/:type/:id', () => {
    test('one record, percent-encoded: slash, %, unicode, 1,024 bytes', async () => {
      for (const type of types) {
        for (const id of ids.filter((one) => one !== '.' && one !== '..')) {
          const { status, json } = await anyone.get(
            `${odd}/versions/latest/records/${encode(type)}/${encode(id)}`,
          )
          expect(status).toBe(200)
          expect(json).toMatchObject({ id, type, hash: recordOf(id, type, json.data).hash })
        }
      }
    })

    test('an id that no path can carry, such as `..`, by `records?type&id`', async () => {
      for (const id of ids) {
        const page = await read(odd, `type=Zoo&id=${encode(id)}`)
        expect(page.records).toEqual([
          { id, type: 'Zoo', data: page.records[0].data, hash: page.records[0].hash },
        ])
      }
    })

    test.each([
      ['Zoo', 'absent'],
      ['Absent', 'ü'],
      ['toString', 'ü'],
      ['hasOwnProperty', '__proto__'],
      ['%00', '%00'],
      ['Zoo', ''],
      ['', 'ü'],
      ['', ''],
      ['Zoo', 'y'.repeat(3_000)],
      ['y'.repeat(3_000), 'ü'],
    ])('no record %s/%s: 404 record_not_found', async (type, id) => {
      const { status, json } = await anyone.get(`${odd}/versions/latest/records/${type}/${encode(id)}`)
      expect([status, json.code]).toEqual([404, 'record_not_found'])
    })

    test('an id longer than any can be is refused as a request, not searched for', async () => {
      const { status, json } = await anyone.get(`${odd}/versions/latest/records/Zoo/${'y'.repeat(9_000)}`)
      expect([status, json.code]).toEqual([400, 'invalid_request'])
      expect(json.error.length).toBeLessThan(200)
    })

    test('`?proof=true` adds a proof, with which the content package proves that it belongs to the digest', async () => {
      const secret = (await stage.newCollection()).path
      await stage.push(secret, {
        opening: { schemas: { P: { properties: { n: {}, s: { private: true } } } } },
        puts: Array.from({ length: 3_000 }, (_, n) => ({ id: `${n}`, type: 'P', data: { n, s: 'secret' } })),
      })
      for (const [path, place] of [
        [many, 'N/id-77'],
        [odd, `${encode('__proto__')}/${encode('\u{1f600}')}`],
        [secret, 'P/1234'],
      ] as const) {
        for (const who of [ada, anyone]) {
          const { hash: digest } = (await who.get(`${path}/versions/latest`)).json
          const { proof, ...record } = (await who.get(`${path}/versions/latest/records/${place}?proof=true`))
            .json
          expect(record).toEqual((await who.get(`${path}/versions/latest/records/${place}`)).json)
          const { id, type, hash } = record
          expect(verifyProof({ digest, ...proof })).toEqual({ ok: true, id, type, hash })
          expect(recordOf(id, type, record.data).canonical).toBe(proof.canonical)
          const tampered = {
            digest,
            ...proof,
            canonical: proof.canonical.replace('"data":{', '"data":{"x":1,'),
          }
          expect(verifyProof(tampered).ok).toBe(false)
        }
      }
      const full = (await ada.get(`${secret}/versions/latest/records/P/1234?proof=true`)).json.proof
      expect(
        verifyProof({ digest: (await anyone.get(`${secret}/versions/latest`)).json.hash, ...full }).ok,
      ).toBe(false)
    })

    test.each(['proof=yes', 'proof=2', 'proof=', 'proofs=true'])('%s is 400', async (query) => {
      const { status, json } = await anyone.get(`${many}/versions/latest/records/N/id-1?${query}`)
      expect([status, json.code]).toEqual([400, 'invalid_request'])
    })
  })

  describe('GET …/versions/:v/records.ndjson', () => {
    const stream = async (path: string, query = '') => {
      const answer = await anyone.get(`${path}/versions/latest/records.ndjson?${query}`)
      expect(answer.headers['content-type']).toBe('application/x-ndjson')
      const records = answer.text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Place)
      expect(answer.text === '' || answer.text.endsWith('}\n')).toBe(true)
      expect(answer.headers['x-record-count']).toBe(String(records.length))
      return records
    }

    test('all of them, streamed, `X-Record-Count`', async () => {
      expect(await stream(many)).toEqual(await readAll(many, 2_000))
      expect(await stream(odd)).toEqual(await readAll(odd, 2_000))
    })

    test('`type` selects', async () => {
      expect(await stream(odd, `type=${encode('__proto__')}`)).toEqual(
        (await read(odd, `type=__proto__&limit=2000`)).records,
      )
    })

    test('`after` resumes', async () => {
      const whole = await stream(many)
      for (const at of [0, 1_023, 1_024, 2_103, 2_104]) {
        expect(await stream(many, `after=${cursorOf('N', whole[at]!.id)}`)).toEqual(whole.slice(at + 1))
      }
      expect(await stream(many, `after=${cursorOf('M', 'x')}`)).toEqual(whole)
      expect(await stream(many, `type=N&after=${cursorOf('N', 'id-5')}`)).toEqual(
        whole.filter(({ id }) => id > 'id-5'),
      )
    })
  })

  describe('a stream that is not read to its end', () => {
    /** Observes streams that begin from now on: bytes read, and whether they were closed. */
    function watchStreams() {
      const seen = { chunks: 0, closed: 0 }
      const { records } = stage.server.registry
      const begin = records.stream
      async function* watched(lines: AsyncGenerator<Uint8Array>) {
        try {
          for await (const chunk of lines) {
            seen.chunks++
            yield chunk
          }
        } finally {
          seen.closed++
        }
      }
      records.stream = async (...asked) => {
        const begun = await begin(...asked)
        return { ...begun, lines: watched(begun.lines) }
      }
      return Object.assign(seen, { end: () => (records.stream = begin) })
    }

    /** Some 60 leaves, 40 MB: more than the buffers of sockets. */
    const large = async (on = stage) => {
      const { path } = await on.newCollection()
      const batch = (from: number) =>
        Array.from({ length: 5_000 }, (_, n) => ({
          id: `${from + n}`,
          type: 'L',
          data: { text: 'x'.repeat(640) },
        }))
      await on.push(path, { opening: { schemas: { L: {} } }, puts: batch(0) })
      for (let n = 1; n < 6; n++) await on.push(path, { base: `v1.${n - 1}.0`, puts: batch(5_000 * n) })
      return path
    }

    test('waits for a slow reader instead of filling memory, and a client that hangs up frees everything', async () => {
      const path = await large()
      const watched = watchStreams()
      try {
        const answer = await anyone.open('GET', `${path}/versions/latest/records.ndjson`)
        await once(answer, 'readable')
        let taken = 0
        const isWaiting = async () => {
          taken = watched.chunks
          await sleep(300)
          return watched.chunks === taken
        }
        await expect.poll(isWaiting).toBe(true)
        expect(watched.closed).toBe(0)
        answer.destroy()
        await expect.poll(() => watched.closed, { timeout: 20_000 }).toBe(1)
        taken = watched.chunks
        const again = await anyone.get(`${path}/versions/latest/records.ndjson`)
        const ids = Array.from({ length: 30_000 }, (_, n) => `${n}`).sort()
        const lines = ids.map((id) => {
          const { canonical, hash } = recordOf(id, 'L', { text: 'x'.repeat(640) })
          return `${canonical.slice(0, -1)},"hash":"${hash}"}\n`
        })
        expect(again.text === lines.join('')).toBe(true)
        expect(watched.closed).toBe(2)
        expect(watched.chunks - taken).toBeGreaterThan(taken)
        for (const encoding of ['identity', 'gzip']) {
          const slow = await anyone.open('GET', `${path}/versions/latest/records.ndjson`, {
            headers: { 'accept-encoding': encoding },
          })
          const plain = encoding === 'gzip' ? slow.pipe(createGunzip()) : slow
          const chunks: Buffer[] = []
          for await (const chunk of plain) if (chunks.push(chunk as Buffer) % 50 === 0) await sleep(1)
          expect(Buffer.concat(chunks).toString() === lines.join('')).toBe(true)
        }
      } finally {
        watched.end()
      }
    })

    test('HEAD and 304 take nothing of it', async () => {
      const watched = watchStreams()
      try {
        const { headers } = await anyone.request('HEAD', `${many}/versions/latest/records.ndjson`)
        expect(headers['x-record-count']).toBe('2105')
        const again = await anyone.get(`${many}/versions/latest/records.ndjson`, {
          'if-none-match': headers.etag!,
        })
        expect(again.status).toBe(304)
        expect(watched.chunks).toBeLessThanOrEqual(2)
      } finally {
        watched.end()
      }
    })

    test('a damaged object at its very beginning is 500 `object_corrupt`, with nothing that was said of the stream', async () => {
      // Background work would read the objects into the cache before they are damaged.
      const idle = await setStage(database, { roles: ['api'] })
      onTestFinished(() => idle.end())
      const path = await large(idle)
      const folder = join(idle.server.dataFolder, 'objects')
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        const file = join(folder, name)
        if (!statSync(file).isFile()) continue
        const bytes = readFileSync(file)
        // Overwrite all packed data. Streams do not read the magic and the position of the footer.
        writeFileSync(file, bytes.fill(0, 12))
      }
      for (const encoding of ['identity', 'gzip', 'br', 'zstd']) {
        // The cache keeps nothing of so large a scan; leaves of the first version may be there since the pushes.
        const { status, headers, json } = await idle.anyone.get(`${path}/versions/latest/records.ndjson`, {
          'accept-encoding': encoding,
        })
        expect([status, headers['content-encoding'], json.code]).toEqual([500, undefined, 'object_corrupt'])
        expect([headers['cache-control'], headers.etag, headers['x-record-count']]).toEqual([
          'no-cache',
          undefined,
          undefined,
        ])
      }
    })
  })
})
