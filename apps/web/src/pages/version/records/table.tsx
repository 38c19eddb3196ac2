/** Table of the records page. Headers of columns are links that sort. */
import { type FoundColumn, idColumn } from '@ulmus/content'
import type { ComponentChildren } from 'preact'
import { Badge, Name, TableScroll } from '../../../components/small.tsx'
import { Value } from '../../../components/value.tsx'
import type { SeenCollection } from '../../../data/collection.ts'
import type { Profiles } from '../../../data/profiles.ts'
import { isObject, type TableRecord } from '../../../data/records.ts'
import { bytesText, counted, cutText, groupedFrom, shownName } from '../../../format.ts'
import { recordPath } from '../../../paths.ts'
import { type PageColumn, valueIn } from './columns.ts'
import { Profile } from './profile.tsx'
import { type Asked, orderBy, pathTo, recordInResult } from './url.ts'

/** Maximum length of text in a cell, or `cellCharactersOfMany` in a table with more than `manyCells` cells. Characters. */
const cellCharacters = 80
const cellCharactersOfMany = 24
const manyCells = 400
/** Limit of all unfolded nested values of a page; escaped as HTML they may take several times as much. Characters. */
const unfoldedOnPageMax = 300_000
/** Longer names of fields are cut. Characters. */
const namesMax = 60

interface TableProps {
  readonly seen: SeenCollection
  readonly type: string
  readonly records: readonly TableRecord[]
  readonly chosen: readonly PageColumn[]
  /** Question that the links of headers change. Default: headers are no links. */
  readonly asked?: Asked | undefined
  /** Default: none. */
  readonly profiles?: Profiles | undefined
  /** Number of the profiled records if the table shows only some of them. */
  readonly profiled?: number | undefined
  /** Labels of referenced records, by `type/id`. Default: their ids. */
  readonly labels?: ReadonlyMap<string, string>
}

const noLabels: ReadonlyMap<string, string> = new Map()

export function Table({
  seen,
  type,
  records,
  chosen,
  asked,
  profiles,
  profiled,
  labels = noLabels,
}: TableProps) {
  const grouped = groupedIn(records, chosen)
  return (
    <TableScroll label={`Records of type ${shownName(type)}`}>
      <table class="data records">
        <thead>
          <tr>
            <Header name="id" column={idField} asked={asked} />
            {chosen.map(({ label, text, column, help, isPrivate, isNumber }) => (
              <Header
                key={text}
                name={label}
                column={asked && column}
                asked={asked}
                title={cutText(help ?? label, 300)}
                class={isNumber ? 'right' : undefined}
              >
                {isPrivate && <Badge tone="private">Private</Badge>}
              </Header>
            ))}
          </tr>
          {asked !== undefined && profiles !== undefined && (
            <tr class="profiles">
              <td class="quiet">{profiled !== undefined && `All ${counted(profiled, 'record')}`}</td>
              {chosen.map((column) => (
                <td key={column.text}>
                  <Profile
                    asked={asked}
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
                asked === undefined
                  ? seen.inView(recordPath(seen, record.type, record.id))
                  : recordInResult(asked, record.id, index)
              }
              {...{ seen, record, chosen, labels, grouped }}
              most={records.length * chosen.length > manyCells ? cellCharactersOfMany : cellCharacters}
              unfoldedAt={Math.floor(unfoldedOnPageMax / (records.length * chosen.length))}
            />
          ))}
        </tbody>
      </table>
    </TableScroll>
  )
}

/** Columns whose numbers have separators. */
const groupedIn = (records: readonly TableRecord[], chosen: readonly PageColumn[]): ReadonlySet<PageColumn> =>
  new Set(
    chosen.filter((column) =>
      records.some(({ data }) => {
        const value = valueIn(data, column)
        // As a number, a list is the text of all its members.
        return typeof value !== 'object' && Math.abs(Number(value)) >= groupedFrom
      }),
    ),
  )

const idField: FoundColumn = { ...idColumn, names: [idColumn.name] }

const arrows = { ascending: '↑', descending: '↓' } as const

interface HeaderProps {
  readonly name: string
  readonly column: FoundColumn | undefined
  readonly asked: Asked | undefined
  readonly title?: string
  readonly class?: string | undefined
  readonly children?: ComponentChildren
}

/** A click sorts ascending, the next one descending, the third by id again. */
function Header({ name, column, asked, children, ...rest }: HeaderProps) {
  const label = <Name of={name} most={namesMax} />
  const order = column && asked && orderBy(column, asked)
  if (order === undefined)
    return (
      <th scope="col" {...rest}>
        {label} {children}
      </th>
    )
  return (
    <th scope="col" aria-sort={order.state} {...rest}>
      <a class="sort" href={pathTo(asked!, { sort: order.next })} rel="nofollow">
        {label}
        {order.state && <span aria-hidden="true">{arrows[order.state]}</span>}
      </a>{' '}
      {children}
    </th>
  )
}

interface RowProps extends Pick<TableProps, 'seen' | 'chosen'> {
  readonly labels: ReadonlyMap<string, string>
  readonly record: TableRecord
  /** Path of the record's page. */
  readonly to: string
  readonly grouped: ReadonlySet<PageColumn>
  /** Maximum length of a text in a cell. Characters. */
  readonly most: number
  /** Maximum length of an unfolded nested value in a cell. Characters. */
  readonly unfoldedAt: number
}

const Row = ({ seen, record, to, chosen, labels, grouped, most, unfoldedAt }: RowProps) => (
  <tr>
    <th scope="row">
      <a href={to}>
        <Name of={record.id} most={60} />
      </a>
    </th>
    {record.data === undefined ? (
      <td colSpan={chosen.length} class="quiet">
        A large record of {bytesText(record.bytes)}
      </td>
    ) : !isObject(record.data) ? (
      <td colSpan={Math.max(1, chosen.length)}>
        <Value value={record.data} seen={seen} most={most} />
      </td>
    ) : (
      chosen.map((column) => {
        const value = valueIn(record.data, column)
        return (
          <td key={column.text} class={typeof value === 'number' ? 'right' : undefined}>
            <Value
              {...{ value, seen, most, unfoldedAt }}
              refersTo={column.refersTo}
              names={labels}
              isGrouped={grouped.has(column)}
            />
          </td>
        )
      })
    )}
  </tr>
)
