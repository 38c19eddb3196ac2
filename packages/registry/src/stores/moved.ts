/**
 * Marks of stores that `move` left behind, one in the database and one beside the objects: a server that starts on them by old
 * settings would serve an outdated registry, and its sweep would remove objects that only the new database knows.
 */
import { BlobMissingError, type BlobStore, movedTo, setMovedTo } from '@ulmus/storage'
import { capital, type Places, type Stores, StoresUnfitError } from './installation.ts'

/** Blob with the place that the objects were moved to, and the time. */
const movedName = 'installation/moved'

/** @throws StoresUnfitError for a database or objects that were moved elsewhere */
export async function demandUnmoved({ database, blobs }: Stores, places: Places): Promise<void> {
  const rowsTo = await movedTo(database)
  if (rowsTo !== undefined) throw movedAway(capital(places.database), 'was', rowsTo)
  const objectsTo = await objectsMovedTo(blobs)
  if (objectsTo !== undefined) throw movedAway(`The ${places.objects}`, 'were', objectsTo)
}

const movedAway = (what: string, was: 'was' | 'were', to: string) =>
  new StoresUnfitError(
    `${what} ${was} moved to ${to}. Start the server with the settings of the new place. To give up the move and everything that was written there since, run \`ulmus-server move --back\` with the present settings; its --help explains the effect on the signed log.`,
  )

async function objectsMovedTo(blobs: BlobStore): Promise<string | undefined> {
  try {
    return Buffer.from(await blobs.read(movedName)).toString()
  } catch (error) {
    if (error instanceof BlobMissingError) return undefined
    throw error
  }
}

/** @param to the new place of each half that was moved */
export async function markMoved({ database, blobs }: Stores, to: Partial<Places>, at: Date): Promise<void> {
  const mark = (place: string) => `${place} (${at.toISOString()})`
  if (to.database !== undefined) await setMovedTo(database, mark(to.database))
  if (to.objects !== undefined) await blobs.put(movedName, Buffer.from(mark(to.objects)))
}

/** True if another place has a later state of the database. */
export const isDatabaseMoved = async ({ database }: Pick<Stores, 'database'>): Promise<boolean> =>
  (await movedTo(database)) !== undefined

/** Returns the marks that were there. */
export async function removeMarks({ database, blobs }: Stores): Promise<string[]> {
  const marks = [await movedTo(database), await objectsMovedTo(blobs)]
  await setMovedTo(database, null)
  await blobs.remove(movedName)
  return marks.filter((mark) => mark !== undefined)
}
