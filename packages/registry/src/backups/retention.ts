/**
 * Removes old backups, with the blobs that only these used. A manifest is removed before its blobs, so that every listed backup is
 * complete.
 */
import { forEachBlob } from './copy.ts'
import { blobPrefixes, nameOf, type Shelf } from './shelf.ts'

/** Younger blobs may belong to a backup in progress. Milliseconds. */
const graceMilliseconds = 86_400_000

/**
 * Removes all backups except the last `keep`, and the blobs that none of these uses, unless they are younger than a day.
 * @returns the ids of removed backups
 */
export async function removeOldBackups(shelf: Shelf, keep: number, now: Date): Promise<string[]> {
  const ids = await shelf.ids()
  const [old, kept] = [ids.slice(0, -keep), ids.slice(-keep)]
  // Remove the manifest first: without it, a half-removed backup is not listed.
  for (const part of ['manifest', 'blobs', 'database'] as const)
    for (const id of old) await shelf.store.remove(nameOf(id, part))
  const needed = new Set(
    kept.flatMap((id) => (['manifest', 'blobs', 'database'] as const).map((part) => nameOf(id, part))),
  )
  for (const id of kept)
    for (const { name } of await shelf.blobs(id, await shelf.manifest(id))) needed.add(name)
  const gone: string[] = []
  for (const prefix of [...blobPrefixes, 'backups/'])
    for await (const { name, modifiedAt } of shelf.store.list(prefix)) {
      const isOld = now.getTime() - modifiedAt.getTime() > graceMilliseconds
      if (isOld && !needed.has(name) && name !== 'backups/installation') gone.push(name)
    }
  await forEachBlob(gone, (name) => shelf.store.remove(name))
  return old
}
