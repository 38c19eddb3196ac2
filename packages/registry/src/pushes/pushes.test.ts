import {
  documentDigest,
  fileReferences,
  hashText,
  type Json,
  type JsonObject,
  parseJson,
  recordOf,
} from '@ulmus/content'
import { type AccountRow, findCollectionById } from '@ulmus/storage'
import { anyDatabase } from '@ulmus/storage/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { filesOf } from '../files/files.ts'
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
import { shown } from '../testing/shown.ts'
import { documentOf } from '../versions/content.ts'
import { versionsOf } from '../versions/versions.ts'
import { resultingRecords } from './commit/carried-over.ts'
import type { PushOpening } from './opening/opening-body.ts'
import { pushesOf } from './pushes.ts'
import { PushSessions } from './session/sessions.ts'

/** A request body of NDJSON. */
const asOpening = (outline: unknown) => outline as PushOpening

async function* lines(values: readonly unknown[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(
    values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join('\n'),
  )
}

async function* nothing() {}

const open: JsonObject = { type: 'object' }
const person: JsonObject = {
  properties: {
    name: { type: 'string' },
    age: { type: 'integer' },
    secret: { type: 'string', private: true },
    photo: {},
  },
}

describe.each(anyDatabase)('pushes on $name', (database) => {
  let context: TestContext
  let account: AccountRow
  let me: Caller
  let pushes: ReturnType<typeof pushesOf>
  let records: ReturnType<typeof recordsOf>
  let versions: ReturnType<typeof versionsOf>
  let files: ReturnType<typeof filesOf>

  beforeAll(async () => {
    context = await openContext(database)
    pushes = pushesOf(context, new PushSessions(context))
    records = recordsOf(context)
    versions = versionsOf(context)
    files = filesOf(context)
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
  interface Change {
    base: string | null
    puts?: unknown[]
    deletes?: unknown[]
    schemas?: JsonObject
    metadata?: JsonObject
    files?: string[]
    strip_unknown_fields?: boolean
  }

  /** Types, fields and records of the model, whose privacy changes. */
  const namesConfirmed = ['A', 'B', '__proto__', 'n', 's', 'f', 't', 'A/*', 'B/*', '__proto__/*']

  async function opened(path: Path, change: Change): Promise<string> {
    const { base, puts: _puts, deletes: _deletes, ...rest } = change
    const opening = { base_version: base, confirm_public: namesConfirmed, ...rest }
    const { session_id } = await pushes.open(me, path, lines([opening]), asOpening)
    if (change.puts?.length) await pushes.receive(me, path, session_id, 'records', lines(change.puts))
    if (change.deletes?.length) await pushes.receive(me, path, session_id, 'deletes', lines(change.deletes))
    return session_id
  }

  async function push(path: Path, change: Change) {
    const answer = await pushes.commit(me, path, await opened(path, change), { async: false })
    if (answer.kind !== 'committed') throw new Error('a synchronous commit answers its result')
    return answer.result
  }

  async function read(who: Caller | typeof anonymous, path: Path, v = 'latest') {
    const stream = await records.stream(who, { ...path, v }, {})
    const chunks: Uint8Array[] = []
    for await (const chunk of stream.lines) chunks.push(chunk)
    const found = Buffer.concat(chunks).toString('utf8').split('\n').filter(Boolean)
    expect(found.length).toBe(stream.count)
    return found.map((line) => parseJson(line) as { id: string; type: string; data: Json; hash: string })
  }

  const upload = async (path: Path, text: string) => {
    const bytes = Buffer.from(text)
    const hash = `sha256:${(await import('node:crypto')).hash('sha256', bytes)}`
    await files.put(me, { ...path, hash }, { body: lines([text]), contentType: 'text/plain' })
    return hash
  }

  test('a first push makes v1.0.0, and what was pushed can be read', async () => {
    const path = await newCollection()
    const data = { name: 'Ada', age: 36 }
    const result = await push(path, {
      base: null,
      schemas: { Person: person },
      puts: [{ id: 'ada', type: 'Person', data }],
    })
    expect(result).toMatchObject({
      semver: 'v1.0.0',
      recordCount: 1,
      fileCount: 0,
      changes: { added: 1, updated: 0, removed: 0 },
    })
    expect(result.hash).toMatch(/^private:[0-9a-f]{64}$/)
    expect(await read(me, path)).toEqual([
      { id: 'ada', type: 'Person', data, hash: recordOf('ada', 'Person', data).hash },
    ])
  })

  test('semver rises by what changed', async () => {
    const path = await newCollection()
    const schemas = { A: open }
    await push(path, { base: null, schemas, puts: [{ id: '1', type: 'A', data: {} }] })
    const semver = async (change: Change) => (await push(path, change)).semver
    expect(await semver({ base: 'v1.0.0', puts: [{ id: '2', type: 'A', data: {} }] })).toBe('v1.1.0')
    expect(await semver({ base: 'v1.1.0', metadata: { license: 'MIT' } })).toBe('v1.1.1')
    expect(await semver({ base: '1.1.1', puts: [{ id: '2', type: 'A', data: {}, private: true }] })).toBe(
      'v1.1.2',
    )
    expect(await semver({ base: 'v1.1.2', schemas: { A: open, B: open } })).toBe('v2.0.0')
    expect(await semver({ base: 'v2.0.0', deletes: [{ id: '1', type: 'A' }] })).toBe('v2.1.0')
    await expect(
      push(path, { base: 'v2.1.0', puts: [{ id: '2', type: 'A', data: {}, private: true }] }),
    ).rejects.toMatchObject({
      code: 'no_changes',
    })
  })

  test('a base that is not the head is refused at opening and at commit', async () => {
    const path = await newCollection()
    const late = await opened(path, {
      base: null,
      schemas: { A: open },
      puts: [{ id: 'late', type: 'A', data: {} }],
    })
    await push(path, { base: null, schemas: { A: open }, puts: [{ id: '1', type: 'A', data: {} }] })
    const refusal = { code: 'version_conflict', details: { currentVersion: 'v1.0.0' } }
    await expect(opened(path, { base: null })).rejects.toMatchObject(refusal)
    await expect(pushes.commit(me, path, late, { async: false })).rejects.toMatchObject(refusal)
    expect((await pushes.state(me, path, late)).status).toBe('failed')
  })

  test('of commits at once against one base exactly one wins', async () => {
    const path = await newCollection()
    const racing = await Promise.all(
      [1, 2, 3, 4].map((n) =>
        opened(path, { base: null, schemas: { A: open }, puts: [{ id: `${n}`, type: 'A', data: {} }] }),
      ),
    )
    const ends = await Promise.allSettled(racing.map((id) => pushes.commit(me, path, id, { async: false })))
    expect(ends.filter((end) => end.status === 'fulfilled')).toHaveLength(1)
    for (const end of ends)
      if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'version_conflict' })
    expect((await versions.list(me, path, {})).items).toHaveLength(1)
  })

  test('committing twice, even at once, answers with the first result', async () => {
    const path = await newCollection()
    const id = await opened(path, {
      base: null,
      schemas: { A: open },
      puts: [{ id: '1', type: 'A', data: {} }],
    })
    const [first, second] = await Promise.all([
      pushes.commit(me, path, id, { async: false }),
      pushes.commit(me, path, id, { async: false }),
    ])
    expect(second).toEqual(first)
    expect(await pushes.commit(me, path, id, { async: true })).toEqual(first)
  })

  test('an asynchronous commit answers at once and ends in the same result', async () => {
    const path = await newCollection()
    const id = await opened(path, {
      base: null,
      schemas: { A: open },
      puts: [{ id: '1', type: 'A', data: {} }],
    })
    expect(await pushes.commit(me, path, id, { async: true })).toEqual({
      kind: 'committing',
      session_id: id,
      status: 'committing',
    })
    await expect
      .poll(async () => (await pushes.state(me, path, id)).status, { timeout: 20_000 })
      .toBe('committed')
    expect((await pushes.state(me, path, id)).result).toMatchObject({
      semver: 'v1.0.0',
      changes: { added: 1 },
    })
  })

  test('a commit whose server died is taken over', async () => {
    const path = await newCollection()
    const id = await opened(path, {
      base: null,
      schemas: { A: open },
      puts: [{ id: '1', type: 'A', data: {} }],
    })
    await context.database.query(
      "update pushes set status = 'committing', lease_until = now() - interval '1 second' where id = $1",
      [id],
    )
    await expect
      .poll(async () => (await pushes.state(me, path, id)).status, { timeout: 20_000 })
      .toBe('committed')
  })

  test('received lines that are damaged where they wait are refused: nothing is made of them', async () => {
    const path = await newCollection()
    const puts = Array.from({ length: 40 }, (_, n) => ({
      id: `${n}`,
      type: 'A',
      data: `${hashText(`${n}`)} and much the same text in all of them`,
    }))
    const { blobs } = context
    for (let round = 0; round < 60; round++) {
      const id = await opened(path, { base: null, schemas: { A: {} }, puts })
      const names: string[] = []
      for await (const { name } of blobs.list(`spills/${id}`)) names.push(name)
      const bytes = new Uint8Array(await blobs.read(names[0]!))
      const at = Math.floor((round / 59) * (bytes.length - 1))
      bytes[at]! ^= 1 << (round % 8)
      await blobs.put(names[0]!, round === 0 ? new Uint8Array() : bytes)
      await expect(pushes.commit(me, path, id, { async: false })).rejects.toMatchObject({
        code: 'object_corrupt',
        message: expect.stringContaining('Start the push again'),
      })
      expect((await pushes.state(me, path, id)).status).toBe('failed')
    }
    expect((await push(path, { base: null, schemas: { A: {} }, puts })).recordCount).toBe(40)
  })

  test('one bad line refuses its whole batch, named by number; nothing of it is stored', async () => {
    const path = await newCollection()
    const id = await opened(path, {
      base: null,
      schemas: { A: open, P: { properties: { n: { type: 'integer' } } } },
    })
    const batch = [
      '{"id":"1","type":"A","data":{}}',
      '',
      '{"id":"2","type":"A","data":{"n":12345678901234567890}}',
      '{"id":"3","type":"A","data":{"a":1,"a":2}}',
      '{"id":"4","type":"Z","data":{}}',
      '{"id":"5","type":"P","data":{"n":"x"}}',
      '{"id":"6","type":"P","data":{"m":1}}',
      'nonsense',
    ]
    const refusal = await pushes
      .receive(me, path, id, 'records', lines(batch))
      .catch((error: unknown) => error)
    expect(refusal).toMatchObject({ code: 'invalid_records', details: { totalErrors: 6 } })
    const { validationErrors } = (
      refusal as { details: { validationErrors: { line: number; code: string }[] } }
    ).details
    expect(validationErrors.map(({ line, code }) => [line, code])).toEqual([
      [3, 'unsafe_integer'],
      [4, 'duplicate_key'],
      [5, 'unknown_type'],
      [6, 'schema_violation'],
      [7, 'unknown_fields'],
      [8, 'syntax'],
    ])
    expect(
      await pushes.receive(me, path, id, 'records', lines(['\uFEFF{"id":"ok","type":"A","data":{}}'])),
    ).toEqual({ received: 1 })
    await pushes.commit(me, path, id, { async: false })
    expect((await read(me, path)).map((record) => record.id)).toEqual(['ok'])
  })

  test('strip_unknown_fields removes what the schema does not list, before hashing', async () => {
    const path = await newCollection()
    const schemas = { P: { properties: { n: {} } } }
    await push(path, {
      base: null,
      schemas,
      strip_unknown_fields: true,
      puts: [{ id: '1', type: 'P', data: { n: 1, m: 2 } }],
    })
    expect(await read(me, path)).toEqual([
      { id: '1', type: 'P', data: { n: 1 }, hash: recordOf('1', 'P', { n: 1 }).hash },
    ])
  })

  test('limits of a batch are kept', async () => {
    const limits = { ...context.limits, batchLinesMax: 2, batchBytesMax: 100 }
    const path = await newCollection()
    const id = await opened(path, { base: null, schemas: { A: open } })
    const limited = { ...context, limits, jobs: idleJobs }
    const few = pushesOf(limited, new PushSessions(limited))
    const line = '{"id":"1","type":"A","data":{}}'
    await expect(few.receive(me, path, id, 'records', lines([line, line, line]))).rejects.toMatchObject({
      code: 'too_large',
    })
    await expect(few.receive(me, path, id, 'records', lines(['x'.repeat(101)]))).rejects.toMatchObject({
      code: 'too_large',
    })
  })

  test('of many polls of a session one a minute puts off its end', async () => {
    const path = await newCollection()
    const id = await opened(path, { base: null, schemas: { A: open } })
    const poll = async () => (await pushes.state(me, path, id)).expires_at
    const first = await poll()
    expect(await poll()).toBe(first)
    await context.database.query(
      "update pushes set expires_at = expires_at - interval '61 seconds' where id = $1",
      [id],
    )
    expect(Date.parse(await poll())).toBeGreaterThanOrEqual(Date.parse(first))
  })

  test('an idle session expires; a cancelled one accepts nothing more', async () => {
    const path = await newCollection()
    const id = await opened(path, { base: null, schemas: { A: open } })
    await context.database.query("update pushes set expires_at = now() - interval '1 second' where id = $1", [
      id,
    ])
    expect((await pushes.state(me, path, id)).status).toBe('expired')
    await expect(pushes.receive(me, path, id, 'records', lines([]))).rejects.toMatchObject({
      code: 'push_not_open',
    })
    const other = await opened(path, {
      base: null,
      schemas: { A: open },
      puts: [{ id: '1', type: 'A', data: {} }],
    })
    await pushes.cancel(me, path, other)
    await pushes.cancel(me, path, other)
    await expect(pushes.commit(me, path, other, { async: false })).rejects.toMatchObject({
      code: 'push_not_open',
    })
    const left = await context.database.query('select 1 from push_spills where push_id = $1', [other])
    expect(left.rows).toHaveLength(0)
  })

  test('records that are carried over are read some at once, however large they are', async () => {
    const path = await newCollection()
    const puts = Array.from({ length: 30 }, (_, n) => ({ id: `${n}`, type: 'A', data: 'x'.repeat(100_000) }))
    await push(path, { base: null, schemas: { A: {} }, puts })
    const head = (await findCollectionById(context.database, path.id, null))!.head!
    const tree = (await documentOf(context, head, 'full')).types['A']!
    let all = 0
    for await (const batch of resultingRecords(context.objects, tree, nothing())) {
      expect(batch.length).toBeLessThan(12)
      all += batch.length
    }
    expect(all).toBe(30)
  })

  test('entries of a push stand some at once, however many lie between two records of the base', async () => {
    const path = await newCollection()
    await push(path, { base: null, schemas: { A: open }, puts: [{ id: 'zzz', type: 'A', data: {} }] })
    const head = (await findCollectionById(context.database, path.id, null))!.head!
    const tree = (await documentOf(context, head, 'full')).types['A']!
    const ids = Array.from({ length: 100_000 }, (_, n) => `a${100_000 + n}`)
    async function* pushed() {
      while (ids.length > 0) yield ids.splice(0, 128).map((id) => ({ type: 'A', id }))
    }
    let all = 0
    for await (const batch of resultingRecords(context.objects, tree, pushed())) {
      expect(batch.length).toBeLessThanOrEqual(4_096)
      all += batch.length
    }
    expect(all).toBe(100_001)
  })

  test('a changed schema is asked of the records carried over', async () => {
    const path = await newCollection()
    await push(path, {
      base: null,
      schemas: { A: open },
      puts: [
        { id: '1', type: 'A', data: { n: 'x' } },
        { id: '2', type: 'A', data: { n: 1 } },
      ],
    })
    const strict = { A: { properties: { n: { type: 'integer' } } } }
    const id = await opened(path, { base: 'v1.0.0', schemas: strict })
    await expect(pushes.commit(me, path, id, { async: false })).rejects.toMatchObject({
      code: 'schema_violation',
      details: { totalErrors: 1, validationErrors: [{ id: '1', type: 'A', code: 'schema_violation' }] },
    })
    await pushes.receive(me, path, id, 'records', lines([{ id: '1', type: 'A', data: { n: 2 } }]))
    expect(await pushes.commit(me, path, id, { async: false })).toMatchObject({
      result: { semver: 'v2.0.0', changes: { updated: 1 } },
    })
  })

  test('a file must be uploaded here before a version refers to it, even if another collection has it', async () => {
    const elsewhere = await newCollection()
    const path = await newCollection()
    const file = await upload(elsewhere, 'portrait')
    const puts = [{ id: '1', type: 'A', data: { photo: { $file: file } } }]
    const id = await opened(path, { base: null, schemas: { A: open }, puts })
    await expect(pushes.commit(me, path, id, { async: false })).rejects.toMatchObject({
      code: 'files_missing',
      details: { filesNeeded: [file] },
    })
    expect((await pushes.state(me, path, id)).status).toBe('open')
    await expect(files.get(me, { ...path, hash: file })).rejects.toMatchObject({ code: 'file_not_found' })
    await upload(path, 'portrait')
    expect(await pushes.commit(me, path, id, { async: false })).toMatchObject({ result: { fileCount: 1 } })
    const [listed] = await files.list(anonymous, { ...path, v: 'latest' })
    expect(listed).toMatchObject({
      hash: file,
      size: 8,
      contentType: 'text/plain',
      references: [{ type: 'A', id: '1' }],
    })
    expect(await files.get(anonymous, { ...path, hash: file })).toMatchObject({
      size: 8,
      contentType: 'text/plain',
    })
  })

  test('large records lie apart and read back the same', async () => {
    const path = await newCollection()
    const data = { text: 'ü'.repeat(20_000) }
    const puts = [
      { id: 'big', type: 'A', data },
      { id: 'small', type: 'A', data: {} },
    ]
    await push(path, { base: null, schemas: { A: open }, puts })
    await push(path, { base: 'v1.0.0', puts: [{ id: 'other', type: 'A', data: {} }] })
    expect((await read(me, path)).map((record) => record.data)).toEqual([data, {}, {}])
    const one = await records.one(me, { ...path, v: 'latest', type: 'A', id: 'big' }, { proof: false })
    expect(shown(one)).toMatchObject({ data, hash: recordOf('big', 'A', data).hash })
  })

  test('more spills than are read at once are merged first, of each record the last line counts', async () => {
    const path = await newCollection()
    const id = await opened(path, { base: null, schemas: { A: open } })
    const line = (n: number, spill: number) => ({ id: `${n}`, type: 'A', data: { spill } })
    for (let spill = 0; spill < 150; spill++) {
      await pushes.receive(
        me,
        path,
        id,
        'records',
        lines([line(spill, spill), line(spill + 1, spill), line(1_000, spill)]),
      )
    }
    const left = async () =>
      (await context.database.query('select name from push_spills where push_id = $1', [id])).rows.length
    expect(await left()).toBe(150)
    const answer = await pushes.commit(me, path, id, { async: false })
    expect(answer).toMatchObject({
      result: { recordCount: 152, changes: { added: 152, updated: 0, removed: 0 } },
    })
    const found = new Map((await read(me, path)).map((record) => [record.id, record.data]))
    for (let n = 0; n < 150; n++) expect(found.get(`${n}`)).toEqual({ spill: n })
    expect(found.get('150')).toEqual({ spill: 149 })
    expect(found.get('1000')).toEqual({ spill: 149 })
    await expect.poll(left, { timeout: 20_000 }).toBe(0)
  })

  /** Expected content of the collection, for random histories. */
  interface Model {
    schemas: Record<string, { private: boolean; privateField: boolean }>
    records: Map<string, { type: string; id: string; data: JsonObject; private: boolean }>
  }

  const schemasOfModel = (model: Model): JsonObject =>
    Object.fromEntries(
      Object.entries(model.schemas).map(([type, { private: hidden, privateField }]) => [
        type,
        {
          private: hidden,
          properties: { n: {}, s: (privateField ? { private: true } : {}) as JsonObject, f: {}, t: {} },
        },
      ]),
    )

  function viewOfModel(model: Model, view: 'full' | 'public') {
    const shown = [...model.records.values()].filter(
      (record) => view === 'full' || !(record.private || model.schemas[record.type]!.private),
    )
    const projected = shown.map(({ type, id, data }) => {
      const { s: _secret, ...open } = data
      return { type, id, data: view === 'public' && model.schemas[type]!.privateField ? open : data }
    })
    return projected.sort(
      (a, b) =>
        Buffer.compare(Buffer.from(a.type), Buffer.from(b.type)) ||
        Buffer.compare(Buffer.from(a.id), Buffer.from(b.id)),
    )
  }

  const types = ['A', 'B', '__proto__']
  const ids = ['1', '2', '3', 'é', '\u{ffff}', '\u{1f600}']
  const contents = ['one', 'two', 'three']
  const arbitraryStep = fc.record({
    puts: fc.array(
      fc.record({
        type: fc.constantFrom(...types),
        id: fc.constantFrom(...ids),
        n: fc.integer({ min: 0, max: 3 }),
        secret: fc.boolean(),
        file: fc.option(fc.nat(2), { nil: undefined }),
        // Becomes an object of its own.
        large: fc.boolean(),
        private: fc.boolean(),
      }),
      { maxLength: 6 },
    ),
    deletes: fc.array(fc.record({ type: fc.constantFrom(...types), id: fc.constantFrom(...ids) }), {
      maxLength: 3,
    }),
    schemas: fc.option(
      fc.dictionary(
        fc.constantFrom(...types),
        fc.record({ private: fc.boolean(), privateField: fc.boolean() }),
        { minKeys: 1, noNullPrototype: true },
      ),
      { nil: undefined },
    ),
  })

  test('any history of pushes reads back as the model says, in both views', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(arbitraryStep, { minLength: 1, maxLength: 5 }), async (steps) => {
        const path = await newCollection()
        const hashes = await Promise.all(contents.map((text) => upload(path, text)))
        const model: Model = { schemas: {}, records: new Map() }
        let base = null as string | null
        for (const step of steps) {
          let gone: string[] = []
          const given =
            step.schemas ?? (base === null ? { A: { private: false, privateField: false } } : undefined)
          if (given !== undefined) {
            gone = Object.keys(model.schemas).filter((type) => !Object.hasOwn(given, type))
            model.schemas = Object.fromEntries(Object.entries(given))
            for (const [key, record] of model.records)
              if (!Object.hasOwn(model.schemas, record.type)) model.records.delete(key)
          }
          const known = (one: { type: string }) => Object.hasOwn(model.schemas, one.type)
          const puts = step.puts.filter(known).map((put) => ({
            type: put.type,
            id: put.id,
            data: {
              n: put.n,
              ...(put.secret ? { s: `secret-${put.n}` } : {}),
              ...(put.file === undefined ? {} : { f: { $file: hashes[put.file]! } }),
              ...(put.large ? { t: 'ü'.repeat(10_000) } : {}),
            } as JsonObject,
            private: put.private,
          }))
          const deletes = step.deletes.filter(known)
          const before = new Map(model.records)
          for (const put of puts) model.records.set(`${put.type}/${put.id}`, put)
          for (const gone of deletes) model.records.delete(`${gone.type}/${gone.id}`)
          const removals = Object.fromEntries(gone.map((type) => [type, null]))
          const schemas: JsonObject | undefined =
            given === undefined ? undefined : { ...schemasOfModel(model), ...removals }
          try {
            base = (await push(path, { base, puts, deletes, ...(schemas === undefined ? {} : { schemas }) }))
              .semver
          } catch (error) {
            expect(error).toMatchObject({ code: 'no_changes' })
            // Marks of records in private types are not stored by themselves.
            model.records = before
          }
          await expectModel(path, model)
        }
      }),
      { numRuns: 40 },
    )
  }, 120_000)

  async function expectModel(path: { id: string } & Path, model: Model): Promise<void> {
    const found = await findCollectionById(context.database, path.id, null)
    for (const [view, who] of [
      ['full', me],
      ['public', anonymous],
    ] as const) {
      const expected = viewOfModel(model, view)
      const actual = await read(who, path)
      expect(actual.map(({ type, id, data }) => ({ type, id, data }))).toEqual(expected)
      for (const record of actual)
        expect(record.hash).toBe(recordOf(record.id, record.type, record.data).hash)
      const references = new Map<string, Set<string>>()
      for (const { type, id, data } of expected) {
        for (const file of fileReferences(data)) {
          references.set(
            `sha256:${file}`,
            (references.get(`sha256:${file}`) ?? new Set()).add(`${type}/${id}`),
          )
        }
      }
      const listed = await files.list(who, { ...path, v: 'latest' })
      expect(
        new Map(
          listed.map((file) => [file.hash, new Set(file.references.map(({ type, id }) => `${type}/${id}`))]),
        ),
      ).toEqual(references)
      const document = await documentOf(context, found!.head!, view)
      expect((await versions.detail(who, { ...path, v: 'latest' })).hash).toMatch(documentDigest(document))
      for (const hash of references.keys()) expect((await files.get(who, { ...path, hash })).hash).toBe(hash)
    }
  }
})
