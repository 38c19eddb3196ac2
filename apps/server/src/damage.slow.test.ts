/**
 * Damage to what is stored, as callers meet it (corruption is detected, named and never served): bytes of packs are
 * flipped, packs cut short or taken away, and every reading route answers what it did before, or 500 `object_corrupt`, or breaks off.
 * Writes meanwhile are correct or refused.
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashText, type Json } from '@ulmus/content'
import { openStoreCommands } from '@ulmus/registry'
import { type Model, modelSchemas } from '@ulmus/registry/testing/whole-version'
import { anyDatabase, type DatabaseSettings } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addOrg, serveForTest, type TestServer } from './testing/serve.ts'
import { fileHash, type TestClient, type TestResponse, testClient, whenBuilt } from './testing/test-client.ts'
import { expectWhole } from './testing/whole-version.ts'

const rounds = 14
const flipsARound = 6
const large = 'long '.repeat(20_000)
const attached = 'a file that a record refers to'
const rich = '/collections/ada/rich'
const grown = '/collections/ada/grown'
const log = { info() {}, warn() {}, error() {} }

/** A seeded generator. */
function randomOf(seed: number) {
  let state = seed
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Reading routes of a collection, by their name in the API description. */
const reads: Record<string, string[]> = {
  '': [''],
  '/versions': ['/versions'],
  // Of rows only, which background work completes meanwhile.
  '/versions/strip': [],
  '/versions/{v}': ['/versions/latest', '/versions/v1.0.0'],
  '/versions/{v}/records': [
    '/versions/v1.0.0/records?limit=2000',
    '/versions/latest/records?limit=500&type=Item',
    '/versions/v1.1.0/records?type=Item&id=item-00007',
  ],
  '/versions/{v}/records/{type}/{id}': [
    '/versions/latest/records/Item/item-01501',
    '/versions/v1.0.0/records/Item/item-00009',
    '/versions/v1.0.0/records/Item/item-02401?proof=true',
  ],
  '/versions/{v}/records.ndjson': ['/versions/v1.0.0/records.ndjson', '/versions/latest/records.ndjson'],
  '/versions/{v}/manifest': [
    '/versions/v1.0.0/manifest?limit=10000',
    '/versions/latest/manifest?since=v1.0.0',
  ],
  '/versions/{v}/diff': ['/versions/latest/diff?from=v1.0.0', '/versions/v1.0.0/diff?from=v1.1.0'],
  '/versions/{v}/diff.ndjson': [
    '/versions/latest/diff.ndjson?from=v1.0.0',
    '/versions/v1.0.0/diff.ndjson?from=v1.1.0&type=Item',
  ],
  '/versions/{v}/croissant.json': ['/versions/latest/croissant.json'],
  '/versions/{v}/datapackage.json': ['/versions/v1.0.0/datapackage.json'],
  '/versions/{v}/citation.txt': ['/versions/v1.0.0/citation.txt'],
  '/versions/{v}/citation.bib': ['/versions/v1.0.0/citation.bib'],
  '/versions/{v}/citation.ris': ['/versions/v1.0.0/citation.ris'],
  '/versions/{v}/citation.csl.json': ['/versions/v1.0.0/citation.csl.json'],
  '/versions/{v}/files': ['/versions/latest/files'],
  '/records/{type}/{id}/history': ['/records/Item/item-01501/history', '/records/Item/item-00007/history'],
  '/export': ['/export?version=v1.0.0', '/export'],
  '/files/{hash}': [`/files/${fileHash(attached)}`],
  '/versions/{v}/tables/{type}/rows': [
    '/versions/v1.0.0/tables/Item/rows?limit=20&filter=text contains 8'.replaceAll(' ', '%20'),
  ],
  '/versions/{v}/tables/{type}/facets': ['/versions/v1.0.0/tables/Item/facets?facet=text'],
  '/versions/{v}/tables/{type}/statistics': ['/versions/v1.0.0/tables/Item/statistics'],
  '/versions/{v}/tables/{type}.csv': ['/versions/v1.0.0/tables/Item.csv'],
  '/versions/{v}/tables/{type}.parquet': ['/versions/v1.0.0/tables/Item.parquet'],
  // Needs the scope `admin`; it reads the trees of a history.
  '/records/{type}/{id}/erasure': [],
  // Needs a credential; it reads the same tables.
  '/versions/{v}/sql': [],
  // Lists whether a Parquet file was made.
  '/versions/{v}/tables': [],
  // Reads of rows only, and of a session, which exists only during a push.
  '/metadata/jobs/{job_id}': [],
  '/log': [],
  '/versions/{v}/log': [],
  '/webhooks': [],
  '/access': [],
  '/collaborators': [],
  '/publishers': [],
  '/family': [],
  // Asks the same tables.
  '/questions': [],
  '/questions/{question}': [],
  '/questions/{question}/answer': [],
  '/publishers/{id}': [],
  '/pushes/{id}': [],
  '/versions/negotiate/{id}': [],
}

type Outcome = 'same' | 'refused' | 'broken off'

describe.each(anyDatabase)('damage to packs, on $name', (database) => {
  let where: DatabaseSettings
  let dispose: () => Promise<void>
  let server: TestServer
  let key: string
  /** By caller and path. */
  const before = new Map<string, string>()
  /** A body without the address of its server, which has another port after a start. */
  const bodyOf = ({ bytes }: TestResponse) => bytes.toString('latin1').replaceAll(server.url, '')
  const versions = new Map<string, Model>()
  let head: { semver: string; model: Model }

  const clients = (): Record<string, TestClient> => ({
    member: testClient(server.url, key),
    anyone: testClient(server.url),
  })

  async function push(
    ada: TestClient,
    path: string,
    base: string | null,
    puts: object[],
    opening: object = {},
  ) {
    const opened = await ada.post(`${path}/pushes`, { base_version: base, ...opening })
    if (opened.status !== 201) return opened
    const session = `${path}/pushes/${opened.json.session_id}`
    const sent = await ada.lines(`${session}/records`, puts)
    return sent.status === 200 ? ada.post(`${session}/commit`) : sent
  }

  beforeAll(async () => {
    const made = await database.settings()
    dispose = made.dispose
    server = await serveForTest(made.settings)
    const { cookie } = await server.signIn('ada')
    await addOrg(server, { cookie }, 'elms')
    key = await server.keyFor(cookie, 'write')
    const ada = testClient(server.url, key)
    for (const slug of ['rich', 'grown']) await ada.post('/accounts/ada/collections', { slug, public: true })
    await ada.upload(rich, attached)
    const items = Array.from({ length: 3_000 }, (_, n) => ({
      id: `item-${String(n).padStart(5, '0')}`,
      type: n % 20 === 19 ? 'Hidden' : 'Item',
      data: {
        text: n === 9 ? large : hashText(`${n}`).slice(0, 30),
        secret: n,
        ...(n === 7 ? { file: { $file: fileHash(attached) } } : {}),
      },
      private: n % 30 === 0,
    }))
    const properties = { text: {}, secret: { private: true }, file: {} }
    const schemas = { Item: { properties }, Hidden: { private: true } }
    const changed = items
      .filter((_, n) => n % 300 === 1)
      .map((item) => ({ ...item, data: { text: 'other' } }))
    expect((await push(ada, rich, null, items, { schemas })).json.semver).toBe('v1.0.0')
    expect((await push(ada, rich, 'v1.0.0', changed)).json.semver).toBe('v1.1.0')
    expect((await testClient(server.url, key).patch(`${rich}/metadata`, { license: 'MIT' })).status).toBe(201)

    const records = new Map<string, Json>()
    for (let n = 0; n < 3_000; n++) records.set(`id-${n}`, { n, text: hashText(`grown ${n}`) })
    head = { semver: 'v1.0.0', model: { records, metadata: {} } }
    const puts = [...records].map(([id, data]) => ({ id, type: 'A', data }))
    expect((await push(ada, grown, null, puts, { schemas: modelSchemas })).status).toBe(201)
    versions.set(head.semver, head.model)

    for (const [who, client] of Object.entries(clients())) {
      for (const read of Object.values(reads).flat()) {
        const answer = await whenBuilt(() => client.get(rich + read))
        expect([read, answer.status]).toEqual([read, 200])
        before.set(`${who} ${read}`, bodyOf(answer))
      }
    }
    where = made.settings.url === undefined ? { folder: join(server.dataFolder, 'database') } : made.settings
    await server.stop()
  })
  afterAll(async () => {
    await server?.close()
    await dispose()
  })

  /** Starts a server with empty caches. */
  const start = async () => {
    rmSync(join(server.dataFolder, 'tables'), { recursive: true, force: true })
    server = await serveForTest(where, { dataFolder: server.dataFolder })
  }

  /** The packs of a collection's first and later versions, by content, so that each run flips the same bytes. */
  function packs(): { file: string; bytes: Buffer }[] {
    const folder = join(server.dataFolder, 'objects', 'packs')
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter((file) => statSync(file).isFile())
      .map((file) => ({ file, bytes: readFileSync(file) }))
      .sort((a, b) => a.bytes.length - b.bytes.length || Buffer.compare(a.bytes, b.bytes))
  }

  async function outcomeOf(client: TestClient, who: string, read: string): Promise<Outcome> {
    const answer = await whenBuilt(() => client.get(rich + read)).catch(
      (error: NodeJS.ErrnoException) => error,
    )
    if (answer instanceof Error) {
      // The headers had been sent, so the connection was destroyed before the end of the body.
      expect([read, answer.code]).toEqual([read, 'ECONNRESET'])
      return 'broken off'
    }
    const was = before.get(`${who} ${read}`)!
    if (answer.status !== 200) {
      expect([read, answer.status, answer.json]).toEqual([
        read,
        500,
        {
          error: expect.stringContaining('is damaged'),
          code: 'object_corrupt',
          statusCode: 500,
          hash: expect.stringMatching(/^[0-9a-f]{64}$/),
        },
      ])
      return 'refused'
    }
    expect([read, bodyOf(answer) === was]).toEqual([read, true])
    return 'same'
  }

  /** Writes on top of data that may be damaged. A 500 must be a refusal that names the damage. */
  async function write(ada: TestClient, round: number): Promise<void> {
    const { semver, model } = head
    const landed = (
      { status, json }: { status: number; json: { semver: string; code: string } },
      made: Model,
    ) => {
      if (status === 201) {
        head = { semver: json.semver, model: made }
        versions.set(json.semver, made)
      } else expect([status, json.code]).toEqual([500, 'object_corrupt'])
      return status === 201
    }
    const records = new Map(model.records)
    const puts = Array.from({ length: 40 }, (_, n) => {
      const id = `id-${(n * 83 + round * 7) % 3_100}`
      const data = { n: -round, text: `of round ${round}` }
      records.set(id, data)
      return { id, type: 'A', data }
    })
    landed(await push(ada, grown, semver, puts), { records, metadata: model.metadata })

    const metadata = { ...head.model.metadata, [`round-${round}`]: round }
    const patched = await testClient(server.url, key).patch(`${grown}/metadata`, {
      [`round-${round}`]: round,
    })
    landed(patched, { ...head.model, metadata })

    // A changed schema, so that all carried-over records must be read.
    const type = { ...modelSchemas.A, title: `Round ${round}` }
    const checked = await push(ada, grown, head.semver, [], { schemas: { A: type } })
    if (checked.status === 201) {
      const back = await push(ada, grown, checked.json.semver, [], { schemas: modelSchemas })
      expect([201, 500]).toContain(back.status)
      if (!landed(back, head.model)) head = { ...head, semver: checked.json.semver }
    } else landed(checked, head.model)

    const fork = await ada.post(`${grown}/fork`, { targetOrg: 'elms', slug: `fork-${round}` })
    if (fork.status !== 201) expect([fork.status, fork.json.code]).toEqual([500, 'object_corrupt'])
    else forks.set(`/collections/elms/fork-${round}`, head.model)
  }
  const forks = new Map<string, Model>()

  test('every reading route is asked', async () => {
    await start()
    const { paths } = (await testClient(server.url).get('/openapi.json')).json
    const prefix = '/api/collections/{owner}/{slug}'
    const routes = Object.keys(paths).filter((path) => path.startsWith(prefix) && paths[path].get)
    expect(Object.keys(reads).sort()).toEqual(routes.map((path) => path.slice(prefix.length)).sort())
    await server.stop()
  })

  test('answers are what they were, or `object_corrupt`, or broken off; writes meanwhile are right', async () => {
    const random = randomOf(20_261_121)
    const outcomes = new Map<string, Set<Outcome>>()
    for (let round = 0; round < rounds; round++) {
      const whole = packs()
      const damaged = new Set<(typeof whole)[number]>()
      for (let flip = 0; flip < flipsARound; flip++) {
        const pack = whole[random(whole.length)]!
        const bytes = readFileSync(pack.file)
        bytes[random(bytes.length)]! ^= 1 << random(8)
        writeFileSync(pack.file, bytes)
        damaged.add(pack)
      }
      // The first push made the four largest: each of them is cut off in one round, and gone in another.
      const large = whole.at(-1 - (round % 4))!
      if (round >= rounds - 8) damaged.add(large)
      if (round >= rounds - 4) rmSync(large.file)
      else if (round >= rounds - 8)
        writeFileSync(large.file, large.bytes.subarray(0, large.bytes.length >> 1))
      await start()
      for (const [who, client] of Object.entries(clients())) {
        for (const [route, paths] of Object.entries(reads)) {
          for (const read of paths) {
            const seen = outcomes.get(route) ?? outcomes.set(route, new Set()).get(route)!
            seen.add(await outcomeOf(client, who, read))
          }
        }
      }
      await write(testClient(server.url, key), round)
      await server.stop()
      for (const { file, bytes } of damaged) writeFileSync(file, bytes)
    }
    // Check that the test is meaningful: all reads of packs were refused at times, and streams were cut.
    const refused = [...outcomes].filter(([, seen]) => seen.has('refused')).map(([route]) => route)
    const ofRows = [
      '/versions',
      '/files/{hash}',
      ...Object.keys(reads).filter((route) => reads[route]!.length === 0),
    ]
    expect(refused.sort()).toEqual(
      Object.keys(reads)
        .filter((route) => !ofRows.includes(route))
        .sort(),
    )
    expect(outcomes.get('/versions')).toEqual(new Set(['same']))
    for (const stream of ['/versions/{v}/records.ndjson', '/export'])
      expect(outcomes.get(stream)).toContain('broken off')
  }, 180_000)

  test('a damaged file is broken off or refused, alone and in an export', async () => {
    const long = randomBytes(600_000)
    await start()
    const ada = testClient(server.url, key)
    const refer = (bytes: string | Buffer) => ({ $file: fileHash(bytes) })
    expect((await ada.upload(grown, long)).status).toBe(201)
    expect((await ada.upload(grown, 'short')).status).toBe(201)
    for (const [slug, file] of [['with-long', long] as const, ['with-short', 'short'] as const]) {
      await ada.post('/accounts/ada/collections', { slug, public: true })
      const own = `/collections/ada/${slug}`
      await ada.upload(own, file)
      const made = await push(ada, own, null, [{ id: '1', type: 'A', data: refer(file) }], {
        schemas: { A: {} },
      })
      expect(made.status).toBe(201)
      const blob = join(
        server.dataFolder,
        'objects/files',
        fileHash(file).slice(7, 9),
        fileHash(file).slice(7),
      )
      const whole = readFileSync(blob)
      expect((await ada.get(`${own}/files/${fileHash(file)}`)).bytes.equals(whole)).toBe(true)
      const flipped = Buffer.from(whole)
      flipped[1]! ^= 1
      for (const bytes of [flipped, whole.subarray(0, -1)]) {
        writeFileSync(blob, bytes)
        const answer = ada.get(`${own}/files/${fileHash(file)}`)
        if (file === 'short')
          expect(await answer).toMatchObject({
            status: 500,
            json: { code: 'object_corrupt', hash: fileHash(file) },
          })
        else await expect(answer).rejects.toMatchObject({ code: 'ECONNRESET' })
        const exported = await ada.get(`${own}/export`).catch((error: NodeJS.ErrnoException) => error)
        if (exported instanceof Error) expect(exported.code).toBe('ECONNRESET')
        else expect([exported.status, exported.json.code]).toEqual([500, 'object_corrupt'])
      }
      writeFileSync(blob, whole)
      expect((await ada.get(`${own}/export`)).status).toBe(200)
    }
    await server.stop()
  })

  test('with the packs as they were, everything is whole: nothing was made of what was damaged', async () => {
    await start()
    const ada = testClient(server.url, key)
    for (const [who, client] of Object.entries(clients())) {
      for (const read of Object.values(reads).flat())
        if (!read.includes('latest')) expect(await outcomeOf(client, who, read)).toBe('same')
    }
    expect(versions.size).toBeGreaterThan(rounds / 2)
    expect(forks.size).toBeGreaterThan(0)
    for (const [semver, model] of versions) await expectWhole(ada, grown, semver, model)
    for (const [path, model] of forks) await expectWhole(ada, path, 'v1.0.0', model)
    await server.stop()
    const opened = await openStoreCommands({
      dataFolder: server.dataFolder,
      databaseUrl: where.url,
      bucket: undefined,
      log,
    })
    const damages: unknown[] = []
    await opened.fsck({ files: true, onDamage: (damage) => damages.push(damage) })
    await opened.close()
    expect(damages).toEqual([])
  })
})
