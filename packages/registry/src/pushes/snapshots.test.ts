import { emptySidecar, type JsonObject, parseJson, recordOf } from '@ulmus/content'
import { type AccountRow, findCollectionById, findPush, listPushSpills } from '@ulmus/storage'
import { anyDatabase } from '@ulmus/storage/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anonymous, type Caller } from '../principal.ts'
import { recordsOf } from '../records/records.ts'
import {
  addAccount,
  addCollection,
  callerOf,
  idleJobs,
  openContext,
  type TestContext,
} from '../testing/context.ts'
import { textOf } from '../testing/text-of.ts'
import { documentOf } from '../versions/content.ts'
import { snapshotEntries } from './commit/snapshot-entries.ts'
import type { SnapshotOpening } from './opening/opening-body.ts'
import { PushSessions } from './session/sessions.ts'
import { Snapshots } from './snapshots.ts'
import { spillsAtOnceMax } from './spills/merge.ts'

interface Item {
  id: string
  type: string
  data: JsonObject
  private?: boolean
}

const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
async function* body(...values: readonly unknown[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(values.map(asText).join('\n'))
}

const hashOf = ({ id, type, data }: Item) => recordOf(id, type, data).hash
const entryOf = (item: Item) => ({
  id: item.id,
  type: item.type,
  hash: hashOf(item),
  ...(item.private === undefined ? {} : { private: item.private }),
})
const open: JsonObject = { A: {}, B: { properties: { n: {}, s: { private: true } } } }
const asOpening = (rest: unknown) => rest as SnapshotOpening

describe.each(anyDatabase)('snapshots on $name', (database) => {
  let context: TestContext
  let account: AccountRow
  let me: Caller
  let snapshots: Snapshots
  let records: ReturnType<typeof recordsOf>

  beforeAll(async () => {
    context = await openContext(database)
    snapshots = new Snapshots(context, new PushSessions(context))
    records = recordsOf(context)
    await context.jobs.start()
    account = await addAccount(context, 'ada')
    me = callerOf(account)
  })
  afterAll(() => context.dispose())

  let made = 0
  async function newCollection() {
    const { id, slug } = await addCollection(context, account, { slug: `collection-${++made}`, public: true })
    return { id, owner: account.slug, slug }
  }
  type Path = { owner: string; slug: string }

  async function negotiate(path: Path, base: string | null, items: readonly Item[], more: JsonObject = {}) {
    const opening = { base_version: base, schemas: open, manifest: items.map(entryOf), ...more }
    const answer = await snapshots.negotiate(me, path, body(opening), asOpening)
    if (!('needed_records' in answer)) throw new Error('an inline manifest answers what is needed')
    return answer
  }

  async function publish(path: Path, base: string | null, items: readonly Item[], more: JsonObject = {}) {
    const { session_id, needed_records } = await negotiate(path, base, items, more)
    const needed = new Set<string>(needed_records)
    const sent = items
      .filter((item) => needed.has(hashOf(item)))
      .map(({ id, type, data }) => ({ id, type, data }))
    if (sent.length > 0)
      expect((await snapshots.receive(me, path, session_id, body(...sent))).remaining).toBe(0)
    const answer = await snapshots.commit(me, path, session_id, { async: false })
    if (answer.kind !== 'committed') throw new Error('a synchronous commit answers its result')
    return { ...answer.result, sent: sent.length }
  }

  async function read(who: Caller | typeof anonymous, path: Path) {
    const { lines } = await records.stream(who, { ...path, v: 'latest' }, {})
    const found = (await textOf(lines)).split('\n').filter(Boolean)
    return found.map((line) => parseJson(line) as Item & { hash: string })
  }

  const item = (id: string, n: number, more: Partial<Item> = {}): Item => ({
    id,
    type: 'A',
    data: { n },
    ...more,
  })

  test('records of the base are not requested again, and records missing in the manifest are removed', async () => {
    const path = await newCollection()
    const first = await publish(path, null, [item('1', 1), item('2', 2), item('3', 3)])
    expect(first).toMatchObject({ semver: 'v1.0.0', recordCount: 3, sent: 3 })
    const next = await negotiate(path, 'v1.0.0', [item('1', 1), item('2', 20), item('4', 4)])
    expect(next).toMatchObject({
      total_records: 3,
      already_have_records: 1,
      total_files: 0,
      already_have_files: 0,
    })
    expect(new Set(next.needed_records)).toEqual(new Set([hashOf(item('2', 20)), hashOf(item('4', 4))]))
    const second = await publish(path, 'v1.0.0', [item('1', 1), item('2', 20), item('4', 4)])
    expect(second).toMatchObject({ semver: 'v1.1.0', changes: { added: 1, updated: 1, removed: 1 }, sent: 2 })
    expect((await read(me, path)).map(({ id, data }) => [id, data])).toEqual([
      ['1', { n: 1 }],
      ['2', { n: 20 }],
      ['4', { n: 4 }],
    ])
  })

  test('removals are reported in batches, however much of the base lies before an entry', async () => {
    const path = await newCollection()
    const many = Array.from({ length: 5_000 }, (_, n) => item(`a${10_000 + n}`, n))
    await publish(path, null, [...many, item('z', 0)])
    const head = (await findCollectionById(context.database, path.id, null))!.head!
    const full = await documentOf(context, head, 'full')
    const { session_id } = await negotiate(path, 'v1.0.0', [item('z', 1)])
    await snapshots.receive(me, path, session_id, body({ id: 'z', type: 'A', data: { n: 1 } }))
    const session = (await findPush(context.database, path.id, session_id))!
    const spills = await listPushSpills(context.database, session_id)
    const base = { full, public: full, sidecar: emptySidecar() }
    const told: string[] = []
    const entries = await snapshotEntries(context, session, { base, spills })
    for await (const batch of entries()) {
      expect(batch.length).toBeLessThanOrEqual(256)
      told.push(...batch.map(({ id, put }) => `${put === undefined ? '-' : '+'}${id}`))
    }
    expect(told).toEqual([...many.map(({ id }) => `-${id}`), '+z'])
  })

  test('the same snapshot again is no change', async () => {
    const path = await newCollection()
    await publish(path, null, [item('1', 1)])
    await expect(publish(path, 'v1.0.0', [item('1', 1)])).rejects.toMatchObject({ code: 'no_changes' })
  })

  test('a manifest in chunks: repeating one is harmless, an incomplete one is refused', async () => {
    const path = await newCollection()
    const items = [item('1', 1), item('2', 2), item('3', 3), item('4', 4)]
    const opening = { base_version: null, schemas: open, manifest_expected: 4 }
    const opened = await snapshots.negotiate(me, path, body(opening), asOpening)
    expect(opened).toMatchObject({ manifest_expected: 4, manifest_received: 0, needed_files: [] })
    const id = opened.session_id
    const chunk = (...some: Item[]) => snapshots.manifest(me, path, id, body(...some.map(entryOf)))
    expect(await chunk(items[0]!, items[1]!)).toMatchObject({
      received: 2,
      manifest_received: 2,
      manifest_expected: 4,
    })
    expect(await chunk(items[1]!, items[0]!, items[0]!)).toMatchObject({ received: 3, manifest_received: 2 })
    await snapshots.receive(me, path, id, body(...items.slice(0, 2)))
    await expect(snapshots.commit(me, path, id, { async: false })).rejects.toMatchObject({
      code: 'manifest_incomplete',
      details: { manifest_received: 2, manifest_expected: 4 },
    })
    expect((await chunk(items[2]!, items[3]!)).needed_records).toEqual([hashOf(items[2]!), hashOf(items[3]!)])
    expect(await snapshots.state(me, path, id)).toMatchObject({
      status: 'open',
      total_records: 4,
      needed_records: 2,
    })
    await expect(snapshots.commit(me, path, id, { async: false })).rejects.toMatchObject({
      code: 'records_missing',
      details: { missing_hashes: [hashOf(items[2]!), hashOf(items[3]!)] },
    })
    expect(await snapshots.receive(me, path, id, body(items[2]))).toEqual({ received: 1, remaining: 1 })
    expect(await snapshots.receive(me, path, id, body(items[2], items[3]))).toEqual({
      received: 2,
      remaining: 0,
    })
    expect(await snapshots.commit(me, path, id, { async: false })).toMatchObject({
      result: { recordCount: 4 },
    })
  })

  test('another server that takes the session over knows what was received', async () => {
    const path = await newCollection()
    const items = [item('1', 1), item('2', 2)]
    const { session_id: id } = await negotiate(path, null, items)
    await snapshots.receive(me, path, id, body(items[0]))
    const other = new Snapshots(
      { ...context, jobs: idleJobs },
      new PushSessions({ ...context, jobs: idleJobs }),
    )
    expect(await other.state(me, path, id)).toMatchObject({ needed_records: 1 })
    expect(await other.receive(me, path, id, body(items[1]))).toEqual({ received: 1, remaining: 0 })
    expect(await snapshots.commit(me, path, id, { async: false })).toMatchObject({
      result: { recordCount: 2 },
    })
  })

  describe('another server that is asked about a session', () => {
    /** A server with empty caches. Its first read of a spill waits for `before`. */
    function newcomer(before: () => Promise<unknown> = async () => undefined) {
      let begun: Promise<unknown> | undefined
      const blobs: TestContext['blobs'] = {
        ...context.blobs,
        async *stream(...args) {
          begun ??= before()
          await begun
          yield* context.blobs.stream(...args)
        },
      }
      const other = { ...context, jobs: idleJobs, blobs }
      return new Snapshots(other, new PushSessions(other))
    }
    const items = Array.from({ length: spillsAtOnceMax + 6 }, (_, n) => item(`${n}`, n))
    /** A session with a manifest in so many spills that a commit merges them, and one record received in between. */
    async function manyRuns() {
      const path = await newCollection()
      const opening = { base_version: null, schemas: open, manifest_expected: items.length }
      const { session_id: id } = await snapshots.negotiate(me, path, body(opening), asOpening)
      for (const [n, one] of items.entries()) {
        await snapshots.manifest(me, path, id, body(entryOf(one)))
        if (n === 9) await snapshots.receive(me, path, id, body(one))
      }
      const commit = () => snapshots.commit(me, path, id, { async: false })
      return { path, id, commit }
    }
    const runsOf = async (id: string) => (await listPushSpills(context.database, id)).length

    test('tells its true state when its spills are merged while they are read, and afterwards', async () => {
      const { path, id, commit } = await manyRuns()
      const server = newcomer(() => commit().catch((error: unknown) => error))
      expect(await server.state(me, path, id)).toMatchObject({ needed_records: items.length - 1 })
      expect(await runsOf(id)).toBeLessThan(items.length)
      expect(await newcomer().state(me, path, id)).toMatchObject({ needed_records: items.length - 1 })
      expect(await snapshots.state(me, path, id)).toMatchObject({ needed_records: items.length - 1 })
    })

    test('tells how it ended when it ends and its spills go while they are read', async () => {
      const { path, id, commit } = await manyRuns()
      const server = newcomer(async () => {
        await snapshots.receive(me, path, id, body(...items))
        await commit()
        await expect.poll(() => runsOf(id)).toBe(0)
      })
      expect(await server.state(me, path, id)).toMatchObject({ status: 'committed', needed_records: 0 })
    })

    test('takes nothing more when it ends while its spills are read', async () => {
      const { path, id } = await manyRuns()
      const server = newcomer(() => snapshots.cancel(me, path, id))
      const late = server.receive(me, path, id, body(items[0]))
      await expect(late).rejects.toMatchObject({ code: 'push_not_open' })
    })
  })

  test('a (type, id) twice in a manifest: harmless with one hash, a conflict with two, also across chunks', async () => {
    const path = await newCollection()
    expect(await negotiate(path, null, [item('1', 1), item('1', 1)])).toMatchObject({ total_records: 1 })
    const conflict = { code: 'manifest_conflict', details: { id: '1', type: 'A' } }
    await expect(negotiate(path, null, [item('1', 1), item('1', 2)])).rejects.toMatchObject(conflict)
    const opening = { base_version: null, schemas: open, manifest_expected: 2 }
    const { session_id: id } = await snapshots.negotiate(me, path, body(opening), asOpening)
    await snapshots.manifest(me, path, id, body(entryOf(item('1', 1))))
    await snapshots.manifest(me, path, id, body(entryOf(item('1', 2))))
    await snapshots.receive(me, path, id, body(item('1', 1), item('1', 2))).catch(() => undefined)
    await expect(snapshots.commit(me, path, id, { async: false })).rejects.toMatchObject(conflict)
  })

  test('a record that the manifest lacks is unexpected, and nothing of its batch is stored', async () => {
    const path = await newCollection()
    const { session_id: id } = await negotiate(path, null, [item('1', 1)])
    const refused = snapshots.receive(me, path, id, body(item('1', 1), item('1', 2)))
    await expect(refused).rejects.toMatchObject({ code: 'unexpected_record', details: { line: 2, id: '1' } })
    expect(await snapshots.state(me, path, id)).toMatchObject({ needed_records: 1 })
  })

  test('a line that says otherwise of its privacy than the manifest is a private_mismatch', async () => {
    const path = await newCollection()
    const hidden = item('1', 1, { private: true })
    const { session_id: id } = await negotiate(path, null, [hidden])
    await expect(snapshots.receive(me, path, id, body({ ...hidden, private: false }))).rejects.toMatchObject({
      details: { validationErrors: [{ line: 1, code: 'private_mismatch' }] },
    })
    const { private: _said, ...silent } = hidden
    expect(await snapshots.receive(me, path, id, body(silent))).toEqual({ received: 1, remaining: 0 })
    await snapshots.commit(me, path, id, { async: false })
    expect(await read(anonymous, path)).toEqual([])
    expect(await read(me, path)).toHaveLength(1)
  })

  test('private is repeated in every snapshot: without it a record becomes public once confirmed, at no cost of sending', async () => {
    const path = await newCollection()
    await publish(path, null, [item('1', 1, { private: true }), item('2', 2)])
    const items = [item('1', 1), item('2', 2, { private: true })]
    await expect(publish(path, 'v1.0.0', items)).rejects.toMatchObject({
      code: 'private_record_made_public',
      details: { madePublicRecords: [{ type: 'A', id: '1', confirm: 'A/1' }], totalMadePublic: 1 },
    })
    expect(await publish(path, 'v1.0.0', items, { confirm_public: ['A/1'] })).toMatchObject({
      semver: 'v1.0.1',
      sent: 0,
    })
    expect((await read(anonymous, path)).map(({ id }) => id)).toEqual(['1'])
  })

  test('bad entries are named by their place, and nothing is opened', async () => {
    const path = await newCollection()
    const entries = [
      entryOf(item('1', 1)),
      { id: '', type: 'A', hash: 'x' },
      { id: '2', type: 'A', hash: 'x' },
      { id: '3', type: 'Z', hash: '0'.repeat(64) },
    ]
    const opening = { base_version: null, schemas: open, manifest: entries }
    const refused = snapshots.negotiate(me, path, body(opening), asOpening)
    await expect(refused).rejects.toMatchObject({
      code: 'invalid_records',
      details: {
        validationErrors: [
          { line: 2, code: 'bad_id' },
          { line: 3, code: 'bad_envelope' },
          { line: 4, code: 'unknown_type' },
        ],
      },
    })
    for (const bad of ['{"manifest": 1', '{"a":1,"a":2}', '[]']) {
      await expect(
        snapshots.negotiate(me, path, body(bad), () => {
          throw new Error('shape')
        }),
      ).rejects.toThrow()
    }
    await expect(
      snapshots.negotiate(me, path, body({ base_version: null, schemas: open }), asOpening),
    ).rejects.toMatchObject({
      code: 'invalid_request',
    })
  })

  test('an asynchronous commit shows its progress and ends committed', async () => {
    const path = await newCollection()
    const items = [item('1', 1), item('2', 2)]
    const { session_id: id } = await negotiate(path, null, items)
    await snapshots.receive(me, path, id, body(...items))
    expect(await snapshots.commit(me, path, id, { async: true })).toMatchObject({ status: 'committing' })
    await expect
      .poll(async () => (await snapshots.state(me, path, id)).status, { timeout: 20_000 })
      .toBe('committed')
    const push = await findPush(context.database, path.id, id)
    expect(push?.result).toMatchObject({ semver: 'v1.0.0', recordCount: 2 })
  })

  test('any history of snapshots holds exactly what each said, in both views', async () => {
    const arbitraryItem = fc.record({
      id: fc.constantFrom('1', '2', 'é', '\u{ffff}', '\u{1f600}'),
      type: fc.constantFrom('A', 'B'),
      data: fc.record({ n: fc.nat(2), s: fc.constantFrom('secret', 'hidden') }) as fc.Arbitrary<JsonObject>,
      private: fc.boolean(),
    })
    const arbitraryState = fc.uniqueArray(arbitraryItem, {
      maxLength: 8,
      selector: ({ id, type }) => `${type}/${id}`,
    })
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryState, { minLength: 1, maxLength: 5 }), async (states) => {
        const path = await newCollection()
        let base = null as string | null
        for (const items of states) {
          try {
            base = (await publish(path, base, items, { confirm_public: ['A/*', 'B/*'] })).semver
          } catch (error) {
            expect(error).toMatchObject({ code: 'no_changes' })
          }
          const plain = (some: Item[]) =>
            some.map(({ id, type, data }) => recordOf(id, type, data).hash).sort()
          expect((await read(me, path)).map(({ hash }) => hash).sort()).toEqual(plain(items))
          const shown = items.filter((one) => !one.private)
          const projected = shown.map((one) =>
            one.type === 'B' ? { ...one, data: { n: one.data['n']! } } : one,
          )
          expect((await read(anonymous, path)).map(({ hash }) => hash).sort()).toEqual(plain(projected))
        }
      }),
      { numRuns: 40 },
    )
  }, 120_000)
})
