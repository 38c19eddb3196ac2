/**
 * Requests as clients send them that others wrote, from interface.md and the API reference alone: plain `fetch`, hashes in plain code, none of
 * our packages.
 */
import { createHash } from 'node:crypto'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from './testing/serve.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test says what it expects of an answer by comparing it.
type Answer = any
interface Entry {
  id: string
  type: string
  data: unknown
}

const sha256 = (bytes: string) => createHash('sha256').update(bytes).digest('hex')

/** Canonical JSON of values as these clients have them: names sorted as text. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`
}

const hashOf = ({ id, type, data }: Entry) =>
  sha256(`{"id":${JSON.stringify(id)},"type":${JSON.stringify(type)},"data":${canonical(data)}}`)

const lines = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('')

const picture = 'a picture of an elm'
const article = (id: string, title: string): Entry => ({ id, type: 'Article', data: { title, tags: ['a'] } })
const articles = (count: number) =>
  Array.from({ length: count }, (_, n) => article(`a-${String(n).padStart(4, '0')}`, `Article ${n}`))
const schemas = {
  Article: {
    type: 'object',
    properties: {
      title: { type: 'string' },
      tags: { type: 'array', items: { type: 'string' } },
      cover: { type: 'object' },
    },
  },
}

describe.each(anyDatabase)('clients that others wrote, on $name', (database) => {
  let server: TestServer
  let dispose: () => Promise<void>
  let key: string
  let made = 0

  beforeAll(async () => {
    const given = await database.settings()
    dispose = given.dispose
    server = await serveForTest(given.settings)
    key = await server.keyFor((await server.signIn('ada')).cookie, 'write')
  })
  afterAll(async () => {
    await server.close()
    await dispose()
  })

  /** Sends the key, as these clients do with each request. */
  const send = (path: string, { headers, ...init }: RequestInit = {}) =>
    fetch(new URL(path, server.url), {
      ...init,
      headers: { Authorization: `Bearer ${key}`, ...(headers as Record<string, string>) },
    })
  const post = (path: string, body: unknown, type = 'application/json') =>
    send(path, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'Content-Type': type },
    })
  async function read(pending: Promise<Response>): Promise<[number, Answer]> {
    const response = await pending
    return [response.status, await response.json()]
  }

  /** Makes a public collection. Returns its path. */
  async function newCollection(): Promise<string> {
    const slug = `corpus-${++made}`
    const [status, answer] = await read(
      post('/api/accounts/ada/collections', { slug, name: 'Corpus', public: true }),
    )
    expect([status, answer]).toMatchObject([201, { owner: 'ada', slug, name: 'Corpus' }])
    return `/api/collections/ada/${slug}`
  }

  const opening = (base: string | null, records: readonly Entry[], more = {}) => ({
    base_version: base,
    schemas,
    manifest: records.map((one) => ({ id: one.id, type: one.type, hash: hashOf(one) })),
    ...more,
  })

  /** Sends what the answer to an opening asks for. Returns the path of the session. */
  async function sendNeeded(path: string, opened: Answer, records: readonly Entry[]): Promise<string> {
    const session = `${path}/versions/negotiate/${opened.session_id}`
    const byHash = new Map(records.map((one) => [hashOf(one), one]))
    const needed = opened.needed_records.map((hash: string) => byHash.get(hash))
    if (needed.length > 0) {
      const sent = await read(post(`${session}/records`, lines(needed), 'application/x-ndjson'))
      expect(sent).toEqual([200, { received: needed.length, remaining: 0 }])
    }
    return session
  }

  async function publish(path: string, base: string | null, records: readonly Entry[], more = {}) {
    const [, opened] = await read(post(`${path}/versions/negotiate`, opening(base, records, more)))
    const session = await sendNeeded(path, opened, records)
    return read(send(`${session}/commit`, { method: 'POST' }))
  }

  test('a first push with a file that is named by its digits alone', async () => {
    const path = await newCollection()
    const bare = sha256(picture)
    const cover = { $file: `sha256:${bare}` }
    const records = [...articles(3), { id: 'b', type: 'Article', data: { title: 'Elm', cover } }]
    const [status, opened] = await read(
      post(`${path}/versions/negotiate`, opening(null, records, { files: [bare], message: 'First' })),
    )
    expect([status, opened]).toMatchObject([
      200,
      { needed_files: [bare], total_files: 1, already_have_files: 0, total_records: 4 },
    ])
    for (const file of opened.needed_files) {
      const headers = { 'Content-Type': 'image/png' }
      const put = await read(send(`${path}/files/${file}`, { method: 'PUT', body: picture, headers }))
      expect(put).toEqual([201, { hash: `sha256:${bare}`, size: picture.length, contentType: 'image/png' }])
    }
    const session = await sendNeeded(path, opened, records)
    // Some programs send the type of the lines before with each request.
    const type = { 'Content-Type': 'application/x-ndjson' }
    const [code, committed] = await read(send(`${session}/commit`, { method: 'POST', headers: type }))
    expect([code, committed]).toMatchObject([201, { semver: 'v1.0.0', recordCount: 4, fileCount: 1 }])
    expect(committed.hash).toMatch(/^private:[0-9a-f]{64}$/)

    for (const name of [bare, `sha256:${bare}`]) {
      const got = await fetch(new URL(`${path}/files/${name}`, server.url))
      expect([got.status, await got.text(), got.headers.get('content-type')]).toEqual([
        200,
        picture,
        'image/png',
      ])
      const head = await send(`${path}/files/${name}`, { method: 'HEAD' })
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(picture.length)])
    }
    const [, files] = await read(send(`${path}/versions/latest/files`))
    expect(files).toMatchObject([{ hash: `sha256:${bare}` }])
    const [, detail] = await read(send(path))
    expect(detail.latestVersion).toMatchObject({
      semver: 'v1.0.0',
      recordCount: 4,
      fileCount: 1,
      message: 'First',
    })
  })

  test('needed files have the names of the request, each its own; a state and refusals have the prefix', async () => {
    const path = await newCollection()
    const [one, other] = [sha256('one'), sha256('other')]
    const names = [one, `sha256:${other}`].sort()
    const whole = [`sha256:${one}`, `sha256:${other}`].sort()
    for (const at of ['versions/negotiate', 'pushes']) {
      const body = { base_version: null, schemas, files: names, ...(at === 'pushes' ? {} : { manifest: [] }) }
      const [, opened] = await read(post(`${path}/${at}`, body))
      expect(opened.needed_files.toSorted()).toEqual(names)
      const session = `${path}/${at}/${opened.session_id}`
      expect((await read(send(session)))[1].needed_files).toEqual(whole)
      const [after] = [one, other].sort()
      expect((await read(send(`${session}?files_after=${after}`)))[1].needed_files).toEqual([whole[1]])
      const [status, refused] = await read(send(`${session}/commit`, { method: 'POST' }))
      expect([status, refused.code, refused.filesNeeded]).toEqual([422, 'files_missing', whole])
    }
    // Both names of one file are one file.
    const twice = { base_version: null, schemas, manifest: [], files: [one, `sha256:${one}`] }
    const [, opened] = await read(post(`${path}/versions/negotiate`, twice))
    expect([opened.total_files, opened.needed_files.length]).toEqual([1, 1])
    for (const name of [
      '',
      one.toUpperCase(),
      `sha1:${one}`,
      `sha256:sha256:${one}`,
      one.slice(1),
      `${one}0`,
    ]) {
      const [status, refused] = await read(
        post(`${path}/versions/negotiate`, { base_version: null, schemas, manifest: [], files: [name] }),
      )
      expect([name, status, refused.issues?.[0].path]).toEqual([name, 400, 'files.0'])
    }
  })

  test('bare digits in data name no file, and the warning says what to write', async () => {
    const path = await newCollection()
    const bare = sha256(picture)
    const [status, committed] = await publish(path, null, [
      { id: 'b', type: 'Article', data: { title: 'Elm', cover: { $file: bare } } },
    ])
    expect([status, committed.fileCount, committed.warnings]).toEqual([
      201,
      0,
      [
        {
          ...{ code: 'file_reference_malformed', type: 'Article', id: 'b', path: '/cover/$file' },
          message: `"${bare}" names no file: write "sha256:${bare}"`,
        },
      ],
    ])
  })

  test('a stale base is 409 with the current version, and the retry sends what is new', async () => {
    const path = await newCollection()
    const [first, second] = [articles(3), articles(5)]
    expect(await publish(path, null, first)).toMatchObject([201, { semver: 'v1.0.0' }])
    expect(await publish(path, 'v1.0.0', second)).toMatchObject([201, { semver: 'v1.1.0' }])
    const third = [...articles(6).slice(1), article('z', 'Last')]
    const [status, refused] = await read(post(`${path}/versions/negotiate`, opening('v1.0.0', third)))
    expect([status, refused.currentVersion]).toEqual([409, 'v1.1.0'])
    const [, opened] = await read(
      post(`${path}/versions/negotiate`, opening(refused.currentVersion, third, { message: 'Again' })),
    )
    expect([opened.needed_records.length, opened.already_have_records]).toEqual([2, 4])
    const session = await sendNeeded(path, opened, third)
    const committed = await read(send(`${session}/commit`, { method: 'POST' }))
    expect(committed).toMatchObject([201, { semver: 'v1.2.0', recordCount: 6 }])
    // The answer was lost: the commit is sent again.
    expect(await read(send(`${session}/commit`, { method: 'POST' }))).toEqual(committed)
  })

  test.each([
    ['the query', '?async=true', undefined],
    ['the query as a number', '?async=1', undefined],
    ['the body', '', '{"async": true}'],
  ])('an asynchronous commit by %s is polled to its result', async (_where, query, body) => {
    const path = await newCollection()
    const records = articles(4)
    const [, opened] = await read(post(`${path}/versions/negotiate`, opening(null, records)))
    const session = await sendNeeded(path, opened, records)
    const commit = `${session}/commit${query}`
    const [status, answer] = await read(body ? post(commit, body) : send(commit, { method: 'POST' }))
    expect([status, answer.status]).toEqual([202, 'committing'])
    const state = async () => (await read(send(session)))[1]
    await expect.poll(async () => (await state()).status).toBe('committed')
    expect((await state()).result).toMatchObject({ semver: 'v1.0.0', recordCount: 4 })
  })

  test('what a commit cannot do is refused, never ignored', async () => {
    const path = await newCollection()
    const [, opened] = await read(post(`${path}/versions/negotiate`, opening(null, articles(1))))
    const commit = `${path}/versions/negotiate/${opened.session_id}/commit`
    const refusals: [string, string | undefined][] = [
      ['?async=yes', undefined],
      ['?async=', undefined],
      ['?async=true&async=true', undefined],
      ['', '{"async": "true"}'],
      ['', '{"asynchronous": true}'],
      ['?dry_run=true', '{"async": true}'],
    ]
    for (const [query, body] of refusals) {
      const sent = body === undefined ? send(commit + query, { method: 'POST' }) : post(commit + query, body)
      const [status, refused] = await read(sent)
      expect([query, body, status, refused.code]).toEqual([query, body, 400, 'invalid_request'])
    }
  })

  test('the type of an empty body is ignored, the type of any other is not', async () => {
    const path = await newCollection()
    await publish(path, null, articles(1))
    const types = ['application/x-ndjson', 'text/plain', 'multipart/form-data; boundary=x', 'nonsense']
    for (const type of types) {
      const headers = { 'Content-Type': type }
      const empty = () => new ReadableStream({ start: (stream) => stream.close() })
      for (const body of [undefined, empty()]) {
        if (body !== undefined && type === 'nonsense') continue
        const [, opened] = await read(post(`${path}/versions/negotiate`, opening('v1.0.0', articles(1))))
        const session = `${path}/versions/negotiate/${opened.session_id}`
        const init = { method: 'POST', headers, ...(body && { body, duplex: 'half' }) } as RequestInit
        const [status, refused] = await read(send(`${session}/commit`, init))
        expect([type, status, refused.code]).toEqual([type, 409, 'no_changes'])
        const gone = await send(session, { method: 'DELETE', headers })
        expect([type, gone.status]).toEqual([type, 204])
      }
    }
    for (const at of ['commit', 'records']) {
      const [, opened] = await read(post(`${path}/versions/negotiate`, opening('v1.0.0', articles(1))))
      const refused = await post(`${path}/versions/negotiate/${opened.session_id}/${at}`, '{}', 'text/plain')
      expect([at, refused.status]).toEqual([at, 415])
    }
    expect((await post('/api/nowhere', 'x', 'text/plain')).status).toBe(404)
  })

  test('metadata alone: a merge into the next patch version, at once or as a job', async () => {
    const path = await newCollection()
    const early = await read(
      send(`${path}/metadata`, {
        method: 'PATCH',
        body: '{"license":"MIT"}',
        headers: { 'Content-Type': 'application/json' },
      }),
    )
    expect(early[0]).toBe(422)
    await publish(path, null, articles(2), { metadata: { description: 'A corpus', year: 2026 } })
    const patch = (query: string, body: unknown) =>
      read(
        send(`${path}/metadata${query}`, {
          method: 'PATCH',
          body: JSON.stringify(body),
          headers: { 'Content-Type': 'application/json' },
        }),
      )
    const [status, patched] = await patch('', { license: 'CC-BY-4.0', readme: '# Corpus' })
    expect([status, patched]).toEqual([
      201,
      {
        semver: 'v1.0.1',
        hash: expect.stringMatching(/^private:/),
        metadata: { description: 'A corpus', year: 2026, license: 'CC-BY-4.0', readme: '# Corpus' },
      },
    ])
    for (const query of ['?async=true', '?async=1']) {
      const [accepted, job] = await patch(query, { by: query })
      expect([accepted, job]).toMatchObject([202, { status: 'running', base_semver: expect.any(String) }])
      const state = async () => (await read(send(`${path}/metadata/jobs/${job.job_id}`)))[1]
      await expect.poll(async () => (await state()).status).toBe('completed')
      expect((await state()).result.metadata.by).toBe(query)
    }
    expect((await read(send(path)))[1].latestVersion).toMatchObject({ semver: 'v1.0.3', recordCount: 2 })
  })

  /** All pages of a URL: the next one is `next` of `Link`. */
  async function byLink(path: string): Promise<Answer[]> {
    const pages: Answer[] = []
    for (let next: string | undefined = path; next !== undefined; ) {
      const response: Response = await fetch(new URL(next, server.url))
      expect([next, response.status]).toEqual([next, 200])
      pages.push(await response.json())
      next = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
    }
    return pages
  }

  /** The same by `nextCursor` of the body. */
  async function byCursor(path: string, parameter: string): Promise<Answer[]> {
    const pages: Answer[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const start: string = cursor === '' ? '' : `&${parameter}=${encodeURIComponent(cursor)}`
      const [status, page] = await read(fetch(new URL(path + start, server.url)))
      expect([cursor, status]).toEqual([cursor, 200])
      pages.push(page)
      cursor = page.pagination.nextCursor
      expect(page.pagination.hasMore).toBe(cursor !== null)
    }
    return pages
  }

  test('a version is read page by page, by `nextCursor`, by `Link`, and after an id', async () => {
    const path = await newCollection()
    const records = [...articles(25), article('ä/ö & co', 'Odd'), article('[1', 'Odd')]
    await publish(path, null, records.slice(0, 20))
    await publish(path, 'v1.0.0', records)
    const version = `${path}/versions/v1.1.0`
    const ids = records.map(({ id }) => id).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    const idsIn = (pages: Answer[]) => pages.flatMap(({ records: some }) => some.map((one: Entry) => one.id))

    for (const query of ['limit=7', 'limit=7&type=Article']) {
      const pages = await byCursor(`${version}/records?${query}`, 'after')
      expect([pages.length, idsIn(pages)]).toEqual([4, ids])
      expect(await byLink(`${version}/records?${query}`)).toEqual(pages)
      for (const { data, hash, ...named } of pages.flatMap((page) => page.records))
        expect(hash).toBe(hashOf({ ...named, data }))
    }
    const manifests = await byCursor(`${version}/manifest?limit=10`, 'cursor')
    expect([manifests.length, idsIn(manifests)]).toEqual([3, ids])
    expect(await byLink(`${version}/manifest?limit=10`)).toEqual(manifests)

    const found: string[] = []
    for (let last: string | undefined; ; ) {
      const after = last === undefined ? '' : `&after=${encodeURIComponent(last)}`
      const [status, page] = await read(send(`${version}/records?type=Article&limit=7${after}`))
      expect([last, status]).toEqual([last, 200])
      if (page.records.length === 0) break
      found.push(...page.records.map((one: Entry) => one.id))
      last = found.at(-1)
    }
    expect(found).toEqual(ids)
    const rest = await send(`${version}/records.ndjson?type=Article&after=${encodeURIComponent(ids[19]!)}`)
    expect(rest.headers.get('x-record-count')).toBe('7')
    const restIds = (await rest.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id)
    expect(restIds).toEqual(ids.slice(20))
    // Without a type an id names no place.
    expect((await read(send(`${version}/records?after=a-0001`)))[0]).toBe(400)

    const versions = await byLink(`${path}/versions?limit=1`)
    expect(versions.flat().map(({ semver }) => semver)).toEqual(['v1.1.0', 'v1.0.0'])
    const listed = await byLink('/api/accounts/ada/collections?limit=2')
    expect(listed.flat().length).toBe(made)
    const browsed = await byLink('/api/collections?limit=3')
    expect(new Set(browsed.flat().map(({ id }) => id)).size).toBe(made)
  })

  test('versions have their number in parts, a delta its base, a difference the version before', async () => {
    const path = await newCollection()
    const [status, none] = await read(send(`${path}/versions/latest`))
    expect([status, none.code, none.error]).toEqual([
      404,
      'version_not_found',
      'The collection has no version yet. Push one first.',
    ])
    await publish(path, null, articles(3))
    await publish(path, 'v1.0.0', [...articles(2), article('new', 'New')])
    const [, listed] = await read(send(`${path}/versions`))
    expect(listed).toMatchObject([
      { semver: 'v1.1.0', major: 1, minor: 1, patch: 0 },
      { semver: 'v1.0.0', major: 1, minor: 0, patch: 0 },
    ])
    expect((await read(send(`${path}/versions/1.1.0`)))[1]).toMatchObject(listed[0])

    const [, delta] = await read(send(`${path}/versions/latest/manifest?since=1.0.0`))
    expect([delta.since, delta.delta.added.length, delta.delta.removed.length]).toEqual(['v1.0.0', 1, 1])
    expect((await read(send(`${path}/versions/latest/manifest`)))[1]).not.toHaveProperty('since')

    const named = await read(send(`${path}/versions/v1.1.0/diff?from=v1.0.0`))
    expect(await read(send(`${path}/versions/v1.1.0/diff`))).toEqual(named)
    const [, first] = await read(send(`${path}/versions/v1.0.0/diff`))
    expect([first.from, first.to, first.added.length, first.meta.totals]).toEqual([
      null,
      'v1.0.0',
      3,
      { added: 3, updated: 0, removed: 0 },
    ])
    const streamed = await (await send(`${path}/versions/v1.0.0/diff.ndjson`)).text()
    expect(streamed.trim().split('\n').length).toBe(3)
  })

  test('a withdrawn version is no version before, and a collection of withdrawn versions says so', async () => {
    const path = await newCollection()
    await publish(path, null, articles(1))
    await publish(path, 'v1.0.0', articles(2))
    await publish(path, 'v1.1.0', articles(4))
    const admin = await server.keyFor((await server.signIn('ada')).cookie, 'admin')
    const withdraw = (semver: string) =>
      fetch(new URL(`${path}/versions/${semver}/withdraw`, server.url), {
        method: 'POST',
        body: '{"reason": "wrong"}',
        headers: { Authorization: `Bearer ${admin}`, 'Content-Type': 'application/json' },
      })
    expect((await withdraw('v1.1.0')).status).toBe(200)
    const [, difference] = await read(send(`${path}/versions/v1.2.0/diff`))
    expect([difference.from, difference.added.length]).toEqual(['v1.0.0', 3])
    for (const semver of ['v1.2.0', 'v1.0.0']) await withdraw(semver)
    const [status, refused] = await read(send(`${path}/versions/latest`))
    expect([status, refused.error]).toEqual([
      404,
      'All versions of the collection were withdrawn, so there is no latest one.',
    ])
  })

  test('a record with another hash than in the manifest: both hashes, and the usual cause', async () => {
    const path = await newCollection()
    const record = { id: 'x', type: 'Article', data: { title: 'x', years: { '2': 'b', '10': 'a' } } }
    // JSON.stringify writes "2" before "10", whatever the order of insertion.
    const naive = sha256(JSON.stringify({ id: record.id, type: record.type, data: record.data }))
    const manifest = [{ id: 'x', type: 'Article', hash: naive }]
    const body = { base_version: null, schemas: { Article: {} }, manifest }
    const [, opened] = await read(post(`${path}/versions/negotiate`, body))
    const records = `${path}/versions/negotiate/${opened.session_id}/records`
    const [status, refused] = await read(post(records, lines([record]), 'application/x-ndjson'))
    expect([status, refused.code, refused.hash, refused.manifestHash]).toEqual([
      400,
      'unexpected_record',
      hashOf(record),
      naive,
    ])
    for (const part of ['Line 1', naive, hashOf(record), '`"10"` before `"2"`', 'JavaScript'])
      expect(refused.error).toContain(part)
    const [, other] = await read(post(records, lines([{ ...record, id: 'y' }]), 'application/x-ndjson'))
    expect(other.error).toContain('is not in the manifest')
    expect(other).not.toHaveProperty('manifestHash')
    const exact = { ...body, manifest: [{ ...manifest[0], hash: hashOf(record) }] }
    const [, again] = await read(post(`${path}/versions/negotiate`, exact))
    const session = await sendNeeded(path, again, [record])
    expect(await read(send(`${session}/commit`, { method: 'POST' }))).toMatchObject([
      201,
      { semver: 'v1.0.0' },
    ])
  })

  test('a mark in a private type makes no version by itself, and comes with the next change', async () => {
    const path = await newCollection()
    const hidden = { Note: { private: true, type: 'object' } }
    const notes = ['1', '2'].map((id): Entry => ({ id, type: 'Note', data: { text: id } }))
    const push = async (
      base: string | null,
      records: readonly Entry[],
      marked: readonly string[],
      more = {},
    ) => {
      const body = opening(base, records, { schemas: hidden, ...more })
      const manifest = body.manifest.map((one) => ({
        ...one,
        ...(marked.includes(one.id) && { private: true }),
      }))
      const [status, opened] = await read(post(`${path}/versions/negotiate`, { ...body, manifest }))
      if (status !== 200) return [status, opened]
      const session = await sendNeeded(path, opened, records)
      return read(send(`${session}/commit`, { method: 'POST' }))
    }
    expect(await push(null, notes, [])).toMatchObject([201, { semver: 'v1.0.0' }])
    expect(await push('v1.0.0', notes, ['1'])).toMatchObject([409, { code: 'no_changes' }])
    const more = [...notes, { id: '3', type: 'Note', data: {} }]
    expect(await push('v1.0.0', more, ['1'])).toMatchObject([201, { semver: 'v1.1.0' }])
    const opened = { schemas: { Note: { type: 'object' } }, confirm_public: ['Note'] }
    expect(await push('v1.1.0', more, ['1'], opened)).toMatchObject([201, { semver: 'v2.0.0' }])
    const [, page] = await read(fetch(new URL(`${path}/versions/latest/records`, server.url)))
    expect(page.records.map((one: Entry) => one.id)).toEqual(['2', '3'])
  })

  test('a wrong parameter is refused in words about the parameter', async () => {
    const path = await newCollection()
    await publish(path, null, articles(1))
    const refusals: [string, string][] = [
      ['records?limit=', '`limit` must be an integer of at least 1'],
      ['records?limit=x', '`limit` must be an integer of at least 1'],
      ['records?limit=0', '`limit` must be an integer of at least 1'],
      ['records?after=', '`after` must not be empty'],
      ['records?after=x', '`after` is not a cursor'],
      ['records.ndjson?after=', '`after` must not be empty'],
      ['manifest?cursor=', '`cursor` must not be empty'],
      ['diff?change=new', '`change` must be one of added, updated, removed'],
      ['records?limit=1&limit=2', '`limit` must be of type string'],
      ['records?page=2', '`page` is unknown; use type, id, limit, after'],
    ]
    for (const [query, said] of refusals) {
      const [status, refused] = await read(send(`${path}/versions/latest/${query}`))
      expect([query, status]).toEqual([query, 400])
      expect(refused.error).toContain(said)
    }
  })
})
