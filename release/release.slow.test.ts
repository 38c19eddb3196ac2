/** Packages of `npm run release` work without the rest of this repository, on the machine's own Node. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keyFor, signIn } from '../apps/server/src/testing/browser.ts'
import { chromiumInstalled, openChromium } from '../apps/server/src/testing/chromium.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const place = mkdtempSync(join(tmpdir(), 'ulmus-release-'))

/** Environment of the machine, without the settings of the npm that runs these tests. */
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:npm_|NODE|VITEST)/i.test(name))),
  PATH: process.env['PATH']!.split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter),
}

interface Manifest {
  readonly name: string
  readonly dependencies: Record<string, string>
}

/** Folders in which single packages were installed, by package name. */
const installed = new Map<string, string>()
const running: ChildProcess[] = []
let key: string
let url: string

beforeAll(async () => {
  await run(process.execPath, [join(root, 'release/main.ts')], { cwd: root })
  for (const tarball of readdirSync(dist).filter((file) => file.endsWith('.tgz'))) {
    const folder = join(place, tarball.replace('.tgz', ''))
    mkdirSync(folder)
    writeFileSync(join(folder, 'package.json'), '{"private": true}')
    await run('npm', ['install', '--no-audit', '--no-fund', join(dist, tarball)], {
      cwd: folder,
      env: environment,
    })
    const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
    installed.set(Object.keys(dependencies)[0]!, folder)
  }
  url = (await start('data')).url
  key = await keyFor(url, (await signIn(url, { login: 'ada' })).cookie, 'write')
}, 300_000)

afterAll(() => {
  for (const child of running) if (child.exitCode === null) child.kill('SIGKILL')
  rmSync(place, { recursive: true, force: true })
})

const folderOf = (name: string) => installed.get(name)!

/** Starts the server's program with the machine's Node and only the environment given here. */
async function start(data: string) {
  const program = join(folderOf('@ulmus/server'), 'node_modules/.bin/ulmus-server')
  const child = spawn('node', [program, 'start'], {
    cwd: place,
    env: { PATH: environment.PATH, PORT: '0', DATA_DIR: join(place, data) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.push(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  const exit = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
  for (let waited = 0; !/"url":"([^"]+)"/.test(said); waited += 50) {
    if (child.exitCode !== null || waited > 60_000) throw new Error(`It does not start: ${said}`)
    await sleep(50)
  }
  return { child, exit, url: /"url":"([^"]+)"/.exec(said)![1]!, said: () => said }
}

/** Process that holds a data folder. A server that shut down gracefully leaves none. */
function holder(data: string): number | undefined {
  const file = join(place, data, 'database/lock-holder')
  return existsSync(file) ? Number(/^process (\d+)/.exec(readFileSync(file, 'utf8'))?.[1]) : undefined
}

test('what is released says what it needs, and holds no TypeScript and nothing of tests', () => {
  expect(installed.size).toBeGreaterThan(2)
  for (const [name, folder] of installed) {
    const own = join(folder, 'node_modules', name)
    const files = readdirSync(own, { recursive: true, encoding: 'utf8' })
    expect(files).toContain('README.md')
    expect(files).toContain('LICENSE')
    expect(files.filter((file) => /(?<!\.d)\.tsx?$|\btest/.test(file))).toEqual([])
    const { dependencies } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8')) as Manifest
    if (name !== '@ulmus/server')
      expect([dependencies, files.includes('LICENSES-OF-OTHERS.txt')]).toEqual([{}, true])
    for (const version of Object.values(dependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/)
    expect(Object.keys(dependencies).filter((one) => one.startsWith('@ulmus/'))).toEqual([])
  }
})

/** Limits of a package's installation, itself included. */
const bounds: Readonly<Record<string, { megabytes: number; packages: number }>> = {
  ulmus: { megabytes: 15, packages: 1 },
  '@ulmus/client': { megabytes: 1.5, packages: 1 },
  '@ulmus/content': { megabytes: 6, packages: 1 },
}

test('packages are small once they are installed', () => {
  for (const [name, bound] of Object.entries(bounds)) {
    const folder = installed.get(name)
    if (folder === undefined) continue
    const all = globSync('**/*', { cwd: folder }).map((file) => lstatSync(join(folder, file)))
    const bytes = all.reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0)
    const packages = globSync('node_modules/{*,@*/*}/package.json', { cwd: folder }).length
    expect(bytes / 1e6, name).toBeLessThan(bound.megabytes)
    expect(packages, name).toBeLessThanOrEqual(bound.packages)
    expect(packages).toBeGreaterThan(0)
  }
})

test('another Node runs the server and its commands once the link of npm names it', async () => {
  const modules = join(folderOf('@ulmus/server'), 'node_modules')
  const [link, program] = [join(modules, '.bin/node'), join(modules, '.bin/ulmus-server')]
  const [brought] = globSync('node-linux-*', { cwd: modules }).map((name) => join(modules, name))
  const [target, aside] = [readlinkSync(link), join(place, 'brought')]
  renameSync(brought!, aside)
  rmSync(link)
  symlinkSync(process.execPath, link)
  try {
    // As the documents run commands, as the unit does, and by a Node that is too old.
    for (const [node, path] of [
      ['./node', '/usr/bin:/bin'],
      ['node', `${join(modules, '.bin')}:/usr/bin:/bin`],
      ['node', environment.PATH],
    ] as const) {
      const { stdout } = await run(node, [program, '--version'], {
        cwd: join(modules, '.bin'),
        env: { PATH: path },
      })
      expect(stdout).toMatch(/^0\.1\.0 /)
    }
  } finally {
    rmSync(link)
    symlinkSync(target, link)
    renameSync(aside, brought!)
  }
})

test('the server serves the packages that were released with it', async () => {
  const sums = await (await fetch(`${url}/downloads/SHA256SUMS`)).text()
  const files = sums
    .trimEnd()
    .split('\n')
    .map((line) => line.split('  ')[1]!)
  expect(files).toHaveLength(3)
  for (const file of files) {
    const bytes = Buffer.from(await (await fetch(`${url}/downloads/${file}`)).arrayBuffer())
    expect(bytes.equals(readFileSync(join(dist, file)))).toBe(true)
  }
})

test('the server has its pages, what they load, and its documents', async () => {
  const read = async (path: string) => {
    const answer = await fetch(`${url}${path}`, { headers: { accept: 'text/html' } })
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }
  }
  expect((await read('/readyz')).status).toBe(200)
  const home = await read('/')
  expect([home.status, home.text.includes('<h1')]).toEqual([200, true])
  const assets = Array.from(home.text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g), ([, path]) => path!)
  expect(assets.some((path) => path.endsWith('.css')) && assets.some((path) => path.endsWith('.js'))).toBe(
    true,
  )
  for (const path of assets) {
    const { status, type, text } = await read(path)
    expect([status, type]).toEqual([200, expect.stringMatching(/^text\/(?:css|javascript); /)])
    expect(text.length).toBeGreaterThan(500)
  }
  for (const path of ['/docs', '/docs/operations', '/docs/verify.py', '/docs/reading.md', '/docs/api/'])
    expect((await read(path)).status, path).toBe(200)
  expect((await read('/docs/operations')).text).toContain('<table')
  const deploy = join(folderOf('@ulmus/server'), 'node_modules/@ulmus/server/deploy')
  expect(readdirSync(deploy).sort()).toEqual(['kubernetes', 'monitoring', 'ulmus.env', 'ulmus.service'])
})

