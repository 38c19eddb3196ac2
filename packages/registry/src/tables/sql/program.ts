/**
 * Process that runs SQL of callers on a few table files: without privileges, settings and access to files. It serves one view of one version
 * and answers one statement at a time; the server ends it after an error.
 */
import { closeSync, openSync } from 'node:fs'
import {
  type DuckDBConnection,
  type DuckDBDataChunk,
  DuckDBInstance,
  type DuckDBType,
  type DuckDBValue,
  type DuckDBValueConverter,
  type Json,
  JsonDuckDBValueConverter,
  StatementType,
} from '@duckdb/node-api'
import { limitCpu, ownCpu } from '../../work/cpu-limit.ts'
import { becomeExpendable, endWithServer } from '../../work/expendable.ts'
import { literal, quoted, storedName, tableName } from '../engine/column-sql.ts'
import { type ParquetAnswer, pathOf, readParquet, sizeOf, writeParquet } from './parquet.ts'
import type { SqlColumn, SqlFormat, SqlNamesTask, SqlReply, SqlTables, SqlTask } from './sql-task.ts'

/** Characters of a message. */
const pieceCharacters = 262_144

/** User and group without rights, which a server that runs as root gives its statements. */
const unprivileged = 65_534

function dropPrivileges(): void {
  if (process.getuid?.() !== 0) return
  process.setgroups!([])
  process.setgid!(unprivileged)
  process.setuid!(unprivileged)
}

/**
 * Makes the path of an attached table file lead nowhere. DuckDB keeps the file open, and lets statements read attached files by their
 * paths: `read_blob` would return the raw bytes of the file.
 */
function hide(file: string): void {
  const descriptor = /^\/proc\/self\/fd\/(\d+)$/.exec(file)?.[1]
  if (descriptor === undefined) return
  closeSync(Number(descriptor))
  // The lowest free number: the same.
  openSync('/dev/null', 'r')
}

async function open({ tables, memoryMebibytes, answerFile }: SqlTables): Promise<DuckDBConnection> {
  dropPrivileges()
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: `${memoryMebibytes}MiB`,
    temp_directory: '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
    allow_community_extensions: 'false',
  })
  const connection = await instance.connect()
  for (const [index, { file, name, columns }] of tables.entries()) {
    await connection.run(`ATTACH ${literal(file)} AS t${index} (READ_ONLY)`)
    hide(file)
    const selected = columns.map((column) => `${storedName(column)} AS ${quoted(column)}`)
    await connection.run(
      `CREATE VIEW ${quoted(name)} AS SELECT ${selected.join(', ')} FROM t${index}.${tableName}`,
    )
  }
  await connection.run("SET TimeZone = 'UTC'")
  if (answerFile !== undefined) await connection.run(`SET allowed_paths = [${literal(pathOf(answerFile))}]`)
  await connection.run('SET enable_external_access = false')
  await connection.run('SET lock_configuration = true')
  return connection
}

/** JSON with integers as numbers where these are exact. */
const converter: DuckDBValueConverter<Json> = (value, type, nested) =>
  typeof value === 'bigint'
    ? Number.isSafeInteger(Number(value))
      ? Number(value)
      : String(value)
    : (JsonDuckDBValueConverter as DuckDBValueConverter<Json>)(value as DuckDBValue, type, nested)

const typeText = (type: DuckDBType): string => type.alias ?? String(type)

/** A cell of CSV: null is empty, an empty text is `""`. */
function csvCell(value: Json | null): string {
  if (value === null) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

type TextFormat = Exclude<SqlFormat, 'parquet'>

const headOf: Record<TextFormat, (columns: readonly SqlColumn[]) => string> = {
  json: (columns) => `{"columns":${JSON.stringify(columns)},"rows":[`,
  csv: (columns) => `${columns.map(({ name }) => csvCell(name)).join(',')}\n`,
  ndjson: () => '',
}

const rowOf: Record<TextFormat, (row: readonly (Json | null)[], names: readonly string[]) => string> = {
  json: (row) => JSON.stringify(row),
  csv: (row) => `${row.map(csvCell).join(',')}\n`,
  ndjson: (row, names) =>
    `${JSON.stringify(Object.fromEntries(row.map((value, index) => [names[index]!, value])))}\n`,
}

const send = (reply: SqlReply) => process.send!(reply)

/** Sends a text in messages of bounded length: the server reads each in one turn of its event loop. Splits no surrogate pair. */
function sendText(text: string): void {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + pieceCharacters, text.length)
    if (end < text.length && /[\ud800-\udbff]/.test(text[end - 1]!)) end--
    send({ kind: 'piece', text: text.slice(start, end) })
    start = end
  }
}

