/**
 * Keys of reference trees, which list the records that refer to each file (content-model §6). A format on disk: stored trees contain these
 * keys, and all keys of a file must be adjacent in their order.
 */
import type { Hash } from '../hash.ts'

/** Key for a reference from this record to this file. Types contain no `/` and are never empty, so keys cannot collide. */
export const referenceKey = (file: Hash, type: string, id: string): string => `${file}/${type}/${id}`

/** Key for a file that was declared in a push, independent of the records that refer to it. */
export const declaredKey = (file: Hash): string => `${file}//`

/** Common prefix of a file's keys; each of them is greater than it. */
export const referencePrefix = (file: Hash): string => `${file}/`

/** The file of a key. */
export const fileOfKey = (key: string): Hash => key.slice(0, 64) as Hash
