/**
 * Measures 1, 2 and 4 servers on one PostgreSQL server and one bucket: requests a second, and the CPU time that each part spends on a
 * request. A machine of few cores cannot hold them all, so each server gets a share of a core (`--share`): as long as the others have CPU
 * left, the rate shows whether servers get in each other's way, and the CPU time shows where the next limit is. `--share 0`: no limits.
 * Prints Markdown for docs/scaling.md. Usage: npm run bench:scaling [-- --share 0.12 --rounds 3 --seconds 8]
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cursorAfter } from '@ulmus/client'
import { cephInstalled, cephPackages, startCeph } from '@ulmus/storage/testing/ceph'
import { makeBucketOn } from '@ulmus/storage/testing/make-bucket'
import { startPostgres } from '@ulmus/storage/testing/postgres'
import { postgresSettings } from './bench.ts'
import { sampleOf } from './measure.ts'
import { cpuByPart, limitCpu, mayLimit } from './processes.ts'
import { pushBodies } from './pushing.ts'
import { idAt, idOf, recordAt, recordType } from './records.ts'
import { Served } from './served.ts'

const { values } = parseArgs({
  options: {
    share: { type: 'string', default: '0.12' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '8' },
  },
})
const [share, rounds, seconds] = [Number(values.share), Number(values.rounds), Number(values.seconds)]
const counts = [1, 2, 4]
/** Requests at once to each server. */
const atOnce = 4
/** Lanes of the most servers. */
const lanesMax = atOnce * Math.max(...counts)
const size = 20_000
const idleSeconds = 10
/** Records of a push. */
const pushed = 100
const folder = mkdtempSync(join(tmpdir(), 'ulmus-scaling-'))
// PostgreSQL runs as another user if this is root.
chmodSync(folder, 0o711)

/** Does one thing on a server; `lane` is one of those that run side by side. */
type Act = (served: Served, lane: number) => Promise<unknown>

