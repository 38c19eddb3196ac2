/** Manifests, differences, histories and exports over HTTP: http-api §1, §7, content-model §6. */

import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { canonicalize, recordOf } from '@ulmus/content'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addOrg } from '../../testing/serve.ts'
import { pushVersion, type Stage, setStage } from '../../testing/stage.ts'
import { fileHash, type TestClient } from '../../testing/test-client.ts'

const city = { properties: { name: {}, mayor: { private: true }, photo: {} } }
const hidden = { private: true, properties: { clue: {}, photo: {} } }

/** Private data, as texts that must not appear. */
const secrets = ['s3cret', 'mayor', 'Hidden', 'clue', 'private']

const cursorOf = (type: string, id: string) => Buffer.from(canonicalize([type, id])).toString('base64url')
const hashOf = (id: string, type: string, data: object) => recordOf(id, type, data as never).hash

describe.each(anyDatabase)('reads of whole versions on $name', (database) => {
  let stage: Stage
  let ada: TestClient
  let anyone: TestClient
  let eve: TestClient
  /** A public collection with private parts: v1.0.0, v1.1.0 and v1.1.1. */
  let path: string
  const shownFile = fileHash('a photo that everyone may see')
  const hiddenFile = fileHash('a photo s3cret')
  const ulm = { name: 'Ulm', photo: { $file: shownFile } }
  const ulmOfMembers = { ...ulm, mayor: 's3cret' }

  beforeAll(async () => {
    stage = await setStage(database)
    ;({ ada, anyone, eve } = stage)
    path = (await stage.newCollection()).path
    await ada.upload(path, 'a photo that everyone may see', 'image/png')
    await ada.upload(path, 'a photo s3cret')
    await stage.push(path, {
      opening: { schemas: { City: city, Hidden: hidden } },
      puts: [
        { id: 'bonn', type: 'City', data: { name: 'Bonn' } },
        { id: 's3cret-city', type: 'City', data: { name: 'Shambhala' }, private: true },
        { id: 'h1', type: 'Hidden', data: { clue: 's3cret', photo: { $file: hiddenFile } } },
      ],
    })
    await stage.push(path, {
      base: 'v1.0.0',
      puts: [
        { id: 'bonn', type: 'City', data: { name: 'Bonn am Rhein' } },
        { id: 'ulm', type: 'City', data: ulmOfMembers },
        { id: 'h1', type: 'Hidden', data: { clue: 's3cret too' } },
      ],
      deletes: [{ id: 's3cret-city', type: 'City' }],
    })
    await stage.push(path, { base: 'v1.1.0', opening: { metadata: { license: 'CC0' } } })
  })
  afterAll(() => stage.end())

  describe('GET …/versions/:v/manifest', () => {
    test('`{semver, hash, schemas: {type: hash}, records: [{id, type, hash, private?}], files, pagination}`', async () => {
      const { status, json } = await ada.get(`${path}/versions/v1.0.0/manifest`)
      expect(status).toBe(200)
      expect(json).toEqual({
        semver: 'v1.0.0',
        hash: expect.stringMatching(/^private:[0-9a-f]{64}$/),
        schemas: { City: expect.stringMatching(/^[0-9a-f]{64}$/), Hidden: expect.any(String) },
        records: [
          { id: 'bonn', type: 'City', hash: hashOf('bonn', 'City', { name: 'Bonn' }) },
          {
            id: 's3cret-city',
            type: 'City',
            hash: hashOf('s3cret-city', 'City', { name: 'Shambhala' }),
            private: true,
          },
          { id: 'h1', type: 'Hidden', hash: expect.any(String) },
        ],
        files: [hiddenFile],
        pagination: { limit: 1_000, hasMore: false, nextCursor: null },
      })
    })

    test('with `since`, `delta: {added, updated, removed}` instead of `records`', async () => {
      const { json } = await ada.get(`${path}/versions/latest/manifest?since=v1.0.0`)
      expect(json.records).toBeUndefined()
      expect(json.delta).toEqual({
        added: [{ id: 'ulm', type: 'City', hash: hashOf('ulm', 'City', ulmOfMembers) }],
        updated: [
          { id: 'bonn', type: 'City', hash: hashOf('bonn', 'City', { name: 'Bonn am Rhein' }) },
          { id: 'h1', type: 'Hidden', hash: hashOf('h1', 'Hidden', { clue: 's3cret too' }) },
        ],
        removed: [
          { id: 's3cret-city', type: 'City', hash: hashOf('s3cret-city', 'City', { name: 'Shambhala' }) },
        ],
      })
      expect(json.files).toEqual([shownFile])
    })

    test('a client can make a cursor from the last record it has; files come with the first page', async () => {
      const first = await ada.get(`${path}/versions/v1.0.0/manifest?limit=1`)
      expect(first.json.pagination).toEqual({ limit: 1, hasMore: true, nextCursor: cursorOf('City', 'bonn') })
      const rest = await ada.get(`${path}/versions/v1.0.0/manifest?cursor=${cursorOf('City', 'c')}`)
      expect(rest.json.records.map((entry: { id: string }) => entry.id)).toEqual(['s3cret-city', 'h1'])
      expect(rest.json.files).toBeUndefined()
    })

    test('at most 10,000 a page', async () => {
      const { json } = await ada.get(`${path}/versions/latest/manifest?limit=10001`)
      expect(json.pagination.limit).toBe(10_000)
    })
  })

  describe('GET …/versions/:v/diff', () => {
    test('added, updated with previousHash and previousData, removed, pagination, meta', async () => {
      const { status, json } = await ada.get(`${path}/versions/v1.1.1/diff?from=v1.0.0`)
      expect(status).toBe(200)
      const hashes = {
        before: hashOf('bonn', 'City', { name: 'Bonn' }),
        after: hashOf('bonn', 'City', { name: 'Bonn am Rhein' }),
      }
      expect(json).toEqual({
        from: 'v1.0.0',
        to: 'v1.1.1',
        added: [{ id: 'ulm', type: 'City', hash: hashOf('ulm', 'City', ulmOfMembers), data: ulmOfMembers }],
        updated: [
          {
            ...{ id: 'bonn', type: 'City', hash: hashes.after, data: { name: 'Bonn am Rhein' } },
            ...{ previousHash: hashes.before, previousData: { name: 'Bonn' } },
          },
          expect.objectContaining({
            id: 'h1',
            previousData: { clue: 's3cret', photo: { $file: hiddenFile } },
          }),
        ],
        removed: [{ id: 's3cret-city', type: 'City', hash: expect.any(String) }],
        pagination: { limit: 500, hasMore: false, nextCursor: null },
        meta: {
          totals: { added: 1, updated: 2, removed: 1 },
          schemasChanged: false,
          metadataChanged: true,
          filesAdded: [shownFile],
          filesRemoved: [hiddenFile],
          ...{ schemaChanges: [], level: 'minor' },
          reason: 'Records or files differ; types and schemas do not.',
        },
      })
    })

    test('limit 500, at most 2,000, over the three together', async () => {
      const first = await ada.get(`${path}/versions/v1.1.0/diff?from=v1.0.0&limit=3`)
      const { added, updated, removed, pagination, meta } = first.json
      expect(meta.totals).toEqual({ added: 1, updated: 2, removed: 1 })
      expect(added.length + updated.length + removed.length).toBe(3)
      expect(pagination).toEqual({ limit: 3, hasMore: true, nextCursor: cursorOf('City', 'ulm') })
      const second = await ada.get(`${path}/versions/v1.1.0/diff?from=v1.0.0&cursor=${pagination.nextCursor}`)
      expect(second.json.updated.map((entry: { id: string }) => entry.id)).toEqual(['h1'])
      expect(second.json.meta).toEqual({ schemasChanged: false, metadataChanged: false })
      const capped = await ada.get(`${path}/versions/v1.1.0/diff?from=v1.0.0&limit=9999`)
      expect(capped.json.pagination.limit).toBe(2_000)
    })

    test('a filter by type or kind of change keeps the totals', async () => {
      const idsOf = async (query: string) => {
        const ids: string[] = []
        for (let cursor: string | null = ''; cursor !== null; ) {
          const rest: string = cursor === '' ? '' : `&cursor=${cursor}`
          const { status, json } = await ada.get(
            `${path}/versions/v1.1.1/diff?from=v1.0.0&limit=1${query}${rest}`,
          )
          expect(status).toBe(200)
          ids.push(...[...json.added, ...json.updated, ...json.removed].map(({ id }: { id: string }) => id))
          if (cursor === '') expect(json.meta.totals).toEqual({ added: 1, updated: 2, removed: 1 })
          cursor = json.pagination.nextCursor
        }
        return ids
      }
      expect(await idsOf('')).toEqual(['bonn', 's3cret-city', 'ulm', 'h1'])
      expect(await idsOf('&type=City')).toEqual(['bonn', 's3cret-city', 'ulm'])
      expect(await idsOf('&change=updated')).toEqual(['bonn', 'h1'])
      expect(await idsOf('&type=City&change=updated')).toEqual(['bonn'])
      expect(await idsOf('&change=removed')).toEqual(['s3cret-city'])
      expect(await idsOf('&type=Nothing')).toEqual([])
      expect((await ada.get(`${path}/versions/v1.1.1/diff?from=v1.0.0&change=moved`)).status).toBe(400)
    })

    test('`from` is the version before unless it is given, and may be the newer version', async () => {
      const [own, given] = await Promise.all(
        ['', '?from=v1.0.0'].map((query) => ada.get(`${path}/versions/v1.1.0/diff${query}`)),
      )
      expect(own!.json).toEqual(given!.json)
      const back = await ada.get(`${path}/versions/v1.0.0/diff?from=latest`)
      expect(back.json.meta.totals).toEqual({ added: 1, updated: 2, removed: 1 })
      expect(back.json.removed.map((entry: { id: string }) => entry.id)).toEqual(['ulm'])
      expect((await ada.get(`${path}/versions/v1.0.0/diff?from=v7.0.0`)).json.code).toBe('version_not_found')
    })

    test('counts and digests are those of the view the caller reads: an outsider sees the public difference', async () => {
      const { json } = await anyone.get(`${path}/versions/v1.1.1/diff?from=v1.0.0`)
      expect(json.added).toEqual([{ id: 'ulm', type: 'City', hash: hashOf('ulm', 'City', ulm), data: ulm }])
      expect(json.updated.map((entry: { id: string }) => entry.id)).toEqual(['bonn'])
      expect(json.removed).toEqual([])
      expect(json.meta).toMatchObject({
        totals: { added: 1, updated: 1, removed: 0 },
        ...{ filesAdded: [shownFile], filesRemoved: [] },
      })
    })
  })

  describe('GET …/versions/:v/diff of schemas and of other collections', () => {
    const before = {
      Bird: {
        properties: { wings: { type: 'integer' }, song: { type: 'string' }, nest: {} },
        required: ['song'],
      },
      Egg: {},
      Ring: { private: true, properties: { number: {} } },
    }
    const after = {
      Bird: {
        properties: { wings: { type: 'number' }, song: { type: 'string', private: true }, size: {} },
        required: ['wings'],
      },
      Ring: { private: true, properties: { number: {}, place: {} } },
      Nest: {},
    }
    let from: string
    let fork: string

    beforeAll(async () => {
      from = (await stage.newCollection()).path
      const puts = [
        { id: '1', type: 'Bird', data: { song: 's3cret', wings: 2 } },
        { id: '2', type: 'Bird', data: { song: 'tweet', wings: 2 } },
      ]
      await stage.push(from, { opening: { schemas: before }, puts })
      await addOrg(stage.server, await stage.server.signIn('ada'), 'forkers')
      const made = await ada.post(`${from}/fork`, {
        targetOrg: 'forkers',
        slug: `fork-${from.split('/').at(-1)}`,
      })
      expect([made.status, made.text]).toEqual([201, made.text])
      fork = `/collections/forkers/fork-${from.split('/').at(-1)}`
      await ada.patch(fork, { public: true })
      await stage.push(fork, {
        base: 'v1.0.0',
        opening: { schemas: { ...after, Egg: null } },
        puts: [{ ...puts[0], data: { song: 's3cret', wings: 3 } }],
      })
    })
    const name = (path: string) => path.replace('/collections/', '')

    test('changes of schemas are described in words, for strangers without private parts', async () => {
      const mine = (await ada.get(`${fork}/versions/latest/diff?from=v1.0.0`)).json.meta
      expect([mine.level, mine.reason]).toEqual(['major', 'The types or their schemas differ.'])
      expect(mine.schemaChanges).toEqual([
        {
          type: 'Bird',
          changes: [
            '`nest` was removed',
            '`size` is new: any',
            '`song` is required no more, became private',
            '`wings` became number, was integer, became required',
          ],
        },
        { type: 'Egg', changes: ['was removed, with its records'] },
        { type: 'Nest', changes: ['is new'] },
        { type: 'Ring', changes: ['`place` is new: any'] },
      ])
      const theirs = await anyone.get(`${fork}/versions/latest/diff?from=v1.0.0`)
      expect(theirs.json.meta.schemaChanges.map(({ type }: { type: string }) => type)).toEqual([
        'Bird',
        'Egg',
        'Nest',
      ])
      expect(theirs.text).not.toContain('place')
      const same = await ada.get(`${fork}/versions/latest/diff?from=latest`)
      expect(same.json.meta).toMatchObject({ level: 'none', schemaChanges: [] })
    })

    test('a reader of both can compare a fork with its source', async () => {
      const within = (await ada.get(`${fork}/versions/latest/diff?from=v1.0.0`)).json
      const across = (await ada.get(`${fork}/versions/latest/diff?from=${name(from)}@v1.0.0`)).json
      expect(across).toEqual({ ...within, from: `${name(from)}@v1.0.0` })
      const back = (await ada.get(`${from}/versions/v1.0.0/diff?from=${name(fork)}@latest`)).json
      expect([back.from, back.meta.totals]).toEqual([
        `${name(fork)}@v2.0.0`,
        { added: 0, updated: 1, removed: 0 },
      ])
      for (const wrong of [`${name(from)}@v7.0.0`, `ada/nothing@v1.0.0`])
        expect((await ada.get(`${fork}/versions/latest/diff?from=${wrong}`)).status).toBe(404)
    })

    test('of a collection that the caller sees as a stranger, nothing private is a difference', async () => {
      const path = (await stage.newCollection()).path
      await stage.push(path, { opening: { schemas: before } })
      const own = await eve.post('/accounts/eve/collections', { slug: 'own-birds' })
      expect(own.status).toBe(201)
      await pushVersion(eve, '/collections/eve/own-birds', { opening: { schemas: before } })
      const { status, json: page } = await eve.get(
        `/collections/eve/own-birds/versions/latest/diff?from=${name(path)}@v1.0.0`,
      )
      expect([status, page.meta.level, page.meta.schemaChanges]).toEqual([200, 'none', []])
    })

    test('a hidden collection reveals nothing', async () => {
      const { path: hidden } = await stage.newCollection({ public: false })
      await stage.push(hidden, { opening: { schemas: before } })
      const asked = (other: string) => anyone.get(`${fork}/versions/latest/diff?from=${other}@v1.0.0`)
      const [here, none] = [await asked(name(hidden)), await asked(`${name(hidden)}z`)]
      expect([here.status, here.text.replaceAll(name(hidden), '')]).toEqual([
        404,
        none.text.replaceAll(`${name(hidden)}z`, ''),
      ])
    })

    test('a former name of the other one is followed', async () => {
      const { path } = await stage.newCollection()
      await stage.push(path, { opening: { schemas: before } })
      await ada.patch(path, { slug: 'birds-renamed' })
      const { json: page } = await ada.get(`${fork}/versions/latest/diff?from=${name(path)}@v1.0.0`)
      expect(page.from).toBe('ada/birds-renamed@v1.0.0')
    })
  })

  describe('GET …/records/:type/:id/history', () => {
    test('newest first `[{semver, change, hash, createdAt}]`: the versions in which this record changed', async () => {
      const { status, json } = await ada.get(`${path}/records/City/s3cret-city/history`)
      expect(status).toBe(200)
      const was = hashOf('s3cret-city', 'City', { name: 'Shambhala' })
      const createdAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(json).toEqual([
        { semver: 'v1.1.0', change: 'removed', hash: was, createdAt },
        { semver: 'v1.0.0', change: 'added', hash: was, createdAt },
      ])
    })

    test('a `Link` header with `next`, as other lists have it', async () => {
      const first = await anyone.get(`${path}/records/City/bonn/history?limit=1`)
      expect(first.json).toMatchObject([{ semver: 'v1.1.0', change: 'updated' }])
      const next = /<\/api([^>]+cursor=[^>]+)>; rel="next"/.exec(String(first.headers.link))![1]!
      expect((await anyone.get(next)).json).toMatchObject([{ semver: 'v1.0.0', change: 'added' }])
    })

    test('absent and hidden records get the same answer', async () => {
      const asked = ['Hidden/h1', 'Nothing/h1', 'City/s3cret-city', 'City/nothing', 'City/', '/h1', '/']
      for (const record of asked) {
        const { status, json } = await eve.get(`${path}/records/${record}/history`)
        const [type, id] = record.split('/')
        expect([status, json.error]).toEqual([
          404,
          `The version has no record \`${id}\` of type \`${type}\`.`,
        ])
      }
    })
  })

  test.each(['City/', '/h1', '/', `City/${'y'.repeat(1_025)}`])(
    'what no record can be called has no history, on any page: %s',
    async (record) => {
      const first = await anyone.get(`${path}/records/City/bonn/history?limit=1`)
      const cursor = /cursor=([^>&]+)/.exec(String(first.headers.link))![1]!
      for (const query of ['', '?offset=1', `?cursor=${cursor}`]) {
        const { status, json } = await anyone.get(`${path}/records/${record}/history${query}`)
        expect([status, json.code]).toEqual([404, 'record_not_found'])
      }
    },
  )

  describe('GET …/export', () => {
    test('`.tar.gz`, streamed, the same bytes every time, by default of the latest version', async () => {
      const first = await anyone.get(`${path}/export?version=v1.1.1`)
      expect(first.status).toBe(200)
      expect(first.headers['content-type']).toBe('application/gzip')
      expect(first.headers['content-disposition']).toMatch(
        /^attachment; filename="ada-collection-\d+-v1\.1\.1\.tar\.gz"$/,
      )
      expect(first.headers['content-encoding']).toBeUndefined()
      expect(gunzipSync(first.bytes).length % 512).toBe(0)
      expect((await anyone.get(`${path}/export`)).bytes.equals(first.bytes)).toBe(true)
      expect((await ada.get(`${path}/export`)).bytes.equals(first.bytes)).toBe(false)
    })

    test('strong `ETag` and `If-None-Match` → 304; HEAD has the same headers and no body', async () => {
      const { etag } = (await anyone.get(`${path}/export`)).headers
      expect(etag).toMatch(/^"[0-9a-f]+"$/)
      const again = await anyone.get(`${path}/export`, { 'if-none-match': etag! })
      expect([again.status, again.bytes.length]).toEqual([304, 0])
      const head = await anyone.request('HEAD', `${path}/export`)
      expect([head.status, head.headers.etag, head.bytes.length]).toEqual([200, etag, 0])
      const older = await anyone.get(`${path}/export?version=v1.0.0`, { 'if-none-match': etag! })
      expect(older.status).toBe(200)
    })

    test('an unknown version is 404, an unknown parameter 400', async () => {
      expect((await anyone.get(`${path}/export?version=v9.0.0`)).json.code).toBe('version_not_found')
      expect((await anyone.get(`${path}/export?v=v1.0.0`)).json.code).toBe('invalid_request')
    })
  })

  test('what a caller may not see, it cannot learn of: no byte of private content for outsiders', async () => {
    const reads = [
      'versions/v1.0.0/manifest',
      'versions/latest/manifest?since=v1.0.0',
      'versions/v1.1.1/diff?from=v1.0.0',
      'versions/v1.0.0/diff?from=v1.1.1',
      'records/City/ulm/history',
    ]
    for (const outsider of [anyone, eve]) {
      for (const read of reads) {
        const { status, text, headers } = await outsider.get(`${path}/${read}`)
        expect(status).toBe(200)
        for (const secret of [...secrets, hiddenFile])
          expect(text + JSON.stringify(headers.link ?? '')).not.toContain(secret)
      }
      for (const version of ['v1.0.0', 'v1.1.1']) {
        const { bytes } = await outsider.get(`${path}/export?version=${version}`)
        const unpacked = gunzipSync(bytes).toString('latin1')
        expect(unpacked).toContain('records/City.ndjson')
        for (const secret of [...secrets, hiddenFile.slice(7)]) expect(unpacked).not.toContain(secret)
      }
    }
    const members = gunzipSync((await ada.get(`${path}/export?version=v1.0.0`)).bytes).toString('latin1')
    for (const secret of [...secrets, hiddenFile.slice(7)]) expect(members).toContain(secret)
  })

  test('a private collection is 404 to outsiders, whatever is read of it', async () => {
    const { path: own } = await stage.newCollection({ public: false })
    await stage.push(own, {
      opening: { schemas: { City: city } },
      puts: [{ id: '1', type: 'City', data: {} }],
    })
    const reads = [
      'versions/latest/manifest',
      'versions/latest/diff?from=latest',
      'records/City/1/history',
      'export',
    ]
    for (const read of reads) {
      expect((await ada.get(`${own}/${read}`)).status).toBe(200)
      for (const outsider of [anyone, eve])
        expect((await outsider.get(`${own}/${read}`)).json.code).toBe('collection_not_found')
    }
  })

  test('caches may keep what names versions that stay, not what names the latest', async () => {
    const kept = ['versions/v1.0.0/manifest', 'versions/v1.1.0/diff?from=v1.0.0', 'export?version=v1.0.0']
    const changing = [
      'versions/v1.0.0/manifest?since=latest',
      'versions/v1.1.0/diff?from=latest',
      `versions/v1.1.0/diff?from=${path.replace('/collections/', '')}@latest`,
      'export',
      'records/City/ulm/history',
    ]
    for (const read of kept) {
      expect((await anyone.get(`${path}/${read}`)).headers['cache-control']).toBe('public, max-age=300')
      expect((await ada.get(`${path}/${read}`)).headers['cache-control']).toBe('private, no-cache')
    }
    for (const read of changing) {
      expect((await anyone.get(`${path}/${read}`)).headers['cache-control']).toBe('no-cache')
    }
  })

  describe('streams', () => {
    let own: string
    const streams = ['versions/v1.0.0/records.ndjson', 'export?version=v1.0.0']

    beforeAll(async () => {
      own = (await stage.newCollection()).path
      // Each in an object of its own that no cache keeps.
      const puts = Array.from({ length: 250 }, (_, n) => ({
        id: `${n}`.padStart(3, '0'),
        type: 'T',
        data: randomBytes(60_000).toString('base64'),
      }))
      await stage.push(own, { opening: { schemas: { T: {} } }, puts })
    })

    test('a client that hangs up frees everything, and one that reads slowly is waited for', async () => {
      const { registry } = stage.server
      let given = 0
      let left = 0
      async function* watched(source: AsyncGenerator<Uint8Array>) {
        try {
          for await (const chunk of source) {
            given += chunk.length
            yield chunk
          }
        } finally {
          left++
        }
      }
      const records = registry.records.stream
      const archives = registry.exports.open
      registry.records.stream = async (...asked) => {
        const stream = await records(...asked)
        return { ...stream, lines: watched(stream.lines) }
      }
      registry.exports.open = async (...asked) => {
        const archive = await archives(...asked)
        return { ...archive, bytes: watched(archive.bytes) }
      }
      try {
        for (const [index, stream] of streams.entries()) {
          given = 0
          const answer = await anyone.open('GET', `${own}/${stream}`)
          answer.once('readable', () => undefined)
          let before: number
          do {
            before = given
            await wait(500)
          } while (given === 0 || given > before)
          // Only as much of 20 MB as the buffers take, until the client reads.
          expect(given).toBeLessThan(14_000_000)
          answer.destroy()
          await expect.poll(() => left, { timeout: 20_000 }).toBe(index + 1)
        }
        expect((await anyone.request('HEAD', `${own}/${streams[0]}`)).status).toBe(200)
        expect(left).toBe(2)
      } finally {
        registry.records.stream = records
        registry.exports.open = archives
      }
    })

    test('an error in mid-stream breaks the connection off, compressed or not', async () => {
      damagePacks(join(stage.server.dataFolder, 'objects'))
      for (const stream of streams) {
        for (const encoding of ['identity', 'zstd', 'gzip']) {
          const answer = await anyone.open('GET', `${own}/${stream}`, {
            headers: { 'accept-encoding': encoding },
          })
          expect(answer.statusCode).toBe(200)
          let bytes = 0
          const reading = (async () => {
            for await (const chunk of answer) bytes += (chunk as Buffer).length
          })()
          await expect(reading).rejects.toThrow('aborted')
          expect(bytes).toBeGreaterThan(1_000_000)
        }
      }
    })

    /** Flips a byte at three quarters of every large pack. */
    function damagePacks(folder: string): void {
      for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
        const file = join(folder, name)
        if (!statSync(file).isFile() || statSync(file).size < 1_000_000) continue
        const bytes = readFileSync(file)
        const at = Math.floor(bytes.length * 0.75)
        bytes[at] = bytes[at]! ^ 1
        writeFileSync(file, bytes)
      }
    }
  })
})
