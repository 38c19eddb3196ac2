/**
 * Compares what another checkout and this one take for the acts below: two servers, called in turns, so that both run under the same
 * load. For changes that must not cost anything.
 *
 *     git worktree add /tmp/before COMMIT && (cd /tmp/before && npm ci)
 *     node bench/against.ts /tmp/before [PART-OF-THE-NAMES-OF-THE-ACTS]
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { startPostgres } from '@ulmus/storage/testing/postgres'
import { onServer, postgresSettings } from './bench.ts'
import { bodiesOfChanges } from './inputs.ts'
import { sampleOf, timed } from './measure.ts'
import { pushBodies } from './pushing.ts'
import { changedNumbers, idOf, recordType } from './records.ts'
import { Served } from './served.ts'
import { smallSize } from './stage.ts'

/** Records of a first push. */
const pushedSize = 20_000
const largeSize = 100_000

const [checkout, wanted = ''] = process.argv.slice(2)
if (checkout === undefined) throw new Error('Say which checkout: node bench/against.ts FOLDER')
const other = await import(pathToFileURL(resolve(checkout, 'bench/served.ts')).href)
const contenders = { 'the other checkout': other.Served as typeof Served, 'this one': Served }
type Contender = keyof typeof contenders

const folder = mkdtempSync(join(tmpdir(), 'ulmus-against-'))
// As root, PostgreSQL runs under another user.
chmodSync(folder, 0o755)
const postgres = await startPostgres(join(folder, 'postgres'), postgresSettings)
const acts: Record<string, { runs: number; act: (at: Served, run: number) => Promise<unknown> }> = {
  'metadata update': {
    runs: 400,
    act: (at, run) => at.client.metadata.patch(`${at.owner}/small`, { description: `Run ${run}.` }),
  },
  fork: {
    runs: 400,
    act: (at, run) =>
      at.client.collections.fork(`${at.owner}/small`, { targetOrg: at.org, slug: `fork-${run}` }),
  },
  'page of 100 records': {
    runs: 400,
    act: (at) => at.client.records.page(`${at.owner}/small`, 'latest', { limit: 100 }),
  },
  [`one of ${largeSize} records`]: {
    runs: 400,
    act: (at, run) => at.client.records.one(`${at.owner}/large`, 'latest', recordType, idOf(run * 220)),
  },
  [`push of 1 % of ${largeSize} records, scattered`]: {
    runs: 20,
    async act(at, run) {
      const { latestVersion } = await at.client.collections.get(`${at.owner}/large`)
      const numbers = changedNumbers(largeSize, 'scattered', run + 1)
      await pushBodies(at, `${at.owner}/large`, latestVersion!.semver, bodiesOfChanges(numbers, run + 1))
    },
  },
  [`first push of ${pushedSize} records`]: {
    runs: 20,
    async act(at, run) {
      const slug = `first-${run}`
      await at.client.collections.create(at.owner, { slug, public: true })
      const numbers = Array.from({ length: pushedSize }, (_, n) => run * pushedSize + n)
      await pushBodies(at, `${at.owner}/${slug}`, null, bodiesOfChanges(numbers, 1))
    },
  },
}

try {
  for (const database of ['embedded', 'server'] as const) await compare(database)
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function compare(database: 'embedded' | 'server'): Promise<void> {
  const served = new Map<Contender, Served>()
  try {
    for (const [name, { open }] of Object.entries(contenders) as [Contender, typeof Served][])
      served.set(name, await prepared(database, open.bind(contenders[name]), served.size))
    for (const [quantity, { runs, act }] of Object.entries(acts)) {
      if (!quantity.includes(wanted)) continue
      const warmUps = Math.ceil(runs / 10)
      const times = new Map<Contender, number[]>([...served.keys()].map((name) => [name, []]))
      for (let run = 0; run < warmUps + runs; run++)
        for (const [name, at] of served) {
          const { ms } = await timed(() => act(at, run))
          if (run >= warmUps) times.get(name)!.push(ms)
        }
      for (const [name, taken] of times) {
        const { median, p99 } = sampleOf(taken)
        process.stdout.write(
          `${database}, ${quantity}, ${name}: p50 ${median.toFixed(2)} ms, p99 ${p99.toFixed(1)} ms\n`,
        )
      }
    }
  } finally {
    for (const at of served.values()) await at.close()
  }
}

/** A server of its own with a collection of 1,000 records, and a large one. */
async function prepared(
  database: 'embedded' | 'server',
  open: typeof Served.open,
  number: number,
): Promise<Served> {
  const name = `against_${number}`
  if (database === 'server')
    await onServer(postgres.url, async (client) => void (await client.query(`create database ${name}`)))
  const at = await open({
    folder: join(folder, `${database}-${number}`),
    ...(database === 'server' && { databaseUrl: postgres.url.replace(/\/postgres$/, `/${name}`) }),
  })
  for (const [slug, size] of Object.entries({ small: smallSize, large: largeSize })) {
    await at.client.collections.create(at.owner, { slug, public: true })
    await pushBodies(at, `${at.owner}/${slug}`, null, bodiesOfChanges(Array(size).keys(), 0))
  }
  return at
}
