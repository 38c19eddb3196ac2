/** Working folders against a complete server: from a folder to a version, to another folder, and back. */
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../../../server/src/testing/serve.ts'
import { openPerson, type Person } from '../testing/cli.ts'

const birdSchema = {
  properties: {
    name: { type: 'string' },
    wings: { type: 'integer' },
    finder: { type: 'string', private: true },
    song: { type: 'object' },
  },
  required: ['name'],
}

describe.each(anyDatabase)('a working folder and a server on $name', ({ settings: open }) => {
  let server: TestServer
  let dispose: () => Promise<void>
  const people: Person[] = []
  let key: string
  let slugs = 0

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
    for (const person of people.splice(0)) person.dispose()
  })

  const person = (): Person => {
    const one = openPerson(server.url, key)
    people.push(one)
    return one
  }
  const stranger = (): Person => {
    const one = openPerson(server.url)
    people.push(one)
    return one
  }

  /** Writes files by path under a person's folder. */
  const write = (who: Person, folder: string, files: Record<string, string>) => {
    for (const [path, text] of Object.entries(files)) {
      const file = join(who.home, folder, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
  }
  const read = (who: Person, path: string) => readFileSync(join(who.home, path), 'utf8')
  const lines = (...records: object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')

  const robin = { id: 'robin', data: { name: 'Robin', wings: 2, finder: 'Ada' } }
  const wren = { id: 'wren', data: { name: 'Wren', wings: 2 } }
  const owl = { id: 'owl', data: { name: 'Owl' }, private: true }

  /** A published collection of three birds in `ada`'s folder `birds`. */
  const published = async () => {
    const ada = person()
    const slug = `birds-${++slugs}`
    expect(await ada.ulmus('birds', 'init', `ada/${slug}`)).toMatchObject({ code: 0 })
    write(ada, 'birds', {
      'schemas/Bird.json': JSON.stringify(birdSchema),
      'records/Bird.ndjson': lines(owl, robin, wren),
      'README.md': '# Birds\n',
      'metadata.json': '{"license": "CC0-1.0"}',
    })
    const pushed = await ada.ulmus('birds', 'push', '-m', 'First', '--public')
    expect(pushed).toMatchObject({ code: 0, out: 'v1.0.0\n' })
    return { ada, collection: `ada/${slug}` }
  }

  test('from files to a version, and to the same folder elsewhere', async () => {
    const { ada, collection } = await published()
    expect((await ada.ulmus('birds', 'status')).out).toContain('Nothing changed.')
    const bob = person()
    expect(await bob.ulmus('.', 'clone', collection, 'here')).toMatchObject({ code: 0 })
    expect(
      read(bob, 'here/records/Bird.ndjson')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([owl, robin, wren])
    expect(read(bob, 'here/README.md')).toBe('# Birds\n')
    expect(JSON.parse(read(bob, 'here/metadata.json'))).toEqual({ license: 'CC0-1.0' })
    expect(JSON.parse(read(bob, 'here/schemas/Bird.json'))).toEqual(birdSchema)
    expect((await bob.ulmus('here', 'status', '--json')).out).toContain('"clean": true')
    expect((await bob.ulmus('here', 'verify')).code).toBe(0)
  })

  test('a stranger clones what the public sees, and cannot push it back, signed in or not', async () => {
    const { collection } = await published()
    const bob = stranger()
    expect(await bob.ulmus('.', 'clone', collection, 'here')).toMatchObject({ code: 0 })
    const text = read(bob, 'here/records/Bird.ndjson')
    expect(text).not.toContain('Owl')
    expect(text).not.toContain('finder')
    expect(read(bob, 'here/schemas/Bird.json')).not.toContain('finder')
    expect((await bob.ulmus('here', 'verify')).code).toBe(0)
    write(bob, 'here', { 'records/Bird.ndjson': text.replace('Wren', 'House wren') })
    expect((await bob.ulmus('here', 'verify')).code).toBe(1)
    expect((await bob.ulmus('here', 'push')).code).toBe(4)

    const member = person()
    const { ulmus } = member
    const theirs = relative(member.home, join(bob.home, 'here'))
    const refused = await ulmus(theirs, 'push')
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.said).toContain('only the public view')
    expect((await ulmus(theirs, 'diff', 'v1.0.0')).said).toContain('only the public view')
  })

  test('what is private does not become public by a line without its mark, nor by a schema without it', async () => {
    const { ada } = await published()
    write(ada, 'birds', { 'records/Bird.ndjson': lines({ ...owl, private: false }, robin, wren) })
    const refused = await ada.ulmus('birds', 'push')
    expect(refused).toMatchObject({ code: 6 })
    expect(refused.said).toContain('Bird "owl" (records/Bird.ndjson, line 1)')
    write(ada, 'birds', {
      'records/Bird.ndjson': lines(owl, robin, wren),
      'schemas/Bird.json': JSON.stringify({
        ...birdSchema,
        properties: { ...birdSchema.properties, finder: {} },
      }),
    })
    const again = await ada.ulmus('birds', 'push')
    expect(again).toMatchObject({ code: 6 })
    expect(again.said).toContain('the field finder of Bird')
    const pushed = await ada.ulmus('birds', 'push', '--publish-private')
    expect(pushed).toMatchObject({ code: 0 })
    expect(pushed.said).toContain('Becomes public: the field finder of Bird.')
    const bob = stranger()
    await bob.ulmus('.', 'clone', JSON.parse(read(ada, 'birds/.ulmus/folder.json')).collection, 'here')
    expect(read(bob, 'here/records/Bird.ndjson')).toContain('"finder":"Ada"')
  })

  test('a private field under another name is found by its values', async () => {
    const { ada } = await published()
    const { finder, ...fields } = birdSchema.properties
    const found = (field: string) =>
      [owl, robin, wren].map((bird, at) => {
        const { finder: _, ...data } = bird.data as Record<string, unknown>
        return { ...bird, data: { ...data, [field]: ['Ada', 'Bo', 'Ada'][at] } }
      }) as never[]
    write(ada, 'birds', { 'records/Bird.ndjson': lines(...found('finder')) })
    expect(await ada.ulmus('birds', 'push')).toMatchObject({ code: 0 })
    write(ada, 'birds', {
      'schemas/Bird.json': JSON.stringify({
        ...birdSchema,
        properties: { ...fields, keeper: { type: finder.type } },
      }),
      'records/Bird.ndjson': lines(...found('keeper')),
    })
    const refused = await ada.ulmus('birds', 'push')
    expect(refused).toMatchObject({ code: 6 })
    expect(refused.said).toContain(
      'the field keeper of Bird, which repeats the values of the private column finder',
    )
    const pushed = await ada.ulmus('birds', 'push', '--publish-private')
    expect(pushed).toMatchObject({ code: 0 })
    expect(pushed.said).toContain('Becomes public: the field keeper of Bird, which repeats')
  })

  test('a private field that a version drops does not come back in public unasked', async () => {
    const { ada } = await published()
    const { finder, ...fields } = birdSchema.properties
    const schema = (properties: object) => JSON.stringify({ ...birdSchema, properties })
    const { finder: _, ...named } = robin.data
    const without = lines(owl, { ...robin, data: named }, wren)
    write(ada, 'birds', { 'schemas/Bird.json': schema(fields), 'records/Bird.ndjson': without })
    expect(await ada.ulmus('birds', 'push')).toMatchObject({ code: 0, out: 'v2.0.0\n' })
    write(ada, 'birds', { 'schemas/Bird.json': schema({ ...fields, Finder: { type: finder.type } }) })
    const refused = await ada.ulmus('birds', 'push')
    expect(refused).toMatchObject({ code: 6 })
    expect(refused.said).toContain('the field `Finder` of `Bird`')
    expect(refused.said).toContain('ulmus push --publish-private')
    const again = await ada.ulmus('birds', 'push', '--publish-private')
    expect(again).toMatchObject({ code: 0, out: 'v3.0.0\n' })
    expect(again.said).toContain('Becomes public: the field Finder of Bird.')
  })

  test('a pull keeps what changed on both sides, and stops before what both changed', async () => {
    const { ada, collection } = await published()
    const bob = person()
    await bob.ulmus('.', 'clone', collection, 'here')
    write(bob, 'here', {
      'records/Bird.ndjson': lines(owl, { ...robin, data: { name: 'Red robin' } }, wren, {
        id: 'jay',
        data: { name: 'Jay' },
      }),
      'metadata.json': '{"license": "MIT"}',
    })
    expect(await bob.ulmus('here', 'push')).toMatchObject({ code: 0, out: 'v1.1.0\n' })

    const mine = lines(
      owl,
      robin,
      { id: 'wren', data: { name: 'House wren' } },
      { id: 'ant', data: { name: 'Ant' } },
    )
    write(ada, 'birds', { 'records/Bird.ndjson': mine, 'README.md': '# All birds\n' })
    const late = await ada.ulmus('birds', 'push')
    expect(late).toMatchObject({ code: 5 })
    expect(late.said).toContain('ulmus pull')
    expect(await ada.ulmus('birds', 'pull')).toMatchObject({ code: 0, out: 'v1.1.0\n' })
    const merged = read(ada, 'birds/records/Bird.ndjson')
    for (const name of ['Red robin', 'House wren', 'Jay', 'Ant', '"private":true'])
      expect(merged).toContain(name)
    expect(JSON.parse(read(ada, 'birds/metadata.json'))).toEqual({ license: 'MIT' })
    expect(read(ada, 'birds/README.md')).toBe('# All birds\n')
    expect(await ada.ulmus('birds', 'push')).toMatchObject({ code: 0, out: 'v1.2.0\n' })

    write(bob, 'here', {
      'records/Bird.ndjson': read(bob, 'here/records/Bird.ndjson').replace('"Wren"', '"Winter wren"'),
    })
    const before = read(bob, 'here/records/Bird.ndjson')
    const stopped = await bob.ulmus('here', 'pull')
    expect(stopped).toMatchObject({ code: 5 })
    expect(stopped.said).toContain('Bird "wren": changed here, changed in the registry')
    expect(read(bob, 'here/records/Bird.ndjson')).toBe(before)
    expect((await bob.ulmus('here', 'status')).out).toContain('v1.1.0')

    expect(await bob.ulmus('here', 'pull', '--theirs')).toMatchObject({ code: 0 })
    expect(read(bob, 'here/records/Bird.ndjson')).toContain('House wren')
    const [aside] = readdirSync(join(bob.home, 'here/.ulmus/set-aside'))
    expect(read(bob, `here/.ulmus/set-aside/${aside}`)).toContain('Winter wren')
    expect((await bob.ulmus('here', 'status')).out).toContain('Nothing changed.')
    expect((await bob.ulmus('here', 'verify')).code).toBe(0)
  })

  test('pull --ours keeps what is here, and the push after it publishes that', async () => {
    const { ada, collection } = await published()
    const bob = person()
    await bob.ulmus('.', 'clone', collection, 'here')
    write(bob, 'here', { 'records/Bird.ndjson': lines(owl, robin) })
    await bob.ulmus('here', 'push')
    write(ada, 'birds', {
      'records/Bird.ndjson': lines(owl, robin, { id: 'wren', data: { name: 'House wren' } }),
    })
    const stopped = await ada.ulmus('birds', 'pull')
    expect(stopped.said).toContain('Bird "wren": changed here, removed in the registry')
    expect(await ada.ulmus('birds', 'pull', '--ours')).toMatchObject({ code: 0 })
    expect(await ada.ulmus('birds', 'push')).toMatchObject({ code: 0, out: 'v1.2.0\n' })
    expect((await ada.ulmus('birds', 'verify')).code).toBe(0)
  })

  test('a change of privacy alone comes with a pull', async () => {
    const { ada, collection } = await published()
    const bob = person()
    await bob.ulmus('.', 'clone', collection, 'here')
    write(ada, 'birds', { 'records/Bird.ndjson': lines(owl, robin, { ...wren, private: true }) })
    expect(await ada.ulmus('birds', 'push')).toMatchObject({ code: 0 })
    expect(await bob.ulmus('here', 'pull')).toMatchObject({ code: 0 })
    expect(read(bob, 'here/records/Bird.ndjson').match(/"private":true/g)).toHaveLength(2)
    expect((await bob.ulmus('here', 'status')).out).toContain('Nothing changed.')
  })

  test('checkout brings an older version and back, and gives nothing up unasked', async () => {
    const { ada } = await published()
    const first = read(ada, 'birds/records/Bird.ndjson')
    write(ada, 'birds', { 'records/Bird.ndjson': lines(owl, robin), 'README.md': '# Two birds\n' })
    expect(await ada.ulmus('birds', 'push')).toMatchObject({ code: 0, out: 'v1.1.0\n' })
    expect(await ada.ulmus('birds', 'checkout', 'v1.0.0')).toMatchObject({ code: 0, out: 'v1.0.0\n' })
    expect(read(ada, 'birds/records/Bird.ndjson').split('\n')).toHaveLength(first.split('\n').length)
    expect(read(ada, 'birds/README.md')).toBe('# Birds\n')
    expect((await ada.ulmus('birds', 'verify')).code).toBe(0)
    write(ada, 'birds', { 'records/Bird.ndjson': lines(owl, { id: 'wren', data: { name: 'House wren' } }) })
    expect((await ada.ulmus('birds', 'push')).code).toBe(5)
    const refused = await ada.ulmus('birds', 'checkout', 'v1.1.0')
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.said).toContain('--force')
    expect(await ada.ulmus('birds', 'checkout', 'v1.1.0', '--force')).toMatchObject({ code: 0 })
    expect((await ada.ulmus('birds', 'status')).out).toContain('Nothing changed.')
    const [aside] = readdirSync(join(ada.home, 'birds/.ulmus/set-aside'))
    expect(read(ada, `birds/.ulmus/set-aside/${aside}`)).toContain('House wren')
  })

  test('a folder at an older version tells how to publish it again, and does', async () => {
    const { ada } = await published()
    write(ada, 'birds', { 'records/Bird.ndjson': lines(owl, robin) })
    expect(await ada.ulmus('birds', 'push')).toMatchObject({ code: 0, out: 'v1.1.0\n' })
    const advice = /latest version is v1\.1\.0\. Publish v1\.0\.0 again: `ulmus restore v1\.0\.0`/
    expect((await ada.ulmus('birds', 'checkout', 'v1.0.0')).said).toMatch(advice)
    expect((await ada.ulmus('birds', 'push')).said).toMatch(
      /Nothing changed since v1\.0\.0\.\n.*ulmus restore/,
    )
    expect(await ada.ulmus('birds', 'restore', 'v1.0.0', '-m', 'Back')).toMatchObject({
      ...{ code: 0, out: 'v1.2.0\n' },
      said: expect.stringContaining('with the content of v1.0.0'),
    })
    expect((await ada.ulmus('birds', 'restore', 'v1.0.0')).said).toContain('v1.2.0 has the content of v1.0.0')
    expect(await ada.ulmus('birds', 'pull')).toMatchObject({ code: 0 })
    expect((await ada.ulmus('birds', 'push')).said).toBe('Nothing changed since v1.2.0.\n')
    expect((await ada.ulmus('birds', 'log')).out).toMatch(/^v1\.2\.0\t.*Back/)
    write(ada, 'birds', { 'records/Bird.ndjson': lines(owl, robin, { ...wren, private: true }) })
    expect(await ada.ulmus('birds', 'push')).toMatchObject({ code: 0, out: 'v1.2.1\n' })
    const refused = await ada.ulmus('birds', 'restore', 'v1.0.0')
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.said).toMatch(
      /make public again.*records of Bird.*ulmus restore v1\.0\.0 --publish-private/s,
    )
    const allowed = await ada.ulmus('birds', 'restore', 'v1.0.0', '--publish-private')
    expect(allowed).toMatchObject({
      code: 0,
      said: expect.stringContaining('Becomes public: all records of Bird'),
    })
  })

  test('files travel with the records that refer to them', async () => {
    const { ada, collection } = await published()
    const hash = 'sha256:98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4'
    const withSong = { ...robin, data: { ...robin.data, song: { $file: hash } } }
    write(ada, 'birds', { 'records/Bird.ndjson': lines(owl, withSong, wren) })
    const missing = await ada.ulmus('birds', 'push')
    expect(missing).toMatchObject({ code: 6 })
    expect(missing.said).toContain(`line 2: Bird "robin" refers to ${hash}, which is not under files/.`)
    write(ada, 'birds', { 'files/songs/robin.txt': 'hi\n', 'files/besides.md': 'A note\n' })
    expect(await ada.ulmus('birds', 'push')).toMatchObject({ code: 0 })
    const bob = person()
    await bob.ulmus('.', 'clone', collection, 'here')
    const extensions = readdirSync(join(bob.home, 'here/files')).map((name) => name.replace(/^.*\./, ''))
    expect(extensions.sort()).toEqual(['md', 'txt'])
    expect((await bob.ulmus('here', 'verify')).code).toBe(0)
    // The version drops the file once no record refers to it.
    write(ada, 'birds', { 'records/Bird.ndjson': lines(owl, robin, wren) })
    rmSync(join(ada.home, 'birds/files/besides.md'))
    expect(await ada.ulmus('birds', 'push', '--snapshot')).toMatchObject({ code: 0 })
    expect(await bob.ulmus('here', 'pull')).toMatchObject({ code: 0 })
    expect((await bob.ulmus('here', 'verify')).code).toBe(0)
  })

  test('a file that was removed here and that no record refers to: status and push say how it leaves the version', async () => {
    const { ada } = await published()
    write(ada, 'birds', { 'files/besides.md': 'A note\n' })
    expect(await ada.ulmus('birds', 'push')).toMatchObject({ code: 0, out: 'v1.1.0\n' })
    rmSync(join(ada.home, 'birds/files/besides.md'))
    const way = /^1 file of v1\.1\.0 is no longer under files\/\..*`ulmus push --snapshot` drops/m
    const status = await ada.ulmus('birds', 'status')
    expect(status.out).toContain('Nothing changed.')
    expect(status.said).toMatch(way)
    const { clean, missingFiles } = JSON.parse((await ada.ulmus('birds', 'status', '--json')).out)
    expect([clean, missingFiles.length]).toEqual([true, 1])
    const push = await ada.ulmus('birds', 'push')
    expect(push).toMatchObject({ code: 0, out: '' })
    expect(push.said).toMatch(way)
    const snapshot = await ada.ulmus('birds', 'push', '--snapshot')
    expect(snapshot).toMatchObject({ code: 0 })
    expect(snapshot.said).not.toMatch(way)
    expect((await ada.ulmus('birds', 'status')).said).not.toMatch(way)
    expect((await ada.ulmus('birds', 'verify')).code).toBe(0)
  })

  test('a pull overwrites no file that was changed here, and brings none again that was removed', async () => {
    const { ada, collection } = await published()
    write(ada, 'birds', { 'files/note.md': 'A note\n', 'files/list.csv': 'a,b\n' })
    expect(await ada.ulmus('birds', 'push')).toMatchObject({ code: 0 })
    const bob = person()
    await bob.ulmus('.', 'clone', collection, 'here')
    const names = readdirSync(join(bob.home, 'here/files'))
    const note = `here/files/${names.find((name) => name.endsWith('.md'))}`
    write(bob, '.', { [note]: 'Another note\n' })
    rmSync(join(bob.home, 'here/files', names.find((name) => name.endsWith('.csv'))!))
    write(ada, 'birds', { 'records/Bird.ndjson': lines(owl, robin), 'files/new.txt': 'New\n' })
    expect(await ada.ulmus('birds', 'push')).toMatchObject({ code: 0 })
    expect(await bob.ulmus('here', 'pull')).toMatchObject({ code: 0 })
    expect(read(bob, note)).toBe('Another note\n')
    const extensions = readdirSync(join(bob.home, 'here/files')).map((name) => name.replace(/^.*\./, ''))
    expect(extensions.sort()).toEqual(['md', 'txt'])
  })

  test('another collection under the path of this one is neither pulled nor pushed to', async () => {
    const { ada, collection } = await published()
    const bob = person()
    await bob.ulmus('.', 'clone', collection, 'here')
    const { id } = JSON.parse(read(bob, 'here/.ulmus/folder.json'))
    expect(id).toBe(JSON.parse(read(ada, 'birds/.ulmus/folder.json')).id)
    expect(await ada.ulmus('.', 'collections', 'delete', collection, '--yes')).toMatchObject({ code: 0 })
    // The same bytes have the same digest, so the digest of the base cannot distinguish the two.
    const eve = person()
    const before = read(bob, 'here/records/Bird.ndjson')
    await eve.ulmus('copy', 'init', collection)
    write(eve, 'copy', {
      'schemas/Bird.json': JSON.stringify(birdSchema),
      'records/Bird.ndjson': before,
      'README.md': '# Birds\n',
      'metadata.json': '{"license": "CC0-1.0"}',
    })
    expect(await eve.ulmus('copy', 'push')).toMatchObject({ code: 0, out: 'v1.0.0\n' })
    write(eve, 'copy', { 'records/Bird.ndjson': `${before}${lines({ id: 'zzz', data: { name: 'Eve' } })}` })
    expect(await eve.ulmus('copy', 'push')).toMatchObject({ code: 0, out: 'v1.1.0\n' })

    for (const command of [['pull'], ['checkout', 'v1.1.0', '--force'], ['diff', 'v1.1.0']]) {
      const refused = await bob.ulmus('here', ...command)
      expect(refused).toMatchObject({ code: 1 })
      expect(refused.said).toContain('is now another collection than the one of this folder')
    }
    expect(read(bob, 'here/records/Bird.ndjson')).toBe(before)
    write(bob, 'here', {
      'records/Bird.ndjson': before.replace('House wren', 'Wren').replace('Robin', 'Red'),
    })
    expect((await bob.ulmus('here', 'push')).said).toContain(
      'is now another collection than the one of this folder',
    )
  })

  test('a type goes with its schema and its records', async () => {
    const { ada, collection } = await published()
    write(ada, 'birds', {
      // A schema that admits any member would admit the private one of Bird.
      'schemas/Nest.json': '{"properties": {}}',
      'records/Nest/a.ndjson': lines({ id: '1', data: {} }),
      'records/Nest/b.ndjson': lines({ id: '2', data: [] }),
    })
    const made = await ada.ulmus('birds', 'push')
    expect(made, made.said).toMatchObject({ code: 0 })
    expect((await ada.ulmus('birds', 'verify')).code).toBe(0)
    rmSync(join(ada.home, 'birds/schemas/Nest.json'))
    const lost = await ada.ulmus('birds', 'push')
    expect(lost).toMatchObject({ code: 6 })
    expect(lost.said).toContain('which has no schema')
    rmSync(join(ada.home, 'birds/records/Nest'), { recursive: true })
    expect(await ada.ulmus('birds', 'push', '--max-removed', '100%')).toMatchObject({
      code: 0,
      out: 'v3.0.0\n',
    })
    const bob = person()
    await bob.ulmus('.', 'clone', collection, 'here')
    expect(readdirSync(join(bob.home, 'here/records'))).toEqual(['Bird.ndjson'])
  })

  test.each([
    ['{"id":"x"}', 'line 4: The line has no member "data"'],
    ['{"id":"x","data":{"name":"X"},"Private":true}', 'line 4: The member "Private" has no meaning here'],
    ['{"id":"robin","data":{"name":"X"}}', 'line 4: the Bird "robin" is also in records/Bird.ndjson, line 2'],
    ['{"id":"x","data":{"name":"X","name":"Y"}}', 'line 4'],
    ['nonsense', 'line 4'],
    ['{"id":"x","type":"Fish","data":{"name":"X"}}', 'is of the type "Fish"'],
    ['{"id":"x","data":{"name":1}}', 'line 4: Bird "x": /name must be string'],
    [
      '{"id":"x","data":{"name":"X","legs":2}}',
      'line 4: Bird "x" has the field "legs", which its schema does not list',
    ],
  ])('a bad line is named, and nothing is sent: %s', async (line, sentence) => {
    const { ada } = await published()
    appendFileSync(join(ada.home, 'birds/records/Bird.ndjson'), `${line}\n`)
    const refused = await ada.ulmus('birds', 'push')
    expect(refused).toMatchObject({ code: 6, out: '' })
    expect(refused.said).toContain(sentence)
  })

  test('an unchanged file is not read twice, and one that was touched is found unchanged', async () => {
    const { ada } = await published()
    const file = join(ada.home, 'birds/records/Bird.ndjson')
    await new Promise((resolve) => setTimeout(resolve, 30))
    await ada.ulmus('birds', 'status')
    const before = statSync(file).atimeMs
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect((await ada.ulmus('birds', 'status')).out).toContain('Nothing changed.')
    expect(statSync(file).atimeMs).toBe(before)
    writeFileSync(file, readFileSync(file))
    expect((await ada.ulmus('birds', 'status')).out).toContain('Nothing changed.')
    // The same size with other content.
    writeFileSync(file, readFileSync(file, 'utf8').replace('Robin', 'Rubin'))
    expect((await ada.ulmus('birds', 'status')).out).toContain('~1 updated')
  })
})
