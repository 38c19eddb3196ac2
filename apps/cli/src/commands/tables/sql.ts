import { text as textOf } from 'node:stream/consumers'
import type { Client, SqlAnswer } from '@ulmus/client'
import { counted } from '@ulmus/content/quantities'
import { command, noun } from '../../command.ts'
import type { Call, CommonFlags } from '../../context.ts'
import { referenceHere } from '../../folder/base/here.ts'
import { count, flag, required, text } from '../../parameters.ts'
import { pathOf, type Reference } from '../../reference.ts'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { usageError } from '../../terminal/failure.ts'
import { grid } from '../../terminal/grid.ts'
import { shellWord } from '../../terminal/shell-word.ts'
import { writeAll } from './all-rows.ts'
import { whileBuilding } from './building.ts'
import { demandTarget, saveParquet, writeBody } from './rows.ts'

type SqlFlags = {
  readonly csv: boolean
  readonly ndjson: boolean
  readonly parquet: boolean
  readonly output?: string
  readonly all: boolean
  readonly limit?: number
}

/** `ulmus sql [REF] STATEMENT`: a table on a terminal, CSV for programs. */
const sql = command<SqlFlags, string[]>({
  brief: 'Ask a question in SQL',
  description:
    'Each type of the version is a table of DuckDB’s SQL. Prints a table on a terminal, otherwise CSV.',
  examples: [
    'ulmus sql mercator/countries "SELECT region, count(*) FROM Country GROUP BY region"',
    'ulmus sql mercator/countries@v1.0.0 "SELECT name.common, area FROM Country" --csv > areas.csv',
    'ulmus sql mercator/cities "SELECT name, country FROM City" --all > names.csv',
    'ulmus sql mercator/cities "SELECT * FROM City WHERE country = \'NOR\'" --parquet -o norway.parquet',
    'ulmus sql mercator/cities - < question.sql',
  ],
  page: 'Run a [SELECT statement](#sql) on the types of a version: a table on a terminal, otherwise CSV. `--csv`, `--ndjson`, `--limit`; `--parquet` writes a Parquet file, to standard output or to `-o`, `--output`; exits with 7 if the registry cut the answer (10,000 rows, 16 MiB); `--all` writes all rows; `-` reads the statement from standard input',
  flags: {
    csv: flag('Write CSV (default without a terminal)'),
    ndjson: flag('Write one JSON object per line'),
    parquet: flag('Write a Parquet file'),
    output: text('file', 'Output file of --parquet (default: standard output)'),
    limit: count('rows', 'Maximum number of rows (default and maximum: 10000)'),
    all: flag('Write all rows, in the order of their columns'),
  },
  aliases: { o: 'output' },
  positional: {
    kind: 'array',
    minimum: 1,
    maximum: 2,
    parameter: required(
      'reference and statement',
      'owner/slug or …@v1.2.0 (default: the collection of the working folder), then a SELECT, or - for standard input',
    ),
  },
  run: async (call, flags, ...words) => {
    const { csv, ndjson, json, limit, all } = flags
    demandUsable(flags)
    const { reference, statement } = await questionOf(call, words)
    const { client } = await call.connect({ host: reference.host })
    if (all) return writeAll(call, flags, client, reference, statement)
    const question = [pathOf(reference), reference.version ?? 'latest', statement] as const
    if (flags.parquet) return writeParquet(call, flags, client, question)
    const width = csv || ndjson ? undefined : call.terminal.columns
    if (json || width !== undefined) {
      const answer = await whileBuilding(call, flags, (options) =>
        client.tables.sql(...question, { ...options, limit }),
      )
      const isCut = answer.truncated && answer.rows.length < (limit ?? Number.POSITIVE_INFINITY)
      await (json || width === undefined ? call.json(answer) : show(call, flags, answer, width))
      return isCut ? reportCut(call) : undefined
    }
    const response = await whileBuilding(call, flags, (options) =>
      client.tables.sql(...question, { ...options, limit, format: ndjson ? 'ndjson' : 'csv' }),
    )
    const rows = await writeBody(call, response, { isCsv: !ndjson })
    if (!response.headers.has('x-truncated')) return
    // CSV has a header.
    if (limit !== undefined && rows - (ndjson ? 0 : 1) >= limit) call.warn('There are more rows.')
    else reportCut(call)
  },
})

