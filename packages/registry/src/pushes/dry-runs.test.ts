/** Dry runs leave nothing behind, in the database and in the object store. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contextOn, openContext, type TestContext } from '../testing/context.ts'
import { inhabit, settle, type World } from '../testing/world.ts'
import { editLeaves } from './leaves/edit-leaves.ts'

const schemas = { A: { properties: { text: {}, song: {}, other: { 'x-ref-type': 'A' } } } }
const text = (n: number) => `${n} and much the same text in all of them`

describe.each(anyDatabase)('dry runs on $name', (database) => {
  let context: TestContext
  let world: World
  beforeAll(async () => {
    const opened = await openContext(database, { works: false })
    // A store that records which packs come and go.
    context = { ...opened, blobs: { ...opened.blobs, put: (name, source) => noted(opened, name, source) } }
    world = await inhabit(context, await settle(context))
  })
  afterAll(() => context.dispose())
  const written: string[] = []
  const noted: (opened: TestContext, ...put: Parameters<TestContext['blobs']['put']>) => Promise<number> = (
    opened,
    name,
    source,
  ) => {
    written.push(name)
    return opened.blobs.put(name, source)
  }

  /** Every row except push sessions, and the names of all blobs. */
  async function everything(): Promise<Record<string, string>> {
    const { rows } = await context.database.query(
      `select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'pushes' order by 1`,
    )
    const found: Record<string, string> = {}
    for (const { name } of rows) {
      const table = await context.database.query(
        `select coalesce(string_agg(row::text, e'\n' order by row::text), '') as rows from "${String(name)}" row`,
      )
      found[String(name)] = String(table.rows[0]!['rows'])
    }
    const blobs = await Array.fromAsync(context.blobs.list(''))
    return {
      ...found,
      blobs: blobs
        .map(({ name }) => name)
        .sort()
        .join('\n'),
    }
  }

  test('no row and no blob is another than before, and a commit changes them', async () => {
    const path = await world.collection()
    const puts = Array.from({ length: 2_000 }, (_, n) => ({ id: `${n}`, type: 'A', data: { text: text(n) } }))
    await world.push(path, { base: null, schemas, puts })
    const $file = await world.upload(path, 'a song')
    const changed = puts
      .slice(0, 500)
      .map(({ id }) => ({ id, type: 'A', data: { song: { $file }, other: 'none' } }))
    const hidden = { id: 'hidden', type: 'A', data: {}, private: true }
    const session = await world.open(path, {
      ...{ base: 'v1.0.0', metadata: { license: 'MIT' }, files: [await world.upload(path, 'a map')] },
      ...{ puts: [...changed, hidden], deletes: [{ id: '1999', type: 'A' }] },
    })
    const before = await everything()
    written.length = 0
    const found = await world.dryRun(path, session)
    expect(found).toMatchObject({
      ...{ dry_run: true, semver: 'v1.1.0', recordCount: 2_000, fileCount: 2, schemaChanged: false },
      ...{ changes: { added: 1, updated: 500, removed: 1 }, totalWarnings: 1 },
    })
    expect(written.some((name) => name.startsWith('packs/'))).toBe(true)
    expect(await everything()).toEqual(before)
    expect(context.commitCounters.commits).toEqual(new Map([['committed', 1]]))

    expect(await world.commit(path, session)).toBe('v1.1.0')
    const after = await everything()
    for (const name of ['versions', 'audit_events', 'collections', 'objects', 'packs', 'files', 'blobs'])
      expect(after[name], name).not.toBe(before[name])
  })

  test('one that is refused leaves nothing either', async () => {
    const path = await world.collection()
    const session = await world.open(path, {
      ...{ base: null, schemas, files: [`sha256:${'0'.repeat(64)}`] },
      puts: Array.from({ length: 500 }, (_, n) => ({ id: `${n}`, type: 'A', data: { text: text(n) } })),
    })
    const before = await everything()
    await expect(world.dryRun(path, session)).rejects.toMatchObject({ code: 'files_missing' })
    expect(await everything()).toEqual(before)
    expect((await world.state(path, session)).status).toBe('open')
  })

  test('a version that came while it was under way refuses it, and the session stays open', async () => {
    const path = await world.collection()
    const session = await world.open(path, { base: null, schemas, puts: [{ id: '1', type: 'A', data: {} }] })
    const plain = contextOn(context, { works: false })
    let other: Promise<string> | undefined
    const work: typeof plain.work = {
      ...plain.work,
      run(task, input, by) {
        if (task.name === editLeaves.name)
          other ??= world.push(path, { base: null, metadata: { license: 'MIT' } })
        return Promise.resolve(other).then(() => plain.work.run(task, input, by))
      },
    }
    const late = { ...plain, work }
    const second = await inhabit(late, { ada: world.ada, elms: world.ada }, 'late')
    try {
      await expect(second.dryRun(path, session)).rejects.toMatchObject({
        ...{ code: 'version_conflict', details: { currentVersion: 'v1.0.0' } },
      })
      expect((await world.state(path, session)).status).toBe('open')
    } finally {
      await plain.dispose()
    }
  })
})
