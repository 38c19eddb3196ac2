/** Tables and columns beside the statement, in the visitor's view. */
import type { TableColumn } from '@ulmus/content'
import { storedType } from '@ulmus/registry'
import { Badge } from '../../components/small.tsx'
import { countText, cutName, cutText, withoutUnseen } from '../../format.ts'
import type { SqlTable } from './sql-examples.ts'

/** Columns of a page, which its tables share equally. */
const columnsOfPage = 200
/** Number of tables that are unfolded, and of columns in sight. */
const unfoldedMax = { tables: 3, columns: 20 }
/** Longer names and types are cut. Characters. */
const namesMax = 40

interface Props {
  readonly tables: readonly SqlTable[]
  /** Types of the version, of which `tables` has the first. */
  readonly types: number
  /** True: all tables are folded. */
  readonly isFolded: boolean
}

export const Schema = ({ tables, types, isFolded }: Props) => (
  <aside class="sql-schema" aria-labelledby="sql-tables">
    <h2 id="sql-tables">Tables</h2>
    {tables.map((table, index) => (
      <Table
        key={table.type}
        table={table}
        isOpen={!isFolded && index < unfoldedMax.tables}
        most={Math.floor(columnsOfPage / tables.length)}
      />
    ))}
    {types === 0 && <p class="quiet">This version has no types.</p>}
    {types > tables.length && <p class="quiet">and {countText(types - tables.length)} more</p>}
  </aside>
)

const Name = ({ of }: { of: string }) => <code>{withoutUnseen(cutName(of, namesMax))}</code>

function Table({ table, isOpen, most }: { table: SqlTable; isOpen: boolean; most: number }) {
  const { name, records, isPrivate, columns } = table
  const rendered = columns.slice(0, most)
  const rest = rendered.slice(unfoldedMax.columns)
  return (
    <details open={isOpen}>
      <summary>
        <Name of={name} /> <span class="quiet number">{countText(records)}</span>{' '}
        {isPrivate && <Badge tone="private">Private</Badge>}
      </summary>
      <ul>
        {rendered.slice(0, unfoldedMax.columns).map((column) => (
          <Column key={column.name} column={column} />
        ))}
      </ul>
      {rest.length > 0 && (
        <details>
          <summary>{countText(columns.length - unfoldedMax.columns)} more</summary>
          <ul>
            {rest.map((column) => (
              <Column key={column.name} column={column} />
            ))}
            {columns.length > rendered.length && (
              <li class="quiet">and {countText(columns.length - rendered.length)} more</li>
            )}
          </ul>
        </details>
      )}
    </details>
  )
}

const Column = ({ column }: { column: TableColumn }) => (
  <li>
    <Name of={column.name} />{' '}
    <span class="quiet">{withoutUnseen(cutText(storedType(column), namesMax))}</span>{' '}
    {column.private && <Badge tone="private">Private</Badge>}
  </li>
)
