/** Tables of items: one declaration a column, with its heading and its cells. */
import type { ComponentChildren } from 'preact'
import { TableScroll } from './small.tsx'

/** Heading of a column: one of `header`, `label` and `action`. */
export interface Heading {
  readonly header?: ComponentChildren
  /** Heading that narrow screens repeat before each cell. */
  readonly label?: string
  /** What the buttons of the column do, for screen readers only. */
  readonly action?: string
  /** Shown on hover. */
  readonly title?: string
  /** True: aligned to the right, like the digits below. */
  readonly isNumber?: boolean
}

export interface Column<Item> extends Heading {
  /** Class of the cells. Default: `number` for numbers, else none. */
  readonly class?: string | undefined
  /** `auto`: texts of users, which may run from right to left. */
  readonly dir?: 'auto'
  readonly cell: (item: Item) => ComponentChildren
}

interface Props<Item> {
  readonly columns: readonly Column<Item>[]
  readonly items: readonly Item[]
  readonly keyOf: (item: Item, index: number) => string | number
  /** Kinds of table: `data` and further ones. */
  readonly class: string
  /** Name of the table for keyboard users, who may scroll it. Default: it has none, and only pointers scroll it. */
  readonly label?: string
  /** For screen readers. Default: none. */
  readonly caption?: string
  /** False: no cell names its row. Default: the first one does. */
  readonly hasRowHeaders?: boolean
}

export function DataTable<Item>(props: Props<Item>) {
  const { columns, items, keyOf, label, caption, hasRowHeaders = true } = props
  const table = (
    <table class={props.class}>
      {caption !== undefined && <caption class="sr-only">{caption}</caption>}
      <TableHead headings={columns} />
      <tbody>
        {items.map((item, index) => (
          <tr key={keyOf(item, index)}>
            {columns.map((column, at) => (
              <Cell key={at} column={column} item={item} isRowHeader={hasRowHeaders && at === 0} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
  return label === undefined ? (
    <div class="table-scroll">{table}</div>
  ) : (
    <TableScroll label={label}>{table}</TableScroll>
  )
}

interface CellProps<Item> {
  readonly column: Column<Item>
  readonly item: Item
  readonly isRowHeader: boolean
}

function Cell<Item>({ column, item, isRowHeader }: CellProps<Item>) {
  const { label, isNumber, dir, class: named = isNumber ? 'right number' : undefined, cell } = column
  return isRowHeader ? (
    <th scope="row" class={named}>
      {cell(item)}
    </th>
  ) : (
    <td data-label={label} class={named} dir={dir}>
      {cell(item)}
    </td>
  )
}

/** @param isHidden true: for screen readers only */
export const TableHead = ({
  headings,
  isHidden = false,
}: {
  headings: readonly Heading[]
  isHidden?: boolean
}) => (
  <thead class={isHidden ? 'sr-only' : undefined}>
    <tr>
      {headings.map(({ header, label, action, title, isNumber }, at) => (
        <th key={at} scope="col" title={title} class={isNumber ? 'right' : undefined}>
          {action === undefined ? (header ?? label) : <span class="sr-only">{action}</span>}
        </th>
      ))}
    </tr>
  </thead>
)
