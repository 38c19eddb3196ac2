/** Malicious folders and registries. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { writeCompletions } from '../completions.ts'
import { harmless } from '../terminal/harmless.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { openPerson, type Person } from '../testing/cli.ts'
import { demandSeparateFiles, fileNameOf, typeOfFileName } from './layout.ts'

let server: Server | undefined
let person: Person | undefined
afterEach(() => {
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
  // Windows has devices of these names.
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

/** A registry with the given answers. */
async function registryOf(answers: Record<string, unknown>): Promise<string> {
  server = createServer((request, response) => {
    const found = Object.entries(answers).find(([path]) => request.url?.startsWith(path))
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

test.each([
  [{ schemas: { '../../../x': {} }, typeCounts: { '../../../x': 1 } }, 'not a valid type name'],
  [{ fileCount: 1 }, 'names no file'],
  [{ semver: '\u001b[2Jv1.0.0' }, 'The registry calls a version "\\u001b[2Jv1.0.0"'],
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
    [collection]: { latestVersion: { semver: 'v1.0.0' } },
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
