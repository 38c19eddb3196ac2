/** Files that a reader of a collection may read: its own uploads, and those that a fork inherited. */
import type { Hash } from '@ulmus/content'
import { findCollectionFiles } from '@ulmus/storage'
import type { CollectionPath, StoredFile } from '@ulmus/wire'
import { findVisibleCollection, type VisibleCollection } from '../access/find-collection.ts'
import type { Context } from '../context.ts'
import type { Principal } from '../principal.ts'
import { sizesIn } from '../pushes/references/references.ts'
import { rootsOf } from '../versions/content.ts'
import { fileFacts, inheritedVersion } from './known-files.ts'
import { requestedFile } from './requested-file.ts'

type Facts = Omit<StoredFile, 'hash'>

/** @param names of files as requests write them; the answer has the same. */
export async function factsOf(
  context: Context,
  who: Principal,
  path: CollectionPath,
  names: readonly string[],
): Promise<ReadonlyMap<string, StoredFile>> {
  const seen = await findVisibleCollection(context, who, path)
  const named = names.flatMap((name) => {
    const hash = requestedFile(name)
    return hash === undefined ? [] : [{ name, hash }]
  })
  const found = await findReadable(
    context,
    seen,
    named.map(({ hash }) => hash),
  )
  const readable = named.filter(({ hash }) => found.has(hash))
  return new Map(readable.map(({ name, hash }) => [name, { hash: `sha256:${hash}`, ...found.get(hash)! }]))
}

/** Those of some files that a reader of this view may read. */
export async function findReadable(
  context: Context,
  seen: VisibleCollection,
  hashes: readonly Hash[],
): Promise<ReadonlyMap<Hash, Facts>> {
  const found = new Map<Hash, Facts>()
  // A row means that the file was uploaded here. Members may read it, others only if a public view had it.
  for (const own of await findCollectionFiles(context.database, seen.collection.id, hashes))
    if (seen.view === 'full' || own.inPublic)
      found.set(own.hash as Hash, { size: own.size, contentType: own.contentType })
  const rest = hashes.filter((hash) => !found.has(hash))
  const version = rest.length === 0 ? undefined : await inheritedVersion(context, seen.collection)
  if (version === undefined) return found
  const roots = await rootsOf(context, version, seen.view)
  const sizes = await sizesIn(roots.files, rest, context.objects)
  const facts = await fileFacts(context.database, seen.collection, [...sizes.keys()])
  for (const [hash, size] of sizes) found.set(hash, { size, contentType: facts.get(hash)!.contentType })
  return found
}
