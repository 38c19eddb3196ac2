import { text } from 'node:stream/consumers'
import type { SqlAnswer } from '@ulmus/client'
import type { Call, Command, CommonFlags } from '../../context.ts'
import { referenceHere } from '../../folder/base/here.ts'
import { pathOf, type Reference } from '../../reference.ts'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { usageError } from '../../terminal/failure.ts'
import { grid } from '../../terminal/grid.ts'
import { shellWord } from '../../terminal/shell-word.ts'
import { counted } from '../../terminal/words.ts'
import { writeAll } from './all-rows.ts'
import { whileBuilding } from './building.ts'
import { writeBody } from './rows.ts'

type SqlFlags = {
  readonly csv: boolean
  readonly ndjson: boolean
  readonly all: boolean
  readonly limit?: number
}

/** `ulmus sql [REF] STATEMENT`: a table on a terminal, CSV for programs. */
const sql: Command<SqlFlags, string[]> = async (call, flags, ...words) => {
  const { csv, ndjson, json, limit, all } = flags
  if ([csv, ndjson, json].filter(Boolean).length > 1)
    throw usageError('--csv, --ndjson and --json exclude each other. Use one of them.')
  if (all && (json || limit !== undefined))
    throw usageError(`--all and ${json ? '--json' : '--limit'} exclude each other. Use one of them.`)
  const { reference, statement } = await questionOf(call, words)
  const { client } = await call.connect({ host: reference.host })
  if (all) return writeAll(call, flags, client, reference, statement)
  const asked = [pathOf(reference), reference.version ?? 'latest', statement] as const
  const width = csv || ndjson ? undefined : call.terminal.columns
  if (json || width !== undefined) {
    const answer = await whileBuilding(call, flags, (options) =>
      client.tables.sql(...asked, { ...options, limit }),
    )
    const isCut = answer.truncated && answer.rows.length < (limit ?? Number.POSITIVE_INFINITY)
    await (json || width === undefined ? call.json(answer) : show(call, flags, answer, width))
    return isCut ? reportCut(call) : undefined
  }
  const response = await whileBuilding(call, flags, (options) =>
    client.tables.sql(...asked, { ...options, limit, format: ndjson ? 'ndjson' : 'csv' }),
  )
  const rows = await writeBody(call, response, { isCsv: !ndjson })
  if (!response.headers.has('x-truncated')) return
  // CSV has a header.
  if (limit !== undefined && rows - (ndjson ? 0 : 1) >= limit) call.warn('There are more rows.')
  else reportCut(call)
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
  const statement = given === '-' ? await text(process.stdin) : given
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

export default sql
