/**
 * The strip of versions: a row for each column, a cell for each version, oldest first, whose colour is the share of values that changed. A
 * cell leads to its comparison. A large strip has its rows as pictures: the place of a click names the version.
 */
import type { Strip as StripAnswer } from '@ulmus/wire'
import type { VisitedCollection } from '../../data/collection.ts'
import { counted, countText, cutText, shareText, shownName } from '../../format.ts'
import { collectionPath, versionPath, withQuery } from '../../paths.ts'
import { TableScroll } from '../small.tsx'
import { rowPicture, stepOf } from './row-picture.ts'

/** Strips with more cells have pictures: a cell with its link takes some 150 bytes. */
const linkedMax = 150
/** Width of all cells together, about, also of a small strip; least and most of one. Pixels. */
const width = { all: 800, small: 320, least: 4, most: 40 }
const barHeight = 20
/** Longer names are cut. Characters. */
const labelMax = 32

/** Columns and versions of a strip, oldest first. */
interface StripRows {
  readonly versions: StripAnswer['versions']
  readonly rows: readonly StripRow[]
}

interface StripRow {
  readonly type: string
  readonly column: string
  readonly label: string
  readonly shares: readonly (number | null)[]
}

interface Props {
  readonly seen: VisitedCollection
  readonly strip: StripAnswer
  /** For a strip of so few cells that it has no pictures. */
  readonly isSmall?: boolean
}

const isChange = (share: number | null): boolean => share !== null && share > 0

/** False: there is nothing to draw. */
export const hasChanges = ({ versions }: StripAnswer): boolean =>
  versions.length > 1 && versions.some(({ changed }) => changed.some(isChange))

export function Strip({ seen, strip, isSmall = false }: Props) {
  if (!hasChanges(strip)) return null
  const { versions, rows } = rowsOf(strip)
  const changed = rows.filter(({ shares }) => shares.some(isChange))
  const isLinked = versions.length * changed.length <= linkedMax
  const cell = cellWidth(versions.length, isSmall && isLinked ? width.small : width.all)
  const drawn = { seen, versions, rows: changed, cell }
  return (
    <div class="strip">
      <TableScroll label="Changes by version and column">
        {isLinked ? <Linked {...drawn} /> : <Pictured {...drawn} />}
      </TableScroll>
      <Notes strip={strip} unchanged={rows.length - changed.length} />
    </div>
  )
}

function rowsOf({ columns, versions: newestFirst }: StripAnswer): StripRows {
  const versions = newestFirst.toReversed()
  const hasTypes = new Set(columns.map(({ type }) => type)).size > 1
  const labelOf = ({ type, column }: StripAnswer['columns'][number]) =>
    column === ''
      ? `${shownName(type)} as a whole`
      : hasTypes
        ? `${shownName(type)}.${shownName(column)}`
        : shownName(column)
  const rows = columns.map((one, index) => ({
    ...one,
    label: labelOf(one),
    shares: versions.map(({ changed }) => changed[index] ?? null),
  }))
  return { versions, rows }
}

/** @param cells in a row */
const cellWidth = (cells: number, all: number): number =>
  Math.max(width.least, Math.min(width.most, Math.floor(all / cells)))

/** The cell that a click on a picture means: its column, and its place in a row of so many cells. */
export function clickedCell(query: URLSearchParams, cells: number) {
  const [name, x] = [...query].find(([key]) => key.endsWith('.x')) ?? []
  const [, type, column] = /^([^/]+)\/(.*)\.x$/s.exec(name ?? '') ?? []
  if (type === undefined || column === undefined) return undefined
  const index = Math.min(cells - 1, Math.max(0, Math.floor(Number(x) / cellWidth(cells, width.all))))
  return Number.isNaN(index) ? undefined : { type, column, index }
}

/** The comparison of a version with the one before, filtered to a column; of a first version its records. */
export function cellPath(
  seen: VisitedCollection,
  { semver, before }: StripAnswer['versions'][number],
  { type, column }: StripAnswer['columns'][number],
): string {
  if (before === null) return seen.inView(versionPath({ ...seen, version: semver }, 'records', type))
  const path = collectionPath(seen, 'compare', `${before}...${semver}`)
  return `${seen.inView(withQuery(path, { type, column }))}#records`
}

interface DrawnProps extends StripRows {
  readonly seen: VisitedCollection
  /** Width of a cell. Pixels. */
  readonly cell: number
}

const Linked = ({ seen, versions, rows, cell }: DrawnProps) => (
  <table class="strip-cells">
    <thead>
      <Ends versions={versions} span={versions.length} />
      <tr>
        <th scope="col">Records</th>
        {versions.map((one) => (
          <th key={one.semver} scope="col" title={`${one.semver}: ${counted(one.records, 'record')}`}>
            <span class="sr-only">
              {one.semver}, {counted(one.records, 'record')}
            </span>
            <Bars versions={[one]} most={mostOf(versions)} cell={cell} />
          </th>
        ))}
        <th scope="col" class="facts">
          {recordsText(versions)}
        </th>
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={row.label}>
          <Label row={row} />
          {row.shares.map((share, index) => (
            <td key={versions[index]!.semver} class={`step-${stepOf(share)}`}>
              {isChange(share) && (
                <a
                  href={cellPath(seen, versions[index]!, row)}
                  title={`${versions[index]!.semver}: ${shareText(share!, 1)}`}
                >
                  <span class="sr-only">{shareText(share!, 1)}</span>
                </a>
              )}
            </td>
          ))}
          <Facts {...{ seen, versions, row }} />
        </tr>
      ))}
    </tbody>
  </table>
)

