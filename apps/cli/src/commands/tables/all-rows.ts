/**
 * All rows of a statement, page by page: `ulmus sql --all`. The pages are of one version, and in the order of all columns, which is the only
 * order that every statement has. Rows that are alike in all columns may change places unseen.
 */
import type { Client } from '@ulmus/client'
import { counted } from '@ulmus/content/quantities'
import type { Call, CommonFlags } from '../../context.ts'
import { pathOf, type Reference } from '../../reference.ts'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { usageError } from '../../terminal/failure.ts'
import { openProgress } from '../../terminal/progress.ts'
import { chunksOf } from '../save-response.ts'
import { whileBuilding } from './building.ts'
import { firstLines } from './rows.ts'

/** @throws UlmusError of the registry; usageError for a statement whose pages would not be parts of one answer */
export async function writeAll(
  call: Call,
  flags: CommonFlags & { readonly ndjson: boolean },
  client: Client,
  reference: Reference,
  statement: string,
): Promise<void> {
  demandPageable(statement)
  const format = flags.ndjson ? 'ndjson' : 'csv'
  const { semver } = await client.versions.get(pathOf(reference), reference.version ?? 'latest')
  // A comment may end the statement.
  const all = `SELECT * FROM (${statement.trim().replace(/[;\s]+$/, '')}\n) ORDER BY ALL`
  const progress = openProgress(call, flags.quiet)
  for (let offset = 0, isLast = false; !isLast; ) {
    const response = await whileBuilding(call, flags, (options) =>
      client.tables.sql(pathOf(reference), semver, `${all} OFFSET ${offset}`, { ...options, format }),
    )
    const chunks: Uint8Array[] = []
    for await (const chunk of chunksOf(response, call.signal)) chunks.push(chunk)
    const page = Buffer.concat(chunks)
    const header = flags.ndjson ? page.subarray(0, 0) : firstLines(0, true).partOf(page)
    const lines = firstLines(Number.POSITIVE_INFINITY, !flags.ndjson)
    const rows = lines.partOf(page.subarray(header.length))
    await call.terminal.write(offset === 0 ? page : rows)
    isLast = !response.headers.has('x-truncated')
    offset += lines.lines
    progress.show(counted(offset, 'row'))
    if (lines.lines > 0 || isLast) continue
    progress.end()
    call.warn('The answer was cut: the next row has more than 16 MiB. Select fewer columns.')
    return call.terminal.fail(exitCodes.cut)
  }
  progress.end()
}

const unlikeTwice =
  /\b(?:(?:random|setseed|uuid\w*|gen_random_uuid|now|today|get_current_\w+|transaction_timestamp)(?=\s*\()|current_(?:date|time|timestamp)\b|localtime(?:stamp)?\b|using\s+sample\b|tablesample\b)/i

/** @throws usageError for an order that pages would lose, and for what differs from page to page */
function demandPageable(statement: string): void {
  const words = statement.replace(
    /[eE]'(?:[^'\\]|\\[\s\S]|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|--[^\r\n]*|\/\*[\s\S]*?\*\//g,
    ' ',
  )
  const [unlike] = unlikeTwice.exec(words) ?? []
  if (unlike !== undefined)
    throw usageError(
      `--all asks for one page after the other, and \`${unlike}\` may differ between them. Remove it from the statement, or --all.`,
    )
  let outer = words
  for (let before = ''; before !== outer; ) {
    before = outer
    outer = outer.replace(/\([^()]*\)/g, ' ')
  }
  if (/\border\s+by\b/i.test(outer))
    throw usageError(
      '--all writes the rows in the order of their columns. Remove ORDER BY, select the columns to sort by first, or use --limit.',
    )
}
