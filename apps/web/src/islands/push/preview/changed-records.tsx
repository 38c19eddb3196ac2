/** Tables of the first updated, added and removed records, as on the page that compares versions. */
import { shownName } from '../../shared/shown-name.ts'
import type { ChangedRecords, RecordTable, SampledCell } from '../shapes.ts'
import { counted } from '../words.ts'

const changes = { updated: 'Updated', added: 'Added', removed: 'Removed' } as const

export const ChangedRecordsView = ({ records }: { records: ChangedRecords }) =>
  (['updated', 'added', 'removed'] as const).map(
    (change) =>
      records[change].rows.length > 0 && (
        <section key={change} class="changed-records">
          <h4 class={change}>{changes[change]}</h4>
          <RecordsTable change={change} table={records[change]} />
          <Rest table={records[change]} />
        </section>
      ),
  )

type TableProps = { readonly change: keyof typeof changes; readonly table: RecordTable }

/** Place of the first column that has the ids again, as when ids are made of one column. -1: none. */
const repeatedId = ({ columns, rows }: RecordTable): number =>
  columns.findIndex((_, place) =>
    rows.every(({ id, cells }) => {
      const { was, is, same } = cells[place]!
      return was === undefined && (same ?? is) === id
    }),
  )

function RecordsTable({ change, table }: TableProps) {
  const repeated = repeatedId(table)
  const others = table.columns
    .map((name, place) => ({ name, place }))
    .filter(({ place }) => place !== repeated)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard, too
    <section class="table-scroll" tabIndex={0} aria-label={`${changes[change]} records`}>
      <table class="data records updates">
        <thead>
          <tr>
            <th scope="col">
              id
              {repeated >= 0 && (
                <>
                  {' '}
                  · <bdi>{shownName(table.columns[repeated]!)}</bdi>
                </>
              )}
            </th>
            {others.map(({ name }) => (
              <th key={name} scope="col">
                <bdi>{name === '' ? 'the whole record' : shownName(name)}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map(({ id, href, cells }) => (
            <tr key={href ?? id}>
              <th scope="row">
                {href === undefined ? (
                  <bdi>{id}</bdi>
                ) : (
                  // In another tab: the chosen file would be lost.
                  <a href={href} target="_blank" rel="noopener">
                    <bdi>{id}</bdi>
                    <span class="sr-only"> (opens in a new tab)</span>
                  </a>
                )}
              </th>
              {others.map(({ name, place }) => (
                <td key={name}>
                  <Cell {...cells[place]!} isQuiet={change === 'updated'} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** The old value over the new one. `isQuiet`: a value that did not change is in grey. */
const Cell = ({ was, is, same, isQuiet }: SampledCell & { readonly isQuiet: boolean }) => (
  <>
    {same !== undefined && <bdi class={isQuiet ? 'quiet' : undefined}>{same}</bdi>}
    {was !== undefined && (
      <del>
        <span class="sr-only">was </span>
        <bdi>{was}</bdi>
      </del>
    )}
    {is !== undefined && (
      <ins>
        <span class="sr-only">is </span>
        <bdi>{is}</bdi>
      </ins>
    )}
  </>
)

function Rest({ table: { rows, total, moreColumns } }: { table: RecordTable }) {
  const more = total - rows.length
  const words = [
    ...(more > 0 ? [counted(more, 'more record')] : []),
    ...(moreColumns > 0 ? [counted(moreColumns, 'more column')] : []),
  ]
  return words.length === 0 ? null : <p class="quiet">and {words.join(', ')}</p>
}
