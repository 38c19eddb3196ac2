/** The content package's table of contents: canonical JSON, input rules, records, schemas, views, versions, trees. */

export { canonicalize } from './canonical.ts'
export * from './document.ts'
export { compareUtf8, type Hash, hashBytes, hashText, parseHash, utf8Length } from './hash.ts'
export * from './input.ts'
export * from './input-error.ts'
export * from './json.ts'
export { knownFieldsOf, unknownFieldsOf, withoutUnknownFields } from './known-fields.ts'
export * from './leaf-body.ts'
export * from './metadata.ts'
export { patternInstructionsMax, patternUnitsMax } from './pattern.ts'
export { privateFieldsOf } from './private-fields.ts'
export * from './record.ts'
export * from './reference-keys.ts'
export {
  eachId,
  malformedFileReferences,
  type ReferenceField,
  referenceFieldsOf,
} from './references.ts'
export { type AcceptOptions, acceptSchema, type Schema, schemaBytesMax } from './schema.ts'
export { type SchemaIssue, schemaIssuesMax } from './schema-compiler.ts'
export { SchemaError } from './schema-error.ts'
export { type SchemaWarning, schemaWarnings } from './schema-warnings.ts'
export * from './semver.ts'
export { Ahead } from './tree/ahead.ts'
export { bitsToEnd, defaultShape, type TreeShape, trailingZeroBits } from './tree/boundary.ts'
export { type DiffReader, diffTrees, type TreeChange } from './tree/diff.ts'
export { type EditedElsewhere, type EditOptions, type EditPort, editTree } from './tree/edit.ts'
export type { Edit, EditBatches } from './tree/edit-queue.ts'
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
export { decodeStoredNode } from './tree/stored-node.ts'
export {
  type Change,
  type EditedStretch,
  type Entry,
  editStretch,
  type NewLeaf,
  type OpenedLeaf,
  type Stretch,
} from './tree/stretch.ts'
export { TreeError, type TreeErrorCode } from './tree/tree-error.ts'
export * from './view.ts'
