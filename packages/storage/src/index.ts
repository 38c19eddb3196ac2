/** Storage: bytes and rows, no rules. */
export { type DiskSpace, unlimitedSpace, watchSpace } from './disk-space.ts'
export { makeFolders } from './folders.ts'

export { loggedError } from './logged-error.ts'
export * from './objects/blob-store.ts'
export { openDiskStore } from './objects/disk.ts'
export type { EncodedObject } from './objects/encoded-object.ts'
export * from './objects/errors.ts'
export { openMemoryStore } from './objects/memory.ts'
export {
  allRunsPrefix,
  fileName,
  filesPrefix,
  installationName,
  packsPrefix,
  runName,
  runsPrefix,
} from './objects/names.ts'
export { type EncodedLeaf, type ObjectReader, openObjectReader } from './objects/object-reader.ts'
export {
  type ObjectWriter,
  openObjectWriter,
  type PackedObjects,
  type PreparedObject,
  packBytesMax,
} from './objects/object-writer.ts'
export { openS3Store } from './objects/open-s3.ts'
export { type PackEntry, type PackSource, readFooter, type StoredPack } from './objects/pack.ts'
export { copyObjects } from './objects/repack.ts'
export type { S3Keys, S3Settings } from './objects/s3-bucket.ts'
export { s3BlobBytesMax } from './objects/s3-limits.ts'
export {
  type Authority,
  type Credential,
  lockCredential,
  lockStanding,
  type Standing,
} from './sql/authority.ts'
export { keepBallast } from './sql/ballast.ts'
export * from './sql/collection-leavings.ts'
export * from './sql/collection-lists.ts'
export * from './sql/collection-search.ts'
export * from './sql/database.ts'
export { hasEmbedded } from './sql/embedded-place.ts'
export * from './sql/figures.ts'
export { type ForkLanding, landFork } from './sql/fork-landing.ts'
export * from './sql/found-collection.ts'
export {
  dropInlinePacks,
  foundPacks,
  type InlinePack,
  inlinePacksLeft,
  oldestInlinePacks,
  packsOf,
  putInlinePacks,
} from './sql/inline-packs.ts'
export { landMetadataUpdate } from './sql/metadata-landing.ts'
export { type DatabaseConfig, openDatabase } from './sql/open-database.ts'
export * from './sql/push-files.ts'
export * from './sql/push-leases.ts'
export { allFiles, allPacks, fileSizes, rebuildIndex } from './sql/rebuilding.ts'
export * from './sql/schema.ts'
export * from './sql/upkeep.ts'
export { isStorageFull, StorageFull } from './storage-full.ts'
export { giveWay } from './turn.ts'
