/**
 * Engine process: runs statements on table files in DuckDB, one task at a time. DuckDB is loaded here and nowhere else, so that a fault or
 * a costly query ends this process and not the server.
 */
import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import { limitCpu, ownCpu } from '../../work/cpu-limit.ts'
import { becomeExpendable, endWithServer } from '../../work/expendable.ts'
import { type EngineReply, type EngineTask, openFilesMax } from './engine-task.ts'

/** Blocks of a small table. DuckDB's own, 262,144 bytes, make a file of 536,576 for one record; these, of some 50,000. Bytes. */
const smallBlockBytes = '16384'

interface Opened {
  readonly instance: DuckDBInstance
  readonly connection: DuckDBConnection
}

/** In the order of their last use. */
const open = new Map<string, Opened>()
/** Files that are being built, each in one transaction: opening and closing a large file takes seconds. */
const building = new Map<string, Opened>()

function close({ instance, connection }: Opened): void {
  connection.closeSync()
  // Ends the lock on the file.
  instance.closeSync()
}

async function connect({ file, writes, scratch, memoryMebibytes, isSmall }: EngineTask): Promise<Opened> {
  const instance = await DuckDBInstance.create(file, {
    threads: '1',
    memory_limit: `${memoryMebibytes}MiB`,
    access_mode: writes ? 'READ_WRITE' : 'READ_ONLY',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    temp_directory: scratch ?? '',
    max_temp_directory_size: '4GB',
    ...(isSmall && { default_block_size: smallBlockBytes }),
  })
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  // Its time grows with the square of the columns, and statements that build a table repeat nothing long.
  if (writes) await connection.run("SET disabled_optimizers = 'common_subexpressions'")
  return { instance, connection }
}

/** An open table file, or a new one; undefined if it was begun in a process that has ended. */
async function opened(task: EngineTask): Promise<Opened | undefined> {
  const { file, writes, begins, scratch } = task
  if (writes) {
    const one = begins ? await connect(task) : building.get(file)
    if (one !== undefined) building.set(file, one)
    return one
  }
  const found = open.get(file)
  open.delete(file)
  // A sort has a folder of its own.
  if (found !== undefined && scratch !== undefined) close(found)
  const one = found === undefined || scratch !== undefined ? await connect(task) : found
  if (scratch !== undefined) return one
  open.set(file, one)
  const [oldest] = open.keys()
  if (open.size > openFilesMax) {
    close(open.get(oldest!)!)
    open.delete(oldest!)
  }
  return one
}

/** Closes a file that no other task needs, so that other processes can open it. */
function finish({ file, writes, ends, scratch }: EngineTask, one: Opened): void {
  if (writes ? ends : scratch !== undefined) close(one)
  if (ends) building.delete(file)
}

async function run(task: EngineTask): Promise<EngineReply> {
  let one: Opened | undefined
  try {
    one = await opened(task)
  } catch (error) {
    return { error: (error as Error).message, kind: 'unreadable' }
  }
  if (one === undefined)
    return { error: 'The process that began to build the table has ended.', kind: 'lost' }
  const { connection } = one
  let isWaiting = false
  const endLimit = limitCpu(task.milliseconds, ownCpu, (isCostly) => {
    isWaiting = !isCostly
    connection.interrupt()
  })
  try {
    const results: unknown[][][] = []
    for (const { sql, values } of task.statements) {
      const reader = await connection.runAndReadAll(sql, values as DuckDBValue[])
      results.push(reader.getRowsJson())
    }
    return { results }
  } catch (error) {
    return { error: (error as Error).message, kind: isWaiting ? 'waiting' : 'failed' }
  } finally {
    endLimit()
    finish(task, one)
  }
}

becomeExpendable()
endWithServer()
process.on('message', async (task: EngineTask) => {
  process.send!(await run(task))
})
