/** Numbers of changed records by type and of changed cells by column, each with a link to these records. */

import type { DiffSummary } from '@ulmus/registry'
import type { Version } from '@ulmus/wire'
import { TableHead } from '../../../components/data-table.tsx'
import { Name, TableScroll } from '../../../components/small.tsx'
import { counted, countText, cutName, cutText, shownName } from '../../../format.ts'
import { own } from '../../../page.ts'
import { changedColumns, filteredMax } from './records.ts'

/** Types of a summary, and columns of each. */
const typesMax = 50
const columnsMax = 20

interface SummaryProps {
  readonly summary: DiffSummary
  readonly schemas: Version['schemas']
  /** Path of the page with a filter. */
  pathTo(filter: { type: string; column?: string }): string
}

export function Summary({ summary: { types, first }, schemas, pathTo }: SummaryProps) {
  if (types.length === 0) return null
  return (
    <section class="compared">
      <h3>By type and column</h3>
      {first !== undefined && (
        <p class="quiet">Of the first {counted(first, 'changed record')}, in the order of types and ids.</p>
      )}
      <TableScroll label="Changes by type and column">
        <table class="data change-counts">
          <TableHead headings={headings} isHidden />
          {types.slice(0, typesMax).map((one) => (
            <TypeRows key={one.type} of={one} schema={own(schemas, one.type)} pathTo={pathTo} />
          ))}
        </table>
      </TableScroll>
      {types.length > typesMax && (
        <p class="quiet">And {counted(types.length - typesMax, 'more type', 'more types')}.</p>
      )}
    </section>
  )
}

const headings = [
  { header: 'Type or column' },
  { header: 'Added or filled' },
  { header: 'Updated or changed' },
  { header: 'Removed or emptied' },
]

interface TypeProps extends Pick<SummaryProps, 'pathTo'> {
  readonly of: DiffSummary['types'][number]
  readonly schema: unknown
}

function TypeRows({ of: { type, added, updated, removed, columns, hasMore }, schema, pathTo }: TypeProps) {
  const counts = new Map(columns.map((column) => [column.names.join('.'), column]))
  const labels = changedColumns(columns, schema).map(({ label }) => label)
  const more = labels.length - columnsMax
  return (
    <tbody>
      <tr>
        <th scope="row">
          <a href={pathTo({ type })}>
            <Name of={type} most={100} />
          </a>
        </th>
        <Count count={added} word="added" />
        <Count count={updated} word="updated" />
        <Count count={removed} word="removed" />
      </tr>
      {labels.slice(0, columnsMax).map((label) => (
        <tr key={label} class="column">
          <th scope="row">
            <a href={pathTo({ type, ...(label.length <= filteredMax && { column: label }) })}>
              <bdi>
                {label === ''
                  ? `${cutName(type, 60)} as a whole`
                  : cutText(`${shownName(type)}.${shownName(label)}`, 100)}
              </bdi>
            </a>
          </th>
          <Count count={counts.get(label)!.filled} word="filled" />
          <Count count={counts.get(label)!.changed} word="changed" />
          <Count count={counts.get(label)!.emptied} word="emptied" />
        </tr>
      ))}
      {(more > 0 || hasMore) && (
        <tr class="column">
          <td colSpan={4} class="quiet">
            {more > 0 ? `and ${counted(more, 'more column')}` : ''}
            {more > 0 && hasMore ? '; ' : ''}
            {hasMore ? 'large records and further columns are not counted' : ''}
          </td>
        </tr>
      )}
    </tbody>
  )
}

const Count = ({ count, word }: { count: number; word: string }) => (
  <td class={count > 0 ? word : undefined}>{count > 0 && `${countText(count)} ${word}`}</td>
)
