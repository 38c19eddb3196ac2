/**
 * Start-up checks of a bucket, so that an operator reads the fault and its remedy at once, and not at the first push; and removal of
 * uploads that crashes left unfinished.
 */
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { httpsOfPlain, tlsReason } from '@ulmus/content'
import { BucketUnusableError } from '../../errors/stores.ts'
import { answerOf, type Bucket, headersOf, saysFull } from './bucket.ts'

/** Every server writes and removes this blob when it starts. */
const probeName = 'probes/start'

const probeBody = 'may we write?'
/** Each server that starts at the same time removes the blob once, perhaps before another has read it. */
const probesMax = 10
const found = 'AWS_PROFILE, AWS_SHARED_CREDENTIALS_FILE, AWS_ROLE_ARN and AWS_WEB_IDENTITY_TOKEN_FILE'

/**
 * @throws BucketUnusableError if there are no credentials, if the bucket is missing or unreachable, or if listing, writing, reading or
 * removing is forbidden.
 */
export async function checkBucket(bucket: Bucket): Promise<void> {
  const { client, name: Bucket, prefix } = bucket
  const Key = bucket.key(probeName)
  const expires = await haveCredentials(bucket)
  const step = async <T>(does: string, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (isDefect(error)) throw error
      throw new BucketUnusableError(sentenceFor(bucket, { does, expires }, error), { cause: error })
    }
  }
  await step('list', () => client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix, MaxKeys: 1 })))
  const write = () =>
    step('write to', async () => {
      try {
        await client.send(new PutObjectCommand({ Bucket, Key, Body: probeBody }))
        return true
      } catch (error) {
        // A full bucket is still readable.
        if (saysFull(answerOf(error))) return false
        throw error
      }
    })
  /** Null: another server that starts has removed it. */
  const readBack = (probe: number) =>
    step('read from', async () => {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
        return await Body?.transformToString()
      } catch (error) {
        if (answerOf(error).code === 'NoSuchKey' && probe < probesMax) return null
        throw error
      }
    })
  let read: string | undefined | null = null
  for (let probe = 1; read === null; probe++) read = (await write()) ? await readBack(probe) : probeBody
  if (read !== probeBody) {
    throw new BucketUnusableError(
      `${capital(placeOf(bucket))} does not return the bytes that were written. Is S3_ENDPOINT the address of an S3 server?`,
    )
  }
  await step('delete from', () => client.send(new DeleteObjectCommand({ Bucket, Key })))
}

/** Returns whether the credentials expire. @throws BucketUnusableError if there are none, or their provider does not answer. */
async function haveCredentials(bucket: Bucket): Promise<boolean> {
  try {
    const { sessionToken } = await bucket.client.config.credentials()
    return sessionToken !== undefined
  } catch (error) {
    if (isDefect(error)) throw error
    const where = placeOf(bucket)
    const sentence =
      answerOf(error).code === 'CredentialsProviderError'
        ? `There are no credentials for ${where}. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, set AWS_PROFILE to a complete profile of ~/.aws/credentials or AWS_SHARED_CREDENTIALS_FILE, or give this machine a role.`
        : `The credentials for ${where} cannot be had: ${reasonOf(error)}. Correct ${found}, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`
    throw new BucketUnusableError(sentence, { cause: error })
  }
}

/** Errors of the network, of files and of the client have a code, a status or a known name; any other is a bug in this program. */
function isDefect(error: unknown): boolean {
  const { code, name } = error as { code?: unknown; name?: unknown }
  const known = name === 'TimeoutError' || name === 'CredentialsProviderError'
  return answerOf(error).status === undefined && typeof code !== 'string' && !known
}

const placeOf = ({ name, place, namedBy }: Bucket) => `the bucket ${name} of ${namedBy} (${place})`

function sentenceFor(
  bucket: Bucket,
  { does, expires }: { does: string; expires: boolean },
  error: unknown,
): string {
  const { name, place, namedBy, ownKeys } = bucket
  const { code, status } = answerOf(error)
  const where = placeOf(bucket)
  // Some servers, such as Ceph's, report an expired token exactly like a wrong one.
  const late = expires ? ' These credentials expire: if they worked before, renew them.' : ''
  const cure = ownKeys
    ? 'Correct AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.'
    : `AWS_ACCESS_KEY_ID is not set, so they are from a shared file or a role: correct ${found}.`
  const { 'x-amz-bucket-region': region, location } = headersOf(error)
  if (regionCodes.has(code) || (region !== undefined && isRedirect(status)))
    return `${capital(where)} is in another region. Set AWS_REGION to ${region ?? 'its own'}.`
  if (isRedirect(status))
    return `${capital(where)} is at another address: the answer (${status}) redirects${location === undefined ? '' : ` to ${location}`}. Set AWS_REGION to the region of the bucket, and S3_ENDPOINT to the address of the store itself.`
  if (isNoXml(error))
    return `${capital(where)} cannot be used: the answer (${status}) is not an S3 server's, but perhaps a web page. Correct S3_ENDPOINT.`
  switch (code) {
    case 'NoSuchBucket':
      return `There is no bucket ${name} at ${place}. Create it, or correct ${namedBy}.`
    case 'InvalidAccessKeyId':
    case 'SignatureDoesNotMatch':
    case 'ExpiredToken':
    case 'InvalidToken':
      return `The credentials for ${where} are not taken (${code}). ${cure}${late}`
  }
  if (status === 403) {
    return `The credentials do not allow this server to ${does} ${where}. Allow s3:ListBucket on it, and s3:GetObject, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload on what is in it.${late}`
  }
  if (status !== undefined && status < 500)
    return `This server cannot ${does} ${where}: ${code} (${status}), ${reasonOf(error)}. Is S3_ENDPOINT the address of an S3 server?`
  const reason = reasonOf(error)
  if (reason === httpsOfPlain) return `${capital(where)} cannot be reached: ${reason} Correct S3_ENDPOINT.`
  return `${capital(where)} cannot be reached: ${reason}. Is S3_ENDPOINT right, and the store running?`
}

/** Answers of Amazon about a bucket of another region. */
const regionCodes = new Set([
  'AuthorizationHeaderMalformed',
  'PermanentRedirect',
  'IllegalLocationConstraintException',
])

const isRedirect = (status: number | undefined): boolean =>
  status !== undefined && status >= 300 && status < 400

/** True if the client could not parse the answer, such as a page of HTML. */
const isNoXml = (error: unknown): boolean => /XML parse error/.test(answerOf(error).message)

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** The reason in one line. Some network errors have no message of their own, only those of the addresses that were tried. */
function reasonOf(error: unknown): string {
  const { message, errors } = error as { message?: string; errors?: { message: string }[] }
  const [line = ''] = (message || (errors ?? []).map((one) => one.message).join(', ')).split('\n')
  return tlsReason(line, httpsOfPlain).replace(/[.:\s]+$/, '')
}

/**
 * Aborts multipart uploads of blobs begun before `before`, which frees the parts in the store. Best effort:
 * not every server lists uploads, and not every account may list them; a life-cycle rule on the bucket does the same.
 */
export async function abortUploads(bucket: Bucket, before: Date): Promise<void> {
  const { client, name: Bucket, prefix: Prefix } = bucket
  try {
    let from: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {}
    while (from !== undefined) {
      const page: ListMultipartUploadsCommandOutput = await client.send(
        new ListMultipartUploadsCommand({ Bucket, Prefix, ...from }),
      )
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (Key === undefined || Initiated === undefined || Initiated >= before) continue
        await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
      }
      from = page.IsTruncated
        ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
        : undefined
    }
  } catch {
    return
  }
}
