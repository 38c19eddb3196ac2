/** A bucket, the client that speaks to it, and what its refusals mean. */
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { S3Client } from '@aws-sdk/client-s3'
import { StorageFull } from '../../errors/storage-full.ts'
import { BlobMissing, StoreUnavailable } from '../../errors/stores.ts'
import { checkedName } from '../names.ts'

/** `AWS_ACCESS_KEY_ID` and its companions. */
export interface S3Keys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** For keys that expire. */
  readonly sessionToken?: string
}

export interface S3Settings {
  readonly bucket: string
  /** Before every blob's name in the bucket: empty, or ends in a slash. */
  readonly prefix: string
  readonly region: string
  /** Another S3 server than Amazon's, such as `http://127.0.0.1:9000`. Buckets are then addressed by path. */
  readonly endpoint?: string
  /** Without them the client looks where Amazon's tools look: shared files, the role of the container or the machine. */
  readonly keys?: S3Keys
  /** How long nothing may happen. Shorter in tests. */
  readonly patience?: Patience
}

export interface Patience {
  /** For a connection to be made. Milliseconds. */
  readonly connecting: number
  /** On a connection, before the answer or in the middle of it. Milliseconds. */
  readonly idle: number
}

const patienceUsual: Patience = { connecting: 3_000, idle: 20_000 }

/**
 * Each request is tried so often. Between tries the client waits a random part of 0.1 s, 0.2 s, 0.4 s; and it gives up at once
 * when lately almost everything failed, so that a store that is away is not also besieged.
 */
const attemptsMax = 4
/** Connections at once; what goes beyond waits its turn. A slow reader holds one. */
const connectionsMax = 256

export interface Bucket {
  readonly client: S3Client
  readonly name: string
  readonly prefix: string
  /** Whether the credentials are those of the settings, rather than found where Amazon's tools look. */
  readonly ownKeys: boolean
  /** For people: where it is. */
  readonly place: string
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
    // A copy: the client notes in the object where the credentials came from, and settings are frozen.
    credentials: keys && { ...keys },
    maxAttempts: attemptsMax,
    retryMode: 'standard',
    requestHandler: {
      connectionTimeout: patience.connecting,
      socketTimeout: patience.idle,
      httpAgent: agents.http,
      httpsAgent: agents.https,
    },
    // Checksums beyond the signed SHA-256 of the content: Amazon requires them, older servers of others reject them.
    requestChecksumCalculation: elsewhere ? 'WHEN_REQUIRED' : 'WHEN_SUPPORTED',
    // Objects are checked against their own hashes.
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  leaveSilentConnections(client, Object.values(agents))
  return {
    client,
    name: bucket,
    prefix,
    ownKeys: keys !== undefined,
    place: endpoint ?? `Amazon S3 in ${region}`,
    key: (blob) => `${prefix}${checkedName(blob)}`,
  }
}

/**
 * Where one connection has gone silent, those that are kept idle beside it have, too: a firewall that forgets one forgets all. They are closed, so
 * that the next try makes a new one in the place of waiting on another of them.
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
    // Of each try: those come from a step before.
    { step: 'finalizeRequest', priority: 'low', name: 'leaveSilentConnections' },
  )
}

/** Code and status of the client's rejection, as far as it has them. */
export function answerOf(error: unknown): { code: string; status: number | undefined; message: string } {
  if (!(error instanceof Error)) return { code: '', status: undefined, message: String(error) }
  const { $metadata: metadata } = error as { $metadata?: { httpStatusCode?: number } }
  return { code: error.name, status: metadata?.httpStatusCode, message: error.message }
}

const absent = new Set(['NoSuchKey', 'NotFound', 'InvalidRange'])
/** Refusals about the store or our access to it, not about the request. */
const refusedForNow = new Set([401, 403, 408, 429])

/** Error codes for a full quota or full disks: Ceph's and MinIO's; other servers answer 507. */
const fullCodes = new Set(['QuotaExceeded', 'XMinioStorageFull', 'XMinioAdminBucketQuotaExceeded'])

export const saysFull = ({ code, status }: Pick<ReturnType<typeof answerOf>, 'code' | 'status'>): boolean =>
  status === 507 || fullCodes.has(code)

/**
 * Translates a rejection of the client: BlobMissing; StorageFull; StoreUnavailable for no answer, an outage of the store, refused
 * credentials and a missing bucket. Anything else is a defect of ours and stays unchanged.
 */
export function storeError(error: unknown, blob?: string): unknown {
  const { code, status, message } = answerOf(error)
  if (blob !== undefined && absent.has(code)) return new BlobMissing(blob, { cause: error })
  if (saysFull({ code, status }))
    return new StorageFull(`The object store is full: ${code}, ${message}`, { cause: error })
  const refused = status !== undefined && status >= 400 && status < 500 && !refusedForNow.has(status)
  if (refused && code !== 'NoSuchBucket') return error
  return new StoreUnavailable(`${code || 'an error'}, ${message}`, { cause: error })
}

/** Answer of the client, or its translated rejection. For requests on which absence is an error. */
export async function told<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    throw storeError(error)
  }
}
