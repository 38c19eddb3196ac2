/** Public API of the client package: users import only from here, so a removed or renamed export breaks their programs. */

export type { Json, JsonObject, ProofResult, ReadonlyJson, ReadonlyJsonObject } from '@ulmus/content'
export type {
  Access,
  Account,
  AccountUsage,
  AnsweredInvitation,
  AuditEvent,
  ChangePublisher,
  ChangeQuestion,
  ChangeWebhook,
  Collaborator,
  CollaboratorInvitation,
  Collection,
  CollectionItem,
  CollectionRecord,
  Column,
  ColumnStatistics,
  CommittedPush,
  CreatedCollection,
  CreatedInvitation,
  CreatedKey,
  CreatedWebhook,
  CreateFork,
  CreateInvitation,
  CreateKey,
  CreateOrg,
  CreatePublisher,
  CreateQuestion,
  CreateWebhook,
  DeleteLine,
  Delivery,
  DiffPage,
  DryRun,
  ErasedAccount,
  ErasedRecord,
  EraseRecord,
  ErrorBody,
  ExchangedToken,
  Facets,
  Family,
  Fork,
  Grant,
  HandedOver,
  HandOver,
  HistoryItem,
  Invitation,
  InvitedCollaborator,
  Issue,
  Key,
  LinkedIdentity,
  LinkIdentity,
  LogFacts,
  LogStatement,
  Manifest,
  Member,
  Membership,
  MetadataJob,
  MetadataPatch,
  MetadataResult,
  OrgSettings,
  OwnAccount,
  OwnInvitation,
  ProvenRecord,
  Publisher,
  Publishers,
  QuestionAnswer,
  RecordErasure,
  RecordsPage,
  RefusalCode,
  Replayed,
  ReportedCollection,
  RestoredVersion,
  RestoreVersion,
  Role,
  RowsPage,
  SavedQuestion,
  Schemas,
  SqlAnswer,
  StoredFile,
  Strip,
  TableBuilding,
  TableStatistics,
  TransferredCollection,
  UpdateAccount,
  UpdateCollection,
  ValidationError,
  Version,
  VersionFile,
  VersionInLog,
  VersionItem,
  VersionTable,
  Webhook,
  WebhookSecret,
  WebhookTest,
  WithdrawnVersion,
  WithdrawVersion,
  Workload,
} from '@ulmus/wire'
export type { AuditFilters, AuditOptions } from './audit.ts'
export type { RecordToPut } from './batches.ts'
export { type Client, createClient, createPushClient, type PushClient } from './client.ts'
export type { ErrorCode } from './codes.ts'
export type { BrowseOptions, CollectionFacetsOptions, NewCollection } from './collections.ts'
export type { DryRunResult, PushResult } from './commit.ts'
export { cursorAfter } from './cursor.ts'
export { type DiffOptions, entriesOfType, type ManifestOptions } from './differences.ts'
export { BatchRefused, type ErrorFacts, type LineKind, UlmusError } from './errors.ts'
export type { EventFilters, EventsOptions } from './events.ts'
export { type FileBytes, type FileUpload, nameFile } from './files.ts'
export type { Page, PageOptions } from './lists.ts'
export type { WaitOptions } from './metadata.ts'
export type { Mirror } from './mirror.ts'
export type { CollectionRef } from './places.ts'
export type { Push, PushOptions, PushProgress, ResumedPush } from './push.ts'
export type { RecordOf, RecordsFilter } from './record-pages.ts'
export type { StreamOptions } from './record-stream.ts'
export type { ProvenRecordOf } from './records.ts'
export {
  allowedRemovals,
  type MaxRemoved,
  maxRemovedUsual,
  type Removal,
  removalText,
} from './removals.ts'
export type { RetryPolicy } from './retry.ts'
export type { Creation } from './session.ts'
export type { Snapshot, SnapshotOptions, SnapshotProgress } from './snapshot.ts'
export type {
  BuildOptions,
  CsvOptions,
  RowOf,
  RowsOptions,
  RowsPageOf,
  SqlOptions,
  SqlTextFormat,
  TableFilter,
  TableOptions,
  TableSelection,
} from './tables.ts'
export type { ClientOptions } from './transport.ts'
export { verifyProof, verifyRecord } from './verify.ts'
export type { DeliveriesOptions, WebhookSource } from './webhooks.ts'
