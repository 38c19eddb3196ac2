/** State of the registry for operators: failed jobs of every queue, and what a retry does. */
import { randomUUID } from 'node:crypto'
import { tmpdir } from 'node:os'
import { insertWebhook } from '@ulmus/storage'
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { accountsOf } from '../accounts/accounts.ts'
import { sessionsOf } from '../accounts/browser-sessions.ts'
import type { Jobs } from '../jobs.ts'
import { Load } from '../monitoring/load.ts'
import { anonymous, type Caller } from '../principal.ts'
import { TableFailedError } from '../tables/build-table.ts'
import { EngineError } from '../tables/engine/engine.ts'
import type { InstalledTables } from '../tables/find-table.ts'
import { TableFailures } from '../tables/folder/failures.ts'
import { addAccount, addCollection, addVersion, openContext, type TestContext } from '../testing/context.ts'
import type { RetriedJob } from './failed-jobs.ts'
import { operatorStateOf } from './state.ts'

const issuer = 'https://login.example'

describe.each(serviceDatabases)('the state of the registry on $name', (database) => {
  let context: TestContext
  let state: ReturnType<typeof operatorStateOf>
  let root: Caller
  let ada: Caller
  const failures = new TableFailures()
  const woken: string[] = []
  const retried: string[] = []
  const signIn = async (name: string): Promise<Caller> => {
    const identity = { issuer, subject: name, preferredUsername: name, email: null, name }
    const account = await accountsOf(context).signIn(identity as never)
    const { token } = await sessionsOf(context).open(account)
    return (await sessionsOf(context).resolve(token, '192.0.2.7'))!.caller
  }
  const sql = (text: string, values: unknown[] = []) => context.database.query<never>(text, values)
  const retry = async (queue: RetriedJob['queue'], id: string) => state.retry(root, { queue, id })

  beforeAll(async () => {
    const opened = await openContext(database)
    const jobs: Jobs = {
      ...opened.jobs,
      failed: () => [{ name: 'work on log', since: new Date(0), times: 3, error: 'No connection.' }],
      retry: (name) => retried.push(name) > 0 && name === 'work on log',
      wake: (kind) => void woken.push(kind),
    }
    context = { ...opened, jobs, operators: { identities: [{ issuer, subject: 'olga' }], byClaim: false } }
    state = operatorStateOf(context, {
      load: new Load(context.now),
      ...{ dataFolder: tmpdir(), folders: { database: undefined, objects: undefined } },
      installed: {
        files: { failures, usage: async () => ({ bytes: 5, workingBytes: 7 }), bytesMax: 100 },
      } as unknown as InstalledTables,
    })
    root = await signIn('olga')
    ada = await signIn('ada')
  })
  afterAll(() => context.dispose())

  test('nothing failed at first, and only operators may ask', async () => {
    const nothing = { deliveries: [], writes: [], deletions: [], strips: [], tables: [] }
    expect(await state.failed(root)).toMatchObject({ ...nothing, sweep: undefined })
    for (const [who, code] of [
      [ada, 'not_an_operator'],
      [anonymous, 'unauthenticated'],
      [{ ...root, scope: 'write' }, 'insufficient_scope'],
    ] as const)
      for (const read of [
        () => state.failed(who as Caller),
        () => state.load(who as Caller),
        () => state.disk(who as Caller),
        () => state.disks(who as Caller),
        () => state.refusedWrites(who as Caller),
        () => state.retry(who as Caller, { queue: 'sweep', id: '' }),
      ])
        await expect(read()).rejects.toMatchObject({ code })
  })

  describe('failed work', () => {
    const [hook, off, trying, lost] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()]
    let version: string

    beforeAll(async () => {
      const owner = await addAccount(context, 'bea')
      const collection = await addCollection(context, owner, { slug: 'birds' })
      version = (await addVersion(context, collection)).id
      for (const [id, enabled] of [
        [hook, true],
        [off, false],
        [trying, true],
      ] as const)
        await context.database.transact((tx) =>
          insertWebhook(tx, {
            ...{ id, accountId: owner.id, collectionId: null, url: 'https://x.example/secret', label: '' },
            ...{ host: 'x.example', kinds: [], bumps: [], enabled, failingSince: null, madeBy: owner.id },
            ...{ createdAt: new Date(), testedAt: null, proven: false, hearsAfter: 0, formerSecrets: null },
            ...{ secret: Buffer.from('s'), disabledWhy: enabled ? null : 'failing' },
          }),
        )
      await sql(
        `insert into events (seq, at, kind, collection_id, account_id, name, public, details)
         select n, now(), 'version.made', $1, $2, 'bea/birds', false, '{}' from generate_series(1, 3) as n`,
        [collection.id, owner.id],
      )
      await sql(
        `insert into deliveries (webhook_id, seq, state, attempts, attempted_at, status, why)
         select id, seq, 'failed', 10, now(), 500, 'status' from webhooks, events where id <> $1`,
        [trying],
      )
      await sql(
        `insert into deliveries (webhook_id, seq, state, attempts, next_at, attempted_at, why)
         select $1, seq, 'waiting', seq - 1, now() + seq * interval '1 hour', now(), case when seq > 1 then 'timeout' end
         from events`,
        [trying],
      )
      const write = [collection.id, owner.id, version]
      await sql(
        `insert into pushes (id, collection_id, account_id, kind, status, files, created_at, expires_at, error)
         select gen_random_uuid(), $1, $2, 'delta', 'open', '{}', now(), now(), json_build_object('code', code, 'error', code || '!')
         from unnest(array['internal', 'schema_violation']) as code`,
        write.slice(0, 2),
      )
      await sql(
        `insert into metadata_jobs (id, collection_id, status, account_id, means, base_id, base_semver, error, started_at)
         values (gen_random_uuid(), $1, 'failed', $2, '{}', $3, 'v1.0.0', '{"code": "unavailable", "error": "gone!"}', now())`,
        write,
      )
      await sql(
        `insert into deletions (id, collection_ids, push_ids, deleted_at, attempts, last_error, lease_until)
         values ($1, '{}', '{}', now(), 4, 'No bucket.', now() + interval '1 hour')`,
        [lost],
      )
      await sql(`insert into version_strips (version_id) values ($1) on conflict do nothing`, [version])
      await sql(`update version_strips set attempts = 6, public_shares = '[]', full_shares = ''`)
      await sql(
        `insert into periodic_tasks (name, begun_at, ended_at, succeeded) values ('sweep', now(), now(), false)`,
      )
      const source = { owner: owner.id, tree: { count: 12 } } as never
      const cause = new EngineError('failed', 'Could not convert "a private word".', 1)
      failures.note('/tables/x', source, new TableFailedError(cause))
    })

    test('is listed with its error; answers to authors are not, nor addresses and content', async () => {
      const jobs = await state.failed(root)
      expect(jobs).toMatchObject({
        deliveries: expect.arrayContaining([
          expect.objectContaining({
            id: hook,
            account: 'bea',
            host: 'x.example',
            deliveries: 3,
            status: 500,
          }),
          expect.objectContaining({ id: off, enabled: false, disabledWhy: 'failing', nextAt: null }),
          // The first event waits for its first attempt.
          expect.objectContaining({ id: trying, deliveries: 2, why: 'timeout', nextAt: expect.any(Date) }),
        ]),
        deletions: [{ id: lost, attempts: 4, error: 'No bucket.', nextAt: expect.any(Date) }],
        strips: [{ id: version, owner: 'bea', slug: 'birds', attempts: 6 }],
        sweep: expect.any(Date),
        tasks: [{ name: 'work on log', error: 'No connection.' }],
        tables: [{ account: 'bea', records: 12, kind: 'failed' }],
      })
      expect(jobs.writes.map(({ queue, owner, error }) => [queue, owner, error]).sort()).toEqual([
        ['commit', 'bea', 'internal!'],
        ['metadata', 'bea', 'gone!'],
      ])
      expect(JSON.stringify(jobs)).not.toMatch(/secret|private word/)
    })

    test('is due at once after a retry, and a second retry finds nothing', async () => {
      const [table] = (await state.failed(root)).tables
      for (const [queue, id] of [
        ['delivery', hook],
        ['delivery', trying],
        ['deletion', lost],
        ['strip', version],
        ['table', table!.id],
      ] as const) {
        const answers = [await retry(queue, id), queue === 'deletion' || (await retry(queue, id))]
        expect([queue, ...answers]).toEqual([queue, true, queue === 'deletion'])
      }
      expect([await retry('sweep', 'sweep'), await retry('task', 'work on log')]).toEqual([true, true])
      expect(woken.filter((kind) => kind !== 'events')).toEqual([
        'deliveries',
        'deliveries',
        'deletions',
        'strips',
      ])
      expect(retried).toEqual(['daily sweep', 'work on log'])
      const counted = async (where: string) => (await sql(`select from ${where}`)).rows.length
      expect(await counted(`deliveries where webhook_id = '${hook}' and state = 'waiting'`)).toBe(3)
      expect(await counted(`deliveries where webhook_id = '${trying}' and attempts = 0`)).toBe(3)
      expect(await counted('deletions where lease_until is null')).toBe(1)
      expect(await counted('version_strips where full_shares is null and attempts = 0')).toBe(1)
      expect(await counted("periodic_tasks where begun_at < '2000-01-01'")).toBe(1)
    })

    test('of a disabled webhook, and with hostile ids, is not retried', async () => {
      expect(await retry('delivery', off)).toBe(false)
      for (const queue of ['delivery', 'deletion', 'strip', 'table', 'task'] as const)
        for (const id of ['', '__proto__', "' or true", randomUUID()])
          expect(await retry(queue, id)).toBe(false)
    })
  })

  test('the disk has its size, the stores and the tables their bytes', async () => {
    const usage = await state.disk(root)
    expect(usage.disks).toEqual([
      {
        folder: tmpdir(),
        bytes: expect.any(Number),
        freeBytes: expect.any(Number),
        isScarce: expect.any(Boolean),
      },
    ])
    expect(usage.disks).toEqual(await state.disks(root))
    expect(usage.databaseBytes).toBeGreaterThan(1e6)
    expect(usage).toMatchObject({
      ...{ isDatabaseHere: false, areObjectsHere: false, pushes: 0 },
      tables: { bytes: 5, workingBytes: 7, bytesMax: 100 },
    })
  })
})
