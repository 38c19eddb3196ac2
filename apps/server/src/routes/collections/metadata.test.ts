/** Version metadata over HTTP, sentence by sentence of interface.md and http-api.md §5. */
import { join } from 'node:path'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { SignedIn } from '../../testing/browser.ts'
import { sendWithoutBlocking } from '../../testing/hold.ts'
import { addOrg, serveForTest, type TestServer } from '../../testing/serve.ts'
import { pushVersion } from '../../testing/stage.ts'
import { type TestClient, testClient } from '../../testing/test-client.ts'

const privateHash = expect.stringMatching(/^private:[0-9a-f]{64}$/)
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const refusal = (statusCode: number, code: string) => ({
  status: statusCode,
  json: { error: expect.stringMatching(/[.?]$/), code, statusCode },
})

const city = { City: { type: 'object', properties: { name: { type: 'string' } } } }
const lines = [{ id: 'a', type: 'City', data: { name: 'Aachen' } }]

describe.each(anyDatabase)('metadata over HTTP on $name', (testDatabase) => {
  let server: TestServer
  let dispose: () => Promise<void>
  let mel: SignedIn
  let anonymous: TestClient
  let member: TestClient
  let outsider: TestClient
  let number = 0

  beforeAll(async () => {
    const made = await testDatabase.settings()
    dispose = made.dispose
    server = await serveForTest(made.settings)
    const ann = await server.signIn('ann')
    mel = await server.signIn('mel')
    const out = await server.signIn('out')
    await addOrg(server, ann, 'acme', { mel: 'member' })
    anonymous = testClient(server.url)
    member = testClient(server.url, await server.keyFor(mel.cookie, 'write'))
    outsider = testClient(server.url, await server.keyFor(out.cookie, 'write'))
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
      await pushVersion(member, path, { opening: { schemas: city, metadata }, puts: lines })
    }
    return { id: made.json.id, path, url: `${path}/metadata` }
  }
  const settled = (path: string) =>
    vi.waitFor(
      async () => {
        const answer = await member.get(path)
        expect(answer.json.status).not.toBe('running')
        return answer
      },
      { timeout: 20_000, interval: 20 },
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
      expect(answer.json).toEqual({
        semver: 'v1.0.1',
        hash: privateHash,
        metadata: { description: 'd', readme: '# R', license: 'CC0-1.0', keep: [1, 2], other: { x: null } },
      })
      const detail = await anonymous.get(path)
      expect(detail.json).toMatchObject({
        description: 'd',
        latestVersion: { semver: 'v1.0.1', recordCount: 1, metadata: answer.json.metadata, message: null },
      })
    })

    test('“No records are pushed.” They stay as they were', async () => {
      const { url, path } = await fresh()
      await member.patch(url, { x: 1 })
      const before = await member.get(`${path}/versions/v1.0.0/records`)
      const after = await member.get(`${path}/versions/v1.0.1/records`)
      expect(after.json).toEqual(before.json)
      expect(after.status).toBe(200)
    })

    test('“a member given as null is removed”', async () => {
      const { url } = await fresh()
      expect((await member.patch(url, { license: null })).json).toMatchObject({ metadata: { keep: [1, 2] } })
      expect((await member.patch(url, { keep: null })).json).toMatchObject({ semver: 'v1.0.2', metadata: {} })
    })

    test('“A patch that changes nothing: 200 with the present semver, hash, metadata and unchanged: true.”', async () => {
      const { url } = await fresh()
      const changed = await member.patch(url, { x: 1 })
      const again = await member.patch(url, { x: 1, absent: null })
      expect(again).toMatchObject({ status: 200, json: { ...changed.json, unchanged: true } })
    })

    test('“description, readme, license must be strings”: 400; also no object, malformed, unknown parameters', async () => {
      const { url } = await fresh()
      for (const name of ['description', 'readme', 'license']) {
        const answer = await member.patch(url, { [name]: 5 })
        expect(answer).toMatchObject(refusal(400, 'invalid_request'))
        expect(answer.json.issues).toEqual([{ path: name, message: expect.any(String) }])
      }
      for (const text of ['[]', '"x"', 'null', '{', '{"a":1,"a":2}', '{"a":9007199254740993}']) {
        expect(await member.patch(url, text)).toMatchObject(refusal(400, 'invalid_request'))
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
        json: { semver: 'v1.0.1', metadata: { keep: [1, 2], text: 'ü'.repeat(40_000) } },
      })
      expect(answer.json.metadata).not.toHaveProperty('license')
      expect(await member.patch(url, absent)).toMatchObject({ status: 200, json: { unchanged: true } })
      const later = await member.patch(`${url}?async=true`, { ...absent, text: null, keep: 'later' })
      const job = await settled(`${url}/jobs/${later.json.job_id}`)
      expect(job.json.result).toMatchObject({ semver: 'v1.0.2', metadata: { keep: 'later' } })
      const faulty = await member.patch(url, { ...absent, license: 5 })
      expect(faulty).toMatchObject(refusal(400, 'invalid_request'))
      expect(faulty.json.issues).toEqual([{ path: 'license', message: expect.any(String) }])
      const wide = ' '.repeat(70_000)
      for (const text of ['[]', '"x"', 'null', '{', '{"a":1,"a":2}', '{"a":9007199254740993}']) {
        const short = await member.patch(url, text)
        const long = await member.patch(url, text + wide)
        expect([long.status, long.json]).toEqual([
          short.status,
          { ...short.json, error: long.json.error, issues: long.json.issues },
        ])
        const rulesOf = ({ json }: typeof short) =>
          (json.issues as { rule?: string }[]).map(({ rule }) => rule)
        expect(rulesOf(long)).toEqual(rulesOf(short))
      }
    })

    test('many MiB do not delay other requests', async () => {
      const { url } = await fresh()
      const key = await server.keyFor(mel.cookie, 'write')
      for (const arrays of [650_000, 2.5 * 1024 ** 2]) {
        const body = `{"x":[${'[],'.repeat(arrays)}[]]}`
        expect(await sendWithoutBlocking(testClient(server.url, key), 'PATCH', url, body)).toBe(413)
      }
    }, 120_000)

    test('“At most 1 MiB merged (413)”, which the message names', async () => {
      const { url } = await fresh({})
      const big = { x: 'x'.repeat(1_048_576 - '{"x":""}'.length) }
      expect(await member.patch(url, { ...big, y: 1 })).toMatchObject(refusal(413, 'too_large'))
      expect(await member.patch(url, big)).toMatchObject({ status: 201 })
      const over = await member.patch(url, { y: 1 })
      expect(over).toMatchObject(refusal(413, 'too_large'))
      expect(over.json.error).toContain('1 MiB')
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
        testClient(server.url, await server.keyFor(mel.cookie, scope, { collectionId }))
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
        const job = await member.get(`${url}/jobs/${answer.json.job_id}`)
        expect(job).toMatchObject({ status: 200, json: { job_id: answer.json.job_id } })
      }
      // The metadata contains exactly the members of updates answered 201.
      const { metadata } = (await member.patch(url, {})).json as { metadata: object }
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
      expect(answer.json).toEqual({ job_id: expect.any(String), status: 'running', base_semver: 'v1.0.0' })
      const job = await settled(`${url}/jobs/${answer.json.job_id}`)
      expect(job).toMatchObject({ status: 200 })
      expect(job.json).toEqual({
        job_id: answer.json.job_id,
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
      expect(same.json).toEqual({ ...job.json.result, unchanged: true })
    })

    test('an asynchronous patch that changes nothing has the result of the synchronous one', async () => {
      const { url } = await fresh()
      const answer = await member.patch(`${url}?async=true`, { license: 'MIT' })
      const job = await settled(`${url}/jobs/${answer.json.job_id}`)
      expect(job.json.result).toEqual((await member.patch(url, { license: 'MIT' })).json)
    })

    test('“Polling needs read scope and membership; a limited key its own collection.”', async () => {
      const { url, id } = await fresh()
      const other = await fresh()
      const { json } = await member.patch(`${url}?async=true`, { x: 1 })
      const job = `${url}/jobs/${json.job_id}`
      const key = async (collectionId: string) =>
        testClient(server.url, await server.keyFor(mel.cookie, 'read', { collectionId }))
      expect(await anonymous.get(job)).toMatchObject(refusal(401, 'unauthenticated'))
      expect(await outsider.get(job)).toMatchObject(refusal(403, 'not_a_member'))
      expect(await (await key(other.id)).get(job)).toMatchObject(refusal(403, 'key_limited'))
      expect(await (await key(id)).get(job)).toMatchObject({ status: 200 })
      const elsewhere = `${other.url}/jobs/${json.job_id}`
      expect(await member.get(elsewhere)).toMatchObject(refusal(404, 'job_not_found'))
      expect(await member.get(`${url}/jobs/none`)).toMatchObject(refusal(404, 'job_not_found'))
    })
  })
})