/** A user's program; its output is `console.log` and `data`. */
const program = `
import { createClient, verifyProof } from '@ulmus/client'

export async function publish(baseUrl, apiKey, slug) {
  const client = createClient({ baseUrl, apiKey })
  const owner = (await client.accounts.me()).slug
  const collection = owner + '/' + slug
  await client.collections.create(owner, { slug, public: true })
  const { semver } = await client.push(collection, {
    baseVersion: null,
    schemas: { City: { properties: { name: { type: 'string' }, population: { type: 'integer' } } } },
    metadata: { readme: '# Cities' },
    records: [
      { id: 'oslo', type: 'City', data: { name: 'Oslo', population: 709037 } },
      { id: 'atlantis', type: 'City', data: { name: 'Atlantis', population: undefined } },
    ],
  })
  const read = []
  for await (const { id } of client.records.ndjson(collection)) read.push(id)
  const { hash } = await client.versions.get(collection, semver)
  const record = await client.records.one(collection, semver, 'City', 'oslo', { proof: true })
  return { semver, read, proven: verifyProof(hash, record).ok, claim: { digest: hash, ...record.proof } }
}
`
const published = { semver: 'v1.0.0', read: ['atlantis', 'oslo'], proven: true }

test('a program publishes by the client, and another verifies its proof by the content package alone', async () => {
  const folder = folderOf('@ulmus/client')
  writeFileSync(join(folder, 'publish.mjs'), program)
  const call = `import { publish } from './publish.mjs'
    const { claim, ...done } = await publish(...process.argv.slice(1))
    console.log(JSON.stringify({ done, claim, node: process.versions.node }))`
  const given = ['--input-type=module', '--eval', call, url, key, 'cities']
  const { stdout } = await run('node', given, { cwd: folder, env: environment })
  const { done, claim } = JSON.parse(stdout) as { done: unknown; claim: unknown }
  expect(done).toEqual(published)

  const verify = `import { verifyProof } from '@ulmus/content'
    const claim = JSON.parse(process.argv[1])
    console.log(JSON.stringify([verifyProof(claim).ok, verifyProof({ ...claim, canonical: claim.canonical.replace('Oslo', 'Olso') }).ok]))`
  const verified = await run('node', ['--input-type=module', '--eval', verify, JSON.stringify(claim)], {
    cwd: folderOf('@ulmus/content'),
    env: environment,
  })
  expect(JSON.parse(verified.stdout)).toEqual([true, false])
  // A page that cannot wait for the readme shows it as plain text; a later request gets the HTML.
  const page = async () => (await fetch(`${url}/ada/cities`, { headers: { accept: 'text/html' } })).text()
  await expect.poll(page, { timeout: 20_000, interval: 250 }).toContain('Cities</h')
})

