/** Records of a page of differences: tables of updated, added and removed records by type. */

import {
  type ColumnChange,
  fieldsMax,
  fieldsOf,
  type JsonObject,
  type PlainSchema,
  tableColumns,
  tellingField,
} from '@ulmus/content'
import { TableHead } from '../../../components/data-table.tsx'
import { Name, TableScroll } from '../../../components/small.tsx'
import { Value } from '../../../components/values/value.tsx'
import { memberChanges } from '../../../data/changes.ts'
import type { VisitedCollection } from '../../../data/collection.ts'
import type { NamedFile } from '../../../data/files.ts'
import { isObject, nameOf, type TableRecord } from '../../../data/records.ts'
import { areQuantities, cutName, cutText, numberText, shownName, sizeText } from '../../../format.ts'
import { own } from '../../../page.ts'
import { recordPath, type VersionPlace } from '../../../paths.ts'
import { chosenColumns, pageColumns, repeatedId } from '../../../record-table/columns.ts'
import { Table } from '../../../record-table/table.tsx'
import { Changes, changesMax } from './changes.tsx'
import {
  type ChangedColumn,
  changedColumns,
  seenAt,
  type TypeDifferences,
  type UpdatedRecord,
  valueAt,
  valuesOf,
} from './records.ts'

/** Changes of more columns are listed by record. */
const columnsMax = 12
/** Maximum number of changed fields listed of all records of a page, which share it equally. */
const listedMax = 2_000
/** Text of all cells of a table, which share it equally: a cell has 40 to 400 characters. */
const charactersOfTable = 120_000
/** Text of all unfolded nested values of a table. Characters. */
const unfoldedOfTable = 150_000

/** Longer names of records are cut. Characters. */
const nameMax = 60

/** Known files by hash. */
type Files = ReadonlyMap<string, NamedFile>

type Schemas = Readonly<Record<string, unknown>>

interface DifferencesProps {
  readonly seen: VisitedCollection
  readonly differences: readonly TypeDifferences[]
  readonly files: Files
  /** Versions, with their schemas. Removed records are in the older one, the others in the newer one. */
  readonly before: VersionPlace & { readonly schemas: Schemas }
  readonly after: VersionPlace & { readonly schemas: Schemas }
}

export function Differences({ seen, differences, files, before, after }: DifferencesProps) {
  const records = differences
    .flatMap(({ updated, added, removed }) => [updated, added, removed])
    .reduce((sum, { length }) => sum + length, 0)
  return differences.map(({ type, updated, added, removed }) => (
    <section key={type}>
      <h3>
        <Name of={type} most={100} />
      </h3>
      {updated.length > 0 && (
        <>
          <h4 class="updated">Updated</h4>
          <Updated
            seen={seenAt(seen, after)}
            type={type}
            records={updated}
            files={files}
            schema={own(after.schemas, type) as PlainSchema}
            most={Math.min(changesMax, Math.floor(listedMax / records))}
          />
        </>
      )}
      <Whole
        {...{ files }}
        seen={seenAt(seen, after)}
        change="added"
        records={added}
        schemas={after.schemas}
      />
      <Whole
        {...{ files }}
        seen={seenAt(seen, before)}
        change="removed"
        records={removed}
        schemas={before.schemas}
      />
    </section>
  ))
}

interface WholeProps {
  /** With the version that contains the records. */
  readonly seen: VisitedCollection
  readonly change: 'added' | 'removed'
  readonly files: Files
  readonly records: readonly TableRecord[]
  readonly schemas: Schemas
}

/** Added or removed records, with the usual columns of their type. */
function Whole({ seen, change, files, records, schemas }: WholeProps) {
  if (records.length === 0) return null
  const { type } = records[0]!
  const schema = own(schemas, type) as PlainSchema
  const columns = pageColumns(schema, tableColumns(schema as JsonObject), records)
  return (
    <>
      <h4 class={change}>{change === 'added' ? 'Added' : 'Removed'}</h4>
      <Table
        {...{ seen, type, records, files }}
        chosen={chosenColumns(columns, [], [], records)}
        repeated={repeatedId(columns, records)}
      />
    </>
  )
}

interface UpdatedProps {
  readonly seen: VisitedCollection
  readonly type: string
  readonly records: readonly UpdatedRecord[]
  readonly files: Files
  readonly schema: PlainSchema
  /** Maximum number of fields listed of a record. */
  readonly most: number
}

/** A table of the columns that changed; a list of records if these are many. */
function Updated(props: UpdatedProps) {
  const columns = changedColumns(
    props.records.flatMap(({ changes }) => changes),
    props.schema,
  )
  if (columns.length > columnsMax) return <Listed {...props} />
  return <UpdatedTable {...props} columns={columns} />
}

