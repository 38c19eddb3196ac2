/** Table of the records page. Headers of columns are links that sort. */
import { type FoundColumn, idColumn } from '@ulmus/content'
import type { ComponentChildren } from 'preact'
import { Badge, Name, TableScroll } from '../components/small.tsx'
import { Value } from '../components/values/value.tsx'
import type { VisitedCollection } from '../data/collection.ts'
import type { NamedFile } from '../data/files.ts'
import type { Profiles } from '../data/profiles.ts'
import { isObject } from '../data/records.ts'
import { counted, cutText, shownName, sizeText } from '../format.ts'
import { recordPath } from '../paths.ts'
import { orderBy, pathTo, type RecordsAddress, recordInResult } from './address.ts'
import { Bar, barRanges } from './bars.tsx'
import { type PageColumn, type TableRow, valueIn } from './columns.ts'
import { Profile } from './profile.tsx'

/** Maximum length of text in a cell, or `cellCharactersOfMany` in a table with more than `manyCells` cells. Characters. */
const cellCharacters = 80
const cellCharactersOfMany = 24
const manyCells = 400
/** Limit of all unfolded nested values of a page; escaped as HTML they may take several times as much. Characters. */
const unfoldedOnPageMax = 300_000
/** Longer names of fields are cut. Characters. */
const namesMax = 60

interface TableProps {
  readonly seen: VisitedCollection
  readonly type: string
  readonly records: readonly TableRow[]
  readonly chosen: readonly PageColumn[]
  /** Column that the id repeats, which stands for both. */
  readonly repeated?: PageColumn | undefined
  /** Query that the links of headers change. Default: headers are no links. */
  readonly address?: RecordsAddress | undefined
  /** Default: none. */
  readonly profiles?: Profiles | undefined
  /** Number of the profiled records if the table shows only some of them. */
  readonly profiled?: number | undefined
  /** True: profiles follow, and their row has its place. Default: false. */
  readonly awaitsProfiles?: boolean
  /** Labels of referenced records, by `type/id`. Default: their ids. */
  readonly labels?: ReadonlyMap<string, string>
  /** Questions about a column, in its header. Default: none. */
  readonly menu?: TableMenu | undefined
  /** Files that the records refer to, by hash. Default: they are links. */
  readonly files?: ReadonlyMap<string, NamedFile> | undefined
}

/** @param place number of the column */
export type TableMenu = (column: PageColumn, place: number) => ComponentChildren

const noLabels: ReadonlyMap<string, string> = new Map()
const noFiles: ReadonlyMap<string, NamedFile> = new Map()
const noBars: Pick<RecordsAddress, 'bars'> = { bars: [] }

export function Table({
  seen,
  type,
  records,
  chosen,
  repeated,
  address,
  profiles,
  profiled,
  awaitsProfiles = false,
  labels = noLabels,
  menu,
  files = noFiles,
}: TableProps) {
  const bars = barRanges(address ?? noBars, chosen, records, profiles)
  return (
    <TableScroll label={`Records of type ${shownName(type)}`}>
      <table class="data records">
        <thead>
          <tr>
            <Header name="id" column={idField} address={address}>
              {repeated !== undefined && !chosen.includes(repeated) && (
                <span class="quiet">
                  · <Name of={repeated.label} most={namesMax} />
                </span>
              )}
            </Header>
            {chosen.map((column, place) => (
              <ColumnHeader key={column.text} {...{ column, address }}>
                {menu?.(column, place)}
              </ColumnHeader>
            ))}
          </tr>
          {awaitsProfiles && (
            <tr class="profiles awaited">
              <td colSpan={chosen.length + 1} class="quiet">
                Column profiles are being computed…
              </td>
            </tr>
          )}
          {address !== undefined && profiles !== undefined && (
            <tr class="profiles">
              <td class="quiet">{profiled !== undefined && `All ${counted(profiled, 'record')}`}</td>
              {chosen.map((column) => (
                <td key={column.text} class={column.isNumber ? 'right' : undefined}>
                  <Profile
                    address={address}
                    column={column}
                    statistics={profiles.get(column.label)}
                    labels={labels}
                  />
                </td>
              ))}
            </tr>
          )}
        </thead>
        <tbody>
          {records.map((record, index) => (
            <Row
              key={record.id}
              to={
                address === undefined
                  ? seen.inView(recordPath(seen, record.type, record.id))
                  : recordInResult(address, record.id, index)
              }
              {...{ seen, record, chosen, labels, files, bars }}
              most={records.length * chosen.length > manyCells ? cellCharactersOfMany : cellCharacters}
              unfoldedAt={Math.floor(unfoldedOnPageMax / (records.length * chosen.length))}
            />
          ))}
        </tbody>
      </table>
    </TableScroll>
  )
}

