/**
 * Public API of the storage package: blobs, objects and database rows, without business rules, which are in packages/registry. In comments,
 * "content-model" is docs/design/content-model.md; docs/formats.md has the formats on disk.
 */

export * from './blobs/blob-store.ts'
export { openDiskStore } from './blobs/disk/store.ts'
export { openMemoryStore } from './blobs/memory.ts'
export {
  allSpillsPrefix,
  checkpointName,
  fileName,
  filesPrefix,
  installationName,
  packsPrefix,
  spillName,
  spillsPrefix,
} from './blobs/names.ts'
export type { S3Keys, S3Settings } from './blobs/s3/bucket.ts'
export { s3BlobBytesMax } from './blobs/s3/limits.ts'
export { openS3Store } from './blobs/s3/open.ts'
export * from './database/database.ts'
export { keepBallast } from './database/embedded/ballast.ts'
export {
  FolderInUseError,
  type FolderLock,
  lockFolder,
  makeFolders,
} from './database/embedded/folder-lock.ts'
export { hasEmbedded } from './database/embedded/place.ts'
export { databaseHosts } from './database/failover/hosts.ts'
export { findNewerRelease, type Migrations, migratedTopic, migrationTimes } from './database/migrate.ts'
export { type DatabaseConfig, openDatabase } from './database/open.ts'
export { otherConnections } from './database/other-connections.ts'
export { silentSecondsMax } from './database/other-servers.ts'
export { connectionRefusal } from './database/server-refusals.ts'
export { type DiskSpace, demandReserveFits, unlimitedSpace, watchSpace } from './disk-space.ts'
export { linesOf } from './dump/lines.ts'
export { loadDump } from './dump/load.ts'
export { type DumpedRows, DumpUnreadableError, dumpedMigration, readDump } from './dump/read.ts'
export { holdsNoRows } from './dump/tables.ts'
export { writeDump } from './dump/write.ts'
export { loggedError } from './errors/logged-error.ts'
export { isDatabaseFull, isStorageFull, StorageFullError } from './errors/storage-full.ts'
export * from './errors/stores.ts'
export { accountName, findClosedAbove } from './machine-accounts.ts'
export { type EncodedLeaf, type ObjectReader, openObjectReader } from './objects/object-reader.ts'
export {
  type ObjectWriter,
  openObjectWriter,
  type PackedObjects,
  type PreparedObject,
  packBytesMax,
} from './objects/object-writer.ts'
export { checkedObjects, checkedPack } from './packs/checked-pack.ts'
export type { EncodedObject } from './packs/encoded-object.ts'
export { type PackEntry, type PackSource, readFooter, type StoredPack } from './packs/pack.ts'
export { copyObjects } from './packs/repack.ts'
export {
  type Authority,
  type Credential,
  lockCredential,
  lockStanding,
  type Standing,
} from './sql/access/authority.ts'
export * from './sql/collections/facets.ts'
export * from './sql/collections/followed-questions.ts'
export * from './sql/collections/hidden-collections.ts'
export type { HeadFound } from './sql/collections/words.ts'
// This line only: for tests and benchmarks.
export { columnsOf, insertInto } from './sql/columns/rows.ts'
export * from './sql/columns/workload.ts'
export * from './sql/joins/account-export.ts'
export * from './sql/joins/collection-lists.ts'
export * from './sql/joins/collection-search.ts'
export * from './sql/joins/failed-jobs.ts'
export * from './sql/joins/family.ts'
export * from './sql/joins/found-collection.ts'
export * from './sql/joins/landed-heads.ts'
export * from './sql/joins/newest-versions.ts'
export * from './sql/joins/operations.ts'
export * from './sql/joins/reports.ts'
export { type ForkOf, type Landing, landVersion, NotLandedError } from './sql/landing/land-version.ts'
export * from './sql/objects/erasures.ts'
export {
  dropInlinePacks,
  foundPacks,
  type InlinePack,
  inlinePacksLeft,
  oldestInlinePacks,
  packsOf,
  putInlinePacks,
} from './sql/objects/inline-packs.ts'
export { allFiles, allPacks, type FoundPack, fileSizes, rebuildIndex } from './sql/objects/rebuilding.ts'
export * from './sql/pushes/files.ts'
export * from './sql/pushes/leases.ts'
export * from './sql/schema.ts'
export * from './sql/upkeep/database-state.ts'
export * from './sql/upkeep/deleted-collections.ts'
export * from './sql/upkeep/expiry.ts'
export * from './sql/upkeep/figures.ts'
export * from './sql/upkeep/waiting-work.ts'
export * from './sql/usage/usage.ts'
export { giveWay } from './turn.ts'
