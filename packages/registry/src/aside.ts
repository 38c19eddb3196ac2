/**
 * What a version remembers beside its two documents, outside their digests (content-model §6):
 *
 * - the reference trees of both views: one key for every (file hash, type, id), from which the file sets follow, and one for
 *   every file that was declared in a push (full view only);
 * - for every private type its *shadow*: the tree its public view would have. It keeps apart the records that were pushed as
 *   private from those that are hidden only because their type is, so that a type made public does not take the former along.
 *
 * Stored as one plain object named by its hash.
 */
import { canonicalize, emptyTree, type Hash, hashText, type Json, type Tree } from '@ulmus/content'
import type { ObjectReader, ObjectWriter } from '@ulmus/storage'

export interface Aside {
  references: { full: Tree; public: Tree }
  /** By type slug; private types only. */
  shadows: Record<string, Tree>
}

export const emptyAside = (): Aside => ({ references: { full: emptyTree, public: emptyTree }, shadows: {} })

export async function readAside(objects: ObjectReader, hash: Hash): Promise<Aside> {
  return JSON.parse(new TextDecoder().decode(await objects.plain(hash))) as Aside
}

export async function writeAside(writer: ObjectWriter, aside: Aside): Promise<Hash> {
  const text = canonicalize(aside as unknown as Json)
  const hash = hashText(text)
  await writer.add('plain', hash, text)
  return hash
}

/** The key that says: this record refers to this file. Types hold no `/` and are never empty, so keys cannot collide. */
export const referenceKey = (file: Hash, type: string, id: string): string => `${file}/${type}/${id}`

/** The key that says: this file was declared in a push, whoever refers to it. */
export const declaredKey = (file: Hash): string => `${file}//`

/** Every key of a file is greater than this one and begins with it. */
export const referencePrefix = (file: Hash): string => `${file}/`

/** The file that a key speaks of. */
export const fileOfKey = (key: string): Hash => key.slice(0, 64) as Hash