const idField: FoundColumn = { ...idColumn, names: [idColumn.name] }

const arrows = { ascending: '↑', descending: '↓' } as const

interface HeaderProps {
  readonly name: string
  readonly column: FoundColumn | undefined
  readonly address: RecordsAddress | undefined
  readonly title?: string
  readonly class?: string | undefined
  readonly children?: ComponentChildren
}

/** A click sorts ascending, the next one descending, the third by id again. */
function Header({ name, column, address, children, ...rest }: HeaderProps) {
  const label = <Name of={name} most={namesMax} />
  const order = column && address && orderBy(column, address)
  if (order === undefined)
    return (
      <th scope="col" {...rest}>
        {label} {children}
      </th>
    )
  return (
    <th scope="col" aria-sort={order.state} {...rest}>
      <a class="sort" href={pathTo(address!, { sort: order.next })} rel="nofollow">
        {label}
        {order.state && <span aria-hidden="true">{arrows[order.state]}</span>}
      </a>{' '}
      {children}
    </th>
  )
}

type ColumnHeaderProps = Pick<TableProps, 'address'> & {
  readonly column: PageColumn
  readonly children: ComponentChildren
}

const ColumnHeader = ({ column, address, children }: ColumnHeaderProps) => (
  <Header
    name={column.label}
    column={address && column.column}
    address={address}
    title={cutText(column.help ?? column.label, 300)}
    class={column.isNumber ? 'right' : undefined}
  >
    {column.isPrivate && <Badge tone="private">Private</Badge>}
    {children}
  </Header>
)

interface RowProps extends Pick<TableProps, 'seen' | 'chosen'> {
  readonly labels: ReadonlyMap<string, string>
  readonly files: ReadonlyMap<string, NamedFile>
  readonly bars: ReturnType<typeof barRanges>
  readonly record: TableRow
  /** Path of the record's page. */
  readonly to: string
  /** Maximum length of a text in a cell. Characters. */
  readonly most: number
  /** Maximum length of an unfolded nested value in a cell. Characters. */
  readonly unfoldedAt: number
}

const Row = ({ seen, record, to, chosen, labels, files, bars, most, unfoldedAt }: RowProps) => (
  <tr>
    <th scope="row">
      <a href={to}>
        <Name of={record.id} most={60} />
      </a>
    </th>
    {record.data === undefined ? (
      <td colSpan={chosen.length} class="quiet">
        A large record of {sizeText(record.bytes)}
      </td>
    ) : !isObject(record.data) ? (
      <td colSpan={Math.max(1, chosen.length)}>
        <Value value={record.data} seen={seen} most={most} />
      </td>
    ) : (
      chosen.map((column) => {
        const value = valueIn(record, column)
        const range = typeof value === 'number' ? bars.get(column) : undefined
        return (
          <td
            key={column.text}
            class={range !== undefined ? 'right barred' : typeof value === 'number' ? 'right' : undefined}
          >
            {range !== undefined && <Bar value={value as number} range={range} />}
            <Value
              {...{ value, seen, files, most, unfoldedAt }}
              cell={{ page: to, id: record.id, column: column.text, unfoldedAt }}
              refersTo={column.refersTo}
              names={labels}
              isQuantity={column.isQuantity}
            />
          </td>
        )
      })
    )}
  </tr>
)
