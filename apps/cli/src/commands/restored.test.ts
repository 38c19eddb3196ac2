/** Working folders whose version the registry has lost, or replaced under its number, as after a restore from an older backup. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../../../server/src/testing/serve.ts'
import { openPerson, type Person } from '../testing/cli.ts'

const one = '{"id": "1", "data": {"name": "Robin"}}\n'
const records = 'records/Bird.ndjson'

describe.each(anyDatabase)('folders and a registry that was restored, on $name', ({ settings: open }) => {
  let server: TestServer
  let dispose: () => Promise<void>
  let key: string
  let slugs = 0
  const people: Person[] = []

  beforeAll(async () => {
    const { settings, dispose: disposeDatabase } = await open()
    dispose = disposeDatabase
    server = await serveForTest(settings)
    const { cookie } = await server.signIn('ada')
    key = await server.keyFor(cookie, 'write')
  })
  afterAll(async () => {
    await server.close()
    await dispose()
  })
  afterEach(() => {
    for (const one of people.splice(0)) one.dispose()
  })

  const person = (ownKey?: string): Person => {
    const who = openPerson(server.url, ownKey)
    people.push(who)
    return who
  }
  const write = (who: Person, folder: string, text: string) =>
    writeFileSync(join(who.home, folder, records), text)
  const push = async (who: Person, folder: string, text: string) => {
    write(who, folder, text)
    expect(await who.ulmus(folder, 'push', '--public')).toMatchObject({ code: 0 })
  }
  const publish = async (who: Person, folder: string) => {
    const collection = `ada/birds-${++slugs}`
    await who.ulmus(folder, 'init', collection)
    for (const part of ['schemas', 'records']) mkdirSync(join(who.home, folder, part), { recursive: true })
    writeFileSync(join(who.home, folder, 'schemas/Bird.json'), '{}')
    await push(who, folder, one)
    return collection
  }

  /** Gives `who` a `folder` at v1.1.0 of a collection that a restore put back to v1.0.0, as in ada's folder `now`. */
  const restored = async (ada: Person, who: Person, folder: string) => {
    const before = await publish(ada, 'before')
    await push(ada, 'before', `${one}{"id": "2", "data": {"name": "Wren"}}\n`)
    expect(await who.ulmus('.', 'clone', before, folder)).toMatchObject({ code: 0 })
    const collection = await publish(ada, 'now')
    // Name and id, which the restore keeps.
    const state = '.ulmus/folder.json'
    cpSync(join(ada.home, 'now', state), join(who.home, folder, state))
    return collection
  }
  const commands = [
    ['pull'],
    ['pull', '--theirs'],
    ['push'],
    ['push', '--json'],
    ['checkout', 'v1.0.0'],
    ['diff', 'v1.0.0'],
  ]
  const expectRefused = async (who: Person, folder: string, sentence: string, ways: string[][]) => {
    const text = readFileSync(join(who.home, folder, records), 'utf8')
    for (const way of ways) {
      const { code, said, out } = await who.ulmus(folder, ...way)
      expect({ way, code, out }).toEqual({ way, code: 1, out: '' })
      expect(said).toContain(sentence)
      expect(said).toMatch(/Nothing was changed.*ulmus diff .*ulmus clone ada\/birds-\d+ \.\.\/NEW_FOLDER/s)
    }
    expect(readFileSync(join(who.home, folder, records), 'utf8')).toBe(text)
  }

  test('a lost version: every command refuses, and the way out publishes it again', async () => {
    const ada = person(key)
    const collection = await restored(ada, ada, 'mine')
    const sentence = `${collection} no longer has v1.1.0, the version of this folder.`
    await expectRefused(ada, 'mine', sentence, commands)
    const text = `${one}{"id": "2", "data": {"name": "Winter wren"}}\n`
    write(ada, 'mine', text)
    await expectRefused(ada, 'mine', sentence, [
      ['pull'],
      ['push'],
      ['push', '--dry-run'],
      ['push', '--snapshot'],
    ])
    expect(await ada.ulmus('mine', 'diff')).toMatchObject({ code: 0 })
    expect(await ada.ulmus('mine', 'clone', collection, '../new')).toMatchObject({ code: 0 })
    await push(ada, 'new', text)
    await expectRefused(ada, 'mine', `v1.1.0 of ${collection} is now another version than the one`, [
      ['pull'],
      ['push'],
    ])
  })

  test.each([
    { view: 'full', isMember: true },
    { view: 'public', isMember: false },
  ])('another version of the same number, in the $view view', async ({ isMember }) => {
    const ada = person(key)
    const who = person(isMember ? key : undefined)
    const collection = await restored(ada, who, 'mine')
    await push(ada, 'now', `${one}{"id": "2", "data": {"name": "Owl"}}\n`)
    const sentence = `v1.1.0 of ${collection} is now another version than the one of this folder.`
    await expectRefused(who, 'mine', sentence, commands)
    // The folder's number is not the latest any more.
    await push(ada, 'now', `${one}{"id": "3", "data": {"name": "Rook"}}\n`)
    await expectRefused(who, 'mine', sentence, commands)
    if (!isMember) return
    write(who, 'mine', one)
    await expectRefused(who, 'mine', sentence, [['push'], ['push', '--dry-run']])
  })

  test('a collection that is back before its first version', async () => {
    const ada = person(key)
    await restored(ada, ada, 'mine')
    const collection = `ada/birds-${++slugs}`
    expect(await ada.ulmus('.', 'collections', 'create', collection)).toMatchObject({ code: 0 })
    expect(await ada.ulmus('.', 'clone', collection, 'empty')).toMatchObject({ code: 0 })
    cpSync(join(ada.home, 'empty/.ulmus/folder.json'), join(ada.home, 'mine/.ulmus/folder.json'))
    await expectRefused(ada, 'mine', `${collection} no longer has v1.1.0`, [['pull'], ['push']])
  })
})
