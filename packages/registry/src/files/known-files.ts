/**
 * Files that a collection may refer to: its own uploads, and those that a fork inherited. Knowing a hash is not enough: a file of
 * another collection must be uploaded again.
 */
import type { Hash } from '@ulmus/content'
import {
  type CollectionRow,
  findCollectionById,
  findCollectionFiles,
  findInheritedFiles,
  findVersionBySemver,
  insertCollectionFile,
  type Queries,
  type Tx,
  type VersionRow,
} from '@ulmus/storage'
import type { View } from '../access/policy.ts'
import type { Context } from '../context.ts'
import { sizesIn } from '../pushes/references/references.ts'
import { rootsOf } from '../versions/content.ts'

/** A fork's first version has all inherited files. */
const firstSemver = { major: 1, minor: 0, patch: 0 }

/** The version whose files a fork inherited; undefined if it is no fork, or the version was withdrawn. */
export async function inheritedVersion(
  context: Context,
  collection: CollectionRow,
): Promise<VersionRow | undefined> {
  if (collection.forkedFromId === null) return undefined
  const version = await findVersionBySemver(context.database, collection.id, firstSemver)
  return version?.withdrawnAt === null ? version : undefined
}

/** Sizes in bytes of those `files` that the collection may refer to. */
export async function knownFiles(
  context: Context,
  collectionId: string,
  files: readonly Hash[],
): Promise<Map<Hash, number>> {
  const known = new Map<Hash, number>()
  if (files.length === 0) return known
  for (const row of await findCollectionFiles(context.database, collectionId, files))
    known.set(row.hash as Hash, row.size)
  const rest = files.filter((file) => !known.has(file))
  if (rest.length === 0) return known
  for (const [file, size] of await inheritedSizes(context, collectionId, rest, 'full')) known.set(file, size)
  return known
}

async function inheritedSizes(
  context: Context,
  collectionId: string,
  files: readonly Hash[],
  view: View,
): Promise<ReadonlyMap<Hash, number>> {
  const collection = (await findCollectionById(context.database, collectionId, null))?.collection
  const version = collection === undefined ? undefined : await inheritedVersion(context, collection)
  if (version === undefined) return new Map()
  return sizesIn((await rootsOf(context, version, view)).files, files, context.objects)
}

const unknownContentType = 'application/octet-stream'

/** Facts that do not follow from a file's bytes. */
export interface FileFacts {
  contentType: string
  createdAt: Date
}

/** Facts about files, recorded by uploads to the collection or to its ancestors. */
export async function fileFacts(
  at: Queries,
  collection: CollectionRow,
  files: readonly Hash[],
): Promise<Map<Hash, FileFacts>> {
  const facts = new Map<Hash, FileFacts>()
  for (const row of await findCollectionFiles(at, collection.id, files)) facts.set(row.hash as Hash, row)
  const rest = files.filter((file) => !facts.has(file))
  for (const row of await findInheritedFiles(at, collection.ancestors, rest)) facts.set(row.hash as Hash, row)
  for (const file of rest) {
    if (!facts.has(file))
      facts.set(file, { contentType: unknownContentType, createdAt: collection.createdAt })
  }
  return facts
}

/** Inserts rows of the collection for inherited files that enter a view of a new version; `markFilesInViews` then marks them. */
export async function recordInherited(tx: Tx, collectionId: string, files: readonly Hash[]): Promise<void> {
  if (files.length === 0) return
  const own = new Set((await findCollectionFiles(tx, collectionId, files)).map((row) => row.hash))
  const inherited = files.filter((file) => !own.has(file))
  if (inherited.length === 0) return
  const collection = (await findCollectionById(tx, collectionId, null))?.collection
  if (collection === undefined) return
  for (const [hash, { contentType, createdAt }] of await fileFacts(tx, collection, inherited)) {
    await insertCollectionFile(tx, { collectionId, hash, contentType, createdAt })
  }
}

/** Those of `files` that the collection lacks. */
export const filesNeeded = async (
  context: Context,
  collectionId: string,
  files: readonly Hash[],
): Promise<Hash[]> => {
  const known = await knownFiles(context, collectionId, files)
  return files.filter((file) => !known.has(file))
}
