/**
 * Public API of the content package: canonical JSON, input rules, records, schemas, views, versions, trees. Pure functions that the server,
 * the command line and browsers share, so that all of them compute equal hashes. In comments, "content-model" is
 * docs/design/content-model.md: changed output of these functions changes digests that readers have cited.
 */

export { compareUtf8, type Hash, hashBytes, hashText, openHash, parseHash, utf8Length } from './hash.ts'
export { canonicalize } from './json/canonical.ts'
export * from './json/input-error.ts'
export * from './json/json.ts'
export { parseJson } from './json/parse.ts'
export { type CellChange, type ColumnChange, cellChangeOf, columnChanges } from './records/column-changes.ts'
export * from './records/input.ts'
export { jsonFault } from './records/json-fault.ts'
export * from './records/leaf-body.ts'
export * from './records/new-names.ts'
export * from './records/record.ts'
export { recordsToConfirm, recordToConfirm } from './records/record-to-confirm.ts'
export * from './records/reference-keys.ts'
export {
  eachId,
  malformedFileReferences,
  type ReferenceField,
  referenceFieldsOf,
} from './records/references.ts'
export { isValueInId } from './records/value-in-id.ts'
export { resourceText } from './resource.ts'
export { type Sentence, schemaChanges } from './schemas/changes.ts'
export { type SchemaIssue, schemaIssuesMax } from './schemas/compiler.ts'
export {
  inFieldOrder,
  orderKeyword,
  withMembersInOrder,
  withPropertiesInOrder,
} from './schemas/field-order.ts'
export {
  type Field,
  fieldNames,
  fieldsMax,
  fieldsOf,
  type PlainSchema,
  tellingField,
} from './schemas/fields.ts'
export { knownFieldsOf, unknownFieldsOf, withoutUnknownFields } from './schemas/known-fields.ts'
export {
  formerlyPrivate,
  type MadePublic,
  madePublic,
  nameToConfirm,
  type PrivateName,
  privateNamesOf,
  type SchemaSources,
} from './schemas/made-public.ts'
export { patternInstructionsMax, patternUnitsMax } from './schemas/pattern.ts'
export { privateFieldsOf } from './schemas/private-fields.ts'
export { type AcceptOptions, acceptSchema, type Schema, schemaBytesMax } from './schemas/schema.ts'
export { SchemaError } from './schemas/schema-error.ts'
export { instantPattern, isDateTime, isDay } from './schemas/times.ts'
export * from './schemas/view.ts'
export { type SchemaWarning, schemaWarnings } from './schemas/warnings.ts'
export * from './tables/columns.ts'
export * from './tables/cut-values.ts'
export * from './tables/fields.ts'
export * from './tables/filter-values.ts'
export * from './tables/query.ts'
export { tableValue, utcText } from './tables/table-values.ts'
export { httpsOfPlain, tlsReason } from './tls-reason.ts'
export { Ahead } from './tree/ahead.ts'
export { bitsToEnd, defaultShape, type TreeShape, trailingZeroBits } from './tree/boundary.ts'
export { type DiffReader, diffTrees, type TreeChange } from './tree/diff.ts'
export {
  digestOfTrees,
  type TreeEntry,
  treeOf,
  treeOfBatches,
  type VersionParts,
  type VersionTrees,
  versionDigest,
} from './tree/edit/build.ts'
export { type EditedElsewhere, type EditOptions, type EditPort, editTree } from './tree/edit/edit.ts'
export type { Edit, EditBatches } from './tree/edit/queue.ts'
export {
  type Change,
  type EditedRange,
  type EditRange,
  type Entry,
  editRange,
  type NewLeaf,
  type OpenedLeaf,
} from './tree/edit/range.ts'
export {
  type Child,
  decodeNode,
  emptyTree,
  encodeNode,
  firstAfter,
  type InteriorNode,
  type LeafNode,
  noHash,
  type Tree,
  type TreeKind,
  type TreeNode,
} from './tree/node.ts'
export { type ProofClaim, type ProofResult, proveEntry, verifyProof } from './tree/proof.ts'
export {
  checkPlace,
  countThrough,
  entryIn,
  findEntry,
  findLeaf,
  type Located,
  type NodeReader,
  nameLeaves,
  type WalkedLeaf,
  walkLeaves,
} from './tree/read.ts'
export { decodeStoredNode } from './tree/stored/node.ts'
export { emptySidecar, parseSidecar, type Sidecar, sidecarText } from './tree/stored/sidecar.ts'
export { TreeError, type TreeErrorCode } from './tree/tree-error.ts'
export * from './versions/document.ts'
export * from './versions/semver.ts'
export { topicsOf, topicText } from './versions/topics.ts'
