/** Files over HTTP: http-api §8, content-model §3, §6; ranges RFC 9110 §14. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, setStage } from '../../testing/stage.ts'
import { fileHash, type TestClient, testClient } from '../../testing/test-client.ts'

const fileBytesMax = 300_000

describe.each(anyDatabase)('files on $name', (database) => {
  let stage: Stage
  let ada: TestClient
  let anyone: TestClient
  /** A public collection whose latest version refers to `text`. */
  let path: string
  const text = 'Ulmus is the elm.'
  const hash = fileHash(text)

  const photo = (name: string, file: string, more = {}) => ({
    id: name,
    type: 'P',
    data: { photo: { $file: file } },
    ...more,
  })

  beforeAll(async () => {
    stage = await setStage(database, { fileBytesMax })
    ada = stage.ada
    anyone = stage.anyone
    path = (await stage.newCollection()).path
    await ada.upload(path, text, 'text/plain; charset=utf-8')
    await stage.push(path, { opening: { schemas: { P: {} } }, puts: [photo('elm', hash)] })
  })
  afterAll(() => stage.end())

  /** Files in the object store, finished or not. */
  const stored = () =>
    ['tmp', 'files'].flatMap((folder) => {
      const there = join(stage.server.dataFolder, 'objects', folder)
      return existsSync(there)
        ? readdirSync(there, { recursive: true, withFileTypes: true })
            .filter((one) => one.isFile())
            .map((one) => one.name)
        : []
    })

  describe('PUT …/files/sha256:<hex>', () => {
    test('201 with {hash, size, contentType}, 200 if held', async () => {
      const bytes = randomBytes(70_000)
      const first = await ada.upload(path, bytes, 'image/png')
      expect([first.status, first.json]).toEqual([
        201,
        { hash: fileHash(bytes), size: 70_000, contentType: 'image/png' },
      ])
      const second = await ada.upload(path, bytes, 'image/png')
      expect([second.status, second.json]).toEqual([200, first.json])
      expect((await ada.get(`${path}/files/${fileHash(bytes)}`)).bytes.equals(bytes)).toBe(true)
    })

    test('an empty file, and one without a content type', async () => {
      const empty = await ada.put(`${path}/files/${fileHash('')}`)
      expect([empty.status, empty.json]).toEqual([
        201,
        { hash: fileHash(''), size: 0, contentType: 'application/octet-stream' },
      ])
      const got = await ada.get(`${path}/files/${fileHash('')}`)
      expect([got.status, got.text, got.headers['content-length']]).toEqual([200, '', '0'])
      const bare = await ada.request('PUT', `${path}/files/${fileHash('bare')}`, { body: 'bare' })
      expect(bare.json.contentType).toBe('application/octet-stream')
    })

    test('JSON and NDJSON are bytes like all others here', async () => {
      for (const type of ['application/json', 'application/x-ndjson', 'application/json; charset=utf-8']) {
        const answer = await ada.upload(path, `{"broken": ${type}`, type)
        expect([answer.status, answer.json.contentType]).toEqual([201, type])
      }
    })

    test('hash_mismatch leaves nothing', async () => {
      const before = stored()
      const name = fileHash('what was promised')
      const { status, json } = await ada.request('PUT', `${path}/files/${name}`, { body: 'what came' })
      expect([status, json.code, json.expected, json.actual]).toEqual([
        400,
        'hash_mismatch',
        name,
        fileHash('what came'),
      ])
      for (const one of [name, fileHash('what came')])
        expect((await ada.get(`${path}/files/${one}`)).status).toBe(404)
      expect(stored()).toEqual(before)
    })

    test('413 over MAX_FILE_BYTES, which the message names; chunked too; nothing is left', async () => {
      const before = stored()
      const bytes = Buffer.alloc(fileBytesMax + 1)
      const whole = await ada.upload(path, bytes)
      expect([whole.status, whole.json.code]).toEqual([413, 'too_large'])
      expect(whole.json.error).toContain(String(fileBytesMax))
      expect(await chunked(Buffer.alloc(20 * fileBytesMax))).toBe(413)
      expect(stored()).toEqual(before)
      expect((await ada.upload(path, bytes.subarray(1))).status).toBe(201)
    })

    async function chunked(bytes: Buffer): Promise<number | undefined> {
      const key = await stage.server.keyFor((await stage.server.signIn('ada')).cookie, 'write')
      const headers = { authorization: `Bearer ${key}`, 'transfer-encoding': 'chunked' }
      const sent = request(`${stage.server.url}/api${path}/files/${fileHash(bytes)}`, {
        method: 'PUT',
        headers,
      })
      // After its answer, the server closes the connection instead of reading on.
      sent.on('error', () => undefined)
      sent.end(bytes)
      const [answer] = await once(sent, 'response')
      answer.resume()
      return answer.statusCode
    }

    test('an upload that breaks off leaves nothing', async () => {
      const before = stored()
      const key = await stage.server.keyFor((await stage.server.signIn('ada')).cookie, 'write')
      const name = fileHash('never all of it')
      const headers = { authorization: `Bearer ${key}`, 'content-length': '1000' }
      const sent = request(`${stage.server.url}/api${path}/files/${name}`, { method: 'PUT', headers })
      sent.on('error', () => undefined)
      sent.write('never')
      // Leftovers of earlier uploads may be removed meanwhile, so count only new files.
      const added = () => stored().filter((file) => !before.includes(file))
      await expect.poll(() => added().length, { timeout: 20_000 }).toBe(1)
      sent.destroy()
      await expect.poll(added, { timeout: 20_000 }).toEqual([])
      expect((await ada.get(`${path}/files/${name}`)).status).toBe(404)
    })

    test.each(['zstd', 'gzip', 'BR', 'lzma', 'identity, gzip'])(
      '`Content-Encoding: %s` is 415 and nothing is stored: 241 bytes of zstd can stand for 300 MiB',
      async (encoding) => {
        const content = 'packed on the way'
        const name = `${path}/files/${fileHash(content)}`
        const headers = { 'content-type': 'text/plain', 'content-encoding': encoding }
        const { status, json } = await ada.request('PUT', name, { body: zstdCompressSync(content), headers })
        expect([status, json.code]).toEqual([415, 'unsupported_media_type'])
        expect(json.error).toMatch(/without `Content-Encoding`/)
        expect((await ada.get(name)).status).toBe(404)
      },
    )

    test('a file that is compressed itself is taken as it is; `identity` says nothing', async () => {
      const body = zstdCompressSync('packed for good')
      const name = `${path}/files/${fileHash(body)}`
      for (const encoding of ['identity', 'Identity', '']) {
        const headers = { 'content-type': 'application/zstd', 'content-encoding': encoding }
        expect((await ada.request('PUT', name, { body, headers })).status).toBeLessThan(300)
      }
      expect((await ada.get(name)).bytes.equals(body)).toBe(true)
    })

    test.each([
      'sha256:abc',
      `sha256:${'G'.repeat(64)}`,
      `sha256:${'A'.repeat(64)}`,
      'A'.repeat(64),
      `sha512:${'a'.repeat(64)}`,
      '%00',
      '__proto__',
      `sha256:${'a'.repeat(64)}%00`,
    ])('a name that no file can have (%s) is 400 to put and 404 to get', async (name) => {
      const put = await ada.request('PUT', `${path}/files/${name}`, { body: 'x' })
      expect([put.status, put.json.code, put.json.issues[0].path]).toEqual([400, 'invalid_request', 'hash'])
      const got = await ada.get(`${path}/files/${name}`)
      expect([got.status, got.json.code]).toEqual([404, 'file_not_found'])
    })

    test.each([
      'nonsense',
      'text/html\u0001',
      'text/plain; x="\u00e9"',
      `text/${'x'.repeat(300)}`,
      'text/html, text/plain',
      '/',
    ])(
      'a content type that is none (%j) is refused, so that nothing strange comes back in a header',
      async (contentType) => {
        const refused = await ada.upload(path, `type ${contentType}`, contentType).then(
          ({ status, json }) =>
            [400, 415].includes(status) && ['invalid_request', 'unsupported_media_type'].includes(json.code),
          // The HTTP client refuses to send such a header.
          (error: NodeJS.ErrnoException) => error.code === 'ERR_INVALID_CHAR',
        )
        expect(refused).toBe(true)
      },
    )

    test('no credential 401; read key 403; outsider 403 on public and 404 on private; key limited elsewhere 403, 404', async () => {
      const closed = (await stage.newCollection({ public: false })).path
      const limited = await stage.keyOfAda('write', (await stage.newCollection()).id)
      const refusals = [
        [anyone, path, 401, 'unauthenticated'],
        [stage.reader, path, 403, 'insufficient_scope'],
        [stage.eve, path, 403, 'not_a_member'],
        [limited, path, 403, 'key_limited'],
        [anyone, closed, 401, 'unauthenticated'],
        [stage.eve, closed, 404, 'collection_not_found'],
        [limited, closed, 404, 'collection_not_found'],
      ] as const
      for (const [who, where, status, code] of refusals) {
        const answer = await who.upload(where, 'not to be')
        expect([answer.status, answer.json.code]).toEqual([status, code])
      }
      const own = await stage.newCollection()
      expect((await (await stage.keyOfAda('write', own.id)).upload(own.path, 'to be')).status).toBe(201)
    })
  })

  describe('GET …/files/sha256:<hex>', () => {
    const get = (range?: string, more: Record<string, string> = {}) =>
      anyone.get(`${path}/files/${hash}`, { ...(range === undefined ? {} : { range }), ...more })

    test('`Content-Disposition: attachment`, `nosniff`, a sandboxing CSP, `ETag`, the content type as it was given', async () => {
      const { status, headers, text: got } = await get()
      expect([status, got]).toEqual([200, text])
      expect(headers).toMatchObject({
        'content-type': 'text/plain; charset=utf-8',
        'content-disposition': 'attachment',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
        'accept-ranges': 'bytes',
        'content-length': String(text.length),
        'cache-control': 'public, max-age=300',
        etag: expect.stringMatching(/^"[0-9a-f]{32}"$/),
      })
    })

    test.each([
      ['bytes=0-4', 'Ulmus', 'bytes 0-4/17'],
      ['bytes=6-', 'is the elm.', 'bytes 6-16/17'],
      ['bytes=-4', 'elm.', 'bytes 13-16/17'],
      ['bytes=-999', text, 'bytes 0-16/17'],
      ['bytes=16-999', '.', 'bytes 16-16/17'],
      ['bytes=0-999999999999999', text, 'bytes 0-16/17'],
    ])('range %s is 206 with its bytes', async (range, bytes, contentRange) => {
      const { status, headers, text: got } = await get(range)
      expect([status, got, headers['content-range'], headers['content-length']]).toEqual([
        206,
        bytes,
        contentRange,
        String(bytes.length),
      ])
      expect(headers.etag).toBe((await get()).headers.etag)
    })

    test.each(['bytes=17-', 'bytes=17-20', 'bytes=-0', 'bytes=999999999999999-'])(
      'range %s cannot be satisfied: 416 with the size',
      async (range) => {
        const { status, headers, json } = await get(range)
        expect([status, headers['content-range'], json.code]).toEqual([
          416,
          'bytes */17',
          'range_not_satisfiable',
        ])
      },
    )

    test.each([
      'bytes=4-0',
      'bytes=0-1,3-4',
      'bytes=-',
      'bytes=a-b',
      'lines=0-1',
      'bytes 0-1',
      'bytes=0-9999999999999999999',
    ])('range %s is not understood: the whole', async (range) => {
      const { status, text: got } = await get(range)
      expect([status, got]).toEqual([200, text])
    })

    test('`If-Range` with the tag: the range; with another, or a date: the whole', async () => {
      const { etag } = (await get()).headers
      expect((await get('bytes=0-4', { 'if-range': etag! })).status).toBe(206)
      for (const other of ['"other"', `W/${etag}`, 'Sat, 21 Nov 2026 00:00:00 GMT']) {
        expect((await get('bytes=0-4', { 'if-range': other })).status).toBe(200)
      }
    })

    test('`If-None-Match` comes before the range: 304', async () => {
      const { etag } = (await get()).headers
      for (const range of ['bytes=0-4', 'bytes=17-']) {
        const { status, headers, text: got } = await get(range, { 'if-none-match': etag! })
        expect([status, headers['content-range'], headers.etag, got]).toEqual([304, undefined, etag, ''])
      }
      expect((await get('bytes=0-4', { 'if-none-match': '"other"' })).status).toBe(206)
      expect((await get('bytes=17-', { 'if-none-match': '"other"' })).status).toBe(416)
    })

    test('a damaged file is 500 with nothing that was said of it: no cache keeps it, no tag names it', async () => {
      const own = (await stage.newCollection()).path
      const hash = fileHash('sound')
      await ada.upload(own, 'sound')
      await stage.push(own, { opening: { schemas: { P: {} } }, puts: [photo('elm', hash)] })
      const digest = hash.slice('sha256:'.length)
      const blob = join(stage.server.dataFolder, 'objects/files', digest.slice(0, 2), digest)
      for (const { bytes, headers } of [
        { bytes: 'hurt!', headers: {} },
        { bytes: '', headers: { range: 'bytes=0-2' } },
      ]) {
        writeFileSync(blob, bytes)
        const answer = await anyone.get(`${own}/files/${hash}`, headers)
        expect(answer).toMatchObject({ status: 500, json: { statusCode: 500, code: 'object_corrupt' } })
        expect(answer.headers['cache-control']).toBe('no-cache')
        expect(answer.headers['content-length']).toBe(String(answer.bytes.length))
        for (const name of ['etag', 'content-disposition', 'content-range', 'accept-ranges'])
          expect([name, answer.headers[name]]).toEqual([name, undefined])
      }
    })

    test('HEAD: the same headers, no body, ranges are ignored', async () => {
      const whole = await get()
      for (const headers of [{}, { range: 'bytes=0-4' }, { range: 'bytes=99-' }] as Record<
        string,
        string
      >[]) {
        const head = await anyone.request('HEAD', `${path}/files/${hash}`, { headers })
        expect([head.status, head.text]).toEqual([200, ''])
        for (const name of [
          'content-type',
          'content-length',
          'etag',
          'content-disposition',
          'cache-control',
          'accept-ranges',
        ])
          expect(head.headers[name]).toBe(whole.headers[name])
      }
    })

    test('a large text file is not compressed on the way: its ranges and length are those of the file', async () => {
      const long = 'all the same '.repeat(5_000)
      await ada.upload(path, long)
      const { headers, text: got } = await ada.get(`${path}/files/${fileHash(long)}`, {
        'accept-encoding': 'gzip, br, zstd',
      })
      expect(got).toBe(long)
      expect([headers['content-encoding'], headers['content-length']]).toEqual([
        undefined,
        String(long.length),
      ])
      const part = await ada.get(`${path}/files/${fileHash(long)}`, {
        'accept-encoding': 'gzip',
        range: 'bytes=0-9999',
      })
      expect([part.status, part.text]).toEqual([206, long.slice(0, 10_000)])
    })
  })

  describe('who may read a file', () => {
    const status = async (who: TestClient, collection: string, file: string) =>
      (await who.get(`${collection}/files/${file}`)).status

    test('before a version has it, only members read a file; afterwards every reader of the view, for ever', async () => {
      const { path: own, id } = await stage.newCollection()
      const file = fileHash('soon shown')
      await ada.upload(own, 'soon shown')
      const limitedHere = await stage.keyOfAda('read', id)
      const limitedElsewhere = await stage.keyOfAda('admin', (await stage.newCollection()).id)
      for (const who of [ada, stage.reader, limitedHere]) expect(await status(who, own, file)).toBe(200)
      for (const who of [anyone, stage.eve, limitedElsewhere]) expect(await status(who, own, file)).toBe(404)
      await stage.push(own, { opening: { schemas: { P: {} } }, puts: [photo('1', file, { private: true })] })
      for (const who of [anyone, stage.eve, limitedElsewhere]) expect(await status(who, own, file)).toBe(404)
      await stage.push(own, {
        base: 'v1.0.0',
        opening: { confirm_public: ['P/1'] },
        puts: [photo('1', file)],
      })
      for (const who of [anyone, stage.eve, limitedElsewhere]) expect(await status(who, own, file)).toBe(200)
      await stage.push(own, { base: 'v1.0.1', deletes: [{ type: 'P', id: '1' }] })
      expect((await anyone.get(`${own}/versions/latest/files`)).json).toEqual([])
      for (const who of [ada, anyone, stage.eve]) expect(await status(who, own, file)).toBe(200)
    })

    test('that another collection holds the bytes is never revealed: to put is 201, to get 404, to commit files_missing', async () => {
      const { path: other } = await stage.newCollection()
      expect(await status(ada, other, hash)).toBe(404)
      const absent = fileHash('held nowhere')
      const [held, nowhere] = [
        await ada.get(`${other}/files/${hash}`),
        await ada.get(`${other}/files/${absent}`),
      ]
      expect(held.text.replace(hash, absent)).toBe(nowhere.text)
      expect(
        (await ada.post(`${other}/pushes`, { base_version: null, files: [hash, absent] })).json.needed_files,
      ).toEqual([hash, absent].sort())
      const wrong = await ada.request('PUT', `${other}/files/${hash}`, { body: 'not read?' })
      expect(wrong.json.code).toBe('hash_mismatch')
      expect((await ada.upload(other, text, 'image/gif')).status).toBe(201)
      expect((await ada.get(`${other}/files/${hash}`)).headers['content-type']).toBe('image/gif')
      expect((await ada.get(`${path}/files/${hash}`)).headers['content-type']).toBe(
        'text/plain; charset=utf-8',
      )
    })

    test("a fork's readers read what its view has, and nothing else that the source holds", async () => {
      const { path: source } = await stage.newCollection()
      for (const one of ['open file', 'closed file', 'only uploaded'])
        await ada.upload(source, one, 'text/x-source')
      await stage.push(source, {
        opening: { schemas: { P: {} }, files: [fileHash('closed file')] },
        puts: [photo('1', fileHash('open file'))],
      })
      const zoe = await stage.server.signIn('zoe')
      const zoes = testClient(stage.server.url, { cookie: zoe.cookie })
      const org = `org-${database.name}`
      expect((await zoes.post('/accounts', { slug: org, displayName: 'Org' })).status).toBe(201)
      const forked = await zoes.post(`${source}/fork`, { targetOrg: org, slug: 'forked' })
      expect(forked.status).toBe(201)
      const fork = `/collections/${org}/forked`
      for (const who of [zoes, anyone]) {
        const { status: code, headers, text: got } = await who.get(`${fork}/files/${fileHash('open file')}`)
        expect([code, got, headers['content-type']]).toEqual([200, 'open file', 'text/x-source'])
        for (const one of ['closed file', 'only uploaded'])
          expect(await status(who, fork, fileHash(one))).toBe(404)
      }
      // The source is deleted; the fork keeps its content.
      const admin = await stage.keyOfAda('admin')
      expect((await admin.delete(source)).status).toBe(200)
      expect(await status(anyone, fork, fileHash('open file'))).toBe(200)
    })

    test('a collection that turns private takes its files along', async () => {
      const { path: turning } = await stage.newCollection()
      await ada.upload(turning, 'turning')
      await stage.push(turning, { opening: { schemas: { P: {} } }, puts: [photo('1', fileHash('turning'))] })
      expect(await status(anyone, turning, fileHash('turning'))).toBe(200)
      const patched = await ada.patch(turning, { public: false })
      expect(patched.status).toBe(200)
      expect(await status(anyone, turning, fileHash('turning'))).toBe(404)
      expect(await status(ada, turning, fileHash('turning'))).toBe(200)
    })

    test('a type made public in the push that takes its file away does not show the file', async () => {
      const { path: once } = await stage.newCollection()
      await ada.upload(once, 'was private')
      const file = fileHash('was private')
      await stage.push(once, { opening: { schemas: { P: { private: true } } }, puts: [photo('1', file)] })
      await stage.push(once, {
        base: 'v1.0.0',
        opening: { schemas: { P: {} }, confirm_public: ['P'] },
        deletes: [{ type: 'P', id: '1' }],
      })
      expect((await anyone.get(`${once}/versions/latest`)).json.fileCount).toBe(0)
      expect((await anyone.get(`${once}/versions/latest/files`)).json).toEqual([])
      expect(await status(anyone, once, file)).toBe(404)
    })
  })
})
