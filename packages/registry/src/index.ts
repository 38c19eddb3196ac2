/** The registry's table of contents. */

// What the floors below reject with and read by, for those who may only come down to this one.
export { InputError, type Json, parseStrict } from '@ulmus/content'
export {
  BucketUnusable,
  DatabaseUnfit,
  FolderInUse,
  isStorageFull,
  isUnavailable,
  isUnstorableText,
  loggedError,
  ObjectCorrupt,
  type S3Keys,
  type S3Settings,
  StorageFull,
  s3BlobBytesMax,
} from '@ulmus/storage'
export type { Identity } from './accounts.ts'
export type { Destination } from './answer-room.ts'
export type { Context } from './context.ts'
export * from './errors.ts'
export type { ReadableFile } from './files.ts'
export type { Damage } from './fsck/damage.ts'
export { StoresUnfit } from './installation.ts'
export { JsonText, jsonOf } from './json-text.ts'
export { defaultLimits, type Limits } from './limits.ts'
export type { Log } from './log.ts'
export { type Maintenance, openMaintenance } from './maintenance.ts'
export type { Patch } from './metadata-patch.ts'
export { openRegistry, type Registry, type RegistryConfig } from './open.ts'
export { type Entrance, mayEnter } from './policy.ts'
export { anonymous, type Caller, type Principal, type Scope, scopes } from './principal.ts'
export { recordsLimitMax } from './records.ts'
export { SweepTooLarge } from './sweep/most.ts'
export { shortBytesMax } from './workers.ts'
