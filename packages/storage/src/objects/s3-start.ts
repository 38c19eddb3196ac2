/** What is done once, before a bucket is used: is it there, may we use it, what did others leave in it. */
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { BucketUnusable } from './errors.ts'
import { answerOf, type Bucket } from './s3-bucket.ts'

/** Written and removed again by every server that starts. */
const probeName = 'probes/start'

/** @throws BucketUnusable when the bucket is missing, out of reach, or may not be listed, written and tidied. */
export async function checkBucket(bucket: Bucket): Promise<void> {
  const { client, name: Bucket, prefix } = bucket
  const Key = bucket.key(probeName)
  const step = async (does: string, work: () => Promise<unknown>) => {
    try {
      await work()
    } catch (error) {
      throw new BucketUnusable(sentenceFor(bucket, does, error), { cause: error })
    }
  }
  await step('list', () => client.send(new ListObjectsV2Command({ Bucket, Prefix: prefix, MaxKeys: 1 })))
  await step('write to', () => client.send(new PutObjectCommand({ Bucket, Key, Body: 'may we write?' })))
  await step('delete from', () => client.send(new DeleteObjectCommand({ Bucket, Key })))
}

function sentenceFor({ name, place }: Bucket, does: string, error: unknown): string {
  const { code, status, message } = answerOf(error)
  const where = `the bucket ${name} of OBJECT_STORE (${place})`
  switch (code) {
    case 'NoSuchBucket':
      return `There is no bucket ${name} at ${place}. Create it, or correct OBJECT_STORE.`
    case 'CredentialsProviderError':
      return `There are no credentials for ${where}. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give this machine a role.`
    case 'InvalidAccessKeyId':
    case 'SignatureDoesNotMatch':
    case 'ExpiredToken':
    case 'InvalidToken':
      return `The credentials for ${where} are not taken (${code}). Correct AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.`
    case 'AuthorizationHeaderMalformed':
    case 'PermanentRedirect':
    case 'IllegalLocationConstraintException':
      return `${capital(where)} is in another region. Set AWS_REGION to its own.`
  }
  if (status === 403) {
    return `The credentials do not allow this server to ${does} ${where}. Allow s3:ListBucket on it, and s3:GetObject, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload on what is in it.`
  }
  if (status !== undefined && status < 500)
    return `This server cannot ${does} ${where}: ${code}, ${message}. Is S3_ENDPOINT the address of an S3 server?`
  return `${capital(where)} cannot be reached: ${reasonOf(error) || message}. Is S3_ENDPOINT right, and the store running?`
}

const capital = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** Some errors of the network have their message only in what they gather: one for each address that was tried. */
function reasonOf(error: unknown): string {
  const { message, errors } = error as { message?: string; errors?: { message: string }[] }
  return message || (errors ?? []).map((one) => one.message).join(', ')
}

/**
 * Gives up multipart uploads of blobs begun before `before`, which frees what parts of them the store holds. Does what it may:
 * not every server lists uploads, and not every account is allowed to; a rule on the bucket's life cycle does the same.
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
