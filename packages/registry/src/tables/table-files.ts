/**
 * Table files of a server: a cache on its disk, in no digest and no backup. A file belongs to a record tree and a schema, so that all
 * versions, forks and views with both share it. The least recently used files are evicted.
 */
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Hash, JsonObject, TableColumn, Tree } from '@ulmus/content'
import { createStatement, insertStatement, misfitsStatement } from './engine/build-sql.ts'
import { formFor } from './engine/column-sql.ts'
import type { Engine } from './engine/engine.ts'
import type { Statement } from './engine/query-sql.ts'

/** Number of the mapping from schemas to columns (`tableColumns`). Files of other numbers are evicted first. */
const mapping = 't1'
/** Records that the engine reads at a time. Bytes. */
const partBytes = 33_554_432

/** A table to be made: a record tree and its schema. */
export interface TableSource {
  readonly tree: Tree
  readonly schema: JsonObject
  readonly schemaHash: Hash
  readonly columns: readonly TableColumn[]
  /** Lines of canonical records, whole. */
  lines(): AsyncIterable<Uint8Array>
}

/** Facts about a table file, stored beside it as JSON. */
export interface TableFacts {
  readonly rows: number
  /** Values that their column cannot represent, by the path of the column. */
  readonly misfits: Readonly<Record<string, number>>
  /** SHA-256 of the file. */
  readonly sha256: string
}

export interface TableFile extends TableFacts {
  readonly path: string
}

export interface Progress {
  rowsDone: number
  readonly rows: number
}

interface Build {
  readonly progress: Progress
  readonly done: Promise<TableFile>
}

export class TableFiles {
  readonly #folder: string
  readonly #engine: Engine
  readonly #bytesMax: number
  /** By key. */
  readonly #builds = new Map<string, Build>()

  constructor(options: { folder: string; engine: Engine; bytesMax: number }) {
    this.#folder = options.folder
    this.#engine = options.engine
    this.#bytesMax = options.bytesMax
  }

  /** The table file, or its build, which is started if there is none. */
  async find(source: TableSource): Promise<TableFile | Build> {
    const key = `${mapping}-${source.tree.root}-${source.schemaHash}`
    const running = this.#builds.get(key)
    if (running !== undefined) return running
    const path = this.#pathOf(key)
    const facts = await readFacts(path)
    if (facts !== undefined) {
      const now = new Date()
      await utimes(path, now, now).catch(() => undefined)
      return { path, ...facts }
    }
    // Another caller may have begun meanwhile.
    const begun = this.#builds.get(key)
    if (begun !== undefined) return begun
    const progress = { rowsDone: 0, rows: source.tree.count }
    const done = this.#build(path, source, progress).finally(() => this.#builds.delete(key))
    done.catch(() => undefined)
    const build = { progress, done }
    this.#builds.set(key, build)
    return build
  }

  #pathOf(key: string): string {
    return join(this.#folder, key.slice(3, 5), `${key}.duckdb`)
  }

  async #build(path: string, source: TableSource, progress: Progress): Promise<TableFile> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const unfinished = `${path}.${randomUUID()}`
    const part = `${unfinished}.ndjson`
    const { columns, schema } = source
    const form = formFor(schema, columns.slice(1))
    const fallible = misfitsStatement(part, columns, form)
    const misfits: Record<string, number> = {}
    try {
      await this.#engine.build(unfinished, [plain(createStatement(columns))])
      for await (const lines of partsOf(source.lines(), part)) {
        const insert = plain(insertStatement(part, columns, form))
        const counting = fallible === undefined ? [] : [plain(fallible.sql)]
        const [, counts] = await this.#engine.build(unfinished, [insert, ...counting])
        for (const [index, at] of (fallible?.paths ?? []).entries())
          misfits[at] = (misfits[at] ?? 0) + Number(counts![0]![index])
        progress.rowsDone += lines
      }
      const [[[rows]]] = (await this.#engine.build(unfinished, [plain('SELECT count(*) FROM records')])) as [
        [[string]],
      ]
      if (Number(rows) !== source.tree.count)
        throw new Error(`The table has ${rows} rows, its tree ${source.tree.count}.`)
      const sha256 = await sha256Of(unfinished)
      const facts: TableFacts = { rows: Number(rows), misfits, sha256 }
      await writeFile(`${path}.json`, JSON.stringify(facts), { mode: 0o600 })
      await rename(unfinished, path)
      await this.evict()
      return { path, ...facts }
    } finally {
      await Promise.all([unfinished, `${unfinished}.wal`, part].map((file) => rm(file, { force: true })))
    }
  }

  /** Deletes the least recently used files until all together have their share of the disk. */
  async evict(): Promise<void> {
    const found: { path: string; bytes: number; usedAt: number }[] = []
    if (!existsSync(this.#folder)) return
    for (const name of await readdir(this.#folder, { recursive: true })) {
      const path = join(this.#folder, name)
      if (!name.endsWith('.duckdb')) continue
      const facts = await stat(path).catch(() => undefined)
      if (facts !== undefined) found.push({ path, bytes: facts.size, usedAt: facts.mtimeMs })
    }
    let bytes = found.reduce((sum, file) => sum + file.bytes, 0)
    for (const file of found.sort((a, b) => a.usedAt - b.usedAt)) {
      if (bytes <= this.#bytesMax) break
      await rm(file.path, { force: true })
      await rm(`${file.path}.json`, { force: true })
      bytes -= file.bytes
    }
  }
}

const plain = (sql: string): Statement => ({ sql, values: [] })

async function readFacts(path: string): Promise<TableFacts | undefined> {
  try {
    const facts = JSON.parse(await readFile(`${path}.json`, 'utf8')) as TableFacts
    await stat(path)
    return facts
  } catch {
    return undefined
  }
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

const newline = 0x0a

/** Writes whole lines to a file, part by part, each anew. @yields the number of lines of a part, which is read before the next */
async function* partsOf(lines: AsyncIterable<Uint8Array>, path: string): AsyncGenerator<number> {
  let file = await open(path, 'w', 0o600)
  try {
    let [bytes, count] = [0, 0]
    for await (const chunk of lines) {
      await file.writeFile(chunk)
      bytes += chunk.length
      for (const byte of chunk) if (byte === newline) count++
      if (bytes < partBytes) continue
      await file.close()
      yield count
      ;[bytes, count] = [0, 0]
      file = await open(path, 'w', 0o600)
    }
    await file.close()
    if (count > 0) yield count
  } finally {
    await file.close().catch(() => undefined)
  }
}
