/** Reads of whole versions: manifests, differences, histories and exports, each compared with a model of the pushed data. */

import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { columnChanges, hashText, type Json, type JsonObject, parseDocument, recordOf } from '@ulmus/content'
import { type AccountRow, openObjectReader } from '@ulmus/storage'
import { anyDatabase } from '@ulmus/storage/testing'
import type { ListedRecord } from '@ulmus/wire'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { writeCursor } from '../answers/places.ts'
import { AnswerBudget, counting } from '../budgets/answer-budget.ts'
import { RegistryError } from '../errors/errors.ts'
import { type Exports, exportsOf } from '../exports/exports.ts'
import { filesOf } from '../files/files.ts'
import { anonymous, type Principal } from '../principal.ts'
import type { PushOpening } from '../pushes/opening/opening-body.ts'
import { pushesOf } from '../pushes/pushes.ts'
import { PushSessions } from '../pushes/session/sessions.ts'
import { recordsOf } from '../records/records.ts'
import {
  addAccount,
  addCollection,
  callerOf,
  idleJobs,
  openContext,
  type TestContext,
  tickingClock,
} from '../testing/context.ts'
import {
  arbitraryStep,
  emptyModel,
  filesOfModel,
  type Model,
  type ModelEntry,
  type ModelStep,
  modelIds,
  modelTypes,
  recordsOfModel,
  schemasOfModel,
  takeStep,
  typesOfModel,
} from '../testing/model.ts'
import { shown } from '../testing/shown.ts'
import { textOf } from '../testing/text-of.ts'
import { type Diffs, diffsOf } from './differences/diffs.ts'
import { type Histories, historiesOf } from './histories.ts'
import { type Manifests, manifestsOf } from './manifests.ts'
import { versionsOf } from './versions.ts'

type View = 'full' | 'public'
type Path = { owner: string; slug: string }

/** A version and its expected content. */
interface Made {
  semver: string
  model: Model
}

const contents = ['one', 'two', 'three']
const fileNames = contents.map((text) => `sha256:${hash('sha256', text)}`)
const keyOf = ({ type, id }: { type: string; id: string }) => JSON.stringify([type, id])
const byKey = <T extends { type: string; id: string }>(entries: readonly T[]) =>
  new Map(entries.map((entry) => [keyOf(entry), entry]))

/** Digests of the archive of one history on each database. */
const archives = new Map<string, string>()

