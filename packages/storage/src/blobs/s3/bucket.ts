/**
 * Access to a bucket for the other files of this folder: the S3 client with its timeouts and retries, the keys of blobs, and the
 * translation of the client's errors to those of errors/stores.ts.
 */
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { S3Client } from '@aws-sdk/client-s3'
import { httpsOfPlain, tlsReason } from '@ulmus/content'
import { StorageFullError } from '../../errors/storage-full.ts'
import { BlobMissingError, StoreUnavailableError } from '../../errors/stores.ts'
import { checkedName } from '../names.ts'

/** Values of `AWS_ACCESS_KEY_ID` and its companions. */
export interface S3Keys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Present for temporary credentials. */
  readonly sessionToken?: string
}

/** Settings of a bucket, from the configuration of the server. */
export interface S3Settings {
  readonly bucket: string
  /** Prefix of all blob names in the bucket: empty, or ends in a slash. */
  readonly prefix: string
  readonly region: string
  /** Endpoint of an S3 server other than Amazon's, such as `http://127.0.0.1:9000`. Buckets are then addressed by path. */
  readonly endpoint?: string
  /** Without keys, the client searches the places that Amazon's tools use: shared files, the role of the container or the machine. */
  readonly keys?: S3Keys
  /** Timeouts; shorter in tests. */
  readonly patience?: Patience
  /** Name in messages: the setting, or the argument of a command, that names the bucket. Default: OBJECT_STORE. */
  readonly namedBy?: string
}

/** Timeouts of connections to the bucket. */
export interface Patience {
  /** Timeout for connecting. Milliseconds. */
  readonly connecting: number
  /** Timeout for silence on a connection, before or during an answer. Milliseconds. */
  readonly idle: number
}

const patienceUsual: Patience = { connecting: 3_000, idle: 20_000 }

/**
 * Tries of each request. Between tries the client waits a random part of 0.1 s, 0.2 s, 0.4 s. If nearly all recent requests failed, it
 * stops retrying, so as not to overload a store that is recovering.
 */
const attemptsMax = 4
/** Concurrent connections; further requests queue. A slow reader occupies one. */
const connectionsMax = 256

/** A bucket, as the other files of this folder use it. */
export interface Bucket {
  readonly client: S3Client
  readonly name: string
  readonly prefix: string
  /** True if the credentials come from the settings, rather than from the places that Amazon's tools use. */
  readonly ownKeys: boolean
  /** Location of the bucket, for messages. */
  readonly place: string
  /** See `S3Settings`. */
  readonly namedBy: string
  /** @throws RangeError for a malformed blob name. */
  key(blob: string): string
}

export function bucketOf(settings: S3Settings): Bucket {
  const { bucket, prefix, region, endpoint, keys } = settings
  const patience = settings.patience ?? patienceUsual
  const elsewhere = endpoint !== undefined
  const kept = { keepAlive: true, maxSockets: connectionsMax }
  const agents = { http: new HttpAgent(kept), https: new HttpsAgent(kept) }
  const client = new S3Client({
    region,
    endpoint,
    forcePathStyle: elsewhere,
    // Copied, because the client writes the origin of the credentials into the object, and settings are frozen.
    credentials: keys && { ...keys },
    maxAttempts: attemptsMax,
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: patience.connecting,
      socketTimeout: patience.idle,
      httpAgent: agents.http,
      httpsAgent: agents.https,
    },
    // Checksums in addition to the signed SHA-256 of the content: Amazon requires them, older servers of other vendors reject them.
    requestChecksumCalculation: elsewhere ? 'WHEN_REQUIRED' : 'WHEN_SUPPORTED',
    // The readers check objects against their own hashes.
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  leaveSilentConnections(client, Object.values(agents))
  return {
    client,
    name: bucket,
    prefix,
    ownKeys: keys !== undefined,
    place: endpoint ?? `Amazon S3 in ${region}`,
    namedBy: settings.namedBy ?? 'OBJECT_STORE',
    key: (blob) => `${prefix}${checkedName(blob)}`,
  }
}

/**
 * When one connection has gone silent, the idle ones beside it are dead too: a firewall that forgets one forgets all. Close them, so
 * that the next try opens a new connection instead of waiting on another dead one.
 */
function leaveSilentConnections(client: S3Client, agents: readonly HttpAgent[]): void {
  client.middlewareStack.add(
    (next) => async (request) => {
      try {
        return await next(request)
      } catch (error) {
        if (answerOf(error).code === 'TimeoutError')
          for (const { freeSockets } of agents)
            for (const idle of Object.values(freeSockets))
              for (const socket of [...(idle ?? [])]) socket.destroy()
        throw error
      }
    },
    // Runs once per try, because retries happen in an earlier step.
    { step: 'finalizeRequest', priority: 'low', name: 'leaveSilentConnections' },
  )
}

/** Headers of the answer that an error of the client is about. */
export const headersOf = (error: unknown): Readonly<Record<string, string>> =>
  (error as { $response?: { headers?: Record<string, string> } }).$response?.headers ?? {}

/** Error code and HTTP status of the client's rejection, if it has them. */
export function answerOf(error: unknown): { code: string; status: number | undefined; message: string } {
  if (!(error instanceof Error)) return { code: '', status: undefined, message: String(error) }
  const { $metadata: metadata } = error as { $metadata?: { httpStatusCode?: number } }
  return { code: error.name, status: metadata?.httpStatusCode, message: error.message }
}

const absent = new Set(['NoSuchKey', 'NotFound', 'InvalidRange'])
/** Refusals that concern the store or our access to it, not the request. */
const refusedForNow = new Set([401, 403, 408, 429])

/** Error codes for a full quota or full disks: Ceph's and MinIO's; other servers answer 507. */
const fullCodes = new Set(['QuotaExceeded', 'XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded'])

/** True if an answer means that the store has no space or the account no quota left. */
export const saysFull = ({ code, status }: Pick<ReturnType<typeof answerOf>, 'code' | 'status'>): boolean =>
  status === 507 || fullCodes.has(code)

/**
 * Translates a rejection of the client: BlobMissingError; StorageFullError; StoreUnavailableError for a timeout, an outage, refused
 * credentials or a missing bucket. Any other error is a bug in this program and stays unchanged.
 */
export function storeError(error: unknown, blob?: string): unknown {
  const { code, status, message } = answerOf(error)
  if (blob !== undefined && absent.has(code)) return new BlobMissingError(blob, { cause: error })
  if (saysFull({ code, status }))
    return new StorageFullError(`The object store is full: ${code}, ${message}`, { cause: error })
  const refused = status !== undefined && status >= 400 && status < 500 && !refusedForNow.has(status)
  if (refused && code !== 'NoSuchBucket') return error
  const reason = tlsReason(message, httpsOfPlain)
  return new StoreUnavailableError(reason === message ? `${code || 'an error'}, ${message}` : reason, {
    cause: error,
  })
}

/** Returns the client's answer, or throws its translated rejection. For requests that treat absence as an error. */
export async function told<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw storeError(error)
  }
}
