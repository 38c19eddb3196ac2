/** Table of the records page. Headers of columns are links that sort. */
import { type Field, idColumn, type TableColumn } from '@ulmus/content'
import type { ComponentChildren } from 'preact'
import { Badge, TableScroll } from '../../components/small.tsx'
import { Value } from '../../components/value.tsx'
import type { SeenCollection } from '../../data/collection.ts'
import { own } from '../../data/own.ts'
import { isObject, type TableRecord } from '../../data/records.ts'
import { bytesText, cutText } from '../../format.ts'
import { recordPath } from '../../paths.ts'
import { type Asked, columnOf, orderBy, pathTo } from './records-url.ts'

/** Maximum length of text in a cell, or `cellCharactersOfMany` in a table with more than `manyCells` cells. Characters. */
const cellCharacters = 80
const cellCharactersOfMany = 24
const manyCells = 400
/** Limit of all unfolded nested values of a page; escaped as HTML they may take several times as much. Characters. */
const unfoldedOnPageMax = 300_000
/** Longer names of fields are cut. Characters. */
const namesMax = 60

/** True for numeric types, whose values are right-aligned. */
const isNumber = (type: string): boolean => /^(?:integer|number)(?: or null)?$/.test(type)

interface TableProps {
  readonly seen: SeenCollection
  readonly type: string
  readonly records: readonly TableRecord[]
  readonly chosen: readonly Field[]
  /** Question that the links of headers change; undefined: the server cannot sort. */
  readonly asked: Asked | undefined
}

export const Table = ({ seen, type, records, chosen, asked }: TableProps) => (
  <TableScroll label={`Records of type ${type}`}>
    <table class="data records">
      <thead>
        <tr>
          <Header name="id" column={idColumn} asked={asked} />
          {chosen.map(({ name, type, title, description, isPrivate }) => (
            <Header
              key={name}
              name={name}
              column={asked && columnOf(name, asked.columns)}
              asked={asked}
              title={cutText(description ?? title ?? name, 300)}
              class={isNumber(type) ? 'right' : undefined}
            >
              {isPrivate && <Badge tone="private">Private</Badge>}
            </Header>
          ))}
        </tr>
      </thead>
      <tbody>
        {records.map((record) => (
          <Row
            key={record.id}
            seen={seen}
            record={record}
            chosen={chosen}
            most={records.length * chosen.length > manyCells ? cellCharactersOfMany : cellCharacters}
            unfoldedAt={Math.floor(unfoldedOnPageMax / (records.length * chosen.length))}
          />
        ))}
      </tbody>
    </table>
  </TableScroll>
)

const arrows = { ascending: '↑', descending: '↓' } as const

interface HeaderProps {
  readonly name: string
  readonly column: TableColumn | undefined
  readonly asked: Asked | undefined
  readonly title?: string
  readonly class?: string | undefined
  readonly children?: ComponentChildren
}

/** A click sorts ascending, the next one descending, the third by id again. */
function Header({ name, column, asked, children, ...rest }: HeaderProps) {
  const label = <bdi>{cutText(name, namesMax)}</bdi>
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

const Row = ({
  seen,
  record,
  chosen,
  most,
  unfoldedAt,
}: {
  seen: SeenCollection
  record: TableRecord
  chosen: readonly Field[]
  /** Maximum length of a text in a cell. Characters. */
  most: number
  /** Maximum length of an unfolded nested value in a cell. Characters. */
  unfoldedAt: number
}) => (
  <tr>
    <th scope="row">
      <a href={seen.inView(recordPath(seen, record.type, record.id))}>
        <bdi>{cutText(record.id, 60)}</bdi>
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
      chosen.map(({ name, refersTo }) => {
        const value = own(record.data!, name)
        return (
          <td key={name} class={typeof value === 'number' ? 'right' : undefined}>
            <Value value={value} {...{ seen, refersTo, most, unfoldedAt }} />
          </td>
        )
      })
    )}
  </tr>
)
