/**
 * Engine process: runs statements on table files in DuckDB, one task at a time. DuckDB is loaded here and nowhere else, so that a fault or
 * a costly query ends this process and not the server.
 */
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import type { EngineReply, EngineTask } from './engine-task.ts'

/** Table files that stay open: opening one takes some 20 ms. */
const openFilesMax = 4

/** In the order of their last use. Those that are written are closed at once, so that others can open them. */
const open = new Map<string, DuckDBConnection>()

async function connect({ file, writes }: EngineTask): Promise<DuckDBConnection> {
  const found = open.get(file)
  open.delete(file)
  const instance =
    found ??
    (await (
      await DuckDBInstance.create(file, {
        threads: '1',
        memory_limit: '512MB',
        access_mode: writes ? 'READ_WRITE' : 'READ_ONLY',
        autoinstall_known_extensions: 'false',
        autoload_known_extensions: 'false',
        temp_directory: '',
      })
    ).connect())
  if (found === undefined) await instance.run("SET TimeZone = 'UTC'")
  if (!writes) open.set(file, instance)
  const [oldest] = open.keys()
  if (open.size > openFilesMax) {
    open.get(oldest!)!.closeSync()
    open.delete(oldest!)
  }
  return instance
}

async function run(task: EngineTask): Promise<EngineReply> {
  const connection = await connect(task)
  const timer = setTimeout(() => connection.interrupt(), task.milliseconds)
  try {
    const results: unknown[][][] = []
    for (const { sql, values } of task.statements) {
      const reader = await connection.runAndReadAll(sql, values as DuckDBValue[])
      results.push(reader.getRowsJson())
    }
    return { results }
  } catch (error) {
    return { error: (error as Error).message }
  } finally {
    clearTimeout(timer)
    if (task.writes) connection.closeSync()
  }
}

process.on('message', (task: EngineTask) => {
  run(task).then(
    (reply) => process.send!(reply),
    // The file cannot be opened.
    (error: unknown) => process.send!({ error: (error as Error).message } satisfies EngineReply),
  )
})
