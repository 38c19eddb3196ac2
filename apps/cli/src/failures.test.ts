/** Failures in plain words, with exit codes and the next command; and the cost of a start. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { openPerson, type Person } from './testing/cli.ts'

let person: Person | undefined
afterEach(() => person?.dispose())

test('a file that is not there is named in words, and ends with 1', async () => {
  person = openPerson('http://127.0.0.1:9', 'ul_key')
  const { home } = person
  await person.ulmus('.', 'init', 'ada/cities')
  mkdirSync(join(home, 'folder'))
  writeFileSync(join(home, 'file'), '')
  const cases: [args: string[], said: string][] = [
    [['import', 'none.csv', '--yes'], `${join(home, 'none.csv')} does not exist.`],
    [['import', 'none.sqlite', '--yes'], `${join(home, 'none.sqlite')} does not exist.`],
    [['import', 'folder', '--yes'], `${join(home, 'folder')} is no regular file.`],
    [
      ['import', 'file/rows.csv', '--yes'],
      `${join(home, 'file/rows.csv')} has a file where the path needs a folder`,
    ],
    [['api', 'POST', '/collections', '--data', '@none.json'], `${join(home, 'none.json')} does not exist.`],
    [['api', 'POST', '/collections', '--data', '@folder'], 'a folder, not a file'],
    [['verify', 'none.json'], `${join(home, 'none.json')} does not exist.`],
  ]
  for (const [args, said] of cases) {
    const ended = await person.ulmus('.', ...args)
    expect([args, ended.code, ended.said]).toEqual([args, 1, expect.stringContaining(said)])
    expect(ended.said).not.toMatch(/\bE[A-Z]{3,}\b/)
  }
  expect(await person.ulmus('.', 'verify', '../none')).toMatchObject({ code: 2 })
})

test('what a stranger may not see is not there; the next thing to type is a login', async () => {
  const server = createServer((_, response) => {
    response.writeHead(404, { 'content-type': 'application/json' })
    response.end('{"error":"There is no such collection.","code":"collection_not_found"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const [key, next] of [
    [undefined, `\n  ulmus login --host ${host}\n`],
    ['ul_key', '\n'],
  ] as const) {
    person = openPerson(host, key)
    for (const command of ['clone', 'show', 'log', 'get', 'export']) {
      const ended = await person.ulmus('.', command, 'ada/hidden')
      expect(ended).toEqual({ code: 1, out: '', said: `ulmus: There is no such collection.${next}` })
    }
    person.dispose()
  }
  server.close()
})

test('a start from the sources keeps its compiled code', () => {
  const start = new URL('../start.js', import.meta.url).href
  const program = `process.argv.push('ulmus', '--version')
    await import(${JSON.stringify(start)})
    const { getCompileCacheDir } = await import('node:module')
    console.error(getCompileCacheDir())`
  const env = { ...process.env, NODE_COMPILE_CACHE: undefined, NODE_DISABLE_COMPILE_CACHE: undefined }
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { env })
  const cache = fileURLToPath(new URL('../../../node_modules/.cache/ulmus', import.meta.url))
  expect(stderr.toString()).toContain(cache)
})

test('`ulmus help push` is `ulmus push --help`', () => {
  const program = fileURLToPath(new URL('../start.js', import.meta.url))
  const said = (...args: string[]) => spawnSync(process.execPath, [program, ...args]).stdout.toString()
  expect(said('help', 'push')).toContain('--publish-private')
  expect(said('help', 'collections', 'create')).toBe(said('collections', 'create', '--help'))
  expect(spawnSync(process.execPath, [program, 'help', 'nonsense']).status).toBe(2)
})

test('a wrong command line is repeated without what a terminal would obey', () => {
  const program = fileURLToPath(new URL('../start.js', import.meta.url))
  const hostile = '\u001b]0;owned\u0007\u202e\u009b31m'
  for (const args of [[hostile], ['show', `--${hostile}`], ['log', '--limit', hostile], ['orgs', hostile]]) {
    const { stderr, stdout, status } = spawnSync(process.execPath, [program, ...args])
    expect([args, status]).toEqual([args, 2])
    expect(stderr.toString()).toContain('\\u001b]0;owned\\u0007\\u202e\\u009b31m')
    expect(`${stdout}${stderr}`).not.toMatch(/[\u001b\u0007\u202e\u009b]/)
  }
})

test('a command waits for a registry that is away, and says so once', async () => {
  const server = createServer((request, response) => {
    const isBack = Date.now() > start + 6_000
    response.writeHead(isBack ? 404 : 503, { 'content-type': 'application/json', 'retry-after': '5' })
    response.end(JSON.stringify({ error: 'None.', code: 'collection_not_found', statusCode: 404 }))
    requests.push(request.url ?? '')
  })
  const requests: string[] = []
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const start = Date.now()
  try {
    person = openPerson(host, 'ul_key')
    const ended = await person.ulmus('.', 'clone', 'ada/cities')
    expect(ended.said.match(/^Waiting for .*$/gm)).toEqual([`Waiting for ${host}, up to 120 seconds: None.`])
    expect(ended.code).toBe(1)
    expect(Date.now()).toBeGreaterThan(start + 6_000)
  } finally {
    server.close()
  }
}, 60_000)

test('a user may wait for a shorter time', async () => {
  person = openPerson('http://127.0.0.1:9', 'ul_key', { ULMUS_RETRY_SECONDS: '0' })
  expect(await person.ulmus('.', 'clone', 'ada/cities')).toMatchObject({
    code: 1,
    said: expect.stringContaining('No answer from http://127.0.0.1:9'),
  })
  person.dispose()
  person = openPerson('http://127.0.0.1:9', 'ul_key', { ULMUS_RETRY_SECONDS: '2m' })
  expect(await person.ulmus('.', 'clone', 'ada/cities')).toMatchObject({
    code: 2,
    said: expect.stringContaining('ULMUS_RETRY_SECONDS'),
  })
})