describe.each(anyDatabase)('metadata jobs across a restart on $name', (testDatabase) => {
  test('“a server killed in mid-job finishes or fails it after the restart, never leaves it running”', async () => {
    const { settings, dispose } = await testDatabase.settings()
    // This server runs no jobs, so accepted ones stay open as after a kill.
    const first = await serveForTest(settings, { roles: ['api'] })
    const ann = await first.signIn('ann')
    const key = await first.keyFor(ann.cookie, 'write')
    const before = testClient(first.url, key)
    const started: string[] = []
    for (const slug of ['survivor', 'overtaken']) {
      await before.post('/accounts/ann/collections', { slug })
      const path = `/collections/ann/${slug}`
      await pushVersion(before, path, { opening: { schemas: city }, puts: lines })
      const { json } = await before.patch(`${path}/metadata?async=true`, { by: slug })
      started.push(`${path}/metadata/jobs/${json.job_id}`)
      expect(await before.patch(`${path}/metadata`, { y: 1 })).toMatchObject({
        ...refusal(409, 'metadata_update_in_progress'),
        json: { job_id: json.job_id },
      })
    }
    await pushVersion(before, '/collections/ann/overtaken', {
      base: 'v1.0.0',
      puts: [{ ...lines[0]!, id: 'b' }],
    })
    await first.stop()

    const folder = join(first.dataFolder, 'database')
    const again = settings.url === undefined ? { folder } : settings
    const second = await serveForTest(again, { dataFolder: first.dataFolder })
    const after = testClient(second.url, key)
    const [survivor, overtaken] = await vi.waitFor(
      async () => {
        const jobs = await Promise.all(started.map((url) => after.get(url)))
        for (const { json } of jobs) expect(json.status).not.toBe('running')
        return jobs
      },
      { timeout: 20_000, interval: 50 },
    )
    expect(survivor?.json).toMatchObject({
      status: 'completed',
      result: { semver: 'v1.0.1', metadata: { by: 'survivor' } },
    })
    // “A version that landed after base_semver fails the job with the error body of a 409 version_conflict.”
    expect(overtaken?.json).toEqual({
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
    expect(next).toMatchObject({ status: 201, json: { semver: 'v1.1.1' } })
    await second.close()
    await dispose()
  })
})
