/** The result of a query for other tools: files, its address, curl, pandas, R, SQL. */
import type { FilterValue, FoundColumn, TableQuery } from '@ulmus/content'
import { quoted } from '@ulmus/registry'
import { rowsLimitMax } from '@ulmus/wire'
import { Code, Icon, shellText } from '../../../components/small.tsx'
import { type CodeSource, codeColumns, pandasCode, rCode } from '../../../components/table-code.ts'
import { mayRunSql } from '../../../data/questions.ts'
import { countText } from '../../../format.ts'
import type { Visit } from '../../../page.ts'
import { apiVersionPath, toggled, versionPath, withQuery } from '../../../paths.ts'
import {
  downloadsOf,
  fixedAddress,
  isQuery,
  parsedQuery,
  pathTo,
  type RecordsAddress,
} from '../../../record-table/address.ts'
import { fieldSql } from '../sql-examples.ts'
import type { Question } from './question.tsx'

/** Longer statements are in no link, since URLs are limited. Characters. */
const linkedMax = 2_000

interface Props {
  readonly address: RecordsAddress
  readonly question: Question
  /** Records of the result. */
  readonly total: number
  /** False: this server answers no questions. */
  readonly canAsk: boolean
  /** Name of the type in SQL. */
  readonly sqlName: string
  readonly visit: Visit
}

/** A menu with the result as files and as code, of the version that the page shows: its answer never changes. */
export function ResultMenu({ address, ...props }: Props) {
  const fixed = { ...props, address: fixedAddress(address) }
  return (
    <details class="menu result-menu">
      <summary>
        Use
        <Icon name="chevron" />
      </summary>
      <div class="float">
        <Downloads {...fixed} />
        {props.canAsk && <CodeOfResult {...fixed} />}
        {address.seen.version === undefined && (
          <>
            <h2>Always the latest version</h2>
            <Code>{props.visit.origin + pathTo(address)}</Code>
            <p class="quiet">
              Addresses of files with <code>latest</code> instead of <code>{address.seen.latest}</code> follow
              it, too.
            </p>
          </>
        )}
      </div>
    </details>
  )
}

/** The result of a question, and the files that have all records. */
function Downloads({ address, question, total, canAsk, visit }: Props) {
  const isFiltered = question.state !== 'none'
  const { seen, type } = address
  const { json, csv, excel, parquet } = downloadsOf(address)
  return (
    <>
      <h2>
        {isFiltered ? 'This result' : 'Files'} in {seen.version}
      </h2>
      <p class="downloads">
        {canAsk && (
          <>
            <a href={csv} rel="nofollow">
              CSV
            </a>
            <a href={excel} rel="nofollow">
              CSV for Excel
            </a>
          </>
        )}
        <a href={isFiltered ? json : withQuery(apiVersionPath(seen, 'records'), { type })} rel="nofollow">
          JSON{isFiltered && total > rowsLimitMax && `, first ${countText(rowsLimitMax)}`}
        </a>
        {isFiltered && <span class="quiet">All records:</span>}
        {canAsk && (
          <a href={parquet} rel="nofollow">
            Parquet
          </a>
        )}
        <a href={withQuery(apiVersionPath(seen, 'records.ndjson'), { type })}>NDJSON</a>
        <a class="cite" href={toggled(visit.url, 'cite', '1')} rel="nofollow">
          Cite
        </a>
      </p>
    </>
  )
}

function CodeOfResult({ address, sqlName, visit }: Pick<Props, 'address' | 'sqlName' | 'visit'>) {
  const { origin } = visit
  const { isPublic } = address.seen
  const { csv, parquet } = downloadsOf(address)
  const url = origin + csv
  const code = codeSourceOf(address, url, origin + parquet)
  const sql = sqlOf(address, sqlName)
  const curl = `curl -sf${isPublic ? '' : ' -H "Authorization: Bearer $ULMUS_TOKEN"'} ${shellText(url)}`
  return (
    <>
      <h2>Permanent link</h2>
      <Code>{origin + pathTo(address)}</Code>
      <h2>curl</h2>
      <Code>{curl}</Code>
      <h2>pandas</h2>
      <Code>{pandasCode(code)}</Code>
      <h2>R</h2>
      <Code>{rCode(code)}</Code>
      {sql !== undefined && (
        <>
          <h2>SQL</h2>
          <Code>{sql}</Code>
          {sql.length <= linkedMax && mayRunSql(visit) && (
            <p>
              <a
                href={address.seen.inView(withQuery(versionPath(address.seen, 'sql'), { sql }))}
                rel="nofollow"
              >
                Run it on the SQL page
              </a>
            </p>
          )}
        </>
      )}
    </>
  )
}

function codeSourceOf(
  { seen, query, named, columns }: RecordsAddress,
  csv: string,
  parquet: string,
): CodeSource {
  const isWhole = !isQuery(query) && named.length === 0
  const chosen = named.flatMap((names) => parsedQuery({ columns: names }, columns)?.columns ?? [])
  return {
    csv,
    parquet: isWhole ? parquet : undefined,
    isPublic: seen.isPublic,
    columns: codeColumns(columns, chosen),
  }
}

/** The query in DuckDB's SQL; undefined for words and wrong questions. docs/queries.md */
function sqlOf({ query, named, columns }: RecordsAddress, sqlName: string): string | undefined {
  const { q, filter, sort } = query
  const parsed = parsedQuery(
    { filter, sort, columns: named.length === 0 ? undefined : named.join() },
    columns,
  )
  if (parsed === undefined || q !== '') return undefined
  const nameOf = ({ names }: FoundColumn) => fieldSql(sqlName, names)
  // Members of one name in several objects would be `common` and `common:1`.
  const selected = parsed.columns?.map((column) =>
    column.names.length === 1 ? nameOf(column) : `${nameOf(column)} AS ${quoted(column.names.join('.'))}`,
  )
  const where = parsed.filters.map((filter) => conditionOf(filter, nameOf(filter.column)))
  const down = parsed.order?.isDescending ? ' DESC' : ''
  const order =
    parsed.order?.by === 'number'
      ? [`strlen(_id)${down}`, `_id${down}`]
      : parsed.sort.map(
          ({ column, isDescending }) => `${nameOf(column)} ${isDescending ? 'DESC' : 'ASC'} NULLS LAST`,
        )
  return [
    `SELECT ${selected === undefined ? '*' : ['_id', ...selected].join(', ')} FROM ${quoted(sqlName)}`,
    ...(where.length === 0 ? [] : [`WHERE ${where.join('\n  AND ')}`]),
    ...(order.length === 0 ? [] : [`ORDER BY ${order.join(', ')}`]),
  ].join('\n')
}

const literal = (value: FilterValue): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)

const signs = { eq: '=', ne: '<>', lt: '<', le: '<=', gt: '>', ge: '>=' } as const

function conditionOf({ column, operator, values }: TableQuery['filters'][number], name: string): string {
  const [value = ''] = values
  switch (operator) {
    case 'null':
      return `${name} IS NULL`
    case 'notnull':
      return `${name} IS NOT NULL`
    case 'in':
      return `${name} IN (${values.map(literal).join(', ')})`
    case 'contains':
      if (column.type === 'list') return `list_contains(${name}, ${literal(value)})`
      return `contains(lower(${name}), lower(${literal(value)}))`
    case 'starts':
      return `starts_with(lower(${name}), lower(${literal(value)}))`
    case 'ends':
      return `ends_with(lower(${name}), lower(${literal(value)}))`
    default:
      return `${name} ${signs[operator]} ${literal(value)}`
  }
}
