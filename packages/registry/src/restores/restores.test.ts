/** An earlier version is published again: its content, its number, and what stays private. http-api §7. */
import type { JsonObject } from '@ulmus/content'
import { serviceDatabases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { anonymous } from '../principal.ts'
import { addAccount, callerOf } from '../testing/context.ts'
import { openWorld, type Path, type World } from '../testing/world.ts'
import { sweep } from '../upkeep/sweep.ts'

const text = { type: 'string' }
const schemas: JsonObject = {
  Item: { type: 'object', properties: { name: text, mail: text, photo: { type: 'object' } } },
}
const withPrivateMail: JsonObject = {
  Item: { type: 'object', properties: { name: text, mail: { ...text, private: true } } },
}
const item = (id: string, name: string) => ({ id, type: 'Item', data: { name, mail: `${id}@example.org` } })

describe.each(serviceDatabases)('publishing an earlier version again ($name)', (database) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld(database)
  })
  afterAll(() => world.dispose())

  const restore = (path: Path, v: string, wanted = {}, who = world.me) =>
    world.restores.restore(who, { ...path, v }, wanted)
  const code = (work: Promise<unknown>) =>
    work.then(
      () => 'ok',
      (error) => error.code ?? error,
    )
  const detail = (path: Path, v: string) => world.versions.detail(world.me, { ...path, v })
  async function edited(metadata: JsonObject = { description: 'first' }) {
    const path = await world.collection()
    const file = await world.upload(path, `a file of ${path.slug}`)
    const puts = [item('a', 'one'), { ...item('b', 'two'), data: { name: 'two', photo: { $file: file } } }]
    await world.push(path, { base: null, schemas, puts, metadata })
    await world.push(path, {
      ...{ base: 'v1.0.0', puts: [item('a', 'spoilt'), item('c', 'new')] },
      ...{ deletes: [{ id: 'b', type: 'Item' }], metadata: { description: 'second' } },
    })
    return { path, file }
  }

  test('the new version has its records, files, metadata and digest, with the next number', async () => {
    const { path } = await edited()
    const first = await world.read(path, 'v1.0.0')
    expect(await restore(path, 'v1.0.0', { base_version: 'v1.1.0' })).toMatchObject({
      ...{ semver: 'v1.2.0', restored: 'v1.0.0', recordCount: 2, fileCount: 1 },
    })
    expect(await world.read(path)).toBe(first)
    const [now, then] = [await detail(path, 'latest'), await detail(path, 'v1.0.0')]
    expect(now).toMatchObject({
      semver: 'v1.2.0',
      hash: then.hash,
      message: 'Restore v1.0.0',
      baseSemver: 'v1.1.0',
    })
    const shown = await world.collections.detail(anonymous, path)
    expect(shown).toMatchObject({ description: 'first', latestVersion: { semver: 'v1.2.0' } })
    // Going back and forth takes documents, not records.
    const { rows } = await world.context.database.query<{ stored: number }>(
      'select stored_bytes as stored from versions where id = (select head_id from collections where slug = $1)',
      [path.slug],
    )
    expect(rows[0]!.stored).toBeLessThan(2_000)
  })

  test('again is no version; a stale base is refused; of schemas the number is the next major, of metadata the next patch', async () => {
    const { path } = await edited()
    expect(await restore(path, 'v1.1.0')).toMatchObject({ semver: 'v1.1.0', unchanged: true })
    await restore(path, 'v1.0.0')
    expect(await restore(path, 'v1.0.0')).toMatchObject({ semver: 'v1.2.0', unchanged: true })
    expect(await code(restore(path, 'v1.1.0', { base_version: 'v1.1.0' }))).toBe('version_conflict')
    await world.patch(path, { description: 'third' })
    expect(await restore(path, 'v1.2.0', { message: 'Back' })).toMatchObject({ semver: 'v1.2.2' })
    expect((await detail(path, 'latest')).message).toBe('Back')
    await world.push(path, { base: 'v1.2.2', schemas: { Other: { type: 'object' } } })
    expect(await restore(path, 'v1.2.2')).toMatchObject({ semver: 'v3.0.0' })
    expect((await world.collections.browse({ search: 'mail' })).items.map(({ slug }) => slug)).toContain(
      path.slug,
    )
  })

  test('withdrawn versions do not come back, and one that came back outlives them', async () => {
    const { path, file } = await edited()
    await restore(path, 'v1.0.0')
    await world.withdrawals.withdraw(world.me, { ...path, v: 'v1.0.0' }, { reason: 'a leak', erase: true })
    await sweep(world.context)
    expect(await code(restore(path, 'v1.0.0'))).toBe('version_withdrawn')
    expect(await world.read(path)).toContain(file)
    await world.push(path, { base: 'v1.2.0', puts: [item('d', 'more')] })
    await world.withdrawals.withdraw(world.me, { ...path, v: 'v1.3.0' }, { reason: 'a leak' })
    expect(await restore(path, 'v1.1.0')).toMatchObject({ semver: 'v1.4.0' })
    expect(await code(restore(path, 'v9.0.0'))).toBe('version_not_found')
  })

  test('the file of the first version of a fork stays when that version goes after it came back', async () => {
    const { path } = await edited()
    await restore(path, 'v1.0.0')
    const fork = await world.fork(path)
    await world.push(fork, { base: 'v1.0.0', deletes: [{ id: 'b', type: 'Item' }] })
    await restore(fork, 'v1.0.0')
    await world.withdrawals.withdraw(world.me, { ...fork, v: 'v1.0.0' }, { reason: 'a leak', erase: true })
    await sweep(world.context)
    const { fileCount } = (await world.collections.detail(anonymous, fork)).latestVersion as {
      fileCount: number
    }
    expect(fileCount).toBe(1)
  })

  test('a field that is private now becomes public only if it is named, and is remembered', async () => {
    const path = await world.collection()
    await world.push(path, { base: null, schemas, puts: [item('a', 'one')] })
    await world.push(path, { base: 'v1.0.0', schemas: withPrivateMail })
    const refused = restore(path, 'v1.0.0')
    await expect(refused).rejects.toMatchObject({
      code: 'private_field_made_public',
      message: expect.stringContaining(
        'Version v1.0.0 shows data that is private now: the field `mail` of `Item`',
      ),
    })
    expect(await code(restore(path, 'v1.0.0', { confirm_public: ['mail'] }))).toBe('ok')
    // And back to private needs no confirmation; a name that was dropped is remembered.
    expect(await restore(path, 'v2.0.0')).toMatchObject({ semver: 'v4.0.0' })
    await world.push(path, {
      base: 'v4.0.0',
      schemas: { Item: { type: 'object', properties: { name: text } } },
      puts: [{ id: 'a', type: 'Item', data: { name: 'one' } }],
    })
    expect(await code(restore(path, 'v1.0.0'))).toBe('private_field_made_public')
  })

  test('a record that is private now becomes public only if it is named, also of a private type', async () => {
    for (const type of [schemas['Item'], { ...(schemas['Item'] as object), private: true }]) {
      const path = await world.collection()
      await world.push(path, {
        base: null,
        schemas: { Item: type } as JsonObject,
        puts: [item('a', 'one'), item('b', 'two')],
      })
      // In a private type a mark alone makes no version.
      const base = await world.push(path, {
        base: 'v1.0.0',
        puts: [item('a', 'first'), { ...item('b', 'two'), private: true }],
      })
      await expect(restore(path, 'v1.0.0')).rejects.toMatchObject({
        code: 'private_record_made_public',
        details: { madePublicRecords: [{ type: 'Item', id: 'b', confirm: 'Item/b' }] },
        message: expect.stringContaining('1 record is private now, and version v1.0.0 shows it'),
      })
      expect(await code(restore(path, 'v1.0.0', { confirm_public: ['Item/b'] }))).toBe('ok')
      // The mark comes back with the version that has it.
      expect(await code(restore(path, base))).toBe('ok')
      expect(await code(restore(path, 'v1.0.0', { confirm_public: ['Item/*'] }))).toBe('ok')
    }
  })

  test('private parts that stay private need no confirmation', async () => {
    const path = await world.collection()
    await world.push(path, {
      base: null,
      schemas: withPrivateMail,
      puts: [item('a', 'one'), { ...item('b', 'two'), private: true }],
    })
    await world.push(path, {
      base: 'v1.0.0',
      puts: [item('a', 'spoilt')],
      deletes: [{ id: 'b', type: 'Item' }],
    })
    expect(await restore(path, 'v1.0.0')).toMatchObject({ semver: 'v1.2.0', recordCount: 2 })
    expect((await world.versions.detail(anonymous, { ...path, v: 'latest' })).recordCount).toBe(1)
  })

  test('needs the right to push', async () => {
    const { path } = await edited()
    const stranger = callerOf(await addAccount(world.context, `stranger-${path.slug}`))
    expect(await code(world.restores.restore(anonymous, { ...path, v: 'v1.0.0' }, {}))).toBe(
      'unauthenticated',
    )
    expect(await code(restore(path, 'v1.0.0', {}, callerOf(world.ada, 'read')))).toBe('insufficient_scope')
    expect(await code(restore(path, 'v1.0.0', {}, stranger))).toBe('not_a_member')
    expect(await code(restore(path, 'v1.0.0', {}, callerOf(world.ada, 'write', 'another')))).toBe(
      'key_limited',
    )
  })

  test('a withdrawal while it lands wins', async () => {
    const { path } = await edited()
    const { database } = world.context
    const late = new Proxy(database, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (name !== 'transact') return typeof value === 'function' ? value.bind(target) : value
        return async (work: never) => {
          await world.withdrawals.withdraw(
            world.me,
            { ...path, v: 'v1.0.0' },
            { reason: 'a leak', erase: true },
          )
          return target.transact(work)
        }
      },
    })
    const { restoresOf } = await import('./restores.ts')
    const racing = restoresOf({ ...world.context, database: late })
    expect(await code(racing.restore(world.me, { ...path, v: 'v1.0.0' }, {}))).toBe('version_withdrawn')
    expect((await detail(path, 'latest')).semver).toBe('v1.1.0')
  })
})
