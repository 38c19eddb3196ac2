/** Error for a fault of a tree or of a request for one. The codes are a closed union, so that callers can branch on them. */

/**
 * - `node_malformed`: bytes that do not encode a node.
 * - `node_misplaced`: a well-formed node that contradicts its parent or its tree.
 * - `edits_unsorted`: edits that do not ascend strictly by the UTF-8 bytes of their keys.
 * - `entry_malformed`: a key with a lone surrogate, or a size that is not a safe integer ≥ 0.
 * - `payloads_mismatched`: a leaf whose number of payloads differs from its number of entries.
 */
export type TreeErrorCode =
  | 'node_malformed'
  | 'node_misplaced'
  | 'edits_unsorted'
  | 'entry_malformed'
  | 'payloads_mismatched'

/** Thrown by every function of the tree folder; errors of ports pass through unchanged. */
export class TreeError extends Error {
  override readonly name = 'TreeError'
  readonly code: TreeErrorCode

  constructor(code: TreeErrorCode, message: string) {
    super(message)
    this.code = code
  }
}
