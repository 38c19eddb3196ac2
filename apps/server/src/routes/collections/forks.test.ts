/** Forks over HTTP, sentence by sentence of interface.md "Fork" and http-api.md §6. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SignedIn } from '../../testing/browser.ts'
import { addOrg, serveForTest, type TestServer } from '../../testing/serve.ts'
import { type Change, pushVersion } from '../../testing/stage.ts'
import { type TestClient, testClient } from '../../testing/test-client.ts'

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/)
const refusal = (statusCode: number, code: string) => ({
  status: statusCode,
  json: { error: expect.stringMatching(/[.?]$/), code, statusCode },
})
const city = { City: { type: 'object', properties: { name: { type: 'string' } } } }
const line = (id: string, more: object = {}) => ({
  id,
  type: 'City',
  data: { name: id },
  ...more,
})

describe.each(anyDatabase)('forks over HTTP on $name', (testDatabase) => {
  let server: TestServer
  let dispose: () => Promise<void>
  let eve: SignedIn
  let anonymous: TestClient
  /** A member of both organizations: the source's owner `acme`, and `target`. */
  let member: TestClient
  /** A member of `target` only. */
  let outsider: TestClient
  let number = 0

  beforeAll(async () => {
    const made = await testDatabase.settings()
    dispose = made.dispose
    server = await serveForTest(made.settings)
    const ann = await server.signIn('ann')
    const mel = await server.signIn('mel')
    eve = await server.signIn('eve')
    await addOrg(server, ann, 'acme', { mel: 'member' })
    await addOrg(server, ann, 'target', { mel: 'member', eve: 'member' })
    await addOrg(server, ann, 'closed')
    anonymous = testClient(server.url)
    member = testClient(server.url, await server.keyFor(mel.cookie, 'write'))
    outsider = testClient(server.url, await server.keyFor(eve.cookie, 'write'))
  })
  afterAll(async () => {
    await server?.close()
    await dispose?.()
  })

  const source = async (
    push: Change | null = { opening: { schemas: city }, puts: [line('a'), line('b')] },
    isPublic = true,
  ) => {
    const slug = `f${number++}`
    const body = { slug, name: `Source ${slug}`, public: isPublic, description: 'own words' }
    const made = await member.post('/accounts/acme/collections', body)
    const path = `/collections/acme/${slug}`
    if (push !== null) await pushVersion(member, path, push)
    return {
      slug,
      path,
      fork: `${path}/fork`,
      id: made.json.id,
      forked: `/collections/target/${slug}`,
    }
  }

  test('“Returns 201 with: id, owner, slug, name, forkedFrom, version”; “defaults to the source collection’s slug”', async () => {
    const { fork, slug } = await source()
    const answer = await outsider.post(fork, { targetOrg: 'target' })
    expect(answer.status).toBe(201)
    expect(answer.json).toEqual({
      id: uuid,
      owner: 'target',
      slug,
      name: `Source ${slug}`,
      forkedFrom: { owner: 'acme', slug, version: 'v1.0.0' },
      version: { semver: 'v1.0.0', recordCount: 2 },
    })
    const named = await outsider.post(fork, { targetOrg: 'target', slug: `${slug}-named` })
    expect(named).toMatchObject({ status: 201, json: { slug: `${slug}-named`, name: `Source ${slug}` } })
  })

  test('“Its v1.0.0 has the source’s metadata, counts and, where nothing is private, digest; its message is Fork”', async () => {
    const { fork, path, forked, slug } = await source({
      opening: { schemas: city, metadata: { license: 'MIT' } },
      puts: [line('a')],
    })
    await member.patch(`${path}/metadata`, { description: 'of v1.0.1' })
    await outsider.post(fork, { targetOrg: 'target' })
    const [theirs] = (await anonymous.get(`${path}/versions`)).json as Record<string, unknown>[]
    const versions = (await anonymous.get(`${forked}/versions`)).json as Record<string, unknown>[]
    expect(versions).toHaveLength(1)
    const { hash, recordCount, fileCount, totalBytes } = theirs ?? {}
    expect(versions[0]).toMatchObject({
      semver: 'v1.0.0',
      message: 'Fork',
      hash,
      recordCount,
      fileCount,
      totalBytes,
    })
    const detail = await anonymous.get(forked)
    expect(detail.json).toMatchObject({
      description: 'of v1.0.1',
      forkedFrom: { owner: 'acme', slug, version: 'v1.0.1' },
      latestVersion: {
        semver: 'v1.0.0',
        metadata: { license: 'MIT', description: 'of v1.0.1' },
        message: 'Fork',
      },
    })
  })

  test('“Forking references records…”: the fork’s are the source’s and stay when the source changes or goes', async () => {
    const { fork, path, forked } = await source()
    await outsider.post(fork, { targetOrg: 'target' })
    const records = await anonymous.get(`${path}/versions/v1.0.0/records`)
    expect(records.status).toBe(200)
    await pushVersion(member, path, { base: 'v1.0.0', puts: [line('c')] })
    const ann = testClient(server.url, await server.signIn('ann'))
    expect(await ann.delete(path)).toMatchObject({ status: 200 })
    expect((await anonymous.get(`${forked}/versions/latest/records`)).json).toEqual(records.json)
    await pushVersion(outsider, forked, { base: 'v1.0.0', puts: [line('d')] })
    expect((await anonymous.get(forked)).json).toMatchObject({
      latestVersion: { semver: 'v1.1.0', recordCount: 3 },
    })
  })

  describe('“A collection that holds any private records, private types or private fields is refused with 403 for such a caller”', () => {
    const secretField = { City: { properties: { name: {}, secret: { type: 'string', private: true } } } }
    test.each<[string, Change]>([
      ['a private record', { opening: { schemas: city }, puts: [line('a'), line('b', { private: true })] }],
      [
        'a private type',
        {
          opening: { schemas: { ...city, Plan: { private: true } } },
          puts: [line('a'), line('p', { type: 'Plan' })],
        },
      ],
      [
        'a private type without records',
        { opening: { schemas: { ...city, Plan: { private: true } } }, puts: [line('a')] },
      ],
      [
        'a private field',
        { opening: { schemas: secretField }, puts: [line('a', { data: { name: 'a', secret: 's' } })] },
      ],
      ['a private field without data', { opening: { schemas: secretField }, puts: [line('a')] }],
    ])('%s', async (_, push) => {
      const { fork, forked } = await source(push)
      expect(await outsider.post(fork, { targetOrg: 'target' })).toMatchObject(
        refusal(403, 'private_content'),
      )
      expect(await outsider.get(forked)).toMatchObject(refusal(404, 'collection_not_found'))
      // “Members of the source org can always fork.”
      expect(await member.post(fork, { targetOrg: 'target' })).toMatchObject({ status: 201 })
    })

    test('“A member’s fork has both views”', async () => {
      const { fork, path, forked } = await source({
        opening: { schemas: city },
        puts: [line('a'), line('b', { private: true })],
      })
      const answer = await member.post(fork, { targetOrg: 'target' })
      expect(answer.json).toMatchObject({ version: { recordCount: 2 } })
      expect((await outsider.get(forked)).json).toMatchObject({ latestVersion: { recordCount: 2 } })
      expect((await anonymous.get(forked)).json).toMatchObject({ latestVersion: { recordCount: 1 } })
      const [ours, theirs] = await Promise.all([
        anonymous.get(`${forked}/versions`),
        anonymous.get(`${path}/versions`),
      ])
      expect(ours.json[0].hash).toEqual(theirs.json[0].hash)
    })
  })

  test('“The fork is as public as its source; public: false in the body makes it private.”', async () => {
    const open = await source()
    expect(await outsider.post(open.fork, { targetOrg: 'target', public: false })).toMatchObject({
      status: 201,
    })
    expect((await outsider.get(open.forked)).json).toMatchObject({ public: false })
    expect(await anonymous.get(open.forked)).toMatchObject(refusal(404, 'collection_not_found'))
    const secret = await source(undefined, false)
    // “Members of the source's owner may fork what outsiders cannot, private collections included”
    expect(await member.post(secret.fork, { targetOrg: 'target', public: true })).toMatchObject({
      status: 201,
    })
    expect((await member.get(secret.forked)).json).toMatchObject({ public: false })
  })

  test('“Detail of a fork also has forkedFrom, for callers who may see the source now.”', async () => {
    const { fork, path, forked, slug } = await source()
    await outsider.post(fork, { targetOrg: 'target' })
    expect((await anonymous.get(forked)).json).toMatchObject({
      forkedFrom: { owner: 'acme', slug, version: 'v1.0.0' },
    })
    await member.patch(path, { public: false })
    expect((await anonymous.get(forked)).json).not.toHaveProperty('forkedFrom')
    expect((await outsider.get(forked)).json).not.toHaveProperty('forkedFrom')
    expect((await member.get(forked)).json).toMatchObject({ forkedFrom: { slug } })
    expect(JSON.stringify((await outsider.get(`${forked}/versions/latest`)).json)).not.toContain('acme')
  })

  test('without targetOrg it goes to the caller', async () => {
    const { fork } = await source()
    expect(await outsider.post(fork, {})).toMatchObject({ status: 201, json: { owner: 'eve' } })
  })

  test('400: a body is required, nothing unknown is taken', async () => {
    const { fork } = await source()
    for (const body of [
      { targetOrg: 5 },
      { targetOrg: null },
      { view: 'full' },
      { targetOrg: 'target', name: 'x' },
      { targetOrg: 'target', public: 'no' },
    ]) {
      expect(await outsider.post(fork, body)).toMatchObject(refusal(400, 'invalid_request'))
    }
    expect(await outsider.post(fork)).toMatchObject(refusal(400, 'invalid_request'))
  })

  test('“Checked in this order”: a request with several errors gets the first', async () => {
    const hidden = await source(undefined, false)
    const secret = await source({ opening: { schemas: city }, puts: [line('a', { private: true })] })
    const empty = await source(null)
    const taken = await source()
    expect(await outsider.post(taken.fork, { targetOrg: 'target' })).toMatchObject({ status: 201 })
    const key = (scope: 'read' | 'write', collectionId?: string) =>
      server.keyFor(eve.cookie, scope, collectionId === undefined ? {} : { collectionId })
    const reader = testClient(server.url, await key('read', secret.id))
    const limited = testClient(server.url, await key('write', secret.id))
    const absent = '/collections/acme/absent/fork'
    const wrong = { targetOrg: 5 }

    expect(await anonymous.post(absent, wrong)).toMatchObject(refusal(401, 'unauthenticated'))
    expect(await reader.post(absent, wrong)).toMatchObject(refusal(403, 'insufficient_scope'))
    expect(await limited.post(absent, wrong)).toMatchObject(refusal(403, 'key_limited'))
    // “A fork request made with a key limited to specific collections is refused with 403”, also for a fork of its own collection.
    expect(await limited.post(secret.fork, { targetOrg: 'target' })).toMatchObject(
      refusal(403, 'key_limited'),
    )
    expect(await outsider.post(absent, wrong)).toMatchObject(refusal(400, 'invalid_request'))
    expect(await outsider.post(absent, { targetOrg: 'missing' })).toMatchObject(
      refusal(404, 'collection_not_found'),
    )
    expect(await outsider.post(hidden.fork, { targetOrg: 'missing' })).toMatchObject(
      refusal(404, 'collection_not_found'),
    )
    expect(await outsider.post(secret.fork, { targetOrg: 'missing' })).toMatchObject(
      refusal(404, 'account_not_found'),
    )
    // “a user account is no target”, not even the caller's own.
    expect(await outsider.post(secret.fork, { targetOrg: 'eve' })).toMatchObject(
      refusal(404, 'account_not_found'),
    )
    expect(await outsider.post(secret.fork, { targetOrg: 'closed' })).toMatchObject(
      refusal(403, 'not_a_member'),
    )
    const clash = { targetOrg: 'target', slug: taken.slug }
    expect(await outsider.post(secret.fork, clash)).toMatchObject(refusal(403, 'private_content'))
    expect(await outsider.post(empty.fork, clash)).toMatchObject(refusal(422, 'no_versions'))
    expect(await outsider.post(taken.fork, { ...clash, slug: 'Not A Slug' })).toMatchObject(
      refusal(422, 'invalid_slug'),
    )
    expect(await outsider.post(taken.fork, clash)).toMatchObject(refusal(409, 'slug_taken'))
    expect(await outsider.post(taken.fork, { targetOrg: 'target' })).toMatchObject(refusal(409, 'slug_taken'))
  })

  test('the family names the source and the forks, and how many versions a fork lacks', async () => {
    const { path, fork, forked, slug } = await source()
    expect((await anonymous.get(`${path}/family`)).json).toEqual({ source: null, forks: [], publicForks: 0 })
    expect((await outsider.post(fork, { targetOrg: 'target' })).status).toBe(201)
    const hidden = { targetOrg: 'target', slug: `${slug}-hidden`, public: false }
    expect((await outsider.post(fork, hidden)).status).toBe(201)
    const one = { owner: 'target', slug, name: `Source ${slug}`, public: true, version: 'v1.0.0' }
    expect((await anonymous.get(`${path}/family`)).json).toEqual({
      source: null,
      forks: [{ ...one, latest: 'v1.0.0', behind: 0 }],
      publicForks: 1,
    })
    expect((await member.get(`${path}/family`)).json.forks).toHaveLength(2)
    await pushVersion(member, path, { base: 'v1.0.0', puts: [line('c')] })
    await pushVersion(member, path, { base: 'v1.1.0', puts: [line('d')] })
    await pushVersion(outsider, forked, { base: 'v1.0.0', puts: [line('own')] })
    const [own] = (await anonymous.get(`${path}/family`)).json.forks
    expect(own).toEqual({ ...one, latest: 'v1.1.0', behind: 2 })
    const { json } = await anonymous.get(`${forked}/family`)
    expect(json.source).toEqual({
      ...{ owner: 'acme', slug, name: `Source ${slug}`, public: true },
      ...{ version: 'v1.0.0', latest: 'v1.2.0', behind: 2 },
    })
    const page = await testClient(server.url, undefined, '').get(`/target/${slug}`)
    expect(page.text).toMatch(new RegExp(`/acme/${slug}/compare/v1.0.0...v1.2.0">2 versions behind<`))
    // A source that becomes private is known to its members alone.
    expect((await member.patch(path, { public: false })).status).toBe(200)
    for (const stranger of [anonymous, outsider])
      expect((await stranger.get(`${forked}/family`)).json.source).toBe(null)
    expect((await member.get(`${forked}/family`)).json.source).toMatchObject({ behind: 2 })
  })
})
