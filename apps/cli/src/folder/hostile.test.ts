/** Malicious folders and registries. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { recordOf } from '@ulmus/content'
import { afterEach, expect, test } from 'vitest'
import { conflictError } from '../commands/folder/conflicts.ts'
import { writeCompletions } from '../completions.ts'
import { harmless } from '../terminal/harmless.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { openPerson, type Person } from '../testing/cli.ts'
import { subjectOf } from '../testing/subject.ts'
import { demandSeparateFiles, fileNameOf, typeOfFileName } from './files/layout.ts'
import type { Updated } from './update/update.ts'

let server: Server | undefined
let person: Person | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
  person?.dispose()
})

test('names of types are names of files, and back; none leads out', () => {
  for (const type of [
    'City',
    'a:b',
    'a%41',
    'x.',
    'con*',
    '<>|"?',
    'con',
    'NUL',
    'lpt1',
    'aux.x',
    'controls',
  ])
    expect(typeOfFileName(fileNameOf(type))).toBe(type)
  // Device names of Windows.
  for (const type of ['con', 'NUL', 'lpt1', 'aux.x']) expect(fileNameOf(type)).toMatch(/^%/)
  expect(fileNameOf('controls')).toBe('controls')
  for (const type of ['../x', '..', '.x', 'a/b', 'a\\b', 'a\0', ''])
    expect(() => fileNameOf(type)).toThrow('not a valid type name')
})

test('types that differ in case alone are refused on disks that fold it', () => {
  expect(() => demandSeparateFiles(['City', 'city'], true)).toThrow('"City" and "city"')
  expect(() => demandSeparateFiles(['City', 'city'], false)).not.toThrow()
  expect(() => demandSeparateFiles(['City', 'Town'], true)).not.toThrow()
})

test('what a terminal would obey is shown as text', () => {
  expect(harmless('\u001b[2J\u009b31m\u202ex\r\n')).toBe('\\u001b[2J\\u009b31m\\u202ex\\u000d\\u000a')
})

type Writes = (response: ServerResponse) => void

/** A registry with given answers by path prefix: JSON, a text, or a function that writes the response. */
async function registryOf(answers: Record<string, unknown>): Promise<string> {
  server = createServer((request, response) => {
    const found = Object.entries(answers).find(([path]) => request.url?.startsWith(path))
    response.setHeader('x-resource', subjectOf(request))
    if (typeof found?.[1] === 'function') return (found[1] as Writes)(response)
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(
      typeof found?.[1] === 'string'
        ? found[1]
        : JSON.stringify(found?.[1] ?? { error: '\u001b]0;owned\u0007no' }),
    )
  })
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const version = {
  semver: 'v1.0.0',
  hash: `public:${'0'.repeat(64)}`,
  metadata: {},
  schemas: {},
  typeCounts: {},
  recordCount: 0,
  fileCount: 0,
}
const collection = '/api/collections/eve/data'
const names = { ownerSlug: 'eve', slug: 'data' }

test.each([
  [{ schemas: { '../../../x': {} }, typeCounts: { '../../../x': 1 } }, 'not a valid type name'],
  [{ fileCount: 1 }, 'names no file'],
  [{ semver: '\u001b[2Jv1.0.0' }, 'the answer is about semver "\\u001b[2Jv1.0.0"'],
  [{ hash: 'nonsense' }, 'The registry calls a version'],
  [{}, 'has the digest public:'],
])('a clone of a hostile registry writes nothing: %j', async (more, said) => {
  const record = { id: 'a', type: '../../../x', data: 1, hash: 'c'.repeat(64) }
  const host = await registryOf({
    [`${collection}/versions/v1.0.0/files`]: [
      { hash: 'sha256:../../../../x', size: 1, contentType: 'text/plain' },
    ],
    [`${collection}/versions/v1.0.0/records.ndjson`]: JSON.stringify(record),
    [`${collection}/versions`]: { ...version, ...more },
    [collection]: { latestVersion: { semver: 'v1.0.0' }, ...names },
  })
  person = openPerson(host)
  const ended = await person.ulmus('.', 'clone', 'eve/data', 'here')
  expect(ended.code).toBe(1)
  expect(ended.said).toMatch(
    said === 'not a valid type name' ? /not a valid type name|not what its hash says/ : said,
  )
  for (const path of ['here/records', 'here/files', 'here/schemas', 'x'])
    expect(existsSync(join(person.home, path))).toBe(false)
})

test('a refusal cannot draw on the terminal', async () => {
  person = openPerson(await registryOf({}))
  const ended = await person.ulmus('.', 'show', 'eve/data')
  expect(ended.said).not.toContain('\u001b')
  expect(ended.said).toContain('\\u001b]0;owned')
})

test('a key is sent to no other registry than it is for', async () => {
  const seen: (string | undefined)[] = []
  server = createServer((request, response) => {
    seen.push(request.headers.authorization)
    response.writeHead(302, { location: 'http://127.0.0.1:1/elsewhere' }).end()
  })
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve))
  const other = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  person = openPerson('https://registry.example', 'ul_secret')
  expect((await person.ulmus('.', 'show', `${other}/eve/data`)).code).toBe(1)
  mkdirSync(join(person.home, 'given/.ulmus'), { recursive: true })
  const state = { format: 1, host: other, collection: 'eve/data' }
  writeFileSync(join(person.home, 'given/.ulmus/folder.json'), JSON.stringify(state))
  for (const command of ['push', 'pull', 'log', 'show'])
    expect((await person.ulmus('given', command)).code).toBeGreaterThan(0)
  // Users would paste a proposed command with a host that they did not choose.
  const refused = (await person.ulmus('given', 'show')).said
  expect(refused).toContain('ULMUS_TOKEN is set')
  expect(refused).not.toMatch(/^ +\w/m)
  expect(seen.filter((key) => key !== undefined)).toEqual([])
})

