/**
 * Converts files of rows to records: reads them, infers their columns, makes a schema. For browsers and Node; `./node.ts` adds what only
 * Node offers.
 */
export { type Column, idOf, type Tally } from './inference/column.ts'
export { type Conversion, conversions, type OfferedConversion } from './inference/conversions.ts'
export { HashBudget, HashSet } from './inference/hash-set.ts'
export { type IdProposal, idCandidates, joinIds, proposeId } from './inference/ids.ts'
export { type Inference, inferTable } from './inference/infer.ts'
export { firstLines, joinedIds, keyOfTwo } from './inference/key-pairs.ts'
export { type Kind, kinds } from './inference/kinds.ts'
export { type Misfits, misfitsOf } from './inference/misfits.ts'
export type { CodeReason } from './inference/number-texts.ts'
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
export { type ColumnMisfit, checkTable, type TableCheck, type Way, wishesWith } from './records/check.ts'
export {
  isNumbered,
  type KnownIdProposal,
  type KnownType,
  matchTypes,
  planFor,
  proposeIdFor,
  type TypeMatch,
} from './records/known-types.ts'
export {
  type GoneField,
  type LeftOut,
  mayBeRequired,
  type Plan,
  type PlannedColumn,
  type PlanWishes,
  planOf,
  type RepeatedField,
  typeNameOf,
} from './records/plan.ts'
export { PrivateIdError, privateIdError, privateIdsOf } from './records/private-ids.ts'
export { PrivateValues, privateFieldsIn } from './records/private-values.ts'
export { type RecordsOptions, recordsOf, type TableRecord } from './records/records.ts'
export { RepeatWatch, repeatedIn, repeatText, withRepeats } from './records/repeated-values.ts'
export {
  changeSchema,
  type Field,
  type FieldState,
  fieldsOf,
  isPrivateType,
  type SchemaChange,
  schemaOf,
  statesOf,
} from './records/schema.ts'
export { csvOf, idColumnOf } from './records/write-csv.ts'
