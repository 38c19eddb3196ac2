/**
 * Measures what an operator plans for (docs/plan.md): a first push and one of 1 %, bytes of the database, the objects and a table, a backup,
 * a restore, the check and the sweep, each with its CPU time and its peak of memory, on a PostgreSQL server. Prints a Markdown table, a column
 * for each size. Its rows count seconds, those of CPU of the server's own processes, and memory of all of these.
 * Usage: npm run bench:plan [-- --records 1000000,10000000 --versions 0]
 */
import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '@ulmus/storage/testing/postgres'
import { onServer, postgresSettings } from './bench.ts'
import { tied } from './children.ts'
import { bodiesOf, bodiesOfChanges, writeInput } from './inputs.ts'
import { diskBytes, timed } from './measure.ts'
import { pushBodies } from './pushing.ts'
import { changedNumbers, firstOf } from './records.ts'
import { Served } from './served.ts'
import { answerOf } from './tables/building.ts'
import { cpuOfTree, watchMemory } from './tables/process-tree.ts'

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '1000000,10000000' },
    /** Pushes of 1 % after all else, for what many versions cost. */
    versions: { type: 'string', default: '0' },
  },
})
const more = Number(values.versions)
const program = join(import.meta.dirname, '../apps/server/start.js')
const folder = mkdtempSync(join(tmpdir(), 'ulmus-bench-plan-'))
// As root, PostgreSQL runs as another user.
chmodSync(folder, 0o711)
const postgres = await startPostgres(join(folder, 'postgres'), postgresSettings)

/** Cells by row, a cell for each size. */
const table = new Map<string, string[]>()
function note(row: string, cell: string): void {
  table.set(row, [...(table.get(row) ?? []), cell])
  process.stderr.write(`· ${row}: ${cell}\n`)
}
const cost = (ms: number, cpuMs: number, mebibytes: number) =>
  `${(ms / 1_000).toFixed(1)} s, ${(cpuMs / 1_000).toFixed(1)} s of CPU, ${Math.round(mebibytes)} MiB`
const megabytes = (bytes: number) => `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`

try {
  const sizes = values.records.split(',').map(Number)
  for (const size of sizes) await measure(size)
  const rows = [...table].map(([row, cells]) => [row, ...cells])
  const heading = ['', ...sizes.map((size) => `${size.toLocaleString('en')} records`)]
  for (const cells of [heading, ['---', ...sizes.map(() => '---:')], ...rows])
    process.stdout.write(`| ${cells.join(' | ')} |\n`)
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function measure(size: number): Promise<void> {
  const home = join(folder, `home-${size}`)
  const [source, target] = [await newDatabase(`source_${size}`), await newDatabase(`target_${size}`)]
  const input = await writeInput(folder, size, firstOf('big'))
  note('NDJSON', megabytes(input.bytes))
  const served = await Served.open({ folder: join(home, 'data'), databaseUrl: source })
  try {
    const ref = `${served.owner}/big`
    await served.client.collections.create(served.owner, { slug: 'big', public: true })
    await served.restart()
    const watched = async (row: string, work: () => Promise<unknown>) => {
      const [memory, before] = [watchMemory(served.pid), cpuOfTree(served.pid)]
      const { ms } = await timed(work)
      note(row, cost(ms, cpuOfTree(served.pid) - before, memory.stop().all))
    }
    await watched('first push', () => pushBodies(served, ref, null, bodiesOf(input)))
    rmSync(input.path)
    await served.hasDroppedRuns()
    note('objects', megabytes(diskBytes(served.objects)))
    note('database', megabytes(await databaseBytes(source)))
    const changes = bodiesOfChanges(changedNumbers(size, 'scattered', 1), 1)
    let head = ''
    await watched('push of 1 %, scattered', async () => {
      head = (await pushBodies(served, ref, 'v1.0.0', changes)).semver
    })
    await served.hasDroppedRuns()
    note('objects after it', megabytes(diskBytes(served.objects)))
    note('database after it', megabytes(await databaseBytes(source)))
    await served.restart()
    await watched('first question, which builds the table', () =>
      answerOf(served, `/api/collections/${ref}/versions/v1.0.0/tables/Item/rows?limit=1`),
    )
    note('its table file', megabytes(diskBytes(join(served.folder, 'tables'))))
    const settings = { DATA_DIR: join(home, 'data'), DATABASE_URL: source }
    const backups = join(home, 'backups')
    await command('first backup, while the server runs', ['backup', backups], settings)
    note('dump in it', megabytes(diskBytes(join(backups, 'backups'))))
    await command('next backup, nothing new', ['backup', backups], settings)
    await command('check: fsck --files', ['fsck', '--files'], settings)
    await command('sweep', ['sweep'], settings)
    const restored = { DATA_DIR: join(home, 'restored'), DATABASE_URL: target }
    await command('restore', ['restore', backups], restored)
    if (more > 0) await manyVersions(served, { ref, head, size, database: source, settings, backups })
  } finally {
    await served.close()
    rmSync(home, { recursive: true, force: true })
  }
}

/** Pushes further changes of 1 %, each on the one before, and measures what reads all versions again. */
async function manyVersions(
  served: Served,
  at: {
    ref: string
    head: string
    size: number
    database: string
    settings: Record<string, string>
    backups: string
  },
): Promise<void> {
  const { ref, size, database, settings, backups } = at
  let { head } = at
  for (let revision = 2; revision < 2 + more; revision++) {
    const bodies = bodiesOfChanges(changedNumbers(size, 'scattered', revision), revision)
    head = (await pushBodies(served, ref, head, bodies)).semver
  }
  await served.hasDroppedRuns()
  const after = `after ${more} more pushes of 1 %`
  note(`objects ${after}`, megabytes(diskBytes(served.objects)))
  note(`database ${after}`, megabytes(await databaseBytes(database)))
  await command(`check ${after}: fsck`, ['fsck'], settings)
  await command(`sweep ${after}`, ['sweep'], settings)
  await command(`backup ${after}`, ['backup', backups], settings)
}

async function newDatabase(name: string): Promise<string> {
  await onServer(postgres.url, (client) => client.query(`create database ${name}`))
  return new URL(`/${name}`, postgres.url).href
}

function databaseBytes(url: string): Promise<number> {
  return onServer(url, async (client) => {
    const { rows } = await client.query<{ bytes: number }>(
      'select pg_database_size(current_database())::double precision as bytes',
    )
    return rows[0]!.bytes
  })
}

/** CPU time of ended children of this process. Milliseconds: fields 16 and 17 of proc(5), in hundredths of a second. */
function cpuOfEnded(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return 10 * (Number(fields[13]) + Number(fields[14]))
}

/** Runs a command of the server, and notes its cost. @throws Error with its output if it fails */
async function command(row: string, words: string[], settings: Record<string, string>): Promise<void> {
  let output = ''
  const [from, before] = [performance.now(), cpuOfEnded()]
  const child = tied(
    spawn(process.execPath, [program, ...words], {
      env: { PATH: process.env['PATH'], TMPDIR: process.env['TMPDIR'], ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  const memory = watchMemory(child.pid!)
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-5_000)
    })
  const code = await new Promise((resolve) => child.once('close', resolve))
  const { all } = memory.stop()
  if (code !== 0) throw new Error(`ulmus-server ${words.join(' ')} exited with ${code}.\n${output}`)
  note(row, cost(performance.now() - from, cpuOfEnded() - before, all))
}