async function run(connection: DuckDBConnection, task: SqlTask): Promise<SqlReply> {
  const began = performance.now()
  const statements = await connection.extractStatements(task.sql)
  if (statements.count !== 1)
    return { kind: 'refused', reason: 'invalid', message: 'Send one statement at a time.' }
  const prepared = await statements.prepare(0)
  if (prepared.statementType !== StatementType.SELECT)
    return { kind: 'refused', reason: 'invalid', message: 'The statement must be a SELECT.' }
  if (prepared.parameterCount > 0)
    return {
      kind: 'refused',
      reason: 'invalid',
      message: 'The statement has parameters. Write their values instead.',
    }
  const result = await prepared.stream()
  const names = result.deduplicatedColumnNames()
  const types = result.columnTypes()
  const columns = names.map((name, index): SqlColumn => ({ name, type: typeText(types[index]!) }))
  // Parquet has the rows that JSON would have.
  const format = task.format === 'parquet' ? 'json' : task.format
  let text = headOf[format](columns)
  let [rows, bytes, isCut] = [0, Buffer.byteLength(text), false]
  if (bytes > task.bytesMax) {
    const message = `The names and types of the columns take more than the ${task.bytesMax} bytes of an answer. Select fewer columns.`
    return { kind: 'refused', reason: 'invalid', message }
  }
  const chunks: DuckDBDataChunk[] = []
  for await (const chunk of result) {
    const before = rows
    for (let index = 0; index < chunk.rowCount; index++) {
      // Row by row: a chunk may be larger than the heap.
      const next = rowOf[format](chunk.convertRowValues(index, converter), names)
      bytes += Buffer.byteLength(next)
      isCut = rows === task.rowsMax || bytes > task.bytesMax
      if (isCut) break
      rows++
      if (task.format === 'parquet') continue
      text += format === 'json' && rows > 1 ? `,${next}` : next
      if (text.length < pieceCharacters) continue
      sendText(text)
      text = ''
    }
    chunk.rowCount = rows - before
    if (task.format === 'parquet' && chunk.rowCount > 0) chunks.push(chunk)
    if (isCut) break
  }
  if (task.format === 'parquet') {
    const refused = await sendParquet(connection, task, {
      names,
      types: types.map(({ typeId }) => typeId),
      chunks,
    })
    return refused ?? { kind: 'end', truncated: isCut }
  }
  const ms = Math.round((performance.now() - began) * 10) / 10
  if (task.format === 'json') text += `],"truncated":${isCut},"ms":${ms}}`
  sendText(text)
  return { kind: 'end', truncated: isCut }
}

/** A file may have twice the bytes of its rows: nested columns have much of their own. */
const parquetTimes = 2

async function sendParquet(
  connection: DuckDBConnection,
  { sql, bytesMax }: SqlTask,
  answer: Omit<ParquetAnswer, 'sql'>,
): Promise<SqlReply | undefined> {
  if (answerFile === undefined)
    return { kind: 'refused', reason: 'unavailable', message: 'it writes Parquet of answers on Linux only' }
  try {
    await writeParquet(connection, { sql, ...answer }, answerFile)
  } catch (error) {
    if (!(error as Error).message.startsWith('IO Error')) throw error
    return { kind: 'refused', reason: 'unavailable', message: 'its disk takes no Parquet file' }
  }
  if (sizeOf(answerFile) > parquetTimes * bytesMax) {
    const message = 'The Parquet file of the answer is too large. Select fewer columns, or ask for CSV.'
    return { kind: 'refused', reason: 'invalid', message }
  }
  for (const text of readParquet(answerFile)) send({ kind: 'piece', text })
  return undefined
}

function refusalOf(error: unknown, isWaiting: boolean): SqlReply {
  const message = (error as Error).message
  const reason = message.startsWith('INTERRUPT')
    ? isWaiting
      ? 'busy'
      : 'interrupted'
    : /^Out of Memory|bad_alloc/.test(message)
      ? 'memory'
      : 'invalid'
  return { kind: 'refused', reason, message }
}

becomeExpendable()
let connected: Promise<DuckDBConnection> | undefined
let answerFile: number | undefined
process.on('message', async (message: SqlTables | SqlNamesTask | SqlTask) => {
  if ('tables' in message) {
    answerFile = message.answerFile
    connected = open(message)
    await connected
    send({ kind: 'ready' })
    return
  }
  const connection = await connected!
  if ('namesIn' in message) {
    send({ kind: 'names', names: connection.getTableNames(message.namesIn, false) })
    return
  }
  let isWaiting = false
  const interrupt = (isCostly: boolean) => {
    isWaiting = !isCostly
    connection.interrupt()
  }
  const endLimit = limitCpu(message.milliseconds, ownCpu, interrupt, { maySleep: true })
  try {
    send(await run(connection, message))
  } catch (error) {
    send(refusalOf(error, isWaiting))
  } finally {
    endLimit()
  }
})
endWithServer()
