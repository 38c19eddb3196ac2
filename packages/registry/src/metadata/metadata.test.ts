import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import type { JsonObject } from '@ulmus/content'
import {
  type AccountRow,
  columnsOf,
  findHead,
  type MetadataJobRow,
  metadataJobs,
  type VersionRow,
} from '@ulmus/storage'
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type CollectionPath, type Collections, collectionsOf } from '../collections/collections.ts'
import { jobsOf } from '../jobs.ts'
import { anonymous, type Caller } from '../principal.ts'
import {
  addAccount,
  addCollection,
  addVersion,
  callerOf,
  idleJobs,
  openContext,
  type TestContext,
} from '../testing/context.ts'
import { shown } from '../testing/shown.ts'
import { type StatementWatch, watchingStatements } from '../testing/statement-watch.ts'
import { type Metadata, metadataOf } from './metadata.ts'
import { endOf } from './update.ts'

const code = (code: string) => expect.objectContaining({ code })
/** Too large for a pack in the database. */
const large = randomBytes(100_000).toString('hex')

/** Simulates a process killed before any other effect than its row. */
const killed = new Error('killed')

describe.each(serviceDatabases)('metadata on $name', (testDatabase) => {
  let context: TestContext
  let collections: Collections
  let metadata: Metadata
  let ada: AccountRow
  let owner: Caller
  let number = 0

  beforeAll(async () => {
    context = await openContext(testDatabase)
    collections = collectionsOf(context)
    metadata = metadataOf(context)
    await context.jobs.start()
    ada = await addAccount(context, 'ada')
    owner = callerOf(ada)
  })
  afterAll(() => context.dispose())

  const fresh = async (
    first: Parameters<typeof addVersion>[2] | null = { metadata: { a: 1, license: 'MIT' } },
  ) => {
    const slug = `c${number++}`
    const row = await addCollection(context, ada, { slug, public: true })
    const version = first === null ? null : await addVersion(context, row, first)
    return { row, path: { owner: 'ada', slug }, version: version as VersionRow }
  }
  const latestJob = async (collectionId: string) => {
    const { rows } = await context.database.query<MetadataJobRow>(
      `select ${columnsOf(metadataJobs)} from metadata_jobs where collection_id = $1 order by started_at desc, id desc`,
      [collectionId],
    )
    return rows[0]
  }

  test('top-level members are merged, null removes one, and the next patch version has it', async () => {
    const { path, version } = await fresh({ metadata: { a: 1, deep: { x: 1, y: 2 }, license: 'MIT' } })
    const answer = await metadata.update(owner, path, { deep: { x: 3 }, license: null, readme: '# Hi' })
    const merged = { a: 1, deep: { x: 3 }, readme: '# Hi' }
    expect(answer).toEqual({
      semver: 'v1.0.1',
      hash: expect.stringMatching(/^private:[0-9a-f]{64}$/),
      metadata: merged,
    })
    expect(answer.hash).not.toBe(`private:${version.fullDigest}`)
    const detail = shown(await collections.detail(owner, path))
    expect(detail.latestVersion).toMatchObject({
      semver: 'v1.0.1',
      metadata: merged,
      recordCount: 3,
      totalBytes: 1_300,
    })
    expect(shown(await collections.detail(anonymous, path)).latestVersion).toMatchObject({ metadata: merged })
  })

  test('a description that the row cannot hold is shown as far as it can, and kept whole in the metadata', async () => {
    const { path } = await fresh()
    await metadata.update(owner, path, { description: 'a\0b' })
    const first = shown(await collections.detail(owner, path))
    expect([first.description, first.latestVersion?.metadata['description']]).toEqual(['a\ufffdb', 'a\0b'])
    const long = 'long '.repeat(100_000)
    await metadata.update(owner, path, { description: long })
    const listed = shown(await collections.detail(owner, path))
    expect(listed.description).toBe(`${long.slice(0, 10_000)}…`)
    expect(listed.latestVersion?.metadata['description']).toBe(long)
  })

  test('the views keep their trees', async () => {
    const { path, row, version } = await fresh({ secret: true })
    await metadata.update(owner, path, { description: 'new' })
    const head = (await findHead(context.database, row.id)) as VersionRow
    expect(head).toMatchObject({
      sidecar: version.sidecar,
      fullRecords: 4,
      publicRecords: 3,
      baseSemver: 'v1.0.0',
    })
    expect(head.publicDigest).not.toBe(version.publicDigest)
    expect(head.fullDigest).not.toBe(head.publicDigest)
  })

  test('results of an update are cached: neither readers nor the next update read the store', async () => {
    const { path } = await fresh({ metadata: { a: 1, license: 'MIT' }, secret: true })
    for (const who of [owner, anonymous]) await collections.detail(who, path)
    const reads = vi.spyOn(context.blobs, 'read')
    await metadata.update(owner, path, { b: 1 })
    const merged = { a: 1, b: 1, license: 'MIT' }
    for (const who of [owner, anonymous])
      expect(shown(await collections.detail(who, path)).latestVersion).toMatchObject({ metadata: merged })
    await metadata.update(owner, path, { c: 1 })
    expect(reads).not.toHaveBeenCalled()
    reads.mockRestore()
  })

  test('a patch that changes nothing answers with what is there and makes no version', async () => {
    const { path, version } = await fresh()
    for (const patch of [{}, { a: 1 }, { absent: null }] as JsonObject[]) {
      expect(await metadata.update(owner, path, patch)).toEqual({
        semver: 'v1.0.0',
        hash: `private:${version.fullDigest}`,
        metadata: { a: 1, license: 'MIT' },
        unchanged: true,
      })
    }
  })

  test('an update is two statements after what it looks up, also when it makes again what was there', async () => {
    const watch: StatementWatch = { made: [], before: undefined }
    const watched = { ...context, database: watchingStatements(context.database, watch) }
    const { update } = metadataOf({ ...watched, jobs: idleJobs })
    const { path } = await fresh({ secret: true })
    for (const description of ['one', 'two', 'one', 'two', null, 'one']) {
      watch.made = []
      const answer = await update(owner, path, { description })
      expect(answer.metadata['description'] ?? null).toBe(description)
      expect(watch.made.slice(watch.made.indexOf('take_metadata_slot'))).toEqual([
        'take_metadata_slot',
        'land_version_with_pack',
      ])
      const detail = shown(await collections.detail(owner, path))
      expect(detail).toMatchObject({ description, latestVersion: { semver: answer.semver } })
    }
  })

  test('relies on an existing delta together with its base', async () => {
    const { path, version } = await fresh()
    const { hash } = await metadata.update(owner, path, { description: 'stored as a delta' })
    await metadata.update(owner, path, { description: null })
    const { database } = context
    const chain = (bases: string) =>
      database.query(`update objects set bases = $1::text[] where hash = $2`, [bases, hash.slice(-64)])
    await chain(`{${version.fullDigest}}`)
    const watch: StatementWatch = { made: [], before: undefined }
    const watched = { ...context, database: watchingStatements(database, watch) }
    const { update } = metadataOf({ ...watched, jobs: idleJobs })
    const answer = await update(owner, path, { description: 'stored as a delta' })
    expect(answer).toMatchObject({ semver: 'v1.0.3', hash })
    expect(watch.made).toContain('land_version_with_pack')
    await chain('{}')
    expect(await metadata.update(owner, path, { license: 'x' })).toMatchObject({ semver: 'v1.0.4' })
  })

  test('a member called __proto__ is a member like others', async () => {
    const { path } = await fresh()
    const patch = JSON.parse('{"__proto__": {"x": 1}}')
    const answer = await metadata.update(owner, path, patch)
    expect(JSON.stringify(answer.metadata)).toContain('"__proto__":{"x":1}')
  })

  test('description, readme and license must be strings or null', async () => {
    const { path } = await fresh()
    const wrong = metadata.update(owner, path, { description: 1, readme: null, license: {}, other: 5 })
    const issue = (path: string) => ({ path, message: expect.any(String) })
    await expect(wrong).rejects.toMatchObject({
      code: 'invalid_request',
      details: { issues: [issue('description'), issue('license')] },
    })
  })

  test('a long patch is fitted to the head that it lands on', async () => {
    const { path } = await fresh({ metadata: { a: 1 } })
    const absent = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`absent ${n}`, null]))
    const body = [Buffer.from(JSON.stringify({ ...absent, a: 2 }))]
    const long = await metadata.read(owner, Readable.from(body))
    const watch: StatementWatch = {
      made: [],
      before: {
        name: 'take_metadata_slot',
        work: () => metadata.update(owner, path, { 'absent 7': 'present' }),
      },
    }
    const watched = { ...context, database: watchingStatements(context.database, watch) }
    const { update } = metadataOf({ ...watched, jobs: idleJobs })
    expect(await update(owner, path, long)).toMatchObject({ semver: 'v1.0.2', metadata: { a: 2 } })
  })

  test('1 MiB merged is the limit, to the byte', async () => {
    const { path } = await fresh({ metadata: {} })
    const filled = (bytes: number) => ({ x: 'x'.repeat(bytes - '{"x":""}'.length) })
    await expect(metadata.update(owner, path, filled(1_048_577))).rejects.toEqual(code('too_large'))
    await expect(metadata.start(owner, path, filled(1_048_577))).rejects.toEqual(code('too_large'))
    expect((await metadata.update(owner, path, filled(1_048_576))).semver).toBe('v1.0.1')
    await expect(metadata.update(owner, path, { y: 1 })).rejects.toEqual(code('too_large'))
  })

  test('a collection without versions has none to patch', async () => {
    const { path, row } = await fresh(null)
    await expect(metadata.update(owner, path, {})).rejects.toEqual(code('no_versions'))
    await expect(metadata.start(owner, path, {})).rejects.toEqual(code('no_versions'))
    expect(await latestJob(row.id)).toBeUndefined()
  })

  test('requires write scope and membership; a limited key its own collection', async () => {
    const { path, row } = await fresh()
    const stranger = callerOf(await addAccount(context, `stranger${number}`))
    const patch = (who: Caller | typeof anonymous) => metadata.update(who, path, { by: 'someone' })
    await expect(patch(anonymous)).rejects.toEqual(code('unauthenticated'))
    await expect(patch(callerOf(ada, 'read'))).rejects.toEqual(code('insufficient_scope'))
    await expect(patch(stranger)).rejects.toEqual(code('not_a_member'))
    await expect(patch(callerOf(ada, 'write', 'another'))).rejects.toEqual(code('key_limited'))
    await expect(patch(callerOf(ada, 'write', row.id))).resolves.toMatchObject({ semver: 'v1.0.1' })
    await collections.patch(owner, path, { public: false })
    await expect(patch(stranger)).rejects.toEqual(code('collection_not_found'))
    await expect(patch(anonymous)).rejects.toEqual(code('collection_not_found'))
  })

  test('an asynchronous update is a job whose result is what the synchronous call answers', async () => {
    const { path } = await fresh()
    const woken = vi.spyOn(context.jobs, 'wake')
    const started = await metadata.start(owner, path, { readme: 'async' })
    expect(started).toEqual({ job_id: expect.any(String), status: 'running', base_semver: 'v1.0.0' })
    const job = await vi.waitFor(async () => {
      const now = await metadata.job(owner, path, started.job_id)
      expect(now.status).not.toBe('running')
      return now
    }, 20_000)
    expect(woken.mock.calls.filter(([kind]) => kind === 'updates')).toHaveLength(1)
    woken.mockRestore()
    expect(job).toEqual({
      job_id: started.job_id,
      status: 'completed',
      base_semver: 'v1.0.0',
      started_at: expect.stringMatching(/Z$/),
      finished_at: expect.stringMatching(/Z$/),
      result: {
        semver: 'v1.0.1',
        hash: expect.stringMatching(/^private:[0-9a-f]{64}$/),
        metadata: { a: 1, license: 'MIT', readme: 'async' },
      },
    })
    expect(await metadata.update(owner, path, {})).toEqual({ ...job.result, unchanged: true })
  })

  test('polling needs read scope and membership, a limited key its own collection, a job of this collection', async () => {
    const { path, row } = await fresh()
    const { job_id } = await metadata.start(owner, path, { x: 1 })
    const other = await fresh()
    const stranger = callerOf(await addAccount(context, `reader${number}`))
    await expect(metadata.job(anonymous, path, job_id)).rejects.toEqual(code('unauthenticated'))
    await expect(metadata.job(stranger, path, job_id)).rejects.toEqual(code('not_a_member'))
    await expect(metadata.job(callerOf(ada, 'read', other.row.id), path, job_id)).rejects.toEqual(
      code('key_limited'),
    )
    await expect(metadata.job(callerOf(ada, 'read', row.id), path, job_id)).resolves.toMatchObject({ job_id })
    await expect(metadata.job(owner, other.path, job_id)).rejects.toEqual(code('job_not_found'))
    await expect(metadata.job(owner, path, 'no-uuid')).rejects.toEqual(code('job_not_found'))
    await expect(metadata.job(owner, path, row.id)).rejects.toEqual(code('job_not_found'))
  })

  test('of concurrent updates one holds the slot; the others get its job, which can be polled', async () => {
    const { path, row } = await fresh()
    const tries = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => metadata.update(owner, path, { [`k${index}`]: index })),
    )
    const done = tries.filter(({ status }) => status === 'fulfilled')
    expect(done.length).toBeGreaterThanOrEqual(1)
    for (const one of tries) {
      if (one.status === 'fulfilled') continue
      expect(one.reason).toEqual(code('metadata_update_in_progress'))
      const { job_id } = one.reason.details
      expect(await metadata.job(owner, path, job_id)).toMatchObject({
        job_id,
        base_semver: expect.any(String),
      })
    }
    const head = (await findHead(context.database, row.id)) as VersionRow
    expect(head.patch).toBe(done.length)
  })

  /** Leaves a job's row as a process does that dies between accepting the job and making the version. */
  const abandon = async (
    path: { owner: string; slug: string },
    patch: Record<string, number | string>,
    now = context.now,
  ) => {
    const started = await metadataOf({ ...context, now, jobs: idleJobs }).start(owner, path, patch)
    // As of a process that had just taken it.
    const lease = `update metadata_jobs set lease_until = now() + interval '2 seconds' where id = $1`
    await context.database.query(lease, [started.job_id])
    return started
  }

  test('while a job runs every other update is refused with its id', async () => {
    const { path } = await fresh()
    const { job_id } = await abandon(path, { x: 1 })
    await expect(metadata.update(owner, path, { y: 1 })).rejects.toMatchObject({
      code: 'metadata_update_in_progress',
      details: { job_id },
    })
    await expect(metadata.start(owner, path, { y: 1 })).rejects.toMatchObject({ details: { job_id } })
  })

  test('another process completes the update of a dead one within 5 s', async () => {
    const { path, row } = await fresh()
    const { job_id } = await abandon(path, { survived: 'yes' })
    await vi.waitFor(
      async () => expect(await metadata.job(owner, path, job_id)).toMatchObject({ status: 'completed' }),
      { timeout: 20_000, interval: 100 },
    )
    expect(await findHead(context.database, row.id)).toMatchObject({ patch: 1 })
    expect((await latestJob(row.id))?.patch).toBeNull()
  })

  test('so is what one left whose clock was ahead', async () => {
    const { path } = await fresh()
    const ahead = () => new Date(Date.now() + 3_600_000)
    const { job_id } = await abandon(path, { survived: 'yes' }, ahead)
    await vi.waitFor(
      async () => expect(await metadata.job(owner, path, job_id)).toMatchObject({ status: 'completed' }),
      { timeout: 20_000, interval: 100 },
    )
  })

  test('a process that starts takes up what it finds running', async () => {
    const { path } = await fresh()
    const { job_id } = await abandon(path, { x: 2 })
    const jobs = jobsOf({ ...context, works: true })
    const restarted = metadataOf({ ...context, jobs })
    await jobs.start()
    await vi.waitFor(
      async () => expect(await restarted.job(owner, path, job_id)).toMatchObject({ status: 'completed' }),
      { timeout: 20_000 },
    )
    await jobs.stop()
  })

  test('a version that landed after base_semver fails the job with the body of a 409', async () => {
    const { path, row, version } = await fresh()
    const { job_id } = await abandon(path, { x: 3 })
    await addVersion(context, row, {
      base: version,
      semver: { major: 1, minor: 1, patch: 0 },
      content: 'pushed',
    })
    const job = await vi.waitFor(
      async () => {
        const now = await metadata.job(owner, path, job_id)
        expect(now.status).toBe('failed')
        return now
      },
      { timeout: 20_000, interval: 100 },
    )
    expect(job.error).toMatchObject({ code: 'version_conflict', details: { currentVersion: 'v1.1.0' } })
    expect(job.error?.error).toContain('v1.1.0')
    expect(await metadata.update(owner, path, { x: 4 })).toMatchObject({ semver: 'v1.1.1' })
  })

  test('an unforeseen error ends the job and frees the slot', async () => {
    const { path, row } = await fresh()
    const failing = {
      ...context,
      jobs: idleJobs,
      blobs: { ...context.blobs, put: () => Promise.reject(killed) },
    }
    await expect(metadataOf(failing).update(owner, path, { x: large })).rejects.toMatchObject({
      code: 'internal',
    })
    expect(await latestJob(row.id)).toMatchObject({ status: 'failed', error: { code: 'internal' } })
    expect(context.log.errors.at(-1)?.line).toContain('metadata update failed')
    expect(await metadata.update(owner, path, { x: 6 })).toMatchObject({ semver: 'v1.0.1' })
  })

  test('an update that another process finished first answers with its result', async () => {
    const { path, row } = await fresh()
    let overtaken = false
    const overtakenContext = {
      ...context,
      jobs: idleJobs,
      blobs: {
        ...context.blobs,
        // Another process settles the job while the pack is written.
        async put(...put: Parameters<typeof context.blobs.put>) {
          if (!overtaken) {
            overtaken = true
            const jobs = jobsOf({ ...context, works: true })
            metadataOf({ ...context, jobs })
            await jobs.start()
            await vi.waitFor(async () => expect((await latestJob(row.id))?.status).toBe('completed'), 20_000)
            await jobs.stop()
          }
          return context.blobs.put(...put)
        },
      },
    }
    expect(await metadataOf(overtakenContext).update(owner, path, { x: large })).toMatchObject({
      semver: 'v1.0.1',
      metadata: { x: large },
    })
    expect(overtaken).toBe(true)
    expect(await findHead(context.database, row.id)).toMatchObject({ patch: 1 })
  })

  test('a job whose collection is deleted while its end is looked up is gone', async () => {
    const { row, path } = await fresh()
    await metadata.update(owner, path, { license: 'ISC' })
    const seen = await latestJob(row.id)
    await collections.remove(owner, path)
    expect(await endOf(context, seen)).toBe('gone')
  })

  test.each([
    [
      'collection_not_found',
      'its collection was deleted',
      async (path: CollectionPath) => collections.remove(owner, path),
    ],
    [
      'unavailable',
      'a failover lost its row',
      async (_: CollectionPath, id: string) =>
        void (await context.database.query('delete from metadata_jobs where collection_id = $1', [id])),
    ],
  ] as const)('an update that is gone is refused with %s: %s', async (refusal, _, lose) => {
    const { path, row } = await fresh()
    const losing = {
      ...context,
      jobs: idleJobs,
      blobs: {
        ...context.blobs,
        async put(...put: Parameters<typeof context.blobs.put>) {
          await lose(path, row.id)
          return context.blobs.put(...put)
        },
      },
    }
    await expect(metadataOf(losing).update(owner, path, { x: large })).rejects.toEqual(code(refusal))
  })

  test('a collection that is deleted takes its running job along', async () => {
    const { path, row } = await fresh()
    await abandon(path, { x: 8 })
    await collections.remove(owner, path)
    expect(await latestJob(row.id)).toBeUndefined()
  })
})
