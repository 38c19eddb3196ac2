/** Everything that apps may use of this package: package.json exports no other file of it, except for tests. */

// Errors and helpers of lower packages, for apps that may import only this one.
export { InputError, type Json, parseStrict, resourceText, tlsReason } from '@ulmus/content'
export { counted, sizeText } from '@ulmus/content/quantities'
export {
  accountName,
  BlobMissingError,
  BucketUnusableError,
  DatabaseUnfitError,
  DumpUnreadableError,
  databaseHosts,
  FolderInUseError,
  findClosedAbove,
  giveWay,
  type HiddenCollection,
  isDatabaseAway,
  isStorageFull,
  isUnavailable,
  isUnstorableText,
  loggedError,
  ObjectCorruptError,
  ObjectMissingError,
  type S3Keys,
  type S3Settings,
  StorageFullError,
  StoreUnavailableError,
  s3BlobBytesMax,
} from '@ulmus/storage'
export { networkOf, peerOf, withoutMapping } from './access/networks.ts'
export { type Entrance, mayEnter, mayOpenPages, type Permission } from './access/policy.ts'
export type { RequestRates } from './access/request-rates.ts'
export type { Identity } from './accounts/accounts.ts'
export { deviceLoginSeconds, devicePollSeconds } from './accounts/device-logins.ts'
export { soonDays } from './accounts/keys.ts'
export { JsonText, jsonOf } from './answers/json-text.ts'
export type { Action as AuditAction } from './audit/acts.ts'
export { type BackupOptions, type BackupReport, backUp } from './backups/backup.ts'
export { DumpRefusedError } from './backups/channel.ts'
export { BlobDamagedError } from './backups/copy.ts'
export { type MoveBackReport, type MoveReport, move, moveBack } from './backups/move.ts'
export { checkBackup, type RestoreReport, restore } from './backups/restore.ts'
export { type ShelfPlace, ShelfUnfitError } from './backups/shelf.ts'
export { AnswerBudget, countAnswer, readerOf } from './budgets/answer-budget.ts'
export type { Context } from './context.ts'
export * from './errors/errors.ts'
export type { ReadableFile } from './files/files.ts'
export { readIssuers, type TrustedIssuer } from './issuers.ts'
export { defaultLimits, type Limits, type OperatorsConfig } from './limits.ts'
export type { Log } from './log.ts'
export { memoryBytes, memoryBytesMin } from './memory.ts'
export type { LoadSample } from './monitoring/load.ts'
export { openRegistry, type Registry, type RegistryConfig } from './open.ts'
export type { DiskUsage } from './operators/disk-usage.ts'
export { type FailedJobs, retriedQueues } from './operators/failed-jobs.ts'
export { hasPlainHost, isInnerHost, readAllowed } from './outside/addresses.ts'
export type { Outside } from './outside/ask.ts'
export { anonymous, type Caller, countedAs, type Principal, type Scope, scopes } from './principal.ts'
export { siteOf } from './publishing/projects.ts'
export { publishLine } from './pushes/publish-line.ts'
export { openSealing, type SecretsConfig, SecretsKeyUnfitError } from './secrets/key-files.ts'
export { readSettingFile } from './settings/setting-file.ts'
export { addressShape, type MailConfig } from './smtp/transport.ts'
export { StoresUnfitError } from './stores/installation.ts'
export { demandReserve, type StoresConfig } from './stores/stores.ts'
export type { RefusedWrites } from './stores/write-watch.ts'
export { type Measure, measures } from './tables/charts/group-sql.ts'
export type { Groups, GroupsText } from './tables/charts/groups.ts'
export { quoted, storedType } from './tables/engine/column-sql.ts'
export type { Building } from './tables/find-table.ts'
export { usualTablesBytes } from './tables/install.ts'
export { type Area, type Projection, projectionFor } from './tables/maps/centre.ts'
export { axisNames, type Coordinates, findCoordinates, type NamedColumn } from './tables/maps/coordinates.ts'
export {
  areSwapped,
  type Hexagon,
  type Place,
  type PlaceCounts,
  type Places,
  placesMax,
} from './tables/maps/places.ts'
export { facetsMax } from './tables/questions.ts'
export { type SqlText, sqlNames } from './tables/sql/sql.ts'
export { profiledMax } from './tables/statistics.ts'
export type { TablesConfig } from './tables/tables.ts'
export type { Damage } from './upkeep/fsck/damage.ts'
export { openStoreCommands, type StoreCommands } from './upkeep/store-commands.ts'
export { SweepTooLargeError } from './upkeep/sweep/most.ts'
export {
  LogKeyUnfitError,
  newLogKey,
  openVersionLog,
  readWitnesses,
  type VersionLogConfig,
} from './version-log/key-file.ts'
export type { RestoredLog } from './version-log/restored.ts'
export { hearingNotices } from './versions/content.ts'
export type { DiffSummary } from './versions/differences/difference-summary.ts'
export { stripMax } from './versions/strip/strips.ts'
export { Program, type ProgramOptions, type ProgramResult } from './work/program.ts'
export { Turns } from './work/turns.ts'