const Listed = ({ seen, records, schema, most }: UpdatedProps) =>
  records.map((record) => (
    <article key={record.id} class="difference">
      <h5>
        <RecordLink seen={seen} record={record} />
      </h5>
      {record.data === undefined ? (
        <p class="quiet">{largeText(record)}</p>
      ) : (
        <Changes
          seen={seen}
          changes={memberChanges(objectIn(record.previousData), objectIn(record.data), schema)}
          most={most}
        />
      )}
    </article>
  ))

/** Data may be any JSON value. */
const objectIn = (data: unknown) => (isObject(data) ? data : {})

const RecordLink = ({ seen, record: { type, id } }: { seen: VisitedCollection; record: TableRecord }) => (
  <a href={seen.inView(recordPath(seen, type, id))}>
    <Name of={id} most={100} />
  </a>
)

const largeText = ({ bytes }: TableRecord): string => `A large record: ${sizeText(bytes)}`

function UpdatedTable({
  seen,
  type,
  records,
  files,
  schema,
  columns,
}: UpdatedProps & { columns: readonly ChangedColumn[] }) {
  const quantities = new Map(
    columns.map(({ label, names }) => [label, areQuantities(label, valuesOf(records, names))]),
  )
  const fields = fieldsOf(schema, fieldsMax)
  const references = new Map(fields.map(({ name, refersTo }) => [name, refersTo]))
  const named = namedBy(records, { telling: tellingField(fields), columns })
  const cells = 2 * records.length * Math.max(1, columns.length)
  const limits = {
    most: Math.max(40, Math.min(400, Math.floor(charactersOfTable / cells))),
    unfoldedAt: Math.floor(unfoldedOfTable / cells),
  }
  return (
    <TableScroll label={`Updated records of type ${shownName(type)}`}>
      <table class="data records updates stacked">
        <TableHead
          headings={[
            { header: 'id' },
            ...(named === undefined ? [] : [{ header: <Name of={named} most={60} /> }]),
            ...columns.map(({ label }) => ({
              header: <Name of={label === '' ? 'the whole record' : label} most={60} />,
            })),
          ]}
        />
        <tbody>
          {records.map((record) => (
            <tr key={record.id}>
              <th scope="row">
                <RecordLink seen={seen} record={record} />
              </th>
              {named !== undefined && (
                <td class="quiet">
                  <bdi>{cutText(nameOf(record, named) ?? '', nameMax)}</bdi>
                </td>
              )}
              {record.data === undefined && (
                <td colSpan={Math.max(1, columns.length)} class="quiet">
                  {largeText(record)}
                </td>
              )}
              {record.data !== undefined &&
                columns.map(({ label, names }) => (
                  <td key={label} class="whole" data-label={cutName(label, 60)}>
                    <Cell
                      {...limits}
                      seen={seen}
                      changes={record.changes.filter((change) => change.names.join('.') === label)}
                      unchanged={valueAt(record.data, names)}
                      isQuantity={quantities.get(label)}
                      refersTo={names.length === 1 ? references.get(label) : undefined}
                      files={files}
                    />
                  </td>
                ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableScroll>
  )
}

/** The field whose unchanged texts name the records beside their ids. Undefined: none does, or it is a column itself. */
function namedBy(
  records: readonly UpdatedRecord[],
  { telling, columns }: { telling: string | undefined; columns: readonly ChangedColumn[] },
): string | undefined {
  if (telling === undefined || columns.some(({ names }) => names[0] === telling)) return undefined
  const isNamed = (record: UpdatedRecord) => ![undefined, record.id].includes(nameOf(record, telling))
  return records.some(isNamed) ? telling : undefined
}

interface CellProps {
  readonly seen: VisitedCollection
  /** Several if the names of different members look alike. */
  readonly changes: readonly ColumnChange[]
  /** Shown if there are no changes. */
  readonly unchanged: unknown
  readonly isQuantity: boolean | undefined
  readonly refersTo: string | undefined
  readonly files: Files
  readonly most: number
  readonly unfoldedAt: number
}

/** The old value over the new one, or quietly a short value that did not change. */
function Cell({ changes, unchanged, ...limits }: CellProps) {
  if (changes.length === 0)
    return typeof unchanged === 'object' || unchanged === undefined ? null : (
      <span class="quiet">
        {typeof unchanged === 'number'
          ? numberText(unchanged, limits.isQuantity)
          : cutText(String(unchanged), 40)}
      </span>
    )
  return changes.map(({ names, was, is }) => {
    return (
      <div key={JSON.stringify(names)}>
        {was !== undefined && (
          <del>
            <span class="sr-only">was </span>
            <Value {...limits} value={was} />
          </del>
        )}
        {is !== undefined && (
          <ins>
            <span class="sr-only">is </span>
            <Value {...limits} value={is} />
          </ins>
        )}
      </div>
    )
  })
}
