/** Versions over HTTP: http-api §1, §7, content-model §6, §7. */
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { acceptSchema } from '@ulmus/content'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, setStage } from '../../testing/stage.ts'
import { fileHash, type TestClient } from '../../testing/test-client.ts'

const city = {
  type: 'object',
  properties: { name: { type: 'string' }, mayor: { type: 'string', private: true }, photo: {} },
}
const hidden = { private: true, properties: { clue: { type: 'string' }, photo: {} } }
const note = { type: 'object' }

/** Private data, as texts that must not appear. */
const secrets = ['s3cret', 'mayor', 'Hidden', 'clue', 'private:']

describe.each(anyDatabase)('versions on $name', (database) => {
  let stage: Stage
  let ada: TestClient
  let anyone: TestClient
  /** A public collection with private parts: v1.0.0, v1.1.0 and v1.1.1. */
  let path: string
  const shownFile = fileHash('a photo that everyone may see')
  const hiddenFile = fileHash('a photo s3cret')

  beforeAll(async () => {
    stage = await setStage(database)
    ada = stage.ada
    anyone = stage.anyone
    path = (await stage.newCollection()).path
    await ada.upload(path, 'a photo that everyone may see', 'image/png')
    await ada.upload(path, 'a photo s3cret')
    await stage.push(path, {
      opening: {
        schemas: { City: city, Note: note, Hidden: hidden },
        metadata: { description: 'Cities', license: 'MIT' },
        ...{ message: 'first', app_id: 'app-1', actor_id: 'actor-1' },
      },
      puts: [
        { id: 'ulm', type: 'City', data: { name: 'Ulm', mayor: 's3cret', photo: { $file: shownFile } } },
        { id: 's3cret-city', type: 'City', data: { name: 'Shambhala' }, private: true },
        { id: 'n1', type: 'Note', data: { text: 'x' } },
        { id: 'h1', type: 'Hidden', data: { clue: 's3cret', photo: { $file: hiddenFile } } },
      ],
    })
    await stage.push(path, { base: 'v1.0.0', puts: [{ id: 'bonn', type: 'City', data: { name: 'Bonn' } }] })
    await stage.push(path, { base: 'v1.1.0', opening: { metadata: { license: 'CC0' } } })
  })
  afterAll(() => stage.end())

  describe('GET …/versions', () => {
    test('newest first: semver, hash, message, appId, actorId, recordCount, fileCount, totalBytes, createdAt', async () => {
      const { status, json } = await ada.get(`${path}/versions`)
      expect(status).toBe(200)
      expect(json.map((version: { semver: string }) => version.semver)).toEqual([
        'v1.1.1',
        'v1.1.0',
        'v1.0.0',
      ])
      expect(json[2]).toEqual({
        ...{ semver: 'v1.0.0', major: 1, minor: 0, patch: 0 },
        hash: expect.stringMatching(/^private:[0-9a-f]{64}$/),
        publicHash: expect.stringMatching(/^public:[0-9a-f]{64}$/),
        ...{ message: 'first', appId: 'app-1', actorId: 'actor-1' },
        actor: { slug: 'ada', displayName: 'ada' },
        ...{ recordCount: 4, fileCount: 2, totalBytes: expect.any(Number) },
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      })
      expect(json[0]).toMatchObject({ message: null, appId: null, actorId: null })
    })

    test('a `Link` header with `next` and `prev`, whose `next` uses a keyset cursor', async () => {
      const seen: string[] = []
      let next: string | undefined = `${path}/versions?limit=1`
      while (next !== undefined) {
        const page = await anyone.get(next)
        seen.push(...page.json.map((version: { semver: string }) => version.semver))
        next = /<\/api([^>]+cursor=[^>]+)>; rel="next"/.exec(String(page.headers.link))?.[1]
      }
      expect(seen).toEqual(['v1.1.1', 'v1.1.0', 'v1.0.0'])
      const second = await anyone.get(`${path}/versions?limit=1&offset=1`)
      expect(second.json[0].semver).toBe('v1.1.0')
      expect(second.headers.link).toMatch(/rel="prev"/)
    })

    test.each([
      'limit=0',
      'limit=x',
      'limit=-1',
      'limit=1.5',
      'limit=',
      'offset=-1',
      'cursor=abc',
      'unknown=1',
    ])('%s is 400 invalid_request', async (query) => {
      const { status, json } = await anyone.get(`${path}/versions?${query}`)
      expect([status, json.code]).toEqual([400, 'invalid_request'])
      expect(json.issues[0].path).toBe(query.split('=')[0])
    })

    test('more than 100 counts as 100', async () => {
      expect((await anyone.get(`${path}/versions?limit=99999999999`)).json).toHaveLength(3)
    })
  })

  describe('GET …/versions/:v', () => {
    test('the same with metadata, schemas, typeCounts, baseSemver', async () => {
      const [item] = (await ada.get(`${path}/versions`)).json
      const { json } = await ada.get(`${path}/versions/latest`)
      expect(json).toEqual({
        ...item,
        metadata: { description: 'Cities', license: 'CC0' },
        schemas: { City: city, Note: note, Hidden: hidden },
        typeCounts: { City: 3, Note: 1, Hidden: 1 },
        typeRoots: {
          City: expect.stringMatching(/^[0-9a-f]{64}$/),
          Note: expect.any(String),
          Hidden: expect.any(String),
        },
        baseSemver: 'v1.1.0',
      })
      expect((await ada.get(`${path}/versions/v1.0.0`)).json).toMatchObject({ baseSemver: null })
    })

    test('`:v` is `latest`, `v1.2.3`, `1.2.3`, or a digest', async () => {
      const { json: latest } = await ada.get(`${path}/versions/latest`)
      const { json: shown } = await anyone.get(`${path}/versions/latest`)
      for (const v of ['v1.1.1', '1.1.1', latest.hash, encodeURIComponent(latest.hash)]) {
        expect((await ada.get(`${path}/versions/${v}`)).json).toEqual(latest)
      }
      for (const v of ['v1.1.1', '1.1.1', shown.hash]) {
        expect((await anyone.get(`${path}/versions/${v}`)).json).toEqual(shown)
      }
    })

    test('members are shown the private digest, others the public one, whichever they named the version by', async () => {
      const { json: full } = await ada.get(`${path}/versions/latest`)
      const { json: shown } = await anyone.get(`${path}/versions/latest`)
      expect(shown.hash).toMatch(/^public:[0-9a-f]{64}$/)
      expect(shown.hash.slice(7)).not.toBe(full.hash.slice(8))
      expect((await ada.get(`${path}/versions/${shown.hash}`)).json.hash).toBe(full.hash)
    })

    test('the private digest of a version is no name of it to others', async () => {
      const { hash } = (await ada.get(`${path}/versions/latest`)).json
      const refused = await anyone.get(`${path}/versions/${hash}`)
      const absent = await anyone.get(`${path}/versions/private:${'0'.repeat(64)}`)
      expect([refused.status, refused.json.code]).toEqual([404, 'version_not_found'])
      expect(absent.text).toBe(refused.text.replace(hash, `private:${'0'.repeat(64)}`))
      const digest = hash.slice('private:'.length)
      expect((await anyone.get(`${path}/versions/public:${digest}`)).status).toBe(404)
      expect((await ada.get(`${path}/versions/public:${digest}`)).status).toBe(404)
    })

    test('of several versions with one digest, the newest', async () => {
      const { path: twice } = await stage.newCollection()
      const put = (n: number) => [{ id: '1', type: 'Note', data: { n } }]
      const { hash } = await stage.push(twice, { opening: { schemas: { Note: note } }, puts: put(1) })
      await stage.push(twice, { base: 'v1.0.0', puts: put(2) })
      expect(await stage.push(twice, { base: 'v1.1.0', puts: put(1) })).toMatchObject({
        hash,
        semver: 'v1.2.0',
      })
      expect((await ada.get(`${twice}/versions/${hash}`)).json.semver).toBe('v1.2.0')
      expect((await anyone.get(`${twice}/versions/${hash.replace('private', 'public')}`)).json.semver).toBe(
        'v1.2.0',
      )
    })

    test("a digest of another collection's version is no name of one here", async () => {
      const { path: other } = await stage.newCollection()
      await stage.push(other, {
        opening: { schemas: { Note: note } },
        puts: [{ id: 'o', type: 'Note', data: {} }],
      })
      const { hash } = (await ada.get(`${other}/versions/latest`)).json
      expect((await ada.get(`${path}/versions/${hash}`)).status).toBe(404)
    })

    test.each([
      'v9.9.9',
      'v1',
      'V1.0.0',
      'v01.0.0',
      'v1.0.0-rc',
      'v99999999999.0.0',
      'newest',
      '%00',
      'v1.0.0%00',
      '__proto__',
      'x'.repeat(5000),
    ])('no version `%s`: 404 version_not_found', async (v) => {
      const { status, json } = await ada.get(`${path}/versions/${v}`)
      expect([status, json.code, json.statusCode]).toEqual([404, 'version_not_found', 404])
    })

    test('a collection without versions has no latest one', async () => {
      const { path: empty } = await stage.newCollection()
      expect((await ada.get(`${empty}/versions`)).json).toEqual([])
      for (const rest of [
        'latest',
        'latest/records',
        'latest/records.ndjson',
        'latest/records/A/1',
        'latest/files',
      ]) {
        expect((await ada.get(`${empty}/versions/${rest}`)).json.code).toBe('version_not_found')
      }
    })
  })

  describe('views', () => {
    test('the public schema lacks private fields; private types are absent; counts, bytes and digests are those of the view', async () => {
      const { json } = await anyone.get(`${path}/versions/v1.0.0`)
      const { mayor: _mayor, ...shown } = city.properties
      expect(json.schemas).toEqual({ City: { ...city, properties: shown }, Note: note })
      expect(() => acceptSchema(json.schemas.City)).not.toThrow()
      expect(json).toMatchObject({ typeCounts: { City: 1, Note: 1 }, recordCount: 2, fileCount: 1 })
      const full = (await ada.get(`${path}/versions/v1.0.0`)).json
      expect(json.totalBytes).toBeLessThan(full.totalBytes)
    })

    test('a non-member sees no byte of private records, fields, types, files or digests, in any endpoint', async () => {
      const elsewhere = await stage.newCollection()
      const limited = await stage.keyOfAda('admin', elsewhere.id)
      const rests = [
        '',
        '/versions',
        '/versions/:v',
        '/versions/:v/files',
        '/versions/:v/records',
        '/versions/:v/records.ndjson',
      ]
        .concat(
          '/versions/:v/records?type=City',
          '/versions/:v/records?id=ulm',
          '/versions/:v/records/City/ulm?proof=true',
        )
        .concat('/versions/:v/records/Note/n1?proof=true')
      for (const who of [anyone, stage.eve, limited]) {
        for (const v of ['latest', 'v1.0.0', 'v1.1.0', '1.1.1']) {
          for (const rest of rests) {
            const { status, text, headers } = await who.get(`${path}${rest.replace(':v', v)}`)
            expect(status).toBe(200)
            for (const secret of [...secrets, hiddenFile.slice(7)]) {
              expect(`${text}${JSON.stringify(headers)}`).not.toContain(secret)
            }
          }
          expect((await who.get(`${path}/versions/${v}/records.ndjson`)).headers['x-record-count']).toMatch(
            /^[23]$/,
          )
          expect((await who.get(`${path}/versions/${v}/records?limit=1`)).json.pagination.total).toBe(
            v === 'v1.0.0' ? 2 : 3,
          )
        }
      }
    })

    test('what a non-member may not see is answered exactly as what does not exist', async () => {
      const asked = [
        [
          '/versions/v1.0.0/records/City/s3cret-city',
          '/versions/v1.0.0/records/City/absent-cityy',
          'record_not_found',
        ],
        ['/versions/v1.0.0/records/Hidden/h1', '/versions/v1.0.0/records/Absent/h1', 'record_not_found'],
        [`/files/${hiddenFile}`, `/files/sha256:${'0'.repeat(64)}`, 'file_not_found'],
      ] as const
      for (const who of [anyone, stage.eve]) {
        for (const [there, absent, code] of asked) {
          const [a, b] = [await who.get(path + there), await who.get(path + absent)]
          expect([a.status, a.json.code]).toEqual([404, code])
          const names = (url: string) => decodeURIComponent(url).split('/').slice(-2)
          let text = a.text
          for (const [index, name] of names(there).entries())
            text = text.replaceAll(name, names(absent)[index]!)
          expect(text).toBe(b.text)
          expect(Object.keys(a.headers)).toEqual(Object.keys(b.headers))
        }
        for (const query of ['id=h1', 'id=s3cret-city']) {
          const { status, json } = await who.get(`${path}/versions/latest/records?${query}`)
          expect([status, json.records, json.pagination.total]).toEqual([200, [], 0])
        }
        for (const rest of ['records?type=', 'records?id=h1&type=', 'records.ndjson?type=']) {
          const [a, b] = [
            await who.get(`${path}/versions/latest/${rest}Hidden`),
            await who.get(`${path}/versions/latest/${rest}Absent`),
          ]
          expect([a.status, a.json.code]).toEqual([404, 'type_not_found'])
          expect(a.text.replaceAll('Hidden', 'Absent')).toBe(b.text)
        }
      }
    })

    test('a private collection is 404 to outsiders, to anyone, and to a key limited to another; members and a key limited to it read it', async () => {
      const { path: closed, id } = await stage.newCollection({ public: false })
      const { path: other, id: otherId } = await stage.newCollection({ public: false })
      await ada.upload(closed, 'inside')
      await stage.push(closed, {
        opening: { schemas: { Note: note } },
        puts: [{ id: '1', type: 'Note', data: {} }],
      })
      const rests = [
        '/versions',
        '/versions/latest',
        '/versions/latest/files',
        '/versions/latest/records',
      ].concat(
        '/versions/latest/records/Note/1',
        '/versions/latest/records.ndjson',
        `/files/${fileHash('inside')}`,
      )
      const elsewhere = await stage.keyOfAda('admin', otherId)
      const here = await stage.keyOfAda('read', id)
      for (const rest of rests) {
        for (const who of [anyone, stage.eve, elsewhere]) {
          const refused = await who.get(closed + rest)
          const absent = await who.get(`${closed}-absent${rest}`)
          expect([refused.status, refused.json.code]).toEqual([404, 'collection_not_found'])
          expect(refused.text).toBe(absent.text.replace('-absent', ''))
          expect(Object.keys(refused.headers)).toEqual(Object.keys(absent.headers))
        }
        for (const who of [ada, stage.reader, here]) expect((await who.get(closed + rest)).status).toBe(200)
        expect((await here.get(other + rest)).status).toBe(404)
      }
    })

    test('a limited key reads the full view of its own collection and, beyond it, what anyone may', async () => {
      const { path: own, id } = await stage.newCollection()
      await stage.push(own, {
        opening: { schemas: { Note: note } },
        puts: [{ id: '1', type: 'Note', data: {}, private: true }],
      })
      const limited = await stage.keyOfAda('read', id)
      expect((await limited.get(`${own}/versions/latest`)).json.hash).toMatch(/^private:/)
      expect((await limited.get(`${path}/versions/latest`)).json.hash).toMatch(/^public:/)
    })
  })

  describe('GET …/versions/:v/files', () => {
    test('[{hash, size, contentType, createdAt, references: [{type, id}]}]', async () => {
      const { json } = await ada.get(`${path}/versions/latest/files`)
      const item = (hash: string, type: string, id: string, contentType: string, size: number) => ({
        ...{ hash, size, contentType, createdAt: expect.stringMatching(/Z$/) },
        references: [{ type, id }],
      })
      const both = [
        item(shownFile, 'City', 'ulm', 'image/png', 29),
        item(hiddenFile, 'Hidden', 'h1', 'text/plain', 14),
      ]
      expect(json).toEqual(both.sort((a, b) => (a.hash < b.hash ? -1 : 1)))
      expect((await anyone.get(`${path}/versions/latest/files`)).json).toEqual([
        both.find(({ hash }) => hash === shownFile),
      ])
    })

    test('the full view also holds files declared in a push and not referenced', async () => {
      const { path: declaring } = await stage.newCollection()
      await ada.upload(declaring, 'declared')
      await stage.push(declaring, { opening: { schemas: { Note: note }, files: [fileHash('declared')] } })
      const [only] = (await ada.get(`${declaring}/versions/latest/files`)).json
      expect(only).toMatchObject({ hash: fileHash('declared'), references: [] })
      expect((await anyone.get(`${declaring}/versions/latest/files`)).json).toEqual([])
      expect((await anyone.get(`${declaring}/files/${fileHash('declared')}`)).status).toBe(404)
    })
  })

  describe('caching', () => {
    const everyGet = () => [
      `${path}/versions`,
      `${path}/versions/latest`,
      `${path}/versions/v1.0.0`,
      `${path}/versions/v1.0.0/files`,
      `${path}/versions/v1.0.0/records`,
      `${path}/versions/v1.0.0/records/City/ulm`,
      `${path}/versions/v1.0.0/records.ndjson`,
      `${path}/files/${shownFile}`,
    ]

    test('strong `ETag` and `If-None-Match` → 304 on every GET; Vary: Authorization, Cookie', async () => {
      for (const url of everyGet()) {
        for (const who of [anyone, ada]) {
          const first = await who.get(url)
          expect(first.headers.etag).toMatch(/^"[0-9a-f]{32}"$/)
          expect(first.headers.vary).toMatch(/^Authorization, Cookie\b/i)
          expect((await who.get(url)).headers.etag).toBe(first.headers.etag)
          for (const tag of [first.headers.etag!, `"other", W/${first.headers.etag}`, '*']) {
            const again = await who.get(url, { 'if-none-match': tag })
            expect([again.status, again.text, again.headers.etag]).toEqual([304, '', first.headers.etag])
            expect(again.headers['cache-control']).toBe(first.headers['cache-control'])
            expect(again.headers.vary).toBe(first.headers.vary)
          }
          expect((await who.get(url, { 'if-none-match': '"other"' })).status).toBe(200)
        }
      }
    })

    test('a URL that names a version or a hash, read without credentials: public, max-age=300', async () => {
      const { hash } = (await anyone.get(`${path}/versions/v1.0.0`)).json
      for (const url of [...everyGet().slice(2), `${path}/versions/1.0.0`, `${path}/versions/${hash}`]) {
        expect((await anyone.get(url)).headers['cache-control']).toBe('public, max-age=300')
      }
      for (const url of everyGet().slice(0, 2))
        expect((await anyone.get(url)).headers['cache-control']).toBe('no-cache')
      expect((await anyone.get(`${path}/versions/v9.9.9`)).headers['cache-control']).toBe('no-cache')
    })

    test('every answer to a credential: private, no-cache; the two have different ETags', async () => {
      for (const url of everyGet()) {
        const shown = await anyone.get(url)
        for (const who of [ada, stage.eve]) {
          const answer = await who.get(url)
          expect(answer.headers['cache-control']).toBe('private, no-cache')
          expect(answer.headers.etag).not.toBe(shown.headers.etag)
        }
      }
      expect((await ada.get(`${path}/versions/v9.9.9`)).headers['cache-control']).toBe('private, no-cache')
    })

    test('no tag of one version, record, query or view stands for another', async () => {
      const urls = everyGet().concat(
        ...[
          'records?limit=1',
          'records?type=City',
          'records/Note/n1',
          'records/City/ulm?proof=true',
          'records.ndjson?type=City',
        ].map((rest) => `${path}/versions/v1.0.0/${rest}`),
        `${path}/versions/v1.1.0/records.ndjson`,
      )
      const tags = new Map<string, string>()
      for (const url of urls) {
        for (const who of [anyone, ada]) {
          const { headers, text } = await who.get(url)
          const same = tags.get(headers.etag!)
          if (same !== undefined) expect(text).toBe(same)
          tags.set(headers.etag!, text)
        }
      }
    })
  })

  describe('compression', () => {
    test('zstd, br, gzip: the same bytes, a tag of its own for each, and 304 to it', async () => {
      const { path: long } = await stage.newCollection()
      const puts = Array.from({ length: 60 }, (_, n) => ({
        id: `id-${n}`,
        type: 'Note',
        data: { text: 'long '.repeat(20) },
      }))
      await stage.push(long, { opening: { schemas: { Note: note } }, puts })
      const unpack = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync }
      for (const rest of ['records', 'records.ndjson']) {
        const url = `${long}/versions/v1.0.0/${rest}`
        const plain = await anyone.get(url)
        const tags = new Set([plain.headers.etag])
        for (const [encoding, decompress] of Object.entries(unpack)) {
          const packed = await anyone.get(url, { 'accept-encoding': encoding })
          expect(packed.headers['content-encoding']).toBe(encoding)
          expect(packed.headers.vary).toMatch(/accept-encoding/i)
          expect(decompress(packed.bytes).toString('utf8')).toBe(plain.text)
          tags.add(packed.headers.etag)
          const again = await anyone.get(url, {
            'accept-encoding': encoding,
            'if-none-match': packed.headers.etag!,
          })
          expect([again.status, again.bytes.length]).toEqual([304, 0])
        }
        expect(tags.size).toBe(4)
        expect(
          (await anyone.get(url, { 'accept-encoding': 'gzip, br, zstd' })).headers['content-encoding'],
        ).toBe('zstd')
      }
    })
  })

  describe('requests that are none', () => {
    test.each(['POST', 'PUT', 'PATCH', 'DELETE'])('%s is 405 with `Allow`', async (method) => {
      for (const rest of [
        'versions',
        'versions/latest',
        'versions/latest/records',
        'versions/latest/records.ndjson',
      ]) {
        const { status, json, headers } = await ada.request(method, `${path}/${rest}`)
        expect([status, json.code]).toEqual([405, 'method_not_allowed'])
        expect(headers.allow).toBe('GET, HEAD')
      }
    })

    test('HEAD answers what GET does, without the body', async () => {
      for (const rest of [
        'versions',
        'versions/v1.0.0',
        'versions/v1.0.0/records',
        'versions/v1.0.0/records.ndjson',
      ]) {
        const get = await anyone.get(`${path}/${rest}`)
        const head = await anyone.request('HEAD', `${path}/${rest}`)
        expect([head.status, head.text, head.headers.etag]).toEqual([200, '', get.headers.etag])
      }
    })

    test.each([
      '/collections/a%00da/c',
      '/collections/ada/c%00',
      '/collections/%00/%00',
      '/collections/__proto__/constructor',
      `/collections/${'x'.repeat(6000)}/c`,
    ])('%s/versions: 404 collection_not_found', async (collection) => {
      const { status, json } = await anyone.get(`${collection}/versions`)
      expect([status, json.code]).toEqual([404, 'collection_not_found'])
    })

    test.each(['%zz', '%', '%ff', '%ED%A0%80', '%c3%28'])(
      '%s in the path is 400 invalid_request',
      async (part) => {
        const { status, json } = await anyone.get(`${path}/versions/${part}`)
        expect([status, json.code]).toEqual([400, 'invalid_request'])
      },
    )

    test('a bad key is 401, on public endpoints too', async () => {
      const { status, json, headers } = await anyone.get(`${path}/versions`, {
        authorization: 'Bearer ul_nonsense',
      })
      expect([status, json.code, headers['www-authenticate']]).toEqual([401, 'unauthenticated', 'Bearer'])
    })

    test('a path and headers over 16 KiB, and what is no HTTP, are refused in the one shape of errors', async () => {
      const { status, json } = await anyone.get(`${path}/versions?cursor=${'x'.repeat(20_000)}`)
      expect([status, json.code, json.statusCode]).toEqual([400, 'invalid_request', 400])
      expect(json.error).toMatch(/16 KiB/)
    })
  })
})
