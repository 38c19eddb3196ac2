/**
 * Moves a registry to other stores: a backup that is restored at once. Its servers must be stopped. The old stores keep their
 * data, and a mark that keeps servers from them.
 */
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { counted } from '@ulmus/content/quantities'
import { allFiles, allPacks, fileName, packsOf, writeDump } from '@ulmus/storage'
import { type Places, StoresUnfitError } from '../stores/installation.ts'
import { isDatabaseMoved, markMoved, removeMarks } from '../stores/moved.ts'
import { demandNoServer } from '../stores/no-server.ts'
import { type OpenStores, openStores, placesOf, type StoresConfig } from '../stores/stores.ts'
import { type RestoredLog, settleLog } from '../version-log/restored.ts'
import { contentsOf } from './contents.ts'
import { copyOwnBlob, hashBlob, listed } from './copy.ts'
import { type FillingReport, fillStores } from './filling.ts'
import { blobPrefixes } from './shelf.ts'

export interface MoveReport extends FillingReport {
  /** Location of the moved half, for messages; undefined if it was not moved. */
  readonly database: string | undefined
  readonly objects: string | undefined
}

const lostWrites = 'what they write during the move would be lost'

/**
 * Copies the database, the objects, or both: those for which `to` names another place.
 * @throws StoresUnfitError if a server runs or nothing would move; the errors of `openStores` and `fillStores`
 */
export async function move(from: StoresConfig, to: StoresConfig): Promise<MoveReport> {
  const [moves, places] = [
    { database: !isSameDatabase(from, to), objects: !isSameObjects(from, to) },
    placesOf(to),
  ]
  if (!moves.database && !moves.objects)
    throw new StoresUnfitError(
      `The registry has ${places.database} and ${places.objects} already. Name another DATABASE_URL, OBJECT_STORE or DATA_DIR to move to.`,
    )
  await demandNoServer(from.databaseUrl, lostWrites)
  await using opened = new AsyncDisposableStack()
  const { database, blobs } = await openStores(from, opened, 'check')
  const folder = await mkdtemp(join(tmpdir(), 'ulmus-move-'))
  opened.defer(() => rm(folder, { recursive: true, force: true }))
  const dump = join(folder, 'dump')
  await writeDump(database, dump)
  const { installation, migration, blobs: named } = await contentsOf(dump)
  const { size: bytes } = await stat(dump)
  const sha256 = await hashBlob({ stream: () => createReadStream(dump) }, { name: 'dump', bytes })
  const report = await fillStores(to, {
    ...{ mark: `move ${sha256}`, installation, migration, endedPushes: [] },
    dump: moves.database ? () => createReadStream(dump) : undefined,
    objects: moves.objects
      ? { blobs: named, copy: (to, blob) => copyOwnBlob(blobs, to, blob, dump) }
      : undefined,
  })
  const moved = {
    database: moves.database ? places.database : undefined,
    objects: moves.objects ? places.objects : undefined,
  }
  await markMoved({ database, blobs }, moved, new Date())
  return { ...report, ...moved }
}

export interface MoveBackReport {
  /** Places that the stores had been moved to, with the time. Empty: they were not moved, and nothing was changed. */
  readonly places: readonly string[]
  /** Fate of the signed log. `untouched`: the database was not moved, so it has all that was signed. */
  readonly log: RestoredLog['kind'] | 'untouched'
}

/**
 * Gives up moves from the stores of `config`: servers start on them again.
 * @param log default: continues under another name, since the new place may have signed entries that this database lacks
 * @throws StoresUnfitError if a server runs, or if the database has versions whose objects are in the new place alone; the errors of
 * `openStores` and `settleLog`
 */
export async function moveBack(
  config: StoresConfig,
  log: RestoredLog = { kind: 'restarts' },
): Promise<MoveBackReport> {
  await demandNoServer(config.databaseUrl, lostWrites)
  await using opened = new AsyncDisposableStack()
  const stores = await openStores(config, opened, 'check', { mayBeMoved: true })
  await demandBlobs(stores, placesOf(config))
  const isBehind = await isDatabaseMoved(stores)
  // Before the marks are removed: no server may sign under the old name in between.
  if (isBehind) await settleLog(stores.database, log)
  return { places: await removeMarks(stores), log: isBehind ? log.kind : 'untouched' }
}

/** After a move of the objects alone, a server may have written to this database. */
async function demandBlobs(stores: OpenStores, { objects }: Places): Promise<void> {
  const stored = await listed(stores.blobs, blobPrefixes)
  const packs = packsOf(stores)
  const lacking: string[] = []
  for (const { name } of await allPacks(stores.database))
    if (!stored.has(name) && (await packs.size(name)) === undefined) lacking.push(name)
  for await (const files of allFiles(stores.database))
    lacking.push(...files.map(({ hash }) => fileName(hash)).filter((name) => !stored.has(name)))
  if (lacking.length === 0) return
  throw new StoresUnfitError(
    `The database refers to ${counted(lacking.length, 'blob')} that the ${objects} lack, such as ${lacking[0]}: the server wrote on after the move. Move the objects from their new place to an empty one by \`ulmus-server move\` instead.`,
  )
}

const isSameDatabase = (a: StoresConfig, b: StoresConfig): boolean =>
  a.databaseUrl === undefined || b.databaseUrl === undefined
    ? a.databaseUrl === b.databaseUrl && resolve(a.dataFolder) === resolve(b.dataFolder)
    : a.databaseUrl === b.databaseUrl

const isSameObjects = (a: StoresConfig, b: StoresConfig): boolean =>
  a.bucket === undefined || b.bucket === undefined
    ? a.bucket === b.bucket && resolve(a.dataFolder) === resolve(b.dataFolder)
    : a.bucket.bucket === b.bucket.bucket &&
      a.bucket.prefix === b.bucket.prefix &&
      a.bucket.endpoint === b.bucket.endpoint
