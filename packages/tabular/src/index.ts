/**
 * Converts files of rows to records: reads them, infers their columns, makes a schema. For browsers and Node; `./node.ts` adds what only
 * Node offers.
 */
export { type Column, idOf, type RepeatedValue, type Tally } from './inference/column.ts'
export { type Conversion, conversions, converted, type OfferedConversion } from './inference/conversions.ts'
export { HashBudget, HashSet } from './inference/hash-set.ts'
export { type IdProposal, idCandidates, joinIds, proposeId } from './inference/ids.ts'
export { type Inference, inferTable } from './inference/infer.ts'
export { firstLines, joinedIds, keyOfTwo } from './inference/key-pairs.ts'
export { type Kind, kinds } from './inference/kinds.ts'
export { type Misfits, misfitsOf } from './inference/misfits.ts'
export { type CodeReason, codeText } from './inference/number-texts.ts'
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
export { Numeral, type RemovedMark, type Row, type Table } from './reading/table.ts'
export { TableError } from './reading/table-error.ts'
export {
  answerMillisecondsMax,
  type StartWorkbook,
  type WorkbookAnswer,
  type WorkbookProcess,
  type WorkbookRequest,
} from './reading/workbook/requests.ts'
export {
  type Field,
  type FieldState,
  fieldsOf,
  isPrivateType,
  statesOf,
} from './records/field-states.ts'
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
  repeatText,
  typeNameOf,
} from './records/plan.ts'
export { PrivateIdError, privateIdError, privateIdsOf } from './records/private-ids.ts'
export { type RecordsOptions, recordsOf, type TableRecord } from './records/records.ts'
export { hasMemory, openAsBefore, type RememberedTable } from './records/remembered.ts'
export { changeSchema, type SchemaChange, schemaOf } from './records/schema.ts'
export { csvOf, idColumnOf } from './records/write-csv.ts'
