/** DuckDB in a process of its own with one thread: makes a database file from NDJSON, or answers questions about one. */
import { DuckDBInstance } from '@duckdb/node-api'
import type { DuckDbReply, DuckDbTask } from './duckdb-task.ts'

let opened: ReturnType<typeof connect> | undefined
const connect = async (file: string, mode: 'READ_WRITE' | 'READ_ONLY') => {
  const instance = await DuckDBInstance.create(file, { threads: '1', access_mode: mode })
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  return { instance, connection }
}

async function run({ file, writes, statements }: DuckDbTask): Promise<DuckDbReply> {
  const [began, cpuBefore] = [performance.now(), process.cpuUsage()]
  if (!writes) opened ??= connect(file, 'READ_ONLY')
  const one = await (writes ? connect(file, 'READ_WRITE') : opened!)
  const results: unknown[][][] = []
  for (const sql of statements) results.push((await one.connection.runAndReadAll(sql)).getRowsJson())
  if (writes) {
    one.connection.closeSync()
    one.instance.closeSync()
  }
  const { user, system } = process.cpuUsage(cpuBefore)
  return { results, ms: performance.now() - began, cpuMs: (user + system) / 1_000 }
}

process.on('message', async (task: DuckDbTask) => {
  const reply = await run(task).catch((error: Error): DuckDbReply => ({ error: error.message }))
  process.send!(reply)
})
