/** Answer to a statement: its rows, a chart of two columns, and the same answer for programs. */
import { parseJson } from '@ulmus/content'
import type { SqlAnswer } from '@ulmus/wire'
import { Chart, type ChartData, timeOf } from '../../components/chart.tsx'
import { Code, Empty, Name, TableScroll } from '../../components/small.tsx'
import { shellText } from '../../components/use-it.tsx'
import { Value } from '../../components/value.tsx'
import type { SeenCollection } from '../../data/collection.ts'
import { counted, countText, cutText, shownJson, withoutUnseen } from '../../format.ts'
import type { Visit } from '../../page.ts'
import { apiVersionPath, versionPath, withQuery } from '../../paths.ts'

/** Bytes of HTML of all rows; rows beyond it are omitted. */
const htmlMax = 300_000
/** Maximum number of columns shown. */
const columnsMax = 50
const cellLimits = {
  usual: { most: 80, unfoldedAt: 2_000 },
  short: { most: 24, unfoldedAt: 200 },
} as const
/** Longer names of columns are cut. Characters. */
const namesMax = 60
/** Number of rows of which a chart is made. */
const charted = { least: 2, most: 200 }

const isNumber = (type: string): boolean =>
  /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|FLOAT|DOUBLE|DECIMAL\b.*)$/.test(type)

interface Props {
  readonly seen: SeenCollection
  readonly statement: string
  readonly answer: SqlAnswer
  readonly visit: Visit
}

export function Result({ seen, statement, answer, visit }: Props) {
  const { columns, rows, truncated, ms } = answer
  const shown = shownOf(answer)
  const chart = truncated ? undefined : chartOf(answer)
  const isCut = truncated || shown.rows.length < rows.length
  const permanent = { ...seen, version: seen.version ?? seen.latest ?? undefined }
  const path = (format: string) =>
    seen.inView(withQuery(apiVersionPath(seen, 'sql'), { sql: statement, format }))
  return (
    <section class="sql-result" aria-label="Result">
      <div class="tools">
        <p>
          <strong>
            {isCut && 'The first '}
            {counted(shown.rows.length, 'row')}
          </strong>
          , {countText(Math.ceil(ms))} ms
        </p>
        <span class="grow" />
        <span class="downloads">
          {(['csv', 'ndjson', 'json'] as const).map((format) => (
            <a key={format} href={path(format)} rel="nofollow">
              {format.toUpperCase()}
            </a>
          ))}
          {seen.version === undefined && (
            <a
              href={seen.inView(withQuery(versionPath(permanent, 'sql'), { sql: statement }))}
              rel="nofollow"
              title={`The same question about ${permanent.version}, whose answer never changes`}
            >
              Permanent link
            </a>
          )}
        </span>
      </div>
      {isCut && <p class="note">There are more rows than the page shows. CSV has up to 10,000.</p>}
      {columns.length > columnsMax && (
        <p class="note">
          The page shows {columnsMax} of {counted(columns.length, 'column')}. CSV has all.
        </p>
      )}
      {chart !== undefined && <Chart data={chart} />}
      {shown.rows.length > 0 && <Rows seen={seen} {...shown} />}
      {rows.length === 0 && !isCut && <Empty title="The answer has no rows." />}
      <details class="raw">
        <summary>curl</summary>
        <Code>{curlOf(seen, statement, visit)}</Code>
      </details>
    </section>
  )
}

interface CellLimits {
  /** Maximum length of a text in a cell. Characters. */
  readonly most: number
  /** Maximum length of an unfolded nested value in a cell. Characters. */
  readonly unfoldedAt: number
}

type ShownRows = Pick<SqlAnswer, 'columns' | 'rows'> & CellLimits

/** The part of an answer that the page shows: with short cells if that makes room for more rows. */
function shownOf(answer: SqlAnswer): ShownRows {
  const usual = shownWith(answer, cellLimits.usual)
  return usual.rows.length === answer.rows.length ? usual : shownWith(answer, cellLimits.short)
}

function shownWith({ columns: all, rows: found }: SqlAnswer, limits: CellLimits): ShownRows {
  const columns = all.slice(0, columnsMax)
  const rows: SqlAnswer['rows'] = []
  let bytes = 0
  for (const row of found) {
    const cells = columns.map(({ type }, index) => cellOf(row[index] ?? null, type))
    bytes += cells.reduce<number>((sum, cell) => sum + cellBytes(cell, limits), 10)
    if (bytes > htmlMax) break
    rows.push(cells)
  }
  return { columns, rows, ...limits }
}

