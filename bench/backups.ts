/**
 * Measures backups of a running server, the first and one after a push of 1 %, with the latency of a reader meanwhile, and a restore: on
 * both databases, objects in a folder, at 300,000 records, and again with 200,000 rows more. Prints one table row for each.
 * Usage: npm run bench:backups [-- --records 300000 --databases embedded,server]
 */
import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { onServer } from '@ulmus/storage/testing'
import { startPostgres } from '@ulmus/storage/testing/postgres'
import { bodiesOf, bodiesOfChanges, writeInput } from './inputs.ts'
import { pushBodies } from './pushing.ts'
import { changedNumbers, firstOf } from './records.ts'
import { Served } from './served.ts'

const { values } = parseArgs({
  options: {
    records: { type: 'string', default: '300000' },
    databases: { type: 'string', default: 'embedded,server' },
  },
})
const size = Number(values.records)
const moreRows = 200_000
const run = promisify(execFile)
const say = (cells: readonly (string | number)[]): void =>
  void process.stdout.write(`| ${cells.join(' | ')} |\n`)
const program = join(import.meta.dirname, '../apps/server/start.js')

const folder = mkdtempSync(join(tmpdir(), 'ulmus-bench-backups-'))
chmodSync(folder, 0o711)
const postgres = await startPostgres(join(folder, 'postgres'))
try {
  const input = await writeInput(folder, size, firstOf('big'))
  say(['database', 'what', 'seconds', 'copied', 'longest wait of a reader, ms'])
  say(['---', '---', '---', '---', '---'])
  for (const kind of ['embedded', 'server'] as const)
    if (values.databases.split(',').includes(kind)) await measure(kind, input)
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function newDatabase(name: string): Promise<string> {
  await onServer(postgres.url, `create database ${name}`)
  return new URL(`/${name}`, postgres.url).href
}

async function measure(
  kind: 'embedded' | 'server',
  input: Awaited<ReturnType<typeof writeInput>>,
): Promise<void> {
  const home = join(folder, kind)
  const databaseUrl = kind === 'server' ? await newDatabase('source') : undefined
  const served = await Served.open({ folder: join(home, 'data'), ...(databaseUrl && { databaseUrl }) })
  try {
    const ref = `${served.owner}/big`
    await served.client.collections.create(served.owner, { slug: 'big' })
    await pushBodies(served, ref, null, bodiesOf(input))
    const environment = settings(join(home, 'data'), databaseUrl)
    const backUp = (what: string) =>
      timed(served, ref, kind, what, ['backup', join(home, 'backups')], environment)
    await backUp('the first')
    await backUp('unchanged since')
    await pushBodies(served, ref, 'v1.0.0', bodiesOfChanges(changedNumbers(size, 'scattered', 1), 1))
    await backUp('after a push of 1 %')
    await served.inDatabase(async (database) => {
      await database.query(
        `insert into accounts (id, slug, type, display_name, created_at)
         select gen_random_uuid(), 'account-' || n, 'user', 'Account ' || n, now() from generate_series(1, ${moreRows}) as n`,
      )
    })
    await backUp(`with ${moreRows.toLocaleString('en')} rows more`)
  } finally {
    await served.stop()
  }
  const target = kind === 'server' ? await newDatabase('target') : undefined
  const into = settings(join(home, 'restored'), target)
  await timed(undefined, '', kind, 'restore', ['restore', join(home, 'backups')], into)
  const { stdout } = await run(process.execPath, [program, 'fsck'], { env: into })
  if (!stdout.includes('nothing is damaged')) throw new Error(stdout)
  await served.close()
}

function settings(dataFolder: string, databaseUrl: string | undefined): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    DATA_DIR: dataFolder,
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  }
}

/** Runs a command, and reads a collection from the server meanwhile. */
async function timed(
  served: Served | undefined,
  ref: string,
  kind: string,
  what: string,
  command: string[],
  env: NodeJS.ProcessEnv,
): Promise<void> {
  let longest = 0
  let isDone = false
  const asking = (async () => {
    while (served !== undefined && !isDone) {
      const from = performance.now()
      await (await served.ask(`/api/collections/${ref}`)).arrayBuffer()
      longest = Math.max(longest, performance.now() - from)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })()
  const from = performance.now()
  const { stdout } = await run(process.execPath, [program, ...command], { env })
  const seconds = (performance.now() - from) / 1_000
  isDone = true
  await asking
  const [, bytes = ''] = /of which \d+ of (\d+) bytes/.exec(stdout) ?? []
  const copied = bytes === '' ? '' : `${(Number(bytes) / 1e6).toFixed(1)} MB`
  say([kind, what, seconds.toFixed(1), copied, served === undefined ? '' : Math.round(longest)])
}