describe.each(anyDatabase)('reads on $name', (database) => {
  let context: TestContext
  let account: AccountRow
  let pushes: ReturnType<typeof pushesOf>
  let manifests: Manifests
  let diffs: Diffs
  let histories: Histories
  let exports: Exports
  const views: [View, Principal][] = [['public', anonymous]]

  beforeAll(async () => {
    context = await openContext(database, { now: tickingClock() })
    pushes = pushesOf(context, new PushSessions(context))
    manifests = manifestsOf(context)
    diffs = diffsOf(context)
    histories = historiesOf(context)
    exports = exportsOf(context)
    await context.jobs.start()
    account = await addAccount(context, 'ada')
    views.push(['full', callerOf(account)])
  })
  afterAll(() => context.dispose())

  let collections = 0
  async function newCollection(): Promise<Path> {
    const { slug } = await addCollection(context, account, {
      slug: `collection-${++collections}`,
      public: true,
    })
    const files = filesOf(context)
    for (const [index, text] of contents.entries()) {
      const path = { owner: account.slug, slug, hash: fileNames[index]! }
      await files.put(callerOf(account), path, { body: bytesOf(text), contentType: 'text/plain' })
    }
    return { owner: account.slug, slug }
  }

  async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text)
  }
  const asOpening = (outline: unknown) => outline as PushOpening
  const ndjson = (values: readonly unknown[]) =>
    bytesOf(values.map((value) => JSON.stringify(value)).join('\n'))

  interface Push {
    puts?: readonly object[]
    deletes?: readonly object[]
    schemas?: JsonObject
    metadata?: JsonObject
    files?: readonly string[]
  }

  /** Types and fields of the model, whose privacy changes. */
  const namesConfirmed = [...modelTypes, ...modelTypes.map((type) => `${type}/*`), 'n', 's', 'f']

  async function push(
    path: Path,
    base: string | null,
    { puts = [], deletes = [], ...opening }: Push,
  ): Promise<string> {
    const me = callerOf(account)
    const { session_id: id } = await pushes.open(
      me,
      path,
      ndjson([{ base_version: base, confirm_public: namesConfirmed, ...opening }]),
      asOpening,
    )
    if (puts.length > 0) await pushes.receive(me, path, id, 'records', ndjson(puts))
    if (deletes.length > 0) await pushes.receive(me, path, id, 'deletes', ndjson(deletes))
    const answer = await pushes.commit(me, path, id, { async: false })
    if (answer.kind !== 'committed') throw new Error('a synchronous commit answers its result')
    return answer.result.semver
  }

  async function play(path: Path, steps: readonly ModelStep[]): Promise<Made[]> {
    const made: Made[] = []
    let model = emptyModel()
    for (const step of steps) {
      const { next, push: change } = takeStep(model, step, fileNames)
      try {
        const semver = await push(path, made.at(-1)?.semver ?? null, change)
        model = next
        made.push({ semver, model })
      } catch (error) {
        expect(error).toMatchObject({ code: 'no_changes' })
      }
    }
    return made
  }

  /** All pages of a manifest as one. */
  async function manifest(who: Principal, path: Path, v: string, options: { since?: string; limit: number }) {
    const all = {
      records: [] as ListedRecord[],
      added: [] as ListedRecord[],
      updated: [] as ListedRecord[],
      removed: [] as { id: string; type: string; hash: string }[],
    }
    let cursor: string | undefined
    let first: Awaited<ReturnType<Manifests['page']>> | undefined
    do {
      const page = await manifests.page(
        who,
        { ...path, v },
        { ...options, ...(cursor === undefined ? {} : { cursor }) },
      )
      first ??= page
      expect(page.files === undefined).toBe(cursor !== undefined)
      const { records = [], delta = { added: [], updated: [], removed: [] } } = page
      const count = records.length + delta.added.length + delta.updated.length + delta.removed.length
      expect(count).toBeLessThanOrEqual(options.limit)
      if (page.pagination.hasMore) expect(count).toBe(options.limit)
      all.records.push(...records)
      for (const kind of ['added', 'updated', 'removed'] as const)
        all[kind].push(...(delta[kind] as ListedRecord[]))
      cursor = page.pagination.nextCursor ?? undefined
      expect(page.pagination.hasMore).toBe(cursor !== undefined)
    } while (cursor !== undefined)
    return { ...all, first }
  }

  /** All pages of a difference as one. */
  async function diff(who: Principal, path: Path, from: string, to: string, limit: number) {
    type Full = {
      type: string
      id: string
      data: Json
      hash: string
      previousHash?: string
      previousData?: Json
    }
    const all = {
      added: [] as Full[],
      updated: [] as Full[],
      removed: [] as { type: string; id: string; hash: string }[],
    }
    let cursor: string | undefined
    let meta: Awaited<ReturnType<Diffs['page']>>['meta'] | undefined
    do {
      const page = await diffs.page(
        who,
        { ...path, v: to },
        { from, limit, ...(cursor === undefined ? {} : { cursor }) },
      )
      expect([page.from, page.to]).toEqual([from, to])
      meta ??= page.meta
      all.added.push(...page.added.map((record) => shown(record) as Full))
      all.updated.push(...page.updated.map((record) => shown(record) as Full))
      all.removed.push(...page.removed)
      cursor = page.pagination.nextCursor ?? undefined
    } while (cursor !== undefined)
    return { ...all, meta: meta! }
  }

  const entryOf = (view: View, { type, id, hash, private: hidden }: ModelEntry) =>
    view === 'full' && hidden ? { id, type, hash, private: true } : { id, type, hash }

  async function expectManifests(path: Path, made: readonly Made[], limit: number) {
    for (const [view, who] of views) {
      const whole = new Map<string, ListedRecord[]>()
      for (const { semver, model } of made) {
        const { records, first } = await manifest(who, path, semver, { limit })
        expect(records).toEqual(recordsOfModel(model, view).map((entry) => entryOf(view, entry)))
        expect(first!.files).toEqual(filesOfModel(model, view))
        expect(Object.keys(first!.schemas).sort()).toEqual(typesOfModel(model, view).sort())
        whole.set(semver, records)
      }
      for (const since of made) {
        for (const { semver } of made) {
          const delta = await manifest(who, path, semver, { since: since.semver, limit })
          const applied = byKey(whole.get(since.semver)!)
          for (const gone of delta.removed) {
            expect(applied.get(keyOf(gone))?.hash).toBe(gone.hash)
            applied.delete(keyOf(gone))
          }
          for (const entry of delta.added) expect(applied.has(keyOf(entry))).toBe(false)
          for (const entry of delta.updated) expect(applied.get(keyOf(entry))).not.toEqual(entry)
          for (const entry of [...delta.added, ...delta.updated]) applied.set(keyOf(entry), entry)
          expect(applied).toEqual(byKey(whole.get(semver)!))
        }
      }
    }
  }

  interface Found extends Omit<Awaited<ReturnType<typeof diff>>, 'meta'> {
    from: string
    to: string
  }

  /** Counts by type and column, and the pages of each column, equal those of the differences. */
  async function expectSummary(who: Principal, path: Path, { from, to, ...found }: Found) {
    const { types, first } = await diffs.summary(who, { ...path, v: to }, from)
    expect(first).toBeUndefined()
    const changes = found.updated.flatMap(({ type, id, previousData, data }) =>
      columnChanges(previousData, data).map(({ names }) => ({ type, id, column: names.join('.') })),
    )
    const kinds = ['added', 'updated', 'removed'] as const
    expect(
      types
        .map(({ columns, hasMore: _, ...counts }) => ({
          ...counts,
          columns: columns
            .map(({ names, filled, changed, emptied }) => [names.join('.'), filled + changed + emptied])
            .sort(),
        }))
        .filter(({ added, updated, removed }) => added + updated + removed > 0),
    ).toEqual(
      [...new Set(kinds.flatMap((kind) => found[kind].map(({ type }) => type)))].sort().map((type) => ({
        type,
        ...Object.fromEntries(
          kinds.map((kind) => [kind, found[kind].filter((one) => one.type === type).length]),
        ),
        columns: Object.entries(
          Object.groupBy(
            changes.filter((one) => one.type === type),
            ({ column }) => column,
          ),
        )
          .map(([column, all]) => [column, all!.length])
          .sort(),
      })),
    )
    for (const [column, all] of Map.groupBy(changes, (one) => one.column)) {
      const ask = { from, limit: 100, column }
      const page = await diffs.page(who, { ...path, v: to }, ask)
      expect(page.updated.map((record) => (shown(record) as { id: string }).id)).toEqual(
        all.map(({ id }) => id),
      )
      expect([page.added, page.removed]).toEqual([[], []])
    }
  }

  async function expectDiffs(path: Path, made: readonly Made[], limit: number) {
    for (const [view, who] of views) {
      for (const from of made) {
        for (const to of made) {
          const before = byKey(recordsOfModel(from.model, view))
          const after = byKey(recordsOfModel(to.model, view))
          const found = await diff(who, path, from.semver, to.semver, limit)
          const shown = ({ type, id, data, hash }: ModelEntry) => ({ id, type, data, hash })
          const changed = [...after.values()].filter((entry) => before.get(keyOf(entry))?.hash !== entry.hash)
          expect(found.added).toEqual(changed.filter((entry) => !before.has(keyOf(entry))).map(shown))
          const updated = changed.flatMap((entry) => {
            const old = before.get(keyOf(entry))
            return old === undefined
              ? []
              : [{ ...shown(entry), previousHash: old.hash, previousData: old.data }]
          })
          expect(found.updated).toEqual(updated)
          const removed = [...before.values()].filter((entry) => !after.has(keyOf(entry)))
          expect(found.removed).toEqual(removed.map(({ type, id, hash: gone }) => ({ id, type, hash: gone })))
          await expectSummary(who, path, { from: from.semver, to: to.semver, ...found })
          const files = { before: filesOfModel(from.model, view), after: filesOfModel(to.model, view) }
          const filesAdded = files.after.filter((file) => !files.before.includes(file))
          const filesRemoved = files.before.filter((file) => !files.after.includes(file))
          const schemasChanged = schemasOfModel(from.model, view) !== schemasOfModel(to.model, view)
          const metadataChanged = JSON.stringify(from.model.metadata) !== JSON.stringify(to.model.metadata)
          const content = changed.length + removed.length + filesAdded.length + filesRemoved.length
          const { schemaChanges, reason, ...rest } = found.meta
          expect(rest).toEqual({
            totals: {
              added: found.added.length,
              updated: updated.length,
              removed: removed.length,
            },
            ...{ schemasChanged, metadataChanged, filesAdded, filesRemoved },
            level: schemasChanged ? 'major' : content > 0 ? 'minor' : metadataChanged ? 'patch' : 'none',
          })
          expect([schemaChanges?.some(({ changes }) => changes.length > 0), reason?.endsWith('.')]).toEqual([
            schemasChanged,
            true,
          ])
        }
      }
    }
  }

  function historyOfModel(made: readonly Made[], view: View, place: { type: string; id: string }) {
    const items: { semver: string; change: string; hash: string }[] = []
    let was: string | undefined
    for (const { semver, model } of made) {
      const is = byKey(recordsOfModel(model, view)).get(keyOf(place))?.hash
      if (is !== was) {
        const change = is === undefined ? 'removed' : was === undefined ? 'added' : 'updated'
        items.push({ semver, change, hash: (is ?? was)! })
      }
      was = is
    }
    return items.reverse()
  }

  async function expectHistories(path: Path, made: readonly Made[], limit: number) {
    for (const [view, who] of views) {
      for (const type of modelTypes) {
        for (const id of modelIds) {
          const expected = historyOfModel(made, view, { type, id })
          const list = (ask: object) => histories.list(who, { ...path, type, id }, ask)
          if (expected.length === 0) {
            await expect(list({})).rejects.toMatchObject({ code: 'record_not_found' })
            continue
          }
          const found: object[] = []
          for (let next: string | undefined = ''; next !== undefined; ) {
            const cursor = new URLSearchParams(next).get('cursor')
            const page = await list({ limit, ...(cursor === null ? {} : { cursor }) })
            found.push(...page.items)
            if (page.links.prev !== undefined) {
              const back = await list({ limit, cursor: new URLSearchParams(page.links.prev).get('cursor')! })
              expect(back.items).toEqual(found.slice(-page.items.length - limit, -page.items.length))
            }
            next = page.links.next
          }
          expect(found).toEqual(expected.map((item) => expect.objectContaining(item)))
          expect((await list({ offset: 1 })).items).toEqual(found.slice(1))
        }
      }
    }
  }

  async function archiveOf(who: Principal, path: Path, v: string): Promise<Buffer> {
    const { bytes } = await exports.open(who, { ...path, v })
    const chunks: Uint8Array[] = []
    for await (const chunk of bytes) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  /** Files by name, as unpacked by `tar`. */
  function unpack(archive: Buffer): Map<string, Buffer> {
    const folder = mkdtempSync(join(tmpdir(), 'ulmus-export-'))
    try {
      writeFileSync(join(folder, 'archive'), archive)
      execFileSync('tar', ['-xzf', 'archive', '--one-top-level=unpacked'], {
        cwd: folder,
        env: { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8' },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      const root = join(folder, 'unpacked')
      const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
      const files = names.filter((name) => statSync(join(root, name)).isFile())
      return new Map(files.map((name) => [name, readFileSync(join(root, name))]))
    } finally {
      rmSync(folder, { recursive: true })
    }
  }

  async function expectExport(path: Path, { semver, model }: Made, view: View, who: Principal) {
    const archive = await archiveOf(who, path, semver)
    expect((await archiveOf(who, path, semver)).equals(archive)).toBe(true)
    const unpacked = unpack(archive)
    const types = typesOfModel(model, view)
    const names = [
      ...types.flatMap((type) => [`records/${type}.ndjson`, `schemas/${type}.json`]),
      ...filesOfModel(model, view).map((file) => `files/${file.slice(7)}`),
      'manifest.json',
    ]
    expect([...unpacked.keys()].sort()).toEqual(names.sort())
    const manifestJson = JSON.parse(unpacked.get('manifest.json')!.toString()) as {
      hash: string
      document: Json
    }
    const document = JSON.stringify(manifestJson.document)
    expect(manifestJson.hash).toBe(`${view === 'full' ? 'private' : 'public'}:${hashText(document)}`)
    const named = new Map(Object.entries(parseDocument(document).types))
    for (const type of types) {
      const records = recordsOfModel(model, view).filter((entry) => entry.type === type)
      const lines = records.map(({ id, data }) => `${recordOf(id, type, data).canonical}\n`)
      expect(unpacked.get(`records/${type}.ndjson`)!.toString()).toBe(lines.join(''))
      expect(hashText(unpacked.get(`schemas/${type}.json`)!.toString())).toBe(named.get(type)!.schema)
    }
    for (const file of filesOfModel(model, view)) {
      expect(hash('sha256', unpacked.get(`files/${file.slice(7)}`)!)).toBe(file.slice(7))
    }
  }

  /** Reads in threads, because the cache is off. */
  async function expectStreams(path: Path, { semver, model }: Made, view: View, who: Principal) {
    const objects = openObjectReader({ ...context, cacheBytesMax: 0 })
    const records = recordsOf({ ...context, objects })
    for (const type of typesOfModel(model, view)) {
      const { lines } = await records.stream(who, { ...path, v: semver }, { type })
      const texts = await Array.fromAsync(lines, (chunk) => Buffer.from(chunk).toString())
      const expected = recordsOfModel(model, view)
        .filter((entry) => entry.type === type)
        .map(({ id, data }) => recordOf(id, type, data))
        .map(({ canonical, hash }) => `${canonical.slice(0, -1)},"hash":"${hash}"}\n`)
      expect(texts.join('')).toBe(expected.join(''))
    }
  }

  test('any history: manifests, differences, histories, an export and streams are what the model says, in both views', async () => {
    const steps = fc.array(arbitraryStep, { minLength: 2, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), async (played, limit) => {
        const path = await newCollection()
        const made = await play(path, played)
        await expectManifests(path, made, limit)
        await expectDiffs(path, made, limit)
        await expectHistories(path, made, limit)
        const last = made.at(-1)
        if (last === undefined) return
        for (const [view, who] of views) {
          await expectExport(path, last, view, who)
          await expectStreams(path, last, view, who)
        }
      }),
      { numRuns: 8 },
    )
  }, 120_000)

  test('one history gives one archive, whatever database it is on', async () => {
    // Later than the clock of other servers' recovery: the commit's lease does not expire for them.
    const at = new Date('2099-01-01T00:00:00Z')
    const fixed = { ...context, now: () => at }
    const alone = { ...fixed, jobs: idleJobs }
    const own = pushesOf(alone, new PushSessions(alone))
    const { slug } = await addCollection(context, account, { slug: 'fixed', public: true })
    const path = { owner: account.slug, slug }
    const me = callerOf(account)
    const puts = Array.from({ length: 5_000 }, (_, n) => ({
      id: `${n}`,
      type: 'A',
      data: { n, text: 'a\u{1f600}' },
    }))
    const { session_id: id } = await own.open(
      me,
      path,
      ndjson([{ base_version: null, schemas: { A: {} } }]),
      asOpening,
    )
    await own.receive(me, path, id, 'records', ndjson(puts))
    await own.commit(me, path, id, { async: false })
    archives.set(database.name, hash('sha256', await archiveOf(anonymous, path, 'v1.0.0')))
    expect(new Set(archives.values()).size).toBe(1)
  })

  describe('over many leaves', () => {
    let path: Path
    const before = new Map<string, Json>()
    const after = new Map<string, Json>()
    // These ids make 17 leaves: enough that threads compare some.
    const count = 9_900

    beforeAll(async () => {
      path = await newCollection()
      for (let n = 0; n < count; n++) before.set(`s${n}`, { n })
      before.set('large', { text: 'ä'.repeat(50_000) })
      for (const [id, data] of before) after.set(id, data)
      for (let n = 0; n < count; n += 75) after.set(`s${n}`, { n, changed: true })
      for (let n = 50; n < count; n += 300) after.delete(`s${n}`)
      for (let n = 0; n < 20; n++) after.set(`t${n * 7}`, { n })
      after.set('large', { text: 'ö'.repeat(50_000) })
      const recordsOf = (data: Map<string, Json>) => [...data].map(([id, data]) => ({ id, type: 'T', data }))
      await push(path, null, { schemas: { T: {} }, puts: recordsOf(before) })
      const deletes = [...before.keys()].filter((id) => !after.has(id)).map((id) => ({ id, type: 'T' }))
      const changed = recordsOf(after).filter(({ id, data }) => before.get(id) !== data)
      await push(path, 'v1.0.0', { puts: changed, deletes })
    })

    test.each([7, 2_000])('a difference in pages of %i is the difference', async (limit) => {
      const found = await diff(anonymous, path, 'v1.0.0', 'v1.1.0', limit)
      const applied = new Map(before)
      for (const { id, previousData } of found.updated) expect(previousData).toEqual(before.get(id))
      for (const { id } of found.removed) expect(applied.delete(id)).toBe(true)
      for (const { id, data } of [...found.added, ...found.updated]) applied.set(id, data)
      expect(applied).toEqual(after)
      const changed = {
        added: 20,
        updated: Math.ceil(count / 75) + 1,
        removed: Math.ceil((count - 50) / 300),
      }
      expect([found.added.length, found.updated.length, found.removed.length]).toEqual(Object.values(changed))
    })

    test('a difference reads what differs, not what does not', async () => {
      const one = await push(path, 'v1.1.0', { puts: [{ id: 's3000', type: 'T', data: { n: -1 } }] })
      const asked = { nodes: 0, bodies: 0 }
      const objects: TestContext['objects'] = {
        ...context.objects,
        node: (hash) => {
          asked.nodes++
          return context.objects.node(hash)
        },
        body: (leaf) => {
          asked.bodies++
          return context.objects.body(leaf)
        },
      }
      const page = await diffsOf({ ...context, objects }).page(
        anonymous,
        { ...path, v: one },
        { from: 'v1.1.0', limit: 500 },
      )
      expect(page.updated).toHaveLength(1)
      // A root, a leaf and its body on each side.
      expect(asked).toEqual({ nodes: 4, bodies: 2 })
    })

    test('a manifest in pages is the manifest', async () => {
      const { records } = await manifest(anonymous, path, 'v1.0.0', { limit: 997 })
      const ids = [...before.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
      expect(records).toEqual(
        ids.map((id) => ({ id, type: 'T', hash: recordOf(id, 'T', before.get(id)!).hash })),
      )
    })

    test('a record of a leaf that is not worth caching is the one that is cached', async () => {
      const { database, blobs } = context
      const forgetful = { ...context, objects: openObjectReader({ database, blobs, cacheBytesMax: 0 }) }
      const one = (from: TestContext, id: string) =>
        recordsOf(from)
          .one(anonymous, { ...path, v: 'v1.1.0', type: 'T', id }, { proof: false })
          .then(shown)
          .catch((error: RegistryError) => error.code)
      const ids = [...after.keys()].filter((id, n) => n % 100 === 0 || id === 'large')
      for (const id of [...ids, 's50', 'none', 'zzz'])
        expect(await one(forgetful, id)).toEqual(await one(context, id))
      const found = await recordsOf(forgetful).page(
        anonymous,
        { ...path, v: 'v1.1.0' },
        { id: 'large', limit: 10 },
      )
      expect(found.records.map((record) => shown(record).data)).toEqual([after.get('large')])
    })

    test('a stream that threads decode is the one that is read from the cache', async () => {
      const { watched } = watching()
      const read = async (from: TestContext, v: string, ask: { after?: string }) => {
        const { lines } = await recordsOf(from).stream(anonymous, { ...path, v }, ask)
        return textOf(lines)
      }
      for (const [v, data] of [
        ['v1.0.0', before],
        ['v1.1.0', after],
      ] as const) {
        const records = [...data].map(([id, value]) => recordOf(id, 'T', value))
        const lines = new Map(
          records.map(({ id, canonical, hash }) => [id, `${canonical.slice(0, -1)},"hash":"${hash}"}\n`]),
        )
        const ids = [...lines.keys()].sort()
        for (const beyond of ['', 'large', 'larger', ids[0]!, ids[1_234]!, ids[4_321]!, ids.at(-1)!]) {
          const wanted = ids.filter((id) => id > beyond).map((id) => lines.get(id))
          const ask = beyond === '' ? {} : { after: writeCursor({ type: 'T', id: beyond }) }
          expect((await read(watched, v, ask)) === wanted.join('')).toBe(true)
          expect((await read(context, v, ask)) === wanted.join('')).toBe(true)
        }
      }
    })

    test('leaving a stream early ends its reading', async () => {
      const { watched, reads } = watching()
      const streams = [
        (await exportsOf(watched).open(anonymous, { ...path, v: 'v1.0.0' })).bytes,
        (await recordsOf(watched).stream(anonymous, { ...path, v: 'v1.0.0' }, {})).lines,
      ]
      const opened = reads()
      for (const stream of streams) {
        expect((await stream.next()).done).toBe(false)
        await stream.return(undefined)
      }
      const left = reads()
      expect(left).toBeGreaterThan(opened)
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(reads()).toBe(left)
    })

    test('leaves are decoded ahead only for a reader who takes them', async () => {
      const { watched } = watching()
      let decoded = 0
      const work: TestContext['work'] = {
        ...context.work,
        run(task, input, by) {
          decoded++
          return context.work.run(task, input, by)
        },
      }
      const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
      // Start after the first leaf: it has a large record and is read on this thread.
      const { lines } = await recordsOf({ ...watched, work }).stream(
        anonymous,
        { ...path, v: 'v1.0.0' },
        { after: writeCursor({ type: 'T', id: 's4' }) },
      )
      await lines.next()
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(decoded).toBe(1)
      await lines.next()
      expect(decoded).toBe(3)
      clock.mockReturnValue(performance.now() + 1_050)
      await lines.next()
      // One was ready; no other is started for a slow reader.
      expect(decoded).toBe(3)
      clock.mockRestore()
      await lines.return(undefined)
    })

    test('a stream whose objects are damaged ends in an error', async () => {
      const { watched, damageAfter } = watching()
      damageAfter(4)
      await expect(
        Array.fromAsync((await exportsOf(watched).open(anonymous, { ...path, v: 'v1.0.0' })).bytes),
      ).rejects.toMatchObject({ name: 'ObjectCorruptError' })
      damageAfter(4)
      await expect(
        Array.fromAsync((await recordsOf(watched).stream(anonymous, { ...path, v: 'v1.0.0' }, {})).lines),
      ).rejects.toMatchObject({ name: 'ObjectCorruptError' })
    })

    /** The same registry with a cold cache of its own. Counts its reads of the store and damages them on demand. */
    function watching() {
      let count = 0
      let wholeReads = Number.POSITIVE_INFINITY
      const read: TestContext['blobs']['read'] = async (name, range) => {
        count++
        const bytes = await context.blobs.read(name, range)
        return wholeReads-- > 0 ? bytes : bytes.map((byte) => byte ^ 1)
      }
      const blobs = { ...context.blobs, read }
      const objects = openObjectReader({ database: context.database, blobs, cacheBytesMax: 0 })
      const damageAfter = (reads: number) => {
        wholeReads = reads
      }
      return { watched: { ...context, blobs, objects }, reads: () => count, damageAfter }
    }
  })

  test('of large pages at once some fit in the budget: the others are refused before anything is read for them', async () => {
    const path = await newCollection()
    const puts = (text: string) =>
      Array.from({ length: 20 }, (_, n) => ({ id: `${n}`, type: 'A', data: text.repeat(100_000) }))
    await push(path, null, { schemas: { A: {} }, puts: puts('a') })
    await push(path, 'v1.0.0', { puts: puts('b') })
    const at = { ...path, v: 'v1.1.0' }
    // An address may use an eighth of the budget; a page of 2 MB takes 8 MB.
    const answers = new AnswerBudget(80_000_000)
    const busy = expect.objectContaining({ code: 'busy' })
    const [records, differences] = [recordsOf(context), diffsOf(context)]
    const { promise: gone, resolve: letGo } = Promise.withResolvers<void>()
    const never = new Promise<void>(() => undefined)
    const page = (limit: number, until: Promise<void>) =>
      answers.whole(
        anonymous,
        until,
        async () => (await records.page(anonymous, at, { limit })).records.length,
      )
    expect(await page(100, gone)).toBe(20)
    await expect(page(100, never)).rejects.toEqual(busy)
    const ask = { from: 'v1.0.0', limit: 100 }
    const difference = () => differences.page(anonymous, at, ask)
    await expect(answers.whole(anonymous, gone, difference)).rejects.toEqual(busy)
    expect(await page(2, never)).toBe(2)
    letGo()
    await new Promise((resolve) => setImmediate(resolve))
    expect(await page(100, never)).toBe(20)
  })

  test('files that versions differ by, references and schemas are counted one by one, before there are many', async () => {
    const path = await newCollection()
    const [one, two] = fileNames
    const schema = { description: 'x'.repeat(1_000) }
    const puts = ['a', 'b', 'c'].map((id) => ({ id, type: 'A', data: { $file: one } }))
    await push(path, null, { schemas: { A: schema, B: schema, C: schema }, puts })
    await push(path, 'v1.0.0', { files: [two!] })
    const at = { ...path, v: 'v1.1.0' }
    /** Bytes that `read` counts for its answer, if the caller hangs up after `most`. */
    const counted = async (read: () => Promise<unknown>, most: number) => {
      let bytes = 0
      const count = (more: number) => {
        bytes += more
        if (bytes > most) throw new RegistryError('busy')
      }
      const reading = counting(count, read)
      if (most === Infinity) await reading
      else await expect(reading).rejects.toEqual(expect.objectContaining({ code: 'busy' }))
      return bytes
    }
    const me = callerOf(account)
    const diff = () => diffsOf(context).page(me, at, { from: 'v1.0.0', limit: 100 })
    expect(await counted(diff, Infinity)).toBe(`${two}`.length)
    const files = () => filesOf(context).list(me, at)
    expect(await counted(files, Infinity)).toBeGreaterThan(5 * 256)
    expect(await counted(files, 300)).toBeLessThan(3 * 256)
    const detail = () => versionsOf(context).detail(me, at)
    expect(await counted(detail, Infinity)).toBeGreaterThan(3_000)
    expect(await counted(detail, 1_500)).toBeLessThan(2_500)
  })

  test('so does one of records with one id', async () => {
    const path = await newCollection()
    const types = ['A', 'B', 'C', 'D']
    const puts = types.map((type) => ({ id: 'same', type, data: type.repeat(1_800_000) }))
    await push(path, null, { schemas: Object.fromEntries(types.map((type) => [type, {}])), puts })
    const page = async (after?: string) => {
      const ask = { id: 'same', limit: 100, ...(after !== undefined && { after }) }
      const { records, pagination } = await recordsOf(context).page(anonymous, { ...path, v: 'latest' }, ask)
      return { types: records.map((record) => shown(record).type), ...pagination }
    }
    const first = await page()
    expect(first).toMatchObject({ types: ['A', 'B'], hasMore: true, total: 4 })
    const rest = { types: ['C', 'D'], hasMore: false, nextCursor: null, total: 4 }
    expect(await page(first.nextCursor!)).toMatchObject(rest)
  })

  test('a page of large records ends before it is too large to hold', async () => {
    const path = await newCollection()
    const big = (text: string) =>
      [1, 2, 3].map((id) => ({ id: `${id}`, type: 'A', data: text.repeat(1_800_000) }))
    await push(path, null, { schemas: { A: {} }, puts: big('a') })
    await push(path, 'v1.0.0', { puts: big('b') })
    const page = await recordsOf(context).page(anonymous, { ...path, v: 'v1.0.0' }, { limit: 100 })
    expect(page.records.length).toBe(2)
    const { nextCursor } = page.pagination
    const rest = await recordsOf(context).page(
      anonymous,
      { ...path, v: 'v1.0.0' },
      { limit: 100, after: nextCursor! },
    )
    expect(rest.records.map((record) => shown(record).id)).toEqual(['3'])
    const changes = await diffs.page(anonymous, { ...path, v: 'v1.1.0' }, { from: 'v1.0.0', limit: 500 })
    expect(changes.updated.length).toBe(1)
    expect((await diff(anonymous, path, 'v1.0.0', 'v1.1.0', 500)).updated.length).toBe(3)
    expect(await diffs.summary(anonymous, { ...path, v: 'v1.1.0' }, 'v1.0.0')).toEqual({
      types: [{ type: 'A', added: 0, updated: 3, removed: 0, columns: [], hasMore: true }],
      first: undefined,
    })
  })

  test('pages of a column skip other records, and end at the limit of a scan', async () => {
    const path = await newCollection()
    const puts = (text: string) =>
      Array.from({ length: 30 }, (_, n) => ({
        id: `r${100 + n}`,
        type: 'A',
        data: n < 20 ? { long: text.repeat(240_000) } : { short: text },
      }))
    await push(path, null, { schemas: { A: {} }, puts: puts('ab') })
    await push(path, 'v1.0.0', { puts: puts('cd') })
    const at = { ...path, v: 'v1.1.0' }
    const found: string[] = []
    const sizes: number[] = []
    let cursor: string | null | undefined
    do {
      const ask = { from: 'v1.0.0', limit: 6, column: 'short', ...(cursor && { cursor }) }
      const page = await diffs.page(anonymous, at, ask)
      sizes.push(page.updated.length)
      found.push(...page.updated.map((record) => (shown(record) as { id: string }).id))
      cursor = page.pagination.nextCursor
    } while (cursor !== null)
    expect(found).toEqual(
      puts('')
        .slice(20)
        .map(({ id }) => id),
    )
    expect(sizes[0]).toBe(0)
    const { first, types } = await diffs.summary(anonymous, at, 'v1.0.0')
    expect(first).toBeLessThan(20)
    expect(types).toMatchObject([{ updated: first, columns: [{ names: ['long'], changed: first }] }])
  })

  test('removed records come with their data if a page asks for it', async () => {
    const path = await newCollection()
    const put = { id: '1', type: 'A', data: { n: 1 } }
    await push(path, null, { schemas: { A: {} }, puts: [put] })
    await push(path, 'v1.0.0', { deletes: [{ id: '1', type: 'A' }] })
    const read = (ask: object) =>
      diffs.page(anonymous, { ...path, v: 'v1.1.0' }, { from: 'v1.0.0', limit: 5, ...ask })
    const { removed, removedRecords } = await read({ withRemoved: true })
    expect([removed.length, removedRecords!.map(shown)]).toEqual([1, [put]])
    expect(Object.keys(await read({}))).not.toContain('removedRecords')
  })

  test('versions and cursors that are none are refused by name', async () => {
    const path = await newCollection()
    await push(path, null, { schemas: { A: {} }, puts: [{ id: '1', type: 'A', data: {} }] })
    const at = { ...path, v: 'v1.0.0' }
    const missing = expect.objectContaining({ code: 'version_not_found' })
    const malformed = expect.objectContaining({ code: 'invalid_request' })
    await expect(diffs.page(anonymous, at, { from: 'v0.9.0', limit: 1 })).rejects.toEqual(missing)
    await expect(manifests.page(anonymous, at, { since: 'v0.9.0', limit: 1 })).rejects.toEqual(missing)
    await expect(exports.open(anonymous, { ...path, v: 'v2.0.0' })).rejects.toEqual(missing)
    for (const cursor of ['x', Buffer.from('["A"]').toString('base64url')]) {
      await expect(diffs.page(anonymous, at, { from: 'latest', limit: 1, cursor })).rejects.toEqual(malformed)
      await expect(manifests.page(anonymous, at, { limit: 1, cursor })).rejects.toEqual(malformed)
    }
    // The digest of the full view names no version to readers of the public view.
    const { hash: secret } = await manifests.page(callerOf(account), at, { limit: 1 })
    await expect(diffs.page(anonymous, at, { from: secret, limit: 1 })).rejects.toEqual(missing)
    await expect(manifests.page(anonymous, at, { since: secret, limit: 1 })).rejects.toEqual(missing)
  })
})
