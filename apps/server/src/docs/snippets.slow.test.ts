/** Runs all commands of the documents, in order, on a new registry. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ServerProcess, startProcess } from '../testing/server-process.ts'
import { firstThatRuns, run, runShell, type Snippet, snippetsOf } from '../testing/snippets.ts'

const root = join(import.meta.dirname, '../../../..')
const folder = mkdtempSync(join(tmpdir(), 'ulmus-snippets-'))
// Programs need the packages and the README's verifier at these places.
for (const name of ['node_modules', 'docs']) symlinkSync(join(root, name), join(folder, name))

const textsOf = (snippets: readonly Snippet[], language: string) =>
  snippets.filter((snippet) => snippet.language === language).map(({ text }) => text)
const readme = textsOf(snippetsOf('README.md'), 'sh')
const reading = snippetsOf('docs/reading.md')
const queries = snippetsOf('docs/queries.md')
const publishing = [...snippetsOf('docs/pushing.md'), ...snippetsOf('docs/nightly.md')]

let server: ServerProcess
beforeAll(async () => {
  server = await startProcess({ DATA_DIR: join(folder, 'data') })
})
afterAll(async () => {
  await server?.end('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})
const shell = (blocks: readonly string[]) => runShell(blocks, { folder, url: server.url })

test('the README, from the demo to operating', async () => {
  const [start, ...blocks] = readme
  // The test does these itself: it starts a server, and `npm ci` would remove the packages of the tests.
  expect([start, blocks.pop()]).toEqual(['npm ci && npm start\n', 'npm ci && npm test\n'])
  const { code, out } = await shell(blocks)
  expect(code, out).toBe(0)
  expect(out).toMatch(/"semver":"v1\.0\.0".*"semver":"v1\.1\.0".*"semver":"v1\.1\.1"/s)
  expect(out).toMatch(/"owner":"flock"/)
  expect(out.match(/^Verified\. /gm)).toHaveLength(2)
}, 180_000)

describe('Reading', () => {
  const [pandas = '', plain = ''] = textsOf(reading, 'python')

  test('in the shell, SQLite with it', async () => {
    const { code, out } = await shell(textsOf(reading, 'sh'))
    expect(code, out).toBe(0)
    expect(out).toMatch(/^[A-Z]{3} +\d+ *$/m)
  }, 180_000)

  test.each([
    { tool: 'Python', text: plain, shown: /^1\d{5}$/m, programs: ['python3'], flag: '-c', needs: 'pass' },
    // Debian's pandas needs Debian's Python.
    {
      ...{ tool: 'pandas', text: pandas, shown: /^[A-Z]+ +\d+$/m },
      ...{ programs: ['python3', '/usr/bin/python3'], flag: '-c', needs: 'import pandas' },
    },
    {
      ...{ tool: 'R', text: textsOf(reading, 'r')[0]!, shown: /^[A-Z ]+$\n[\d ]+$/m },
      ...{ programs: ['Rscript'], flag: '-e', needs: 'library(jsonlite)' },
    },
  ])('with $tool', async ({ text, shown, programs, flag, needs }) => {
    const program = await firstThatRuns(programs, [flag, needs])
    if (program === undefined) return
    const { code, out } = await run(program, [flag, text], { cwd: folder })
    expect(code, out).toBe(0)
    expect(out).toMatch(shown)
  })

  test('questions in the shell and with pandas', async () => {
    // The first time builds the table, which may take longer than a question waits.
    await shell(textsOf(queries, 'sh').slice(0, 1))
    const { code, out } = await shell(textsOf(queries, 'sh').slice(0, 1))
    expect(code, out).toBe(0)
    expect(out).toMatch(/"total":59/)
    const program = await firstThatRuns(['python3', '/usr/bin/python3'], ['-c', 'import pandas'])
    if (program === undefined) return
    const [text = ''] = textsOf(queries, 'python')
    const ran = await run(program, ['-c', text.replace('http://127.0.0.1:4000', server.url)], { cwd: folder })
    expect(ran.code, ran.out).toBe(0)
    expect(ran.out).toMatch(/Longyearbyen|7\d\.\d+/)
  }, 180_000)

  test('with DuckDB', async () => {
    // A folder where `npm install @duckdb/node-api` was run, as in .ci/run.
    const modules = process.env['DUCKDB_MODULES']
    if (modules === undefined && process.env['CI'] !== 'true') return
    const program = `
      const { DuckDBInstance } = await import(process.argv[1])
      const connection = await (await DuckDBInstance.create()).connect()
      console.log((await connection.runAndReadAll(process.argv[2])).getRows())`
    const module = join(modules ?? '', 'node_modules/@duckdb/node-api/lib/index.js')
    const parameters = ['--input-type=module', '-e', program, module, textsOf(reading, 'sql')[0]!]
    const { code, out } = await run(process.execPath, parameters, { cwd: folder })
    expect(code, out).toBe(0)
    expect(out).toMatch(/^ *\[ '[A-Z]+', \d+n \],$/m)
  })

  test('in TypeScript', async () => {
    const file = join(folder, 'read.ts')
    writeFileSync(file, textsOf(reading, 'ts')[0]!.replaceAll('http://127.0.0.1:4000', server.url))
    const { code, out } = await run(process.execPath, [file], { cwd: folder })
    expect(code, out).toBe(0)
    expect(out).toMatch(/^ *\[ '[A-Z]+', \d+ \],$/m)
  })
})

test('the verifier, on all cities as a stranger exports them, and on one of which a byte is another', async () => {
  const answer = await fetch(`${server.url}/api/collections/mercator/cities/export`)
  const bytes = Buffer.from(await answer.arrayBuffer())
  const verify = async () => {
    writeFileSync(join(folder, 'cities.tar.gz'), bytes)
    return run('python3', ['docs/verify.py', 'export', 'cities.tar.gz'], { cwd: folder })
  }
  const whole = await verify()
  expect(whole.code, whole.out).toBe(0)
  expect(whole.out).toMatch(/^Verified\. 171\d{3} records of 2 types/)
  const at = Math.floor(bytes.length * (0.1 + 0.8 * Math.random()))
  bytes[at]! ^= 1 << 4
  const changed = await verify()
  expect([changed.code, changed.out], `byte ${at}`).toEqual([1, expect.stringMatching(/^Not verified\. /)])
}, 180_000)

test('Publishing, from the first push to one every night, on a registry of its own', async () => {
  const place = join(folder, 'publishing')
  mkdirSync(place)
  const other = await startProcess({ DATA_DIR: join(place, 'data') })
  try {
    const blocks = textsOf(publishing, 'sh')
    const nightly = textsOf(publishing, 'python')[0]!
    writeFileSync(join(place, 'nightly.py'), nightly)
    writeFileSync(join(place, 'nightly.ts'), textsOf(publishing, 'ts')[0]!)
    const every = (command: string) => `COLLECTION=ada/birds ${command}`
    const { code, out } = await runShell(
      [
        ...blocks,
        every('python3 nightly.py'),
        every('python3 nightly.py'),
        every(`"${process.execPath}" nightly.ts`),
        every(`"${process.execPath}" nightly.ts`),
        // A collection that does not exist yet.
        'COLLECTION=ada/nightly python3 nightly.py',
        `COLLECTION=ada/nights "${process.execPath}" nightly.ts`,
      ],
      { folder: place, url: other.url },
    )
    expect(code, out).toBe(0)
    expect(out).toMatch(/\{"dry_run":true,"semver":"v1\.2\.0".*"recordCount":4/)
    const made = [...out.matchAll(/\{"semver":"(v[\d.]+)"/g)].map(([, semver]) => semver)
    expect(made).toEqual(['v1.0.0', 'v1.1.0', 'v2.0.0'])
    const nights = [...out.matchAll(/^(published v[\d.]+|nothing to publish)/gm)].map(([night]) => night)
    expect(nights).toEqual([
      'published v2.1.0',
      'nothing to publish',
      'published v2.2.0',
      'nothing to publish',
      'published v1.0.0',
      'published v1.0.0',
    ])
  } finally {
    await other.end('SIGTERM')
  }
}, 180_000)
