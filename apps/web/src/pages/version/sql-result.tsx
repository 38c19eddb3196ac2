/** Answer to a statement: its rows, a chart or a map of them, and the same answer for programs. */
import { parseJson } from '@ulmus/content'
import type { SqlAnswer } from '@ulmus/wire'
import { useContext } from 'preact/hooks'
import { isNumberType } from '../../components/chart/axes.ts'
import { DataTable } from '../../components/data-table.tsx'
import { isCited, ResultCitation } from '../../components/result-citation.tsx'
import { Code, Empty, Name, shellText } from '../../components/small.tsx'
import { isColour } from '../../components/values/text.tsx'
import { Value } from '../../components/values/value.tsx'
import type { VersionResponse, VisitedCollection } from '../../data/collection.ts'
import { questionPath, savingPath } from '../../data/questions.ts'
import { isShallow } from '../../data/records.ts'
import { areQuantities, counted, cutText, durationText, shownJson, withoutUnseen } from '../../format.ts'
import { SavedQuestionContext } from '../../layout/saved-question.tsx'
import type { Visit } from '../../page.ts'
import { apiVersionPath, toggled, versionPath, withQuery } from '../../paths.ts'
import { type AnswerDrawing, Drawing, drawingParts } from './sql-drawing.tsx'

/** Bytes of HTML of all rows; rows beyond it are omitted. */
const htmlMax = 300_000
/** Maximum number of columns shown. */
const columnsMax = 50
/** The longest ids in use, SHA-256 and UUID, have 64 and 36 characters. */
const cellLimits = [
  { most: 80, unfoldedAt: 2_000 },
  { most: 64, unfoldedAt: 200 },
  { most: 36, unfoldedAt: 200 },
  { most: 24, unfoldedAt: 200 },
] as const
/** Longer names of columns are cut. Characters. */
const namesMax = 60
interface Props {
  readonly seen: VisitedCollection
  readonly version: VersionResponse
  readonly statement: string
  readonly answer: SqlAnswer
  readonly drawing: AnswerDrawing
  readonly visit: Visit
}

export function Result({ seen, version, statement, answer, drawing, visit }: Props) {
  const saved = useContext(SavedQuestionContext)
  const { columns, rows, truncated, ms } = answer
  const rendered = shownOf(answer)
  const isCut = truncated || rendered.rows.length < rows.length
  const permanent = { ...seen, version: seen.version ?? seen.latest ?? undefined }
  const page = withQuery(versionPath(permanent, 'sql'), { sql: statement, ...drawingParts(drawing) })
  return (
    <section class="sql-result" aria-label="Result">
      <div class="tools">
        <p>
          <strong>
            {isCut && 'The first '}
            {counted(rendered.rows.length, 'row')}
          </strong>
          , {durationText(ms)}
        </p>
        <span class="grow" />
        <span class="downloads">
          {saved === undefined && <Links {...{ seen, permanent, statement, page }} view={drawing.form} />}
          <a href={toggled(visit.url, 'cite', '1')} rel="nofollow">
            Cite
          </a>
        </span>
      </div>
      {isCited(visit) && (
        <ResultCitation
          {...{ seen, version, visit }}
          part={`${isCut ? 'rows' : counted(rows.length, 'row')} of an SQL query`}
          path={saved !== undefined && saved.version !== 'latest' ? questionPath(seen, saved) : page}
        />
      )}
      {isCut && (
        <p class="note">There are more rows than the page shows. CSV and Parquet have up to 10,000.</p>
      )}
      {columns.length > columnsMax && (
        <p class="note">
          The page shows {columnsMax} of {counted(columns.length, 'column')}. CSV and Parquet have all.
        </p>
      )}
      {rows.length > 0 && <Drawing {...{ seen, statement, answer, drawing }} />}
      {rendered.rows.length > 0 && <Rows seen={seen} {...rendered} />}
      {rows.length === 0 && !isCut && <Empty title="The answer has no rows." />}
      <details class="raw">
        <summary>{saved === undefined ? 'curl' : 'Statement'}</summary>
        <Code>{saved === undefined ? curlOf(permanent, statement, visit) : statement}</Code>
      </details>
    </section>
  )
}

interface LinksProps extends Pick<Props, 'seen' | 'statement'> {
  /** The collection with the version that answered. */
  readonly permanent: VisitedCollection
  /** Path of the page of the same statement about this version. */
  readonly page: string
  readonly view: AnswerDrawing['form']
}

const formats = [
  ['csv', 'CSV'],
  ['parquet', 'Parquet'],
  ['ndjson', 'NDJSON'],
  ['json', 'JSON'],
] as const

