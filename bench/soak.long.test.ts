/**
 * Soak test: under a long mixed load, a server's memory must not grow, and its event loop must not be blocked. `SOAK_SECONDS` sets the time
 * for each database, 120 by default. All writes go to forks that are deleted again, so that the measured data stays the same.
 */
import { createHash, randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@ulmus/storage/testing/postgres'
import { afterAll, describe, expect, test } from 'vitest'
import { machineSlowness } from '../apps/server/src/testing/machine-speed.ts'
import { firstGood, median } from '../packages/content/src/testing/measured.ts'
import { heldMillisecondsMax } from './held-loop.ts'
import { Served } from './served.ts'

const soakSeconds = Number(process.env['SOAK_SECONDS'] ?? 120)
/** Share of the time before measuring starts: caches fill, code is compiled, threads start. */
const warmUpShare = 1 / 3
/** Number of parts of the measured time; the first and the last one are compared. */
const windows = 4
const growthMax = 1.1
const readers = 5
const writers = 2
const records = 3_000

const json = { 'content-type': 'application/json' }
const ndjson = { 'content-type': 'application/x-ndjson' }
const folder = mkdtempSync(join(tmpdir(), 'ulmus-soak-'))
// PostgreSQL runs as another user.
chmodSync(folder, 0o755)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const percentile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? 0

const linesOf = (file: string): string[] => readFileSync(file, 'utf8').trim().split('\n')

const residentMiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

const lines = (from: number, count: number, version: number): string =>
  Array.from({ length: count }, (_, index) => {
    const n = from + index
    return JSON.stringify({ id: `r${n}`, type: 'A', data: { n, version, text: `${n} `.repeat(20) } })
  }).join('\n')

/** Durations of requests by kind. Milliseconds. */
class Soak {
  readonly #served: Served
  readonly #path: string
  readonly #took = new Map<string, number[]>()
  isMeasured = false

  constructor(served: Served) {
    this.#served = served
    this.#path = `/api/collections/${served.owner}/soaked`
  }

  async #ask(kind: string, path: string, init?: RequestInit): Promise<string> {
    const from = performance.now()
    const text = await (await this.#served.ask(path, init)).text()
    if (this.isMeasured) {
      const took = this.#took.get(kind)
      if (took === undefined) this.#took.set(kind, [performance.now() - from])
      else took.push(performance.now() - from)
    }
    return text
  }

  #push = async (path: string, base: string | null, body: string, opening: object): Promise<void> => {
    const open = JSON.stringify({ base_version: base, ...opening })
    const { session_id: id } = JSON.parse(
      await this.#ask('push', `${path}/pushes`, { method: 'POST', headers: json, body: open }),
    ) as { session_id: string }
    await this.#ask('push', `${path}/pushes/${id}/records`, { method: 'POST', headers: ndjson, body })
    await this.#ask('push', `${path}/pushes/${id}/commit`, { method: 'POST' })
  }

  async prepare(): Promise<void> {
    const body = JSON.stringify({ slug: 'soaked', public: true })
    const accounts = `/api/accounts/${this.#served.owner}/collections`
    await this.#ask('prepare', accounts, { method: 'POST', headers: json, body })
    await this.#push(this.#path, null, lines(0, records, 1), { schemas: { A: {} } })
    await this.#push(this.#path, 'v1.0.0', lines(0, 300, 2), {})
  }

  readonly #reads: [kind: string, path: () => string][] = [
    ['detail', () => this.#path],
    ['detail', () => this.#path],
    ['browse', () => '/api/collections?limit=20'],
    [
      'page',
      () =>
        `${this.#path}/versions/latest/records?limit=100&after=${Buffer.from(JSON.stringify(['A', `r${Math.floor(Math.random() * records)}`])).toString('base64url')}`,
    ],
    ['record', () => `${this.#path}/versions/latest/records/A/r${Math.floor(Math.random() * records)}`],
    ['record', () => `${this.#path}/versions/latest/records/A/r${Math.floor(Math.random() * records)}`],
    ['stream', () => `${this.#path}/versions/latest/records.ndjson`],
    ['diff', () => `${this.#path}/versions/latest/diff?from=v1.0.0&limit=100`],
    ['keys', () => '/api/accounts/keys'],
  ]

  async read(): Promise<void> {
    const [kind, path] = this.#reads[Math.floor(Math.random() * this.#reads.length)]!
    await this.#ask(kind, path())
  }

  /** Makes a fork, changes it a few times, and deletes it. */
  async write(): Promise<void> {
    const slug = `fork-${randomUUID().slice(0, 8)}`
    const body = JSON.stringify({ targetOrg: this.#served.org, slug })
    const forked = await this.#ask('fork', `${this.#path}/fork`, { method: 'POST', headers: json, body })
    const path = `/api/collections/${this.#served.org}/${(JSON.parse(forked) as { slug?: string }).slug ?? slug}`
    for (let round = 0; round < 3; round++) {
      const patch = JSON.stringify({ round })
      await this.#ask('metadata', `${path}/metadata`, { method: 'PATCH', headers: json, body: patch })
      const head = JSON.parse(await this.#ask('detail', path)) as { latestVersion: { semver: string } }
      await this.#push(path, head.latestVersion.semver, lines(round * 100, 20, 3 + round), {})
      const bytes = `${slug} ${round}`
      const hash = createHash('sha256').update(bytes).digest('hex')
      await this.#ask('upload', `${path}/files/sha256:${hash}`, { method: 'PUT', body: bytes })
    }
    await this.#ask('delete', path, { method: 'DELETE' })
  }

  report(): string[] {
    const ms = (took: number[], share: number) => percentile(took, share).toFixed(1)
    return [...this.#took].map(([kind, took]) => {
      const part = Math.ceil(took.length / windows)
      const [first, last] = [took.slice(0, part), took.slice(-part)]
      return `${kind}: ${took.length} requests, p50 ${ms(took, 0.5)} ms, p99 ${ms(took, 0.99)} ms; p50 of the first quarter ${ms(first, 0.5)}, of the last ${ms(last, 0.5)}`
    })
  }
}

const databases = [
  { name: 'embedded', open: async () => undefined },
  { name: 'server', open: () => startPostgres(join(folder, 'postgres')) },
]

describe.each(databases)('a server under mixed load, database: $name', ({ name, open }) => {
  test(
    `for ${soakSeconds} s its memory stays flat and its event loop free`,
    async () => {
      const postgres = await open()
      const heldFile = join(folder, `${name}-held`)
      const served = await Served.open({
        folder: join(folder, name),
        ...(postgres && { databaseUrl: postgres.url }),
        environment: {
          NODE_OPTIONS: `--import=${new URL('./held-loop.ts', import.meta.url)}`,
          HELD_LOOP_FILE: heldFile,
        },
      })
      try {
        const soak = new Soak(served)
        await soak.prepare()
        let isOver = false
        const repeat = async (work: () => Promise<void>) => {
          while (!isOver) await work()
        }
        const load = Promise.all([
          ...Array.from({ length: readers }, () => repeat(() => soak.read())),
          ...Array.from({ length: writers }, () => repeat(() => soak.write())),
        ])
        // Failures are reported by the test below.
        load.catch(() => undefined)
        const sleep = (ms: number) => Promise.race([load, new Promise((resolve) => setTimeout(resolve, ms))])
        await sleep(soakSeconds * 1_000 * warmUpShare)
        const heldBefore = linesOf(heldFile).length
        soak.isMeasured = true
        let base = 0
        const memory = async () => {
          const resident: number[] = []
          const until = performance.now() + soakSeconds * 1_000 * (1 - warmUpShare)
          while (performance.now() < until) {
            await sleep(1_000)
            resident.push(residentMiB(served.pid))
          }
          const size = Math.max(1, Math.floor(resident.length / windows))
          const [first, last] = [median(resident.slice(0, size)), median(resident.slice(-size))]
          base ||= first
          return { first, last, growth: 1 + (last - first) / base }
        }
        // A slow machine takes longer to warm up; what leaks grows as much again each time.
        const { first, last, growth } = await firstGood(memory, (one) => one.growth <= growthMax)
        isOver = true
        await load
        const seconds = linesOf(heldFile)
          .slice(heldBefore)
          .map((line) => line.split(' ').map(Number) as [held: number, worked: number])
        const held = seconds.map(([most]) => most)
        const most = Math.max(...held)
        const worked = Math.max(...seconds.map((second) => second[1]))
        const lines = [
          `${name}, ${soakSeconds} s of which ${Math.round(soakSeconds * warmUpShare)} to warm up`,
          ...soak.report(),
          `resident memory: ${first.toFixed(0)} MiB at the beginning, ${last.toFixed(0)} at the end`,
          `event loop held at most ${most} ms of CPU time, ${worked} without collections; in half of the seconds at most ${median(held)}`,
        ]
        console.log(lines.join('\n  '))
        expect(growth).toBeLessThanOrEqual(growthMax)
        expect(held.length).toBeGreaterThan(soakSeconds / 2)
        const slowness = machineSlowness()
        expect(worked).toBeLessThanOrEqual(heldMillisecondsMax.worked * slowness)
        expect(most).toBeLessThanOrEqual(heldMillisecondsMax.most * slowness)
      } finally {
        await served.close()
        await postgres?.stop()
      }
    },
    (4 * soakSeconds + 180) * 1_000,
  )
})
