/** Which backups are kept. What only removed ones had goes with them. */
import { forEachBlob } from './copy.ts'
import { blobPrefixes, nameOf, type Shelf } from './shelf.ts'

/** Younger blobs may belong to a backup in progress. Milliseconds. */
const graceMilliseconds = 86_400_000

/**
 * Removes all backups but the last ones, and the blobs that none of these has, unless they are younger than a day.
 * @returns the ids of those removed
 */
export async function removeOldBackups(shelf: Shelf, keep: number, now: Date): Promise<string[]> {
  const ids = await shelf.ids()
  const [old, kept] = [ids.slice(0, -keep), ids.slice(-keep)]
  // Without its manifest a backup is not there: one that is half removed is never taken for one.
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
