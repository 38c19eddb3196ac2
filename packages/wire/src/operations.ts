/**
 * Table of all operations of the HTTP API, in the order of the API description, and the types of their parts for the server's handlers and
 * the client's calls. A new file in operations/ takes effect once it is listed here.
 */
import type { z } from 'zod'
import type { Operation } from './operation.ts'
import { accountOperations } from './operations/accounts.ts'
import { adminOperations } from './operations/admin.ts'
import { auditOperations } from './operations/audit.ts'
import { collaboratorOperations } from './operations/collaborators.ts'
import { collectionOperations } from './operations/collections.ts'
import { documentOperations } from './operations/documents.ts'
import { eventOperations } from './operations/events.ts'
import { fileOperations } from './operations/files.ts'
import { forkOperations } from './operations/forks.ts'
import { keyOperations } from './operations/keys.ts'
import { memberOperations } from './operations/members.ts'
import { metadataOperations } from './operations/metadata.ts'
import { publishingOperations } from './operations/publishing.ts'
import { pushOperations } from './operations/pushes.ts'
import { questionOperations } from './operations/questions.ts'
import { recordOperations } from './operations/records.ts'
import { reportOperations } from './operations/reports.ts'
import { sessionOperations } from './operations/sessions.ts'
import { signInOperations } from './operations/signing-in.ts'
import { snapshotOperations } from './operations/snapshots.ts'
import { tableOperations } from './operations/tables.ts'
import { versionLogOperations } from './operations/version-log.ts'
import { versionOperations } from './operations/versions.ts'
import { webhookOperations } from './operations/webhooks.ts'

/** Keyed by method and path: `POST /api/accounts/keys`. */
export const operations = {
  ...accountOperations,
  ...memberOperations,
  ...keyOperations,
  ...auditOperations,
  ...adminOperations,
  ...reportOperations,
  ...sessionOperations,
  ...collectionOperations,
  ...metadataOperations,
  ...forkOperations,
  ...versionOperations,
  ...recordOperations,
  ...tableOperations,
  ...questionOperations,
  ...documentOperations,
  ...fileOperations,
  ...eventOperations,
  ...versionLogOperations,
  ...webhookOperations,
  ...pushOperations,
  ...snapshotOperations,
  ...publishingOperations,
  ...collaboratorOperations,
  ...signInOperations,
} satisfies Readonly<Record<`${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`, Operation>>

export type Operations = typeof operations
export type OperationName = keyof Operations

type Parts<N extends OperationName> =
  Operations[N] extends Operation<infer P, infer Q, infer B, infer A> ? { P: P; Q: Q; B: B; A: A } : never

/** Path parameters of an operation. */
export type ParamsOf<N extends OperationName> = z.output<Parts<N>['P']>
/** Query of an operation as parsed by the server. */
export type QueryOf<N extends OperationName> = z.output<Parts<N>['Q']>
type QueryInputOf<Q> = Q extends z.core.$ZodType
  ? { [K in keyof z.input<Q>]: z.output<Q>[K & keyof z.output<Q>] }
  : never
/** Query of an operation as given by a caller: values before their conversion to text; parameters with a default are optional. */
export type QueryInput<N extends OperationName> = QueryInputOf<Parts<N>['Q']>

/** A body that is sent unchanged. */
export interface RawBody {
  readonly body: Uint8Array<ArrayBuffer> | Blob
  readonly contentType: string
}
type JsonInputOf<B> = B extends z.core.$ZodType ? z.input<B> : never
type RawInputOf<B> = B extends z.core.$ZodType ? never : RawBody
/** JSON body of an operation as given by a caller. */
export type JsonInput<N extends OperationName> = JsonInputOf<Parts<N>['B']>
/** Body of an operation that accepts a stream. */
export type RawInput<N extends OperationName> = RawInputOf<Parts<N>['B']>
type ShapeOutput<S> = S extends z.core.$ZodType ? z.output<S> : unknown
/** JSON body of an operation; unknown if it is a stream. */
export type BodyOf<N extends OperationName> = ShapeOutput<Parts<N>['B']>
/** Successful answer of an operation, whatever the status; unknown if it is a stream. */
export type AnswerOf<N extends OperationName> = {
  [Status in keyof Parts<N>['A']]: ShapeOutput<Parts<N>['A'][Status]>
}[keyof Parts<N>['A']]