type Cell = SqlAnswer['rows'][number][number]

/** Longer or deeper nested values are shown as text. Characters, levels. */
const nestedMax = { characters: 4_096, levels: 8 }

/** A value as the page shows it. JSON is text in the answer. */
function cellOf(value: Cell, type: string): Cell {
  if (type === 'JSON' && typeof value === 'string')
    return value.length <= nestedMax.characters ? parsedCell(value) : value
  if (typeof value !== 'object' || value === null) return value
  const text = JSON.stringify(value)
  return text.length <= nestedMax.characters && isShallow(value) ? value : text
}

function parsedCell(text: string): Cell {
  try {
    const value = parseJson(text) as Cell
    return isShallow(value) ? value : text
  } catch {
    return text
  }
}

const isShallow = (value: Cell, levels = nestedMax.levels): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((one) => isShallow(one, levels - 1)))

/** Bytes of HTML of a cell, at most: its text, for links and unfolded values a second one, and the markup. */
function cellBytes(cell: Cell, { most, unfoldedAt }: CellLimits): number {
  if (typeof cell === 'string')
    return (
      (cell.length > most ? 90 : 40) +
      escapedBytes(cutText(cell, most)) +
      (cell.startsWith('http') ? 60 + escapedBytes(cutText(cell, 2_000)) : 0)
    )
  if (typeof cell !== 'object' || cell === null) return 80
  const [line, lines] = [shownJson(cell), shownJson(cell, 2)]
  const unfolded = line.length <= Math.min(40, most) ? 0 : 120 + escapedBytes(cutText(lines, unfoldedAt))
  return 60 + escapedBytes(cutText(line, 40)) + unfolded
}

const escapedBytes = (text: string): number =>
  Buffer.byteLength(text) + 5 * (text.match(/[<>&"]/g)?.length ?? 0)

const Rows = ({ seen, columns, rows, most, unfoldedAt }: ShownRows & { seen: SeenCollection }) => (
  <TableScroll label="Rows of the answer">
    <table class="data sql-rows">
      <thead>
        <tr>
          {columns.map(({ name, type }) => (
            <th
              key={name}
              scope="col"
              title={cutText(type, namesMax)}
              class={isNumber(type) ? 'right' : undefined}
            >
              <Name of={name} most={namesMax} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {row.map((cell, at) => (
              <td key={columns[at]!.name} class={isNumber(columns[at]!.type) ? 'right' : undefined}>
                <Value value={cell} seen={seen} most={most} unfoldedAt={unfoldedAt} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </TableScroll>
)

/** A chart of the first column, if it has texts or dates, and the first one with numbers. */
export function chartOf({ columns, rows }: Pick<SqlAnswer, 'columns' | 'rows'>): ChartData | undefined {
  if (rows.length < charted.least || rows.length > charted.most) return undefined
  const [by] = columns
  const of = columns.findIndex(({ type }) => isNumber(type))
  const kind =
    by?.type === 'VARCHAR' ? 'bars' : /^(?:DATE|TIMESTAMP.*)$/.test(by?.type ?? '') ? 'line' : undefined
  if (by === undefined || of === -1 || kind === undefined) return undefined
  const points = rows.map((row) => {
    const value = row[of] === null ? Number.NaN : Number(row[of])
    return { label: String(row[0]), value: Number.isFinite(value) ? value : null }
  })
  const drawn = points.filter(
    ({ label, value }) => value !== null && (kind === 'bars' || !Number.isNaN(timeOf(label))),
  )
  if (drawn.length < charted.least) return undefined
  return { kind, by: by.name, of: columns[of]!.name, points: kind === 'bars' ? points : drawn }
}

function curlOf(seen: SeenCollection, statement: string, { origin, registry, caller }: Visit): string {
  const isOpen = seen.isPublic && registry.tables.sqlFor === 'public' && caller === undefined
  const head = isOpen ? '' : '  -H "Authorization: Bearer $ULMUS_TOKEN" \\\n'
  const view = seen.isMember && seen.view === 'public' ? ' -d view=public' : ''
  // Control characters would act on a terminal.
  const sql = withoutUnseen(statement.replaceAll('\r\n', '\n')).replace(
    /[\u0000-\u0008\u000b-\u001f\u007f]/g,
    '',
  )
  return `curl -G ${shellText(`${origin}${apiVersionPath(seen, 'sql')}`)} \\\n${head}  -d format=csv${view} --data-urlencode ${shellText(`sql=${sql}`)}`
}
