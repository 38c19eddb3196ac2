/** Version metadata over HTTP, sentence by sentence of interface.md and http-api.md §5. */
import { join } from 'node:path'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { askerOf } from '../../testing/asker.ts'
import { addOrg, type Calls, callsTo, pushTo } from '../../testing/calls.ts'
import { sentHoldingNobodyUp } from '../../testing/hold.ts'
import { type SignedIn, serveForTest, type TestServer } from '../../testing/serve.ts'

const privateHash = expect.stringMatching(/^private:[0-9a-f]{64}$/)
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const refusal = (statusCode: number, code: string) => ({
  status: statusCode,
  body: { error: expect.stringMatching(/[.?]$/), code, statusCode },
})

const city = { City: { type: 'object', properties: { name: { type: 'string' } } } }
const lines = [{ id: 'a', type: 'City', data: { name: 'Aachen' } }]

describe.each(anyDatabase)('metadata over HTTP on $name', (testDatabase) => {
  let server: TestServer
  let dispose: () => Promise<void>
  let mel: SignedIn
  let anonymous: Calls
  let member: Calls
  let outsider: Calls
  let number = 0

  beforeAll(async () => {
    const made = await testDatabase.settings()
    dispose = made.dispose
    server = await serveForTest(made.settings)
    const ann = await server.signIn('ann')
    mel = await server.signIn('mel')
    const out = await server.signIn('out')
    await addOrg(server, ann, 'acme', { mel: 'member' })
    anonymous = callsTo(server)
    member = callsTo(server, { key: await server.keyFor(mel.cookie, 'write') })
    outsider = callsTo(server, { key: await server.keyFor(out.cookie, 'write') })
  })
  afterAll(async () => {
    await server?.close()
    await dispose?.()
  })

  const fresh = async (metadata: object | null = { license: 'MIT', keep: [1, 2] }) => {
    const slug = `m${number++}`
    const made = await member.post('/accounts/acme/collections', { slug, public: true })
    const path = `/collections/acme/${slug}`
    if (metadata !== null) {
      await pushTo(member, path, { schemas: city, lines, metadata })
    }
    return { id: String(made.body['id']), path, url: `${path}/metadata` }
  }
  const settled = (path: string) =>
    vi.waitFor(
      async () => {
        const answer = await member.get(path)
        expect(answer.body['status']).not.toBe('running')
        return answer
      },
      { timeout: 5_000, interval: 20 },
    )

  describe('PATCH …/metadata', () => {
    test('“merged into the previous version’s metadata object… Creates a new patch version. Returns 201”', async () => {
      const { url, path } = await fresh()
      const answer = await member.patch(url, {
        description: 'd',
        readme: '# R',
        license: 'CC0-1.0',
        other: { x: null },
      })
      expect(answer.status).toBe(201)
      expect(answer.body).toEqual({
        semver: 'v1.0.1',
        hash: privateHash,
        metadata: { description: 'd', readme: '# R', license: 'CC0-1.0', keep: [1, 2], other: { x: null } },
      })
      const detail = await anonymous.get(path)
      expect(detail.body).toMatchObject({
        description: 'd',
        latestVersion: { semver: 'v1.0.1', recordCount: 1, metadata: answer.body['metadata'], message: null },
      })
    })

    test('“No records are pushed.” They stay as they were', async () => {
      const { url, path } = await fresh()
      await member.patch(url, { x: 1 })
      const before = await member.get(`${path}/versions/v1.0.0/records`)
      const after = await member.get(`${path}/versions/v1.0.1/records`)
      expect(after.body).toEqual(before.body)
      expect(after.status).toBe(200)
    })

    test('“a member given as null is removed”', async () => {
      const { url } = await fresh()
      expect((await member.patch(url, { license: null })).body).toMatchObject({ metadata: { keep: [1, 2] } })
      expect((await member.patch(url, { keep: null })).body).toMatchObject({ semver: 'v1.0.2', metadata: {} })
    })

    test('“A patch that changes nothing: 200 with the present semver, hash, metadata and unchanged: true.”', async () => {
      const { url } = await fresh()
      const changed = await member.patch(url, { x: 1 })
      const again = await member.patch(url, { x: 1, absent: null })
      expect(again).toMatchObject({ status: 200, body: { ...changed.body, unchanged: true } })
    })

    test('“description, readme, license must be strings”: 400; also no object, malformed, unknown parameters', async () => {
      const { url } = await fresh()
      for (const name of ['description', 'readme', 'license']) {
        const answer = await member.patch(url, { [name]: 5 })
        expect(answer).toMatchObject(refusal(400, 'invalid_request'))
        expect(answer.body['issues']).toEqual([{ path: name, message: expect.any(String) }])
      }
      for (const text of ['[]', '"x"', 'null', '{', '{"a":1,"a":2}', '{"a":9007199254740993}']) {
        expect(await member.send('PATCH', url, text, 'application/json')).toMatchObject(
          refusal(400, 'invalid_request'),
        )
      }
      expect(await member.patch(url)).toMatchObject(refusal(400, 'invalid_request'))
      expect(await member.patch(`${url}?async=yes`, {})).toMatchObject(refusal(400, 'invalid_request'))
      expect(await member.patch(`${url}?sync=true`, {})).toMatchObject(refusal(400, 'invalid_request'))
    })

    test('long bodies are read and answered like short ones', async () => {
      const { url } = await fresh()
      const absent = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`absent ${n}`, null]))
      const answer = await member.patch(url, { ...absent, license: null, text: 'ü'.repeat(40_000) })
      expect(answer).toMatchObject({
        status: 201,
        body: { semver: 'v1.0.1', metadata: { keep: [1, 2], text: 'ü'.repeat(40_000) } },
      })
      expect(answer.body['metadata']).not.toHaveProperty('license')
      expect(await member.patch(url, absent)).toMatchObject({ status: 200, body: { unchanged: true } })
      const later = await member.patch(`${url}?async=true`, { ...absent, text: null, keep: 'later' })
      const job = await settled(`${url}/jobs/${String(later.body['job_id'])}`)
      expect(job.body['result']).toMatchObject({ semver: 'v1.0.2', metadata: { keep: 'later' } })
      const faulty = await member.patch(url, { ...absent, license: 5 })
      expect(faulty).toMatchObject(refusal(400, 'invalid_request'))
      expect(faulty.body['issues']).toEqual([{ path: 'license', message: expect.any(String) }])
      const wide = ' '.repeat(70_000)
      for (const text of ['[]', '"x"', 'null', '{', '{"a":1,"a":2}', '{"a":9007199254740993}']) {
        const short = await member.send('PATCH', url, text, 'application/json')
        const long = await member.send('PATCH', url, text + wide, 'application/json')
        expect([long.status, long.body]).toEqual([
          short.status,
          { ...short.body, issues: long.body['issues'] },
        ])
        const rulesOf = ({ body }: typeof short) =>
          (body['issues'] as unknown as { rule?: string }[]).map(({ rule }) => rule)
        expect(rulesOf(long)).toEqual(rulesOf(short))
      }
    })

    test('many MiB do not delay other requests', async () => {
      const { url } = await fresh()
      const key = await server.keyFor(mel.cookie, 'write')
      for (const arrays of [650_000, 2.5 * 1024 ** 2]) {
        const body = `{"x":[${'[],'.repeat(arrays)}[]]}`
        expect(await sentHoldingNobodyUp(askerOf(server.url, key), 'PATCH', url, body)).toBe(413)
      }
    }, 120_000)

    test('“At most 1 MiB merged (413)”, which the message names', async () => {
      const { url } = await fresh({})
      const big = { x: 'x'.repeat(1_048_576 - '{"x":""}'.length) }
      expect(await member.patch(url, { ...big, y: 1 })).toMatchObject(refusal(413, 'too_large'))
      expect(await member.patch(url, big)).toMatchObject({ status: 201 })
      const over = await member.patch(url, { y: 1 })
      expect(over).toMatchObject(refusal(413, 'too_large'))
      expect(over.body['error']).toContain('1 MiB')
    })

    test('“422: the collection has no versions yet; a version must be pushed first”', async () => {
      const { url } = await fresh(null)
      expect(await member.patch(url, { x: 1 })).toMatchObject(refusal(422, 'no_versions'))
      expect(await member.patch(`${url}?async=true`, { x: 1 })).toMatchObject(refusal(422, 'no_versions'))
      expect(await member.patch(url, { x: 'x'.repeat(1_100_000) })).toMatchObject(refusal(422, 'no_versions'))
      const faulty = { x: 'x'.repeat(100_000), readme: 1 }
      expect(await member.patch(url, faulty)).toMatchObject(refusal(400, 'invalid_request'))
    })

    test('who may: “write scope”, membership, a limited key its own collection', async () => {
      const { url, id } = await fresh()
      const other = await fresh()
      const key = async (scope: 'read' | 'write', collectionId: string) =>
        callsTo(server, { key: await server.keyFor(mel.cookie, scope, { collectionId }) })
      expect(await anonymous.patch(url, { x: 1 })).toMatchObject(refusal(401, 'unauthenticated'))
      expect(await outsider.patch(url, { x: 1 })).toMatchObject(refusal(403, 'not_a_member'))
      expect(await (await key('read', id)).patch(url, { x: 1 })).toMatchObject(
        refusal(403, 'insufficient_scope'),
      )
      expect(await (await key('write', other.id)).patch(url, { x: 1 })).toMatchObject(
        refusal(403, 'key_limited'),
      )
      expect(await (await key('write', id)).patch(url, { x: 1 })).toMatchObject({ status: 201 })
      expect(await member.patch('/collections/acme/absent/metadata', { x: 1 })).toMatchObject(
        refusal(404, 'collection_not_found'),
      )
    })

    test('“409: a metadata update is already in progress…; the response carries its job_id”, which can be polled', async () => {
      const { url } = await fresh()
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, index) => member.patch(url, { [`k${index}`]: 1 })),
      )
      const refused = answers.filter(({ status }) => status === 409)
      const made = answers.filter(({ status }) => status === 201)
      expect(refused.length + made.length).toBe(12)
      for (const answer of refused) {
        expect(answer).toMatchObject(refusal(409, 'metadata_update_in_progress'))
        const job = await member.get(`${url}/jobs/${answer.body['job_id']}`)
        expect(job).toMatchObject({ status: 200, body: { job_id: answer.body['job_id'] } })
      }
      // Exactly those that were told so are in the metadata.
      const { metadata } = (await member.patch(url, {})).body as unknown as { metadata: object }
      expect(Object.keys(metadata).filter((name) => name.startsWith('k') && name !== 'keep')).toHaveLength(
        made.length,
      )
    })
  })

  describe('PATCH …/metadata?async=true and GET …/metadata/jobs/:job_id', () => {
    test('“returns at once with 202 and body job_id, status (running), base_semver”; then “result (identical to the synchronous response)”', async () => {
      const { url } = await fresh()
      const answer = await member.patch(`${url}?async=true`, { readme: 'later' })
      expect(answer.status).toBe(202)
      expect(answer.body).toEqual({ job_id: expect.any(String), status: 'running', base_semver: 'v1.0.0' })
      const job = await settled(`${url}/jobs/${answer.body['job_id']}`)
      expect(job).toMatchObject({ status: 200 })
      expect(job.body).toEqual({
        job_id: answer.body['job_id'],
        status: 'completed',
        base_semver: 'v1.0.0',
        started_at: instant,
        finished_at: instant,
        result: {
          semver: 'v1.0.1',
          hash: privateHash,
          metadata: { license: 'MIT', keep: [1, 2], readme: 'later' },
        },
      })
      const same = await member.patch(url, { readme: 'later' })
      expect(same.body).toEqual({ ...job.body['result'], unchanged: true })
    })

    test('an asynchronous patch that changes nothing has the result of the synchronous one', async () => {
      const { url } = await fresh()
      const answer = await member.patch(`${url}?async=true`, { license: 'MIT' })
      const job = await settled(`${url}/jobs/${answer.body['job_id']}`)
      expect(job.body['result']).toEqual((await member.patch(url, { license: 'MIT' })).body)
    })

    test('“Polling needs read scope and membership; a limited key its own collection.”', async () => {
      const { url, id } = await fresh()
      const other = await fresh()
      const { body } = await member.patch(`${url}?async=true`, { x: 1 })
      const job = `${url}/jobs/${body['job_id']}`
      const key = async (collectionId: string) =>
        callsTo(server, { key: await server.keyFor(mel.cookie, 'read', { collectionId }) })
      expect(await anonymous.get(job)).toMatchObject(refusal(401, 'unauthenticated'))
      expect(await outsider.get(job)).toMatchObject(refusal(403, 'not_a_member'))
      expect(await (await key(other.id)).get(job)).toMatchObject(refusal(403, 'key_limited'))
      expect(await (await key(id)).get(job)).toMatchObject({ status: 200 })
      const elsewhere = `${other.url}/jobs/${body['job_id']}`
      expect(await member.get(elsewhere)).toMatchObject(refusal(404, 'job_not_found'))
      expect(await member.get(`${url}/jobs/none`)).toMatchObject(refusal(404, 'job_not_found'))
    })
  })
})

