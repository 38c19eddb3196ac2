/** Keys of the trees that say which records refer to which files (content-model §6). */
import type { Hash } from '../hash.ts'

/** The key that says: this record refers to this file. Types hold no `/` and are never empty, so keys cannot collide. */
export const referenceKey = (file: Hash, type: string, id: string): string => `${file}/${type}/${id}`

/** Key for a file that was declared in a push, independent of the records that refer to it. */
export const declaredKey = (file: Hash): string => `${file}//`

/** Every key of a file is greater than this one and begins with it. */
export const referencePrefix = (file: Hash): string => `${file}/`

/** The file that a key speaks of. */
export const fileOfKey = (key: string): Hash => key.slice(0, 64) as Hash