test('a completion proposes no name that a shell would take for more', async () => {
  const slugs = ['good', '$(x)', 'a b', '`x`', "a';x", '\u001b[2J', '-x;']
  const host = await registryOf({
    '/api/accounts/eve/collections': slugs.map((slug) => ({ slug })),
  })
  let out = ''
  const write = (text: string) => {
    out += text
    return Promise.resolve()
  }
  await writeCompletions(['clone', 'eve/'], { env: { ULMUS_HOST: host }, write } as unknown as Terminal)
  expect(out).toBe('eve/good\ta collection\n')
})

/** Runs the commands that a failure proposes, with an `ulmus` that does nothing. @returns true if a shell did anything else */
function isHarmful(said: string, home: string): boolean {
  const proposed = said.split('\n').filter((line) => line.startsWith('  ulmus '))
  expect(proposed.length).toBeGreaterThan(0)
  for (const line of proposed) {
    const { stdout, stderr } = spawnSync('sh', ['-c', `ulmus() { :; }\n${line}`], { cwd: home })
    if (existsSync(join(home, 'pwned')) || stdout.length + stderr.length > 0) return true
  }
  return false
}

test.skipIf(process.platform === 'win32')('a proposed command runs nothing that a name holds', async () => {
  const types = ["A'; touch pwned; '", '$(touch pwned)', '`touch pwned`', '\u001b[2J\n touch pwned']
  const counts = Object.fromEntries(types.map((type) => [type, 1]))
  const schemas = Object.fromEntries(types.map((type) => [type, {}]))
  // The record's data is not an object, so the command refuses the table.
  const record = { id: 'a', type: types[0], data: 1, hash: 'c'.repeat(64) }
  const host = await registryOf({
    [`${collection}/versions/v1.0.0/records.ndjson`]: JSON.stringify(record),
    [`${collection}/versions`]: { ...version, schemas, typeCounts: counts },
  })
  person = openPerson(host)
  const several = await person.ulmus('.', 'get', 'eve/data', '--csv')
  expect(several).toMatchObject({ code: 2 })
  expect(isHarmful(several.said, person.home)).toBe(false)
  const refused = await person.ulmus('.', 'get', `eve/data#${types[0]}`, '--csv')
  expect(refused).toMatchObject({ code: 1 })
  expect(isHarmful(refused.said, person.home)).toBe(false)
  const conflict = { type: types[0]!, id: "x'; touch pwned; '", base: 'a', ours: 'b', theirs: 'c' }
  const { next } = conflictError('eve/data', 'v1.0.0', {
    conflicts: [conflict],
    totalConflicts: 1,
  } as unknown as Updated)
  expect(isHarmful(next.map((line) => `  ${line}`).join('\n'), person.home)).toBe(false)
})

test.each([
  ['eve/x;touch pwned;', null, 'names "eve/x;touch pwned;", which is not a collection'],
  ['eve/../x', null, 'which is not a collection'],
  ['Eve/x', null, 'which is not a collection'],
  [5, null, 'names 5, which is not a collection'],
  ['eve/data', 'http://a$(id)', 'names "http://a$(id)", which is not the address of a registry'],
  ['eve/data', 'http://a;b', 'which is not the address of a registry'],
  ['eve/data', 'file:///x', 'which is not the address of a registry'],
  ['eve/data', 5, 'which is not the address of a registry'],
])('a folder of %j at %j is refused', async (named, host, sentence) => {
  person = openPerson('http://127.0.0.1:9', 'ul_secret')
  mkdirSync(join(person.home, 'given/.ulmus'), { recursive: true })
  const state = { format: 1, host, collection: named }
  writeFileSync(join(person.home, 'given/.ulmus/folder.json'), JSON.stringify(state))
  for (const command of ['status', 'push', 'pull', 'show', 'log', 'export']) {
    const { code, said } = await person.ulmus('given', command)
    expect([command, code, said]).toEqual([command, 6, expect.stringContaining(sentence)])
    expect(said).toContain('.ulmus/folder.json')
    expect(said).not.toMatch(/^ +\w/m)
  }
})

