/** Hostile working folders: symbolic links, named pipes, and journals of other programs. */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../../../../server/src/testing/serve.ts'
import { openPerson, type Person } from '../../testing/cli.ts'
import { finishReplacement, stagedPath } from './replace.ts'

describe('the list of files to replace', () => {
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'ulmus-inside-'))
  })
  afterEach(() => rmSync(root, { recursive: true, force: true }))

  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const journal = (left: object) => write('.ulmus/replacement.json', JSON.stringify(left))

  const strange = [
    '../x',
    '/etc/x',
    '.ulmus/../../x',
    '..',
    'files/../../x',
    '.git/hooks/post-checkout',
    'files/.git/hooks/post-checkout',
    '.envrc',
    'package.json',
    'records/.x/City.ndjson',
    '.ulmus/lock',
  ]
  test.each(strange)('names %s: nothing is moved or removed', (path) => {
    write(`.ulmus/staged/new/${path}`, 'new')
    write('README.md', 'mine')
    for (const left of [
      { places: [path], removes: ['README.md'] },
      { places: [], removes: ['README.md', path] },
    ]) {
      journal(left)
      expect(() => finishReplacement(root)).toThrow('which ulmus never replaces')
      expect(readFileSync(join(root, 'README.md'), 'utf8')).toBe('mine')
    }
    journal({ moves: [['README.md', path]], removes: [] })
    expect(() => finishReplacement(root)).toThrow('which ulmus never replaces')
  })

  test('names files of the folder: those that are staged are moved', () => {
    const places = ['README.md', 'schemas/City.json', 'records/City/1.ndjson', 'files/a/b.txt']
    for (const path of places) write(stagedPath(path), path)
    write('records/City.ndjson', 'old')
    journal({ places: [...places, '.ulmus/base/version.json'], removes: ['records/City.ndjson'] })
    finishReplacement(root)
    for (const path of places) expect(readFileSync(join(root, path), 'utf8')).toBe(path)
    expect(existsSync(join(root, 'records/City.ndjson'))).toBe(false)
    expect(existsSync(join(root, '.ulmus/replacement.json'))).toBe(false)
  })

  test('leads through a link: what it leads to stays', () => {
    const outside = mkdtempSync(join(tmpdir(), 'ulmus-outside-'))
    writeFileSync(join(outside, 'City.ndjson'), 'theirs')
    write('.ulmus/staged/new/records/City.ndjson', 'new')
    symlinkSync(outside, join(root, 'records'))
    for (const left of [
      { places: ['records/City.ndjson'], removes: [] },
      { places: [], removes: ['records/City.ndjson'] },
    ]) {
      journal(left)
      expect(() => finishReplacement(root)).toThrow('records is a symbolic link')
      expect(readFileSync(join(outside, 'City.ndjson'), 'utf8')).toBe('theirs')
    }
    rmSync(outside, { recursive: true })
  })
})