const agent = new Agent({ keepAlive: true, maxSockets: lanesMax })
const get = (served: Served, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${served.key}` }
    const read = (answer: IncomingMessage) => {
      answer.on('error', reject).on('end', () => {
        if (answer.statusCode === 200) resolve()
        else reject(new Error(`${path}: ${answer.statusCode}`))
      })
      answer.resume()
    }
    request(served.url + path, { agent, headers }, read)
      .on('error', reject)
      .end()
  })

const big = `/api/collections/bencher/big`
const any = () => Math.floor(Math.random() * size)
const linesFrom = (first: number) => {
  const lines = Array.from({ length: pushed }, (_, n) => `${JSON.stringify(recordAt(first + n))}\n`)
  return [Buffer.from(lines.join(''))]
}
const parts = ['servers', 'PostgreSQL', 'bucket']
let made = size
const heads = new Map<number, string>()

const acts: Readonly<Record<string, Act>> = {
  'detail of a collection': (served) => get(served, big),
  'any of 20,000 records': (served) =>
    get(served, `${big}/versions/v1.0.0/records/${recordType}/${idOf(any())}`),
  'any page of 100 records': (served) =>
    get(
      served,
      `${big}/versions/v1.0.0/records?limit=100&after=${cursorAfter(recordType, idAt(Math.random()))}`,
    ),
  'metadata update of another collection each': (served, lane) =>
    served.client.metadata.patch(`bencher/lane-${lane}`, { note: `n${++made}` }),
  'push of 100 new records to another collection each': async (served, lane) => {
    made += pushed
    const base = heads.get(lane) ?? null
    const { semver } = await pushBodies(served, `bencher/pushed-${lane}`, base, linesFrom(made))
    heads.set(lane, semver)
  },
}

interface Turn {
  readonly perSecond: number
  /** CPU milliseconds of one request, by part. */
  readonly cpu: ReadonlyMap<string, number>
}

function cpuOf(servers: readonly Served[]): Map<string, number> {
  const pids = new Set(servers.map(({ pid }) => pid))
  return cpuByPart(({ pid, name }) => {
    if (pids.has(pid)) return 'servers'
    return name === 'postgres' ? 'PostgreSQL' : /^(?:radosgw|ceph)/.test(name) ? 'bucket' : 'others'
  })
}

/** CPU milliseconds a second of servers without requests, by part. */
async function idle(servers: readonly Served[]): Promise<ReadonlyMap<string, number>> {
  const before = cpuOf(servers)
  await sleep(idleSeconds * 1_000)
  return new Map(
    Array.from(cpuOf(servers), ([part, ms]) => [part, (ms - (before.get(part) ?? 0)) / idleSeconds]),
  )
}

/** Repeats an act in every lane. @param ms counted time, after half a second that is not */
async function turn(servers: readonly Served[], act: Act, ms: number): Promise<Turn> {
  let done = 0
  let isOver = false
  const lane = async (number: number) => {
    while (!isOver) {
      await act(servers[number % servers.length]!, number)
      done++
    }
  }
  const lanes = Promise.all(Array.from({ length: atOnce * servers.length }, (_, number) => lane(number)))
  lanes.catch(() => undefined)
  await sleep(500)
  const [before, from, cpuBefore] = [done, performance.now(), cpuOf(servers)]
  await Promise.race([sleep(ms), lanes])
  const [count, taken, cpuAfter] = [done - before, performance.now() - from, cpuOf(servers)]
  isOver = true
  await lanes
  const cpu = new Map(
    Array.from(cpuAfter, ([part, value]) => [part, (value - (cpuBefore.get(part) ?? 0)) / count] as const),
  )
  return { perSecond: (count * 1_000) / taken, cpu }
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

if (!cephInstalled()) throw new Error(`There is no S3 server. Install Debian’s packages: ${cephPackages}`)
if (share > 0 && !mayLimit())
  throw new Error('CPU time cannot be limited here: it needs cgroups of version 1, and root. See --share 0.')
const postgres = await startPostgres(join(folder, 'postgres'), postgresSettings)
const ceph = await startCeph(join(folder, 'ceph'))
const { settings: bucket } = await makeBucketOn(ceph)
const environment = {
  OBJECT_STORE: `s3://${bucket.bucket}/kept`,
  S3_ENDPOINT: ceph.endpoint,
  AWS_ACCESS_KEY_ID: ceph.keys.accessKeyId,
  AWS_SECRET_ACCESS_KEY: ceph.keys.secretAccessKey,
}
const first = await Served.open({ folder: join(folder, '0'), databaseUrl: postgres.url, environment })
const all = [first]
const found = new Map<string, Turn[]>()
const atRest = new Map<number, ReadonlyMap<string, number>>()
try {
  for (const slug of [
    'big',
    ...Array.from({ length: lanesMax }, (_, n) => [`lane-${n}`, `pushed-${n}`]).flat(),
  ])
    await first.client.collections.create(first.owner, { slug, public: true })
  const bodies = Array.from({ length: size / pushed }, (_, n) => linesFrom(n * pushed)).flat()
  await pushBodies(first, 'bencher/big', null, bodies)
  for (let lane = 0; lane < lanesMax; lane++)
    await pushBodies(first, `bencher/lane-${lane}`, null, linesFrom(0))
  while (all.length < Math.max(...counts)) all.push(await first.beside(join(folder, String(all.length))))
  await first.stop()
  for (let round = 0; round < rounds; round++)
    for (const count of round % 2 === 0 ? counts : counts.toReversed()) {
      const servers = all.slice(0, count)
      for (const served of servers) await served.start()
      // Compiles their code at full speed.
      for (const act of Object.values(acts)) await turn(servers, act, 1_500)
      const ends = share > 0 ? servers.map(({ pid }) => limitCpu(pid, share)) : []
      for (const [name, act] of Object.entries(acts)) {
        const key = `${name} ${count}`
        found.set(key, [...(found.get(key) ?? []), await turn(servers, act, seconds * 1_000)])
      }
      atRest.set(count, await idle(servers))
      for (const served of servers) await served.stop()
      for (const end of ends) end()
    }
  print()
} finally {
  for (const served of all) await served.close()
  agent.destroy()
  await ceph.stop()
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

function print(): void {
  const columns = [...counts.map((count) => `${count}`), ...parts.map((part) => `${part}, ms`)]
  const lines = [`| | ${columns.join(' | ')} |`, `|---|${columns.map(() => '---:|').join('')}`]
  for (const name of Object.keys(acts)) {
    const of = (count: number) => found.get(`${name} ${count}`)!
    const rate = (count: number) => sampleOf(of(count).map(({ perSecond }) => perSecond)).median
    const rates = counts.map(
      (count) => `${rate(count).toFixed(rate(count) < 10 ? 1 : 0)} (${(rate(count) / rate(1)).toFixed(2)} ×)`,
    )
    const cpu = parts.map((part) => {
      const [one, many] = [counts[0]!, counts.at(-1)!].map((count) =>
        sampleOf(of(count).map(({ cpu }) => cpu.get(part) ?? 0)).median.toFixed(2),
      )
      return `${one}–${many}`
    })
    lines.push(`| ${name} | ${[...rates, ...cpu].join(' | ')} |`)
  }
  for (const [count, cpu] of atRest) {
    const each = parts.map((part) => `${part} ${(cpu.get(part) ?? 0).toFixed(1)}`)
    lines.push(`${count} without requests, CPU milliseconds a second: ${each.join(', ')}`)
  }
  process.stdout.write(`${lines.join('\n')}\n`)
}