test('an address whose host would mean something to a shell is refused wherever it is named', async () => {
  person = openPerson('http://127.0.0.1:9')
  for (const args of [
    ['show', 'http://a$(id)/eve/data'],
    ['login', '--host', 'http://a`id`'],
    ['init', 'http://a;b/eve/data'],
  ])
    expect(await person.ulmus('.', ...args)).toMatchObject({
      code: 2,
      said: expect.stringContaining('is not the address of a registry'),
    })
  for (const name of ['Eve/data', 'eve/a;b'])
    expect((await person.ulmus('.', 'init', name)).said).toContain('is not a valid collection')
  expect(existsSync(join(person.home, '.ulmus'))).toBe(false)
})

test('an export overwrites no file but the one that -o names', async () => {
  const answers = (semver: string) => ({
    [`${collection}/export`]: 'archive',
    [`${collection}/versions`]: { ...version, semver },
  })
  person = openPerson(await registryOf(answers('/../photos')))
  const { home } = person
  const content = (name: string) => readFileSync(join(home, name), 'utf8')
  writeFileSync(join(home, 'photos.tar.gz'), 'mine')
  const tampered = await person.ulmus('.', 'export', 'eve/data')
  expect(tampered).toMatchObject({ code: 1, said: expect.stringContaining('is about semver "/../photos"') })
  expect(content('photos.tar.gz')).toBe('mine')
  person.dispose()
  server?.close()

  person = openPerson(await registryOf(answers('v1.0.0')))
  const name = 'eve-data-v1.0.0.tar.gz'
  const at = join(person.home, name)
  writeFileSync(at, 'mine')
  const refused = await person.ulmus('.', 'export', 'eve/data')
  expect(refused).toMatchObject({ code: 1, out: '' })
  expect(refused.said).toContain(`${name} is already in this folder. To overwrite it, name it with -o.`)
  expect(refused.said).toContain(`\n  ulmus export eve/data@v1.0.0 -o ${name}\n`)
  expect(readFileSync(at, 'utf8')).toBe('mine')
  expect(await person.ulmus('.', 'export', 'eve/data', '-o', name)).toMatchObject({ code: 0 })
  expect(readFileSync(at, 'utf8')).toBe('archive')
})

/** An endless stream of records, each with its correct hash. */
const flood: Writes = (response) => {
  response.writeHead(200, { 'content-type': 'application/x-ndjson' })
  let count = 0
  const more = () => {
    while (!response.destroyed) {
      const id = String(count++).padStart(12, '0')
      const { hash } = recordOf(id, 'T', 1)
      if (!response.write(`${JSON.stringify({ id, type: 'T', data: 1, hash })}\n`)) break
    }
  }
  response.on('drain', more)
  more()
}

test.each([
  [{ typeCounts: { T: 3 } }, 'more records of T than the 3 '],
  [{ typeCounts: { T: 'many' } }, 'has the digest public:'],
  [{ schemas: { constructor: {} }, typeCounts: {} }, 'has the digest public:'],
])('a clone ends when more records come than were counted: %j', async (more, said) => {
  const host = await registryOf({
    [`${collection}/versions/v1.0.0/records.ndjson`]: flood,
    [`${collection}/versions`]: { ...version, schemas: { T: {} }, recordCount: 3, ...more },
    [collection]: { latestVersion: { semver: 'v1.0.0' }, ...names },
  })
  person = openPerson(host)
  const ended = await person.ulmus('.', 'clone', 'eve/data', 'here')
  expect(ended).toMatchObject({ code: 1, said: expect.stringContaining(said) })
})

test('a pull into a folder without a version ends when more records come than were counted', async () => {
  const host = await registryOf({
    [`${collection}/versions/v1.0.0/records.ndjson`]: flood,
    [`${collection}/versions`]: { ...version, schemas: { T: {} }, typeCounts: { T: 3 }, recordCount: 3 },
    [collection]: { id: 'c', latestVersion: { semver: 'v1.0.0' }, ...names },
  })
  person = openPerson(host)
  await person.ulmus('here', 'init', 'eve/data')
  const ended = await person.ulmus('here', 'pull')
  expect(ended).toMatchObject({ code: 1, said: expect.stringContaining('more records than the 3 ') })
})
