/**
 * Compares metadata updates and forks of another checkout with those of this one: two servers are called alternately, so that both have the
 * same load on the machine. For changes that must not cost anything.
 *
 *     git worktree add /tmp/before COMMIT && (cd /tmp/before && npm ci)
 *     node bench/against.ts /tmp/before
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
import { Served } from './served.ts'
import { smallSize } from './stage.ts'

const runs = 400
const warmUps = 50

const [checkout] = process.argv.slice(2)
if (checkout === undefined) throw new Error('Say which checkout: node bench/against.ts FOLDER')
const other = await import(pathToFileURL(resolve(checkout, 'bench/served.ts')).href)
const contenders = { 'the other checkout': other.Served as typeof Served, 'this one': Served }
type Contender = keyof typeof contenders

const folder = mkdtempSync(join(tmpdir(), 'ulmus-against-'))
// As root, PostgreSQL runs as another user.
chmodSync(folder, 0o755)
const postgres = await startPostgres(join(folder, 'postgres'), postgresSettings)
const acts: Record<string, (at: Served, run: number) => Promise<unknown>> = {
  'metadata update': (at, run) =>
    at.client.metadata.patch(`${at.owner}/small`, { description: `Described anew, time ${run}.` }),
  fork: (at, run) =>
    at.client.collections.fork(`${at.owner}/small`, { targetOrg: at.org, slug: `fork-${run}` }),
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
    for (const [quantity, act] of Object.entries(acts)) {
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

/** A server with a collection of 1,000 records. */
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
  await at.client.collections.create(at.owner, { slug: 'small', public: true })
  const records = bodiesOfChanges(Array(smallSize).keys(), 0)
  await pushBodies(at, `${at.owner}/small`, null, records)
  return at
}
