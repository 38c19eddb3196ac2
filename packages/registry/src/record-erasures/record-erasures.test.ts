/** A record is removed from all versions: those that have it are withdrawn and erased, and its bytes leave the stores. http-api §11. */
import type { JsonObject } from '@ulmus/content'
import { packsPrefix } from '@ulmus/storage'
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { auditOf } from '../audit/audit.ts'
import { anonymous, type Principal } from '../principal.ts'
import { callerOf, idleJobs } from '../testing/context.ts'
import { openWorld, type Path, type World } from '../testing/world.ts'
import { sweep } from '../upkeep/sweep.ts'

const schemas: JsonObject = { Person: { type: 'object' }, Town: { type: 'object' } }
const person = (id: string, name: string) => ({ id, type: 'Person', data: { name } })
const secret = 'the-person-who-asked'

describe.each(serviceDatabases)('removing a record from all versions ($name)', (database) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(database)
  })
  afterAll(() => world.dispose())

  const at = (path: Path, id = 'p-17') => ({ ...path, type: 'Person', id })
  const plan = (path: Path, id?: string, who: Principal = world.me) =>
    world.recordErasures.plan(who, at(path, id))
  const erase = (path: Path, base: string | null, wanted = {}) =>
    world.recordErasures.erase(world.me, at(path), { base_version: base, ...wanted })
  const code = (work: Promise<unknown>) =>
    work.then(
      () => 'ok',
      (error) => error.code ?? error,
    )
  const readable = async (path: Path) =>
    (await world.versions.list(anonymous, path, {})).items
      .filter(({ withdrawn }) => withdrawn === undefined)
      .map(({ semver }) => semver)

  /** v1.0.0 without the record; v1.1.0 with it; v1.1.1 with other metadata; v1.2.0 with it, private. */
  async function history() {
    const path = await world.collection()
    const others = Array.from({ length: 300 }, (_, n) =>
      person(`p-${1000 + n}`, `person ${n} of ${path.slug}`),
    )
    await world.push(path, { base: null, schemas, puts: others })
    const file = await world.upload(path, `a photo of ${secret} ${path.slug}`)
    const added = {
      id: 'p-17',
      type: 'Person',
      data: { name: `${secret} ${path.slug}`, photo: { $file: file } },
    }
    await world.push(path, { base: 'v1.0.0', puts: [added] })
    await world.patch(path, { description: `with ${secret}` })
    await world.push(path, {
      base: 'v1.1.1',
      puts: [{ ...added, private: true }, person('p-1000', 'changed')],
    })
    return { path, file }
  }

  test('previews what it would do, and does nothing', async () => {
    const { path } = await history()
    await world.fork(path)
    expect(await plan(path)).toEqual({
      ...{ type: 'Person', id: 'p-17', latest: 'v1.2.0', publishes: 'v1.3.0', stays: 1, forks: 1 },
      versions: ['v1.2.0', 'v1.1.1', 'v1.1.0'].map((semver) => ({ semver, withdrawn: false })),
    })
    expect(await readable(path)).toHaveLength(4)
  })

  test('publishes a version without it, withdraws and erases the others, and the bytes go', async () => {
    const { path, file } = await history()
    expect(await erase(path, 'v1.2.0')).toEqual({
      ...{ type: 'Person', id: 'p-17', published: 'v1.3.0', latest: 'v1.3.0', forks: 0 },
      versions: ['v1.2.0', 'v1.1.1', 'v1.1.0'],
      reason: 'A record was removed from all versions.',
      erasedAt: expect.any(String),
    })
    expect(await readable(path)).toEqual(['v1.3.0', 'v1.0.0'])
    const now = await world.read(path)
    expect(now).not.toContain(secret)
    expect(now).toContain('changed')
    expect(await code(world.versions.detail(world.me, { ...path, v: 'v1.1.0' }))).toBe('version_withdrawn')
    expect(await code(plan(path))).toBe('record_not_found')
    await sweep(world.context)
    const { blobs } = world.context
    for await (const { name } of blobs.list(packsPrefix))
      expect(Buffer.from(await blobs.read(name)).includes(`${secret} ${path.slug}`)).toBe(false)
    const stored = await world.context.database.query('select from files where hash = $1', [file.slice(7)])
    expect(stored.rows).toEqual([])
  })

  test('the audit log has one entry, without the id', async () => {
    const { path } = await history()
    await erase(path, 'v1.2.0', { reason: 'Asked by a person' })
    const { items } = await auditOf(world.context).list(world.me, path.owner, {})
    const about = items.filter(({ target }) => target.startsWith(`${path.owner}/${path.slug}`))
    const [first] = about.filter(({ action }) => action === 'record.erased')
    expect(first).toMatchObject({
      target: `${path.owner}/${path.slug}`,
      details: { type: 'Person', versions: 3 },
    })
    expect(about.filter(({ action }) => action === 'version.withdrawn')).toHaveLength(3)
    expect(JSON.stringify(about)).not.toContain('p-17')
    const [withdrawn] = (await world.versions.list(anonymous, path, {})).items.filter((one) => one.withdrawn)
    expect(withdrawn!.withdrawn).toMatchObject({ reason: 'Asked by a person', erase: true })
  })

  test('a record that only older versions have: nothing is published; a withdrawn one is erased, too', async () => {
    const { path } = await history()
    await world.push(path, { base: 'v1.2.0', deletes: [{ id: 'p-17', type: 'Person' }] })
    await world.withdrawals.withdraw(world.me, { ...path, v: 'v1.1.0' }, { reason: 'a leak' })
    expect(await plan(path)).toMatchObject({
      ...{ publishes: null, stays: 2 },
      versions: [
        { semver: 'v1.2.0', withdrawn: false },
        { semver: 'v1.1.1', withdrawn: false },
        { semver: 'v1.1.0', withdrawn: true },
      ],
    })
    expect(await erase(path, 'v1.3.0')).toMatchObject({ published: null, latest: 'v1.3.0' })
    const { items } = await world.versions.list(world.me, path, {})
    expect(items.map(({ semver, withdrawn }) => [semver, withdrawn?.erase, withdrawn?.reason])).toEqual([
      ['v1.3.0', undefined, undefined],
      ['v1.2.0', true, 'A record was removed from all versions.'],
      ['v1.1.1', true, 'A record was removed from all versions.'],
      ['v1.1.0', true, 'a leak'],
      ['v1.0.0', undefined, undefined],
    ])
  })

  test('a withdrawn version that is newer than the latest is erased, too', async () => {
    const { path } = await history()
    await world.withdrawals.withdraw(world.me, { ...path, v: 'v1.2.0' }, { reason: 'a leak' })
    const wanted = ['v1.2.0', 'v1.1.1', 'v1.1.0']
    expect((await plan(path)).versions.map(({ semver }) => semver)).toEqual(wanted)
    expect(await erase(path, 'v1.1.1')).toMatchObject({ published: 'v1.3.0', versions: wanted })
    expect(await code(plan(path))).toBe('record_not_found')
  })

  test('another latest version than the previewed one is a conflict, and nothing happens', async () => {
    const { path } = await history()
    await world.push(path, { base: 'v1.2.0', puts: [person('p-2', 'two')] })
    expect(await code(erase(path, 'v1.2.0'))).toBe('version_conflict')
    expect(await readable(path)).toHaveLength(5)
  })

  test('a call that stopped after publishing is finished by the next', async () => {
    const { path } = await history()
    const { recordErasuresOf } = await import('./record-erasures.ts')
    const { pushesOf } = await import('../pushes/pushes.ts')
    const { PushSessions } = await import('../pushes/session/sessions.ts')
    const { context } = world
    const isolated = { ...context, jobs: idleJobs }
    const pushes = pushesOf(isolated, new PushSessions(isolated))
    const stopped = recordErasuresOf(context, {
      ...pushes,
      async commit(...args) {
        await pushes.commit(...args)
        throw new Error('stopped')
      },
    })
    expect(await code(stopped.erase(world.me, at(path), { base_version: 'v1.2.0' }))).not.toBe('ok')
    expect(await plan(path)).toMatchObject({ latest: 'v1.3.0', publishes: null })
    expect(await erase(path, 'v1.3.0')).toMatchObject({
      published: null,
      versions: ['v1.2.0', 'v1.1.1', 'v1.1.0'],
    })
  })

  test('many versions, and the only record of the only version', async () => {
    const path = await world.collection()
    await world.push(path, { base: null, schemas, puts: [person('p-17', secret)] })
    for (let n = 1; n <= 105; n++) await world.patch(path, { n })
    expect(await erase(path, 'v1.0.105')).toMatchObject({ published: 'v1.1.0', latest: 'v1.1.0' })
    expect(await readable(path)).toEqual(['v1.1.0'])
  })

  test('needs the right to erase; no version has it: 404', async () => {
    const { path } = await history()
    expect(await code(plan(path, 'p-17', anonymous))).toBe('unauthenticated')
    expect(await code(plan(path, 'p-17', callerOf(world.ada, 'write')))).toBe('insufficient_scope')
    expect(await code(plan(path, 'absent'))).toBe('record_not_found')
    expect(await code(plan(path, ''))).toBe('record_not_found')
  })
})