describe.each(anyDatabase)('a folder from a stranger, and a server on $name', ({ settings: open }) => {
  let server: TestServer
  let dispose: () => Promise<void>
  let ada: Person
  let outside: string
  let folders = 0

  beforeAll(async () => {
    const { settings, dispose: disposeDatabase } = await open()
    dispose = disposeDatabase
    server = await serveForTest(settings)
    const { cookie } = await server.signIn('ada')
    ada = openPerson(server.url, await server.keyFor(cookie, 'write'))
    const done = async (...args: string[]) =>
      expect(await ada.ulmus('cities', ...args)).toMatchObject({ code: 0 })
    await done('init', 'ada/cities')
    const version = (count: number) => {
      mkdirSync(at('cities', 'files'), { recursive: true })
      writeFileSync(at('cities', 'schemas/City.json'), '{}')
      writeFileSync(at('cities', 'records/City.ndjson'), `{"id":"OSL","data":{"a":${count}}}\n`)
      writeFileSync(at('cities', `files/${count}.txt`), String(count))
      writeFileSync(at('cities', 'README.md'), `${count}\n`)
    }
    version(1)
    await done('push')
    expect(await ada.ulmus('.', 'clone', 'ada/cities', 'old')).toMatchObject({ code: 0 })
    version(2)
    writeFileSync(at('cities', 'schemas/Town.json'), '{}')
    writeFileSync(at('cities', 'records/Town.ndjson'), '{"id":"a","data":{}}\n')
    await done('push')
    writeFileSync(join(ada.home, 'rows.csv'), 'id,name\nOSL,Oslo\n')
  })
  afterAll(async () => {
    ada.dispose()
    await server.close()
    await dispose()
  })
  beforeEach(() => {
    outside = mkdtempSync(join(tmpdir(), 'ulmus-outside-'))
    writeFileSync(join(outside, 'secret'), 'secret\n')
  })
  afterEach(() => rmSync(outside, { recursive: true, force: true }))

  const at = (folder: string, path: string) => join(ada.home, folder, path)
  const untouched = () => {
    expect(readdirSync(outside)).toEqual(['secret'])
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret\n')
  }
  /** A folder whose collection has a newer version. */
  const behind = (): string => {
    const folder = `cities-${++folders}`
    cpSync(join(ada.home, 'old'), join(ada.home, folder), { recursive: true })
    return folder
  }
  const replaced = (folder: string, path: string, target: string) => {
    rmSync(at(folder, path), { recursive: true, force: true })
    symlinkSync(target, at(folder, path))
  }
  const commands = [
    ['status'],
    ['diff'],
    ['push'],
    ['push', '--snapshot'],
    ['pull', '--theirs'],
    ['checkout', 'latest', '--force'],
    ['import', '../rows.csv', '--type', 'City', '--id', 'id', '--yes'],
    ['verify'],
  ]

  test.each(['records', 'schemas', 'files', '.ulmus', '.ulmus/base', '.ulmus/staged', '.ulmus/push'])(
    '%s is a link to a folder elsewhere: no command follows it',
    async (path) => {
      const folder = behind()
      replaced(folder, path, outside)
      for (const command of commands) {
        const { code, said } = await ada.ulmus(folder, ...command)
        untouched()
        if (['records', 'schemas', 'files'].includes(path) && command[0] !== 'import')
          expect([command, code, said]).toEqual([
            command,
            6,
            expect.stringContaining(`${path} is a symbolic link`),
          ])
      }
    },
  )

  test.each([
    'records/City.ndjson',
    'schemas/City.json',
    'files/notes.txt',
    'README.md',
    'metadata.json',
    '.ulmus/folder.json',
    '.ulmus/base/version.json',
    '.ulmus/lock',
    '.ulmus/replacement.json',
  ])('%s is a link to a file elsewhere: it is neither read nor written', async (path) => {
    const folder = behind()
    replaced(folder, path, join(outside, 'secret'))
    for (const command of commands) {
      const { code, said, out } = await ada.ulmus(folder, ...command)
      untouched()
      expect(said + out).not.toContain('secret\n')
      if (command[0] !== 'import' && command[0] !== 'verify')
        expect([command, code, said]).toEqual([
          command,
          6,
          expect.stringContaining(`${path} is a symbolic link`),
        ])
    }
  })

  test.each(['files/pipe', 'README.md', 'records/City.ndjson', '.ulmus/lock', '.ulmus/index.json'])(
    '%s is a named pipe: no command waits for it',
    async (path) => {
      const folder = behind()
      rmSync(at(folder, path), { force: true })
      spawnSync('mkfifo', [at(folder, path)])
      for (const command of [['status'], ['push'], ['verify']]) {
        const { code, said } = await ada.ulmus(folder, ...command)
        if (path !== '.ulmus/index.json' && command[0] !== 'verify')
          expect([code, said]).toEqual([6, expect.stringContaining(`${path} is a named pipe`)])
      }
    },
  )

  test('an import, an export, a clone and an init write through no link', async () => {
    const folder = behind()
    replaced(folder, 'cities', join(outside, 'made'))
    expect((await ada.ulmus(folder, 'clone', 'ada/cities', 'cities')).said).toContain('is a symbolic link')
    symlinkSync(join(outside, 'made'), at(folder, 'all.tar.gz.part'))
    expect(await ada.ulmus(folder, 'export', '-o', 'all.tar.gz')).toMatchObject({ code: 0 })
    symlinkSync(outside, at(folder, 'out'))
    expect((await ada.ulmus(folder, 'export', '-o', 'out/all.tar.gz')).said).toContain(
      'out is a symbolic link',
    )
    for (const path of ['.ulmus', 'schemas', 'records']) {
      mkdirSync(join(ada.home, 'fresh'), { recursive: true })
      symlinkSync(outside, at('fresh', path))
      expect((await ada.ulmus('fresh', 'init', 'ada/fresh')).said).toContain(`${path} is a symbolic link`)
      rmSync(join(ada.home, 'fresh'), { recursive: true })
    }
    untouched()
  })

  test('nothing is sent to a registry that the person is not signed in to', async () => {
    const folder = behind()
    writeFileSync(at(folder, 'files/new.txt'), 'mine')
    const state = JSON.parse(readFileSync(at(folder, '.ulmus/folder.json'), 'utf8'))
    const other = 'http://127.0.0.1:9'
    writeFileSync(at(folder, '.ulmus/folder.json'), JSON.stringify({ ...state, host: other }))
    const stranger = openPerson(server.url)
    const pushed = await stranger.ulmus(join('..', ada.home.split('/').at(-1)!, folder), 'push')
    expect(pushed).toMatchObject({ code: 4 })
    expect(pushed.said).toContain(`not signed in to ${other}`)
    stranger.dispose()
  })
})