describe.each(anyDatabase)('metadata jobs across a restart on $name', (testDatabase) => {
  test('“a server killed in mid-job finishes or fails it after the restart, never leaves it running”', async () => {
    const { settings, dispose } = await testDatabase.settings()
    // It works no jobs: what it accepts it leaves running, as one that is killed does.
    const first = await serveForTest(settings, { roles: ['api'] })
    const ann = await first.signIn('ann')
    const key = await first.keyFor(ann.cookie, 'write')
    const before = callsTo(first, { key })
    const started: string[] = []
    for (const slug of ['survivor', 'overtaken']) {
      await before.post('/accounts/ann/collections', { slug })
      const path = `/collections/ann/${slug}`
      await pushTo(before, path, { schemas: city, lines })
      const { body } = await before.patch(`${path}/metadata?async=true`, { by: slug })
      started.push(`${path}/metadata/jobs/${body['job_id']}`)
      expect(await before.patch(`${path}/metadata`, { y: 1 })).toMatchObject({
        ...refusal(409, 'metadata_update_in_progress'),
        body: { job_id: body['job_id'] },
      })
    }
    await pushTo(before, '/collections/ann/overtaken', { base: 'v1.0.0', lines: [{ ...lines[0]!, id: 'b' }] })
    await first.stop()

    const folder = join(first.dataFolder, 'database')
    const again = settings.url === undefined ? { folder } : settings
    const second = await serveForTest(again, { dataFolder: first.dataFolder })
    const after = callsTo(second, { key })
    const [survivor, overtaken] = await vi.waitFor(
      async () => {
        const jobs = await Promise.all(started.map((url) => after.get(url)))
        for (const { body } of jobs) expect(body['status']).not.toBe('running')
        return jobs
      },
      { timeout: 5_000, interval: 50 },
    )
    expect(survivor?.body).toMatchObject({
      status: 'completed',
      result: { semver: 'v1.0.1', metadata: { by: 'survivor' } },
    })
    // “A version that landed after base_semver fails the job with the error body of a 409 version_conflict.”
    expect(overtaken?.body).toEqual({
      job_id: expect.any(String),
      status: 'failed',
      base_semver: 'v1.0.0',
      started_at: instant,
      finished_at: instant,
      error: {
        error: expect.any(String),
        code: 'version_conflict',
        statusCode: 409,
        currentVersion: 'v1.1.0',
      },
    })
    const next = await after.patch('/collections/ann/overtaken/metadata', { y: 1 })
    expect(next).toMatchObject({ status: 201, body: { semver: 'v1.1.1' } })
    await second.close()
    await dispose()
  })
})