/** @throws usageError for flags that exclude each other */
function demandUsable({ csv, ndjson, json, parquet, output, limit, all }: SqlFlags & CommonFlags): void {
  if ([csv, ndjson, json && output === undefined, parquet].filter(Boolean).length > 1)
    throw usageError('--csv, --ndjson, --parquet and --json exclude each other. Use one of them.')
  if (all && (json || limit !== undefined || parquet))
    throw usageError(
      `--all and ${json ? '--json' : parquet ? '--parquet' : '--limit'} exclude each other. Use one of them.`,
    )
  if (parquet && limit !== undefined)
    throw usageError('--parquet and --limit exclude each other. Write LIMIT in the statement.')
  if (output !== undefined && !parquet)
    throw usageError('--output names the file of --parquet. Redirect other forms with `>`.')
}

type Question = readonly [collection: string, version: string, statement: string]

async function writeParquet(call: Call, flags: SqlFlags & CommonFlags, client: Client, question: Question) {
  demandTarget(call, flags)
  const response = await whileBuilding(call, flags, (options) =>
    client.tables.sql(...question, { ...options, format: 'parquet' }),
  )
  const [collection, version] = question
  await saveParquet(call, flags, response, { facts: {}, of: `an answer of ${collection}@${version}` })
  if (response.headers.has('x-truncated')) reportCut(call)
}

/** The caller did not ask for fewer rows, so a script must not take them for all. */
function reportCut(call: Call): void {
  call.warn(
    'The answer was cut: one has at most 10,000 rows and 16 MiB. Write all rows with --all, select less, or download a whole type with ulmus get.',
  )
  call.terminal.fail(exitCodes.cut)
}

/** A text that can only be a reference: it has no spaces. */
const likeReference = /^(?:https?:\/\/\S+|[a-z0-9-]+\/[a-z0-9-]+(?:[@#]\S*)?|[@#]\S*)$/

async function questionOf(
  { terminal }: Call,
  words: readonly string[],
): Promise<{ reference: Reference; statement: string }> {
  const [first = '', second] = words
  const given = second ?? first
  if (second === undefined && likeReference.test(first))
    throw usageError('No statement given. Write it in quotes, or - to read it from standard input.', [
      `ulmus sql ${shellWord(first)} 'SELECT …'`,
    ])
  const reference = referenceHere(terminal.cwd, second === undefined ? undefined : first)
  if (reference.type !== undefined)
    throw usageError('A statement is about all types of a version. Remove the part from `#`.')
  const statement = given === '-' ? await textOf(process.stdin) : given
  if (statement.trim() === '') throw usageError('The statement is empty.')
  return { reference, statement }
}

const numberTypes = /^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|FLOAT|DOUBLE|DECIMAL\(.*\))$/

async function show(
  call: Call,
  { quiet }: CommonFlags & SqlFlags,
  { columns, rows, truncated }: SqlAnswer,
  width: number,
): Promise<void> {
  await call.terminal.page()
  await grid(
    call,
    columns.map(({ name, type }) => ({ head: name, isNumber: numberTypes.test(type) })),
    rows.map((row) => row.map(cellOf)),
    width,
  )
  if (!quiet) await call.line(`(${counted(rows.length, 'row')})${truncated ? ' There are more rows.' : ''}`)
}

function cellOf(value: unknown): string | null {
  if (value === null || typeof value === 'string') return value
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

export default noun({
  section: 'Reading',
  words: {
    sql: { command: sql, group: 'Read', place: 40, line: ['sql REF STATEMENT', 'ask a question in SQL'] },
  },
})
