/** DuckDB alone: a table file made from the same NDJSON, without our server. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { tied } from '../children.ts'
import type { DuckDbReply, DuckDbTask } from './duckdb-task.ts'
import type { Contender } from './turns.ts'

const structs = {
  Agency: 'STRUCT(name VARCHAR, region VARCHAR, budget DOUBLE)',
  Permit: `STRUCT(title VARCHAR, status VARCHAR, country VARCHAR, agency VARCHAR, officer VARCHAR, amount DOUBLE, visits BIGINT,
    urgent BOOLEAN, opened DATE, updated TIMESTAMPTZ, place STRUCT(name VARCHAR, latitude DOUBLE, longitude DOUBLE), tags VARCHAR[],
    summary VARCHAR)`,
}

const createStatement = (type: keyof typeof structs, path: string): string =>
  `CREATE TABLE "${type}" AS SELECT id AS _id, unnest(data)
   FROM read_ndjson('${path}', columns = {id: 'VARCHAR', data: '${structs[type]}'})`

export class DuckDb implements Contender {
  readonly #child: ChildProcess
  readonly #file: string

  constructor(file: string) {
    this.#file = file
    this.#child = tied(fork(fileURLToPath(new URL('./duckdb-program.ts', import.meta.url))))
  }

  /** Makes the file. CPU of the calling process does not count, nor the start of Node. @param paths NDJSON of each type */
  async build(paths: Partial<Record<keyof typeof structs, string>>): Promise<{ cpuMs: number }> {
    const types = Object.entries(paths) as [keyof typeof structs, string][]
    const statements = types.map(([type, path]) => createStatement(type, path))
    return this.#run({ file: this.#file, writes: true, statements })
  }

  ask(statements: readonly string[]) {
    return this.#run({ file: this.#file, writes: false, statements })
  }

  async close(): Promise<void> {
    const gone = once(this.#child, 'exit')
    this.#child.kill('SIGKILL')
    await gone
  }

  async #run(task: DuckDbTask) {
    const replied = once(this.#child, 'message') as Promise<[DuckDbReply]>
    this.#child.send(task)
    const [reply] = await replied
    if (reply.error !== undefined) throw new Error(`DuckDB: ${reply.error}`)
    return reply
  }
}