/** The answer for programs, and as a permanent address. */
const Links = ({ seen, permanent, statement, page, view }: LinksProps) => (
  <>
    {formats.map(([format, name]) => (
      <a
        key={format}
        href={seen.inView(withQuery(apiVersionPath(permanent, 'sql'), { sql: statement, format }))}
        rel="nofollow"
      >
        {name}
      </a>
    ))}
    {seen.may('describe') && (
      <a href={savingPath(seen, { sql: statement, type: null, query: null, view })} rel="nofollow">
        Save
      </a>
    )}
    {seen.version === undefined && (
      <a
        href={seen.inView(page)}
        rel="nofollow"
        title={`The same question about ${permanent.version}, whose answer never changes`}
      >
        Permanent link
      </a>
    )}
  </>
)

interface CellLimits {
  /** Maximum length of a text in a cell. Characters. */
  readonly most: number
  /** Maximum length of an unfolded nested value in a cell. Characters. */
  readonly unfoldedAt: number
}

type CutRows = Pick<SqlAnswer, 'columns' | 'rows'> & CellLimits

/** The part of an answer that the page shows: with shorter cells if that makes room for more rows. */
function shownOf(answer: SqlAnswer): CutRows {
  let shown = shownWith(answer, cellLimits[0])
  for (const limits of cellLimits.slice(1))
    if (shown.rows.length < answer.rows.length) shown = shownWith(answer, limits)
  return shown
}

function shownWith({ columns: all, rows: found }: SqlAnswer, limits: CellLimits): CutRows {
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
  return text.length <= nestedMax.characters && isShallow(value, nestedMax.levels) ? value : text
}

function parsedCell(text: string): Cell {
  try {
    const value = parseJson(text) as Cell
    return isShallow(value, nestedMax.levels) ? value : text
  } catch {
    return text
  }
}

/** Bytes of HTML of a cell, at most: its text, for links and unfolded values a second one, and the markup. */
function cellBytes(cell: Cell, { most, unfoldedAt }: CellLimits): number {
  if (typeof cell === 'string')
    return (
      (cell.length > most ? 90 : isColour(cell) ? 150 : 40) +
      escapedBytes(cutText(cell, most)) +
      (cell.startsWith('http') ? 100 + escapedBytes(cutText(cell, 2_000)) : 0)
    )
  if (typeof cell !== 'object' || cell === null) return 80
  const [line, lines] = [shownJson(cell), shownJson(cell, 2)]
  const unfolded = line.length <= Math.min(40, most) ? 0 : 120 + escapedBytes(cutText(lines, unfoldedAt))
  return 60 + escapedBytes(cutText(line, 40)) + unfolded
}

const escapedBytes = (text: string): number =>
  Buffer.byteLength(text) + 5 * (text.match(/[<>&"]/g)?.length ?? 0)

const Rows = ({ seen, columns, rows, most, unfoldedAt }: CutRows & { seen: VisitedCollection }) => (
  <DataTable
    class="data sql-rows"
    label="Rows of the answer"
    hasRowHeaders={false}
    items={rows}
    keyOf={(_, index) => index}
    columns={columns.map(({ name, type }, at) => {
      const isQuantity = areQuantities(
        name,
        rows.map((row) => row[at]),
      )
      return {
        header: <Name of={name} most={namesMax} />,
        title: cutText(type, namesMax),
        isNumber: isNumberType(type),
        class: isNumberType(type) ? 'right' : undefined,
        cell: (row: readonly unknown[]) => (
          <Value value={row[at]} {...{ seen, most, unfoldedAt, isQuantity }} />
        ),
      }
    })}
  />
)

function curlOf(seen: VisitedCollection, statement: string, { origin, registry, caller }: Visit): string {
  const isOpen = seen.isPublic && registry.tables.sqlFor === 'public' && caller === undefined
  const head = isOpen ? '' : '  -H "Authorization: Bearer $ULMUS_TOKEN" \\\n'
  const view = seen.readsAll && seen.view === 'public' ? ' -d view=public' : ''
  // Control characters would act on a terminal.
  const sql = withoutUnseen(statement.replaceAll('\r\n', '\n')).replace(
    /[\u0000-\u0008\u000b-\u001f\u007f]/g,
    '',
  )
  return `curl -G ${shellText(`${origin}${apiVersionPath(seen, 'sql')}`)} \\\n${head}  -d format=csv${view} --data-urlencode ${shellText(`sql=${sql}`)}`
}