const Pictured = ({ seen, versions, rows, cell }: DrawnProps) => (
  <form action={collectionPath(seen, 'compare')}>
    {seen.readsAll && seen.view === 'public' && <input type="hidden" name="view" value="public" />}
    <input type="hidden" name="until" value={versions.at(-1)!.semver} />
    <input type="hidden" name="cells" value={versions.length} />
    <table>
      <thead>
        <Ends versions={versions} span={1} />
        <tr>
          <th scope="row">Records</th>
          <td>
            <Bars versions={versions} most={mostOf(versions)} cell={cell} />
          </td>
          <td class="facts">{recordsText(versions)}</td>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.label}>
            <Label row={row} />
            <td>
              <input
                type="image"
                // The keyboard has no place to click: it has the link beside it.
                tabIndex={-1}
                name={`${row.type}/${row.column}`}
                src={rowPicture(row.shares)}
                alt={`${changesOf(row)} of ${versions.length} versions`}
                width={cell * versions.length}
                height={16}
              />
            </td>
            <Facts {...{ seen, versions, row }} />
          </tr>
        ))}
      </tbody>
    </table>
  </form>
)

/** The first and the last version, above their cells. */
const Ends = ({ versions, span }: Pick<DrawnProps, 'versions'> & { span: number }) => (
  <tr>
    <td />
    <th scope="colgroup" colSpan={span}>
      <span class="ends quiet">
        <span>{versions[0]!.semver}</span>
        <span>{versions.at(-1)!.semver}</span>
      </span>
    </th>
    <th scope="col" class="facts">
      most changed
    </th>
  </tr>
)

const Label = ({ row: { label } }: { row: StripRow }) => (
  <th scope="row" title={label.length > labelMax ? cutText(label, 300) : undefined}>
    <bdi>{cutText(label, labelMax)}</bdi>
  </th>
)

const changesOf = ({ shares }: StripRow): number => shares.filter(isChange).length

/** The version that changed most of a column, the newest of several. */
function Facts({ seen, versions, row }: Pick<DrawnProps, 'seen' | 'versions'> & { row: StripRow }) {
  const most = Math.max(...row.shares.map((share) => share ?? 0))
  const version = versions[row.shares.lastIndexOf(most)]!
  return (
    <td class="facts">
      <a href={cellPath(seen, version, row)}>
        {shareText(most, 1)} in {version.semver}
      </a>
    </td>
  )
}

const mostOf = (versions: StripRows['versions']): number =>
  Math.max(1, ...versions.map(({ records }) => records))

/** Numbers of records, from zero. The table has them as text. */
const Bars = ({ versions, most, cell }: Pick<DrawnProps, 'versions' | 'cell'> & { most: number }) => (
  <svg
    class="strip-bars"
    viewBox={`0 0 ${versions.length} ${barHeight}`}
    width={cell * versions.length}
    height={barHeight}
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <path
      d={`M0 ${barHeight}${versions
        .map(({ records }) => `V${barHeight - Math.round((records / most) * barHeight)}h1`)
        .join('')}V${barHeight}`}
    />
  </svg>
)

function recordsText(versions: StripRows['versions']): string {
  const [first, last] = [versions[0]!.records, versions.at(-1)!.records]
  return first === last ? countText(last) : `${countText(first)} → ${countText(last)}`
}

function Notes({
  strip: { columns, versions, columnCount, versionCount },
  unchanged,
}: Pick<Props, 'strip'> & { unchanged: number }) {
  // Columns come by how much they changed: if one of them did not, neither did those that are left out.
  const still = unchanged > 0 ? columnCount - columns.length + unchanged : 0
  const notes = [
    versions.length < versionCount && `The newest ${versions.length} of ${counted(versionCount, 'version')}.`,
    still === 0 &&
      columns.length < columnCount &&
      `The ${columns.length} of ${counted(columnCount, 'column')} that changed most.`,
    still > 0 && `${counted(still, 'column')} did not change in these versions.`,
  ]
  return (
    <p class="quiet">
      <span class="strip-legend">
        {legend.map(([step, text]) => (
          <span key={step}>
            <i class={`step-${step}`} /> {text}
          </span>
        ))}
      </span>
      {notes.filter(Boolean).join(' ')}
    </p>
  )
}

const legend = [
  [1, 'unchanged'],
  [2, '≤ 1 %'],
  [3, '≤ 10 %'],
  [4, '≤ 50 %'],
  [5, 'more'],
] as const
