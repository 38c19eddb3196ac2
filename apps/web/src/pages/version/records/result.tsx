/** The result of a question for other tools: its address, curl, pandas, SQL. */
import type { FilterValue, FoundColumn, TableQuery } from '@ulmus/content'
import { quoted } from '@ulmus/registry'
import { Icon } from '../../../components/icon.tsx'
import { Code } from '../../../components/small.tsx'
import { shellText } from '../../../components/use-it.tsx'
import { versionPath, withQuery } from '../../../paths.ts'
import { type Asked, downloadsOf, parsedQuestion, pathTo } from './url.ts'

/** Longer statements are in no link, since URLs are limited. Characters. */
const linkedMax = 2_000

interface Props {
  readonly asked: Asked
  /** Name of the type in SQL. */
  readonly sqlName: string
  readonly origin: string
}

/** A menu with the same result in several forms. */
export function ResultMenu({ asked, sqlName, origin }: Props) {
  const { isPublic } = asked.seen
  const { csv } = downloadsOf(asked)
  const url = origin + csv
  const sql = sqlOf(asked, sqlName)
  const curl = `curl -sf${isPublic ? '' : ' -H "Authorization: Bearer $ULMUS_TOKEN"'} ${shellText(url)}`
  const key = isPublic
    ? ''
    : `, storage_options={\n    'Authorization': f"Bearer {os.environ['ULMUS_TOKEN']}"}`
  return (
    <details class="menu result-menu">
      <summary>
        Use this result
        <Icon name="chevron" />
      </summary>
      <div class="float">
        <h2>Link</h2>
        <Code>{origin + pathTo(asked)}</Code>
        <h2>curl</h2>
        <Code>{curl}</Code>
        <h2>pandas</h2>
        <Code>{`import ${isPublic ? '' : 'os, '}pandas\ntable = pandas.read_csv(${JSON.stringify(url)}${key})`}</Code>
        {sql !== undefined && (
          <>
            <h2>SQL</h2>
            <Code>{sql}</Code>
            {sql.length <= linkedMax && (
              <a href={asked.seen.inView(withQuery(versionPath(asked.seen, 'sql'), { sql }))} rel="nofollow">
                Run it on the SQL page
              </a>
            )}
          </>
        )}
      </div>
    </details>
  )
}

/** The question in DuckDB's SQL; undefined for words and wrong questions. docs/queries.md */
function sqlOf({ question, shown, columns }: Asked, sqlName: string): string | undefined {
  const { q, filter, sort } = question
  const query = parsedQuestion(
    { filter, sort, columns: shown.length === 0 ? undefined : shown.join() },
    columns,
  )
  if (query === undefined || q !== '') return undefined
  const selected = query.columns?.map(nameOf)
  const where = query.filters.map(conditionOf)
  const order = query.sort.map(
    ({ column, isDescending }) => `${nameOf(column)} ${isDescending ? 'DESC' : 'ASC'} NULLS LAST`,
  )
  return [
    `SELECT ${selected === undefined ? '*' : ['_id', ...selected].join(', ')} FROM ${quoted(sqlName)}`,
    ...(where.length === 0 ? [] : [`WHERE ${where.join('\n  AND ')}`]),
    ...(order.length === 0 ? [] : [`ORDER BY ${order.join(', ')}`]),
  ].join('\n')
}

const nameOf = ({ names }: FoundColumn): string => names.map(quoted).join('.')

const literal = (value: FilterValue): string =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)

const signs = { eq: '=', ne: '<>', lt: '<', le: '<=', gt: '>', ge: '>=' } as const

function conditionOf({ column, operator, values }: TableQuery['filters'][number]): string {
  const name = nameOf(column)
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
