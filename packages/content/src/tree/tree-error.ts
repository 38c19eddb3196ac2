/** Faults of a tree or of a request for one. A closed union, so that callers can decide by code. */

/**
 * - `node_malformed`: bytes that are no node's encoding.
 * - `node_misplaced`: a well-formed node where its parent or its tree promised another.
 * - `edits_unsorted`: edits that do not come strictly ascending by the UTF-8 bytes of their keys.
 * - `entry_malformed`: a key that holds a lone surrogate, or a size that is no safe integer ≥ 0.
 * - `payloads_mismatched`: a leaf's payloads that are not one for each of its entries.
 */
export type TreeErrorCode =
  | 'node_malformed'
  | 'node_misplaced'
  | 'edits_unsorted'
  | 'entry_malformed'
  | 'payloads_mismatched'

/** Thrown by every function of the tree folder; what ports throw passes through as it is. */
export class TreeError extends Error {
  override readonly name = 'TreeError'
  readonly code: TreeErrorCode

  constructor(code: TreeErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
