/** Files of rows as records: read, their columns inferred, a schema made of them. For browsers and Node. */
export { type Column, columnsOf, idCandidates, type Kind, kinds } from './columns.ts'
export {
  type Plan,
  type PlannedColumn,
  planOf,
  recordsOf,
  schemaOf,
  type TableRecord,
  typeNameOf,
} from './records.ts'
export { type Format, formatOf, type Row, readRows, TableError } from './rows.ts'
