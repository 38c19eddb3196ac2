/**
 * Installation id, which ties a database to its object store: a row in the database and a blob in the store, created at the first
 * start, while both are new. Without it, a server started with another or an empty database would sweep every object as unneeded.
 *
 * The row is written first, so that servers that start at the same time agree. A crash leaves a database with an id beside an
 * empty store, which the next start completes. Two servers with databases of their own may both find a store empty. The later
 * blob stays, and the other server notices before it sweeps.
 */
import { randomUUID } from 'node:crypto'
import {
  allSpillsPrefix,
  BlobMissingError,
  type BlobStore,
  type Database,
  filesPrefix,
  findInstallation,
  insertInstallation,
  installationName,
  packsPrefix,
  recordsBlobs,
} from '@ulmus/storage'

/** Database and object store do not match, or one is missing. The message tells the operator the fault and the remedy. */
export class StoresUnfitError extends Error {
  override name = 'StoresUnfitError'
}

export interface Stores {
  database: Database
  blobs: BlobStore
}

/** Locations of both, for messages. */
export interface Places {
  /** As in "the database in /srv/ulmus/database". */
  database: string
  objects: string
}

/** `serve` creates an id if both are new. `check` creates none. `rebuild` copies the id to the one that lacks it. */
export type Purpose = 'serve' | 'check' | 'rebuild'

/** True if the store is in use: it has an id, readable or not, or any pack, upload or spill. At most four short listings. */
export async function holdsBlobs(blobs: BlobStore): Promise<boolean> {
  for (const prefix of [installationName, packsPrefix, filesPrefix, allSpillsPrefix]) {
    for await (const _ of blobs.list(prefix)) return true
  }
  return false
}

/** Mark of a restore or a move that fills the stores: written before all other blobs, removed last. */
export const fillingName = 'installation/filling'

/** Text of the mark, such as `restore 20261127T051900Z`; undefined: nothing was interrupted. */
export async function fillingOf(blobs: BlobStore): Promise<string | undefined> {
  try {
    return Buffer.from(await blobs.read(fillingName)).toString()
  } catch (error) {
    if (error instanceof BlobMissingError) return undefined
    throw error
  }
}

/** @throws StoresUnfitError for stores that a restore or a move has begun to fill and not completed */
export async function demandFilled(blobs: BlobStore, places: Places): Promise<void> {
  const filling = await fillingOf(blobs)
  if (filling !== undefined) throw halfFilled(places, filling)
}

/** @throws StoresUnfitError unless both belong to one installation, or are new (see `Purpose`). */
export async function joinStores(stores: Stores, places: Places, purpose: Purpose): Promise<void> {
  // Read the store first: if another server writes the blob at this moment, the later query finds its row.
  let stored = await idIn(stores.blobs)
  const holds = stored === undefined && (await holdsBlobs(stores.blobs))
  if (holds) stored = await idIn(stores.blobs)
  const known = await findInstallation(stores.database)
  if (stored !== undefined && stored === known) return
  await demandFilled(stores.blobs, places)
  if (stored !== undefined && known !== undefined) throw differing(places, stored, known)
  const recorded = await recordsBlobs(stores.database)
  if (known !== undefined && recorded && !holds && stored === undefined) throw storeLost(places)
  if (purpose === 'rebuild') {
    if (stored !== undefined || holds || known !== undefined) return makeOne(stores, places, stored)
    throw nothingThere(places)
  }
  if (stored !== undefined) throw foreignStore(places, stored)
  if (holds) throw unnamedStore(places, known)
  if (known === undefined && purpose === 'check') throw nothingThere(places)
  return makeOne(stores, places, undefined)
}

/** @throws StoresUnfitError for objects of another installation */
export async function demandInstallation(
  blobs: BlobStore,
  installation: string,
  places: Places,
): Promise<void> {
  const stored = await idIn(blobs)
  if (stored === installation) return
  throw stored === undefined ? unnamedStore(places, installation) : differing(places, stored, installation)
}

/** @throws StoresUnfitError if another server gave the store another id at the same moment. */
async function makeOne(
  { database, blobs }: Stores,
  places: Places,
  stored: string | undefined,
): Promise<void> {
  await database.transact((tx) => insertInstallation(tx, stored ?? randomUUID()))
  const known = (await findInstallation(database))!
  if (stored === undefined) await blobs.put(installationName, Buffer.from(`${known}\n`))
  const found = await idIn(blobs)
  if (found !== known) throw differing(places, String(found), known)
}

const wellFormed = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Undefined if there is no readable id. */
export async function idIn(blobs: BlobStore): Promise<string | undefined> {
  try {
    const text = Buffer.from(await blobs.read(installationName))
      .toString()
      .trim()
    return wellFormed.test(text) ? text : undefined
  } catch (error) {
    if (error instanceof BlobMissingError) return undefined
    throw error
  }
}

const anotherStore =
  'If the objects belong to another installation, give this one a prefix or a folder of its own (OBJECT_STORE, DATA_DIR).'
const lostDatabase =
  'If the database was lost, restore it from a backup; without one, `ulmus-server fsck --rebuild-index` joins the two, and what named the objects is gone.'

const differing = ({ database, objects }: Places, stored: string, known: string) =>
  new StoresUnfitError(
    `${capital(database)} and ${objects} are of different installations (${known} and ${stored}). Correct DATABASE_URL, DATA_DIR or OBJECT_STORE so that they name what belongs together.`,
  )

function halfFilled({ database, objects }: Places, filling: string): StoresUnfitError {
  const [, backup] = /^restore (\S{1,100})$/.exec(filling) ?? []
  const again =
    backup === undefined
      ? '`ulmus-server move` again, with the same settings and file as before'
      : `the same \`ulmus-server restore\` again, with --backup ${backup}`
  return new StoresUnfitError(
    `A ${backup === undefined ? 'move' : 'restore'} into ${database} and ${objects} is running or was interrupted. Run ${again}: it resumes.`,
  )
}

const foreignStore = ({ database, objects }: Places, stored: string) =>
  new StoresUnfitError(
    `${capital(database)} is new, but ${objects} are of the installation ${stored}. Correct DATABASE_URL or DATA_DIR, or run an interrupted \`ulmus-server move\` again. ${lostDatabase} ${anotherStore}`,
  )

const unnamedStore = ({ database, objects }: Places, known: string | undefined) =>
  new StoresUnfitError(
    known === undefined
      ? `${capital(database)} is new, but there are ${objects}. Correct DATABASE_URL or DATA_DIR. ${lostDatabase} ${anotherStore}`
      : `${capital(objects)} lack ${installationName}, which says whose they are; ${database} is of the installation ${known}. If they were copied here without it, copy that, too, or run \`ulmus-server fsck --rebuild-index\`. ${anotherStore}`,
  )

export const storeLost = ({ database, objects }: Places) =>
  new StoresUnfitError(
    `There are no ${objects}, but ${database} refers to some. Correct OBJECT_STORE or DATA_DIR, or restore the objects from a backup.`,
  )

const nothingThere = ({ database, objects }: Places) =>
  new StoresUnfitError(
    `There is nothing to check: ${database} is new, and there are no ${objects}. Correct DATABASE_URL, DATA_DIR or OBJECT_STORE.`,
  )

/** Refuses objects without a database: a new database would make all objects look unneeded. */
export const databaseMissing = ({ database, objects }: Places) =>
  new StoresUnfitError(
    `There is no ${withoutArticle(database)}, but there are ${objects}. Nothing was made. ${lostDatabase} ${anotherStore}`,
  )

const withoutArticle = (text: string): string => text.replace(/^the /, '')
export const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