test.skipIf(!chromiumInstalled())('the same program publishes from a page in Chromium', async () => {
  const folder = folderOf('@ulmus/client')
  writeFileSync(join(folder, 'publish.mjs'), program)
  const { outputFiles } = await build({
    stdin: { contents: "export * from './publish.mjs'", resolveDir: folder },
    ...{ bundle: true, format: 'iife', globalName: 'program', platform: 'browser', write: false },
  })
  const site = createServer((request, response) => {
    const isScript = request.url === '/program.js'
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
    response.end(isScript ? outputFiles[0]!.text : '<!doctype html><script src="/program.js"></script>')
  }).listen(0, '127.0.0.1')
  await once(site, 'listening')
  const chromium = await openChromium()
  try {
    const page = await chromium.newPage()
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`)
    const call = `program.publish(${[url, key, 'from-a-page'].map((text) => JSON.stringify(text))})`
    expect(await page.evaluate(call)).toMatchObject(published)
  } finally {
    await chromium.close()
    site.closeAllConnections()
    site.close()
  }
})

const typed = `
import { createClient, type CollectionRecord, type Push, UlmusError, type Version } from '@ulmus/client'

interface City {
  name: string
  population?: number
}

const cities: City[] = [{ name: 'Oslo', population: 709037 }, { name: 'Atlantis' }]
const what: Push = {
  baseVersion: null,
  schemas: { City: { properties: { name: { type: 'string' } } } },
  records: cities.map((data) => ({ id: data.name, type: 'City', data })),
}

export async function publish(baseUrl: string, apiKey: string): Promise<Version | string> {
  const client = createClient({ baseUrl, apiKey })
  try {
    const { semver } = await client.push('ada/cities', what)
    const first: CollectionRecord = await client.records.one('ada/cities', semver, 'City', 'Oslo')
    const id: string = first.id
    // @ts-expect-error It is no number.
    const count: number = first.id
    return await client.versions.get('ada/cities', id + count)
  } catch (error) {
    if (error instanceof UlmusError) return error.code
    throw error
  }
}
`
const typedLog = `
import { createClient } from '@ulmus/client'
import { type LoggedVersion, verifyInLog } from '@ulmus/client/log'

export async function found(digest: string): Promise<number | string> {
  const client = createClient({ baseUrl: 'https://registry.example.org' })
  const { keys } = await client.log.get()
  const logged: LoggedVersion = await verifyInLog(client, 'ada/cities', { semver: '1.0.0', digest }, { keys: [] })
  // @ts-expect-error It is no string.
  const index: string = logged.index
  return keys.length + index
}
`
const typedContent = `
import { type ProofResult, recordOf, verifyProof } from '@ulmus/content'

export const hash: string = recordOf('oslo', 'City', { name: 'Oslo' }).hash
export const result: ProofResult = verifyProof({ digest: '', canonical: '', nodes: [], document: '' })
// @ts-expect-error A proof has its nodes.
verifyProof({ digest: '' })
`

test.each([
  ['@ulmus/client', 'nodenext', typed],
  ['@ulmus/client', 'bundler', typed],
  ['@ulmus/client', 'nodenext', typedLog],
  ['@ulmus/client', 'bundler', typedLog],
  ['@ulmus/content', 'nodenext', typedContent],
  ['@ulmus/content', 'bundler', typedContent],
])('%s in TypeScript with the resolution %s compiles clean', async (name, moduleResolution, text) => {
  const folder = folderOf(name)
  writeFileSync(join(folder, 'program.mts'), text)
  const options = {
    ...{
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
    },
    ...{ target: 'es2022', lib: ['es2022', 'dom', 'dom.asynciterable'], types: [], noEmit: true },
    ...{ module: moduleResolution === 'bundler' ? 'esnext' : moduleResolution, moduleResolution },
  }
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['program.mts'] }),
  )
  const compiler = join(root, 'node_modules/typescript/bin/tsc')
  const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch((error) => error)
  expect(stdout).toBe('')
})

test.runIf(process.platform === 'linux')(
  'SIGTERM ends the server in order, and so does the end of the program that stands before it',
  async () => {
    const { child, exit, said } = await start('ended')
    expect(holder('ended')).toBeGreaterThan(0)
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
    expect(said()).toContain('Ending: requests and jobs under way')
    expect(holder('ended')).toBeUndefined()

    const second = await start('ended')
    const server = holder('ended')!
    // A Node of 22.15 or newer becomes the server, so there is no parent process to kill first.
    if (server === second.child.pid) return
    second.child.kill('SIGKILL')
    await expect.poll(() => existsSync(`/proc/${server}`)).toBe(false)
    expect(holder('ended')).toBeUndefined()
  },
)
