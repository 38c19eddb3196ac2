/** The first table of a version from the store, its Parquet file, and versions that share it. */
import { globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { diskBytes, timed } from '../measure.ts'
import type { Served } from '../served.ts'
import { DuckDb } from './duckdb.ts'
import { cpuOfTree, watchMemory } from './process-tree.ts'
import { idOf } from './records.ts'
import { type Row, rowOf } from './report.ts'
import { inTurns, type Spread, spreadOf, type Version } from './turns.ts'

/** Pause between two reads beside a build. Milliseconds. */
const pauseMs = 15
const quietReads = 400
const mebibyte = 2 ** 20

const folderOf = (served: Served) => join(served.folder, 'tables')
const filesOf = (served: Served) => globSync('*/*.duckdb', { cwd: folderOf(served) }).length
const single = (value: number): Spread => ({ median: value, p95: value })

/** Asks until the table is built: the server answers 202 after two seconds. */
export async function answerOf<T>(served: Served, path: string): Promise<T> {
  for (;;) {
    const response = await served.ask(path)
    const answer = (await response.json()) as T
    if (response.status !== 202) return answer
  }
}

export async function readRecord({ served, path, size }: Version): Promise<number> {
  const n = Math.floor(Math.random() * size)
  return (await timed(() => served.json(`${path}/records/Permit/${idOf(n)}`))).ms
}

/** Restarts the server, without tables. It has answered some reads. */
async function startEmpty(version: Version): Promise<void> {
  const { served } = version
  await served.stop()
  rmSync(folderOf(served), { recursive: true, force: true })
  await served.start()
  for (let read = 0; read < 50; read++) await readRecord(version)
}

const firstAnswer = ({ served, path }: Version) => answerOf(served, `${path}/tables/Permit/rows?limit=1`)

/**
 * CPU of the first answer, by turns with DuckDB alone.
 * @param permits NDJSON of the records; undefined: no turns
 */
export async function firstTable(
  version: Version,
  permits: string | undefined,
  folder: string,
): Promise<Row[]> {
  const { served, runs, bytes } = version
  const built: { s: number; peak: ReturnType<ReturnType<typeof watchMemory>['stop']> }[] = []
  const fileBytes = { Ulmus: 0, DuckDB: 0 }
  const ulmus = async () => {
    await startEmpty(version)
    const memory = watchMemory(served.pid)
    const before = cpuOfTree(served.pid)
    const { ms } = await timed(() => firstAnswer(version))
    const cpuMs = cpuOfTree(served.pid) - before
    built.push({ s: ms / 1_000, peak: memory.stop() })
    fileBytes.Ulmus = diskBytes(folderOf(served))
    return cpuMs / 1_000
  }
  const alone = async (Permit: string) => {
    const file = join(folder, 'alone.duckdb')
    const duckdb = new DuckDb(file)
    const { cpuMs } = await duckdb.build({ Permit })
    await duckdb.close()
    fileBytes.DuckDB = diskBytes(file)
    rmSync(file)
    return cpuMs / 1_000
  }
  const turns = permits === undefined ? {} : { DuckDB: () => alone(permits) }
  const cpu = await inTurns(runs, { Ulmus: ulmus, ...turns })
  const ours = (of: (one: (typeof built)[number]) => number) => spreadOf(built.slice(-runs).map(of))
  return [
    rowOf('first table: CPU to the first answer', cpu, { unit: 's', budget: [{ times: 1.8, of: 'DuckDB' }] }),
    rowOf('first table: time', { Ulmus: ours(({ s }) => s) }, { unit: 's' }),
    rowOf(
      'first table: peak resident memory, all processes',
      { Ulmus: ours(({ peak }) => peak.all) },
      { unit: 'MiB', budget: [{ atMost: 400 }] },
    ),
    rowOf('the server alone at that peak', { Ulmus: ours(({ peak }) => peak.root) }, { unit: 'MiB' }),
    rowOf('all processes before', { Ulmus: ours(({ peak }) => peak.before) }, { unit: 'MiB' }),
    rowOf(
      'table file, against the canonical bytes',
      {
        Ulmus: single(fileBytes.Ulmus / bytes),
        ...(permits !== undefined && { DuckDB: single(fileBytes.DuckDB / bytes) }),
      },
      { unit: '×' },
    ),
  ]
}

/** Reads of single records while a table is built, and afterwards. */
export async function readsBeside(version: Version): Promise<Row[]> {
  const beside: number[] = []
  for (let run = 0; run < Math.min(version.runs, 3); run++) {
    await startEmpty(version)
    let isBuilt = false
    const building = firstAnswer(version).finally(() => {
      isBuilt = true
    })
    while (!isBuilt) {
      beside.push(await readRecord(version))
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    await building
  }
  const quiet: number[] = []
  for (let read = 0; read < quietReads; read++) quiet.push(await readRecord(version))
  const p99 = (values: number[]) => ({ Ulmus: single(spreadOf(values).p99) })
  return [
    rowOf('one record while a table is built, p99', p99(beside), { budget: [{ ms: 100 }] }),
    rowOf('one record otherwise, p99', p99(quiet)),
  ]
}

export async function parquet({ served, path, bytes }: Version): Promise<Row[]> {
  // The first answer makes the file.
  const place = `${path}/tables/Permit.parquet`
  const { ms, value } = await timed(async () => {
    let length = 0
    for await (const chunk of (await served.ask(place)).body!) length += chunk.length
    return length
  })
  const made = `Parquet: made and sent, ${Math.round(value / mebibyte)} MiB`
  return [
    rowOf(
      'Parquet, against the canonical bytes',
      { Ulmus: single(value / bytes) },
      { unit: '×', budget: [{ atMost: 0.25 }] },
    ),
    rowOf(made, { Ulmus: single(ms / 1_000) }, { unit: 's' }),
  ]
}

/** A metadata update and a fork: questions about both must find the table that is there. */
export async function sharing({ served, ref, runs }: Version): Promise<Row[]> {
  const before = { files: filesOf(served), bytes: diskBytes(folderOf(served)) }
  for (let run = 0; run < runs; run++) {
    await served.client.metadata.patch(ref, { description: `Time ${run}.` })
    const slug = `fork-${run}`
    await served.client.collections.fork(ref, { targetOrg: served.org, slug })
    for (const place of [ref, `${served.org}/${slug}`])
      await answerOf(served, `/api/collections/${place}/versions/latest/tables/Permit/rows?limit=1`)
  }
  const files = { Ulmus: single(filesOf(served) - before.files) }
  const bytes = { Ulmus: single(diskBytes(folderOf(served)) - before.bytes) }
  const what = `${runs} metadata updates and ${runs} forks, each asked`
  return [
    rowOf(`table files made by ${what}`, files, { unit: 'files', budget: [{ atMost: 0 }] }),
    rowOf(`bytes made by ${what}`, bytes, { unit: 'bytes', budget: [{ atMost: 0 }] }),
  ]
}
