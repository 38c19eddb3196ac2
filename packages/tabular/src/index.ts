/** Files of rows as records: read, their columns inferred, a schema made of them. For browsers and Node; what Node alone has is in `./node.ts`. */
export { type Column, idOf, type Tally } from './inference/column.ts'
export { HashBudget, HashSet } from './inference/hash-set.ts'
export { type Inference, idCandidates, inferTable } from './inference/infer.ts'
export { type Kind, kinds } from './inference/kinds.ts'
export { type Misfits, misfitsOf } from './inference/misfits.ts'
export { referencesIn, type TypeIds } from './inference/references.ts'
export { formatOf } from './reading/formats.ts'
export { openTable } from './reading/open.ts'
export {
  type Choice,
  type Detected,
  type Format,
  formats,
  type Note,
  type Quotes,
  type ReadOptions,
} from './reading/options.ts'
export { type FileSource, sourceOf } from './reading/source.ts'
export { Numeral, type Row, type Table } from './reading/table.ts'
export { TableError } from './reading/table-error.ts'
export {
  type LeftOut,
  type Plan,
  type PlannedColumn,
  type PlanWishes,
  planOf,
  typeNameOf,
} from './records/plan.ts'
export { type RecordsOptions, recordsOf, type TableRecord } from './records/records.ts'
export { type Field, fieldsOf, schemaOf } from './records/schema.ts'
export { csvOf, idColumnOf } from './records/write-csv.ts'
