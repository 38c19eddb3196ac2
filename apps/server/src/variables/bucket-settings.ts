/** Settings of a bucket for objects or backups. docs/configuration.md */
import type { S3Keys, S3Settings } from '@ulmus/registry'
import { ConfigError, type Environment, type Variables, variablesOf } from './variables.ts'

export type Bucket = Pick<S3Settings, 'bucket' | 'prefix' | 'region' | 'endpoint'>

/** Bucket names of Amazon, of 3 to 63 characters; other servers accept them too. */
const bucketName = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
/** Prefix characters that need no escaping, without `..`. */
const prefixPart = /^(?!\.\.?$)[A-Za-z0-9._-]{1,100}$/

/**
 * Bucket for backups, written like OBJECT_STORE. `env` has the settings that belong to it.
 * @param namedBy argument that names it, for messages
 * @throws ConfigError
 */
export function readBackupBucket(place: string, env: Environment, namedBy: string): S3Settings {
  const read = variablesOf({ ...env, OBJECT_STORE: place })
  return { ...readObjectStore(read, namedBy)!, keys: readS3Keys(read), namedBy }
}

export function readObjectStore(read: Variables, name = 'OBJECT_STORE'): Bucket | null {
  const place = read.text('OBJECT_STORE')
  const endpoint = read.url('S3_ENDPOINT')
  const region = endpoint === undefined ? read.text('AWS_REGION') : read.textOr('AWS_REGION', 'us-east-1')
  if (place === undefined) {
    if (endpoint === undefined) return null
    throw new ConfigError(
      'S3_ENDPOINT is set, but OBJECT_STORE is not. Set it to s3://bucket, or unset both.',
    )
  }
  const [, bucket = '', path = ''] = /^s3:\/\/([^/]+)(?:\/(.*?))?\/?$/.exec(place) ?? []
  const parts = path === '' ? [] : path.split('/')
  const wrong = placeFault(bucket, parts)
  if (wrong !== undefined)
    throw new ConfigError(
      `${name} must be like s3://bucket or s3://bucket/prefix${name === 'OBJECT_STORE' ? ', or unset to keep objects in DATA_DIR' : ''}; it is "${place}", where ${wrong}.`,
    )
  if (endpoint !== undefined && (endpoint.search !== '' || endpoint.hash !== '' || endpoint.username !== ''))
    throw new ConfigError('S3_ENDPOINT must be a URL without credentials, query and fragment.')
  if (region === undefined)
    throw new ConfigError(`AWS_REGION is not set, but ${name} is a bucket. Set it to the region it is in.`)
  if (!/^[a-z0-9-]{1,50}$/.test(region))
    throw new ConfigError(`AWS_REGION must be like us-east-1; it is "${region}".`)
  const prefix = parts.map((part) => `${part}/`).join('')
  return Object.freeze({ bucket, prefix, region, endpoint: endpoint?.href.replace(/\/$/, '') })
}

/** @returns the broken rule */
function placeFault(bucket: string, parts: readonly string[]): string | undefined {
  if (bucket === '') return 'there is no name of a bucket after s3://'
  if (!bucketName.test(bucket))
    return `the bucket is "${bucket}": its name must have 3 to 63 characters, which are a to z, 0 to 9, dots and hyphens, and begin and end with a letter or a digit`
  const part = parts.find((one) => !prefixPart.test(one))
  return part === undefined
    ? undefined
    : `the prefix has "${part}": between slashes it must have 1 to 100 characters, which are letters, digits, dots, hyphens and underscores`
}

export function readS3Keys(read: Variables): S3Keys | undefined {
  const accessKeyId = read.text('AWS_ACCESS_KEY_ID')
  const secretAccessKey = read.text('AWS_SECRET_ACCESS_KEY')
  const sessionToken = read.text('AWS_SESSION_TOKEN')
  if (read.text('OBJECT_STORE') === undefined) return undefined
  // Keys are sent in headers. Any other character was copied by mistake.
  for (const [name, value] of Object.entries({
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SESSION_TOKEN: sessionToken,
  })) {
    if (value !== undefined && !/^[!-~]+$/.test(value))
      throw new ConfigError(`${name} must be of ASCII characters without spaces. Copy it again.`)
  }
  if (accessKeyId !== undefined && secretAccessKey !== undefined)
    return Object.freeze({ accessKeyId, secretAccessKey, sessionToken })
  if (accessKeyId === undefined && secretAccessKey === undefined) return undefined
  throw new ConfigError('Set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or neither.')
}
