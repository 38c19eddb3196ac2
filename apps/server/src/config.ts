/** Settings from the environment: read once, validated, frozen. docs/configuration.md lists every variable. */
import { isIP } from 'node:net'
import { type S3Keys, type SecretsConfig, s3BlobBytesMax, type VersionLogConfig } from '@ulmus/registry'
import { isLoopback } from './loopback.ts'
import type { RateLimits } from './plugins/requests/rate-limits.ts'
import type { RequestLog } from './plugins/requests/request-log.ts'
import { type Bucket, readObjectStore, readS3Keys } from './variables/bucket-settings.ts'
import { demandDatabaseUrl } from './variables/database-settings.ts'
import { readHost } from './variables/host-settings.ts'
import { readMailFrom, readSmtpUrl } from './variables/mail-settings.ts'
import { type OutsideSettings, readOutside, readOutsideProxy } from './variables/outside-settings.ts'
import { readOidc, readOperatorClaim, readOperators } from './variables/sign-in-settings.ts'
import { readSite, type SiteSettings } from './variables/site-settings.ts'
import {
  ConfigError,
  type Environment,
  type ReadVariable,
  type Variables,
  variablesOf,
  withCommentHint,
} from './variables/variables.ts'

/** All settings except secrets. A new variable needs a line in docs/configuration.md and in .env.example. */
export interface Config {
  readonly host: string
  readonly port: number
  /** Public address, as `https://registry.example`; null: the listening address. */
  readonly publicUrl: string | null
  readonly dataFolder: string
  /** A bucket; null: a folder in `dataFolder`. */
  readonly objectStore: Bucket | null
  readonly oidc: { readonly issuer: string; readonly clientId: string } | null
  readonly sessionDays: number
  readonly rateLimits: RateLimits | null
  /** Trusted proxies: none, a number of hops, or these addresses. */
  readonly trustProxy: false | number | string
  /** Limit of concurrent connections; null: derived from the limit of file descriptors. */
  readonly connectionsMax: number | null
  readonly fileBytesMax: number
  readonly pushIdleSeconds: number
  readonly openPushesMax: number
  readonly organizationsMax: number
  readonly collectionsMax: number
  /** Default quota of accounts. Bytes; null: unlimited. */
  readonly quotaBytes: number | null
  /** Bytes of table files on this server's disk; null: a tenth of the disk, at most 50 GB. */
  readonly tablesBytes: number | null
  /** Callers that may ask questions in SQL. */
  readonly sql: 'members' | 'public' | 'off'
  /** Time of an SQL statement. Seconds. */
  readonly sqlSeconds: number
  readonly uploadDays: number
  readonly keepDeletedDays: number
  readonly auditDays: number
  readonly eventDays: number
  /** Users that an admin adds become members at once, or are invited. */
  readonly newMembers: 'added' | 'invited'
  /** Operators of the registry: identities, and a claim of the identity provider with its value; null: no claim. */
  readonly operators: readonly { readonly issuer: string; readonly subject: string }[]
  /** File of the issuers whose tokens may be exchanged for keys; null: trusted publishing is off. */
  readonly trustedIssuersFile: string | null
  readonly operatorClaim: { readonly name: string; readonly value: string } | null
  /** Free space on the disk of `dataFolder` that writes must leave. Bytes. */
  readonly diskReserveBytes: number
  /** True if readmes show images of other sites, which then learn their readers' addresses. */
  readonly readmeImages: boolean
  readonly site: SiteSettings
  /** Sender of mail; null: none is sent. */
  readonly mailFrom: string | null
  /** Requests to addresses that users gave; null: none are sent. */
  readonly outside: OutsideSettings | null
  /** Files with the key that encrypts the secrets of webhooks, and with the key before. */
  readonly secretsKeys: SecretsConfig
  /** The signed log: files with its key, its witnesses and the logs that are witnessed here; `off`: none. */
  readonly versionLog: VersionLogConfig
  /** Time between a signal to end and the end, in which load balancers notice that the server is not ready. Seconds. */
  readonly drainSeconds: number
  readonly logLevel: (typeof logLevels)[number]
  readonly requestLog: RequestLog
  readonly roles: readonly Role[]
}

/** Secrets, separate from the settings: never log them, never spread them. */
export interface Secrets {
  /** Usually contains a password. Undefined: the embedded database. */
  readonly databaseUrl: string | undefined
  readonly oidcClientSecret: string | undefined
  /** Proxy for requests to others' servers; may contain a password. */
  readonly outsideProxy?: string
  /** Server that takes mail; usually contains a password. */
  readonly smtpUrl?: string
  /** For the bucket. Undefined: from the sources that Amazon's tools use. */
  readonly s3Keys?: S3Keys
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const roleNames = ['api', 'worker'] as const
type Role = (typeof roleNames)[number]

/**
 * @param note receives each variable that is read
 * @throws ConfigError for the first invalid variable
 */
export const readConfig = (env: Environment, note?: (read: ReadVariable) => void): Config =>
  withCommentHint(env, () => configOf(variablesOf(env, note)))

function configOf(read: Variables): Config {
  const config: Config = {
    host: readHost(read),
    port: read.integer('PORT', { min: 0, max: 65_535, usual: 4000 }),
    publicUrl: read.publicUrl('PUBLIC_URL'),
    dataFolder: read.pathOr('DATA_DIR', './data'),
    objectStore: readObjectStore(read),
    oidc: readOidc(read),
    sessionDays: read.integer('SESSION_DAYS', { min: 1, max: 365, usual: 30 }),
    rateLimits: readRateLimits(read),
    trustProxy: readTrustProxy(read),
    connectionsMax: read.integer('MAX_CONNECTIONS', { min: 16, max: 1_000_000, usual: null }),
    fileBytesMax: read.bytes('MAX_FILE_BYTES', { min: 1, max: 2 ** 40, usual: 2 ** 30 }),
    pushIdleSeconds: read.integer('PUSH_IDLE_SECONDS', { min: 60, max: 86_400, usual: 3_600 }),
    openPushesMax: read.integer('MAX_OPEN_PUSHES', { min: 1, max: 1e6, usual: 100 }),
    organizationsMax: read.integer('MAX_ORGANIZATIONS', { min: 1, max: 1e6, usual: 100 }),
    collectionsMax: read.integer('MAX_COLLECTIONS', { min: 1, max: 1e6, usual: 10_000 }),
    quotaBytes: read.bytes('QUOTA_BYTES', { min: 1, max: Number.MAX_SAFE_INTEGER, usual: null }),
    tablesBytes: read.bytes('TABLES_BYTES', { min: 0, max: Number.MAX_SAFE_INTEGER, usual: null }),
    sql: read.oneOf('SQL', ['members', 'public', 'off'], 'members'),
    sqlSeconds: read.integer('SQL_SECONDS', { min: 1, max: 600, usual: 10 }),
    auditDays: read.integer('AUDIT_DAYS', { min: 1, max: 36_500, usual: 400 }),
    eventDays: read.integer('EVENT_DAYS', { min: 1, max: 3_650, usual: 30 }),
    newMembers: read.oneOf('MEMBERS', ['added', 'invited'], 'added'),
    operators: Object.freeze(readOperators(read)),
    operatorClaim: readOperatorClaim(read),
    trustedIssuersFile: read.path('TRUSTED_ISSUERS_FILE'),
    uploadDays: read.integer('UPLOAD_DAYS', { min: 1, max: 3_650, usual: 30 }),
    keepDeletedDays: read.integer('KEEP_DELETED_DAYS', { min: 1, max: 3_650, usual: 7 }),
    diskReserveBytes: read.bytes('DISK_RESERVE_BYTES', { min: 0, max: 2 ** 40, usual: 2 ** 28 }),
    site: Object.freeze(readSite(read)),
    mailFrom: readMailFrom(read),
    readmeImages: read.oneOf('README_IMAGES', ['on', 'off'], 'off') === 'on',
    outside: readOutside(read),
    secretsKeys: Object.freeze({
      keyFile: read.text('SECRETS_KEY_FILE'),
      formerKeyFile: read.text('SECRETS_KEY_FILE_FORMER'),
    }),
    versionLog: read.isOn('VERSION_LOG')
      ? Object.freeze({
          keyFile: read.text('VERSION_LOG_KEY_FILE'),
          formerKeyFile: read.text('VERSION_LOG_KEY_FILE_FORMER'),
          witnessesFile: read.text('VERSION_LOG_WITNESSES_FILE'),
          witnessedFile: read.text('VERSION_LOG_WITNESSED_FILE'),
        })
      : 'off',
    drainSeconds: read.integer('DRAIN_SECONDS', { min: 0, max: 3_600, usual: 0 }),
    logLevel: read.oneOf('LOG_LEVEL', logLevels, 'info'),
    requestLog: Object.freeze({
      requests: read.isOn('LOG_REQUESTS'),
      accounts: read.isOn('LOG_ACCOUNTS'),
      addresses: read.isOn('LOG_ADDRESSES'),
    }),
    roles: Object.freeze(readRoles(read)),
  }
  if (config.objectStore !== null && config.fileBytesMax > s3BlobBytesMax) {
    throw new ConfigError(`MAX_FILE_BYTES must be at most ${s3BlobBytesMax} where OBJECT_STORE is a bucket.`)
  }
  refuseDevelopmentProvider(config, read.text('NODE_ENV'))
  return Object.freeze(config)
}

/** Alone, for commands that need no other setting: a container has none yet when its keys are made. @throws ConfigError */
export const readPublicUrl = (env: Environment): Config['publicUrl'] =>
  withCommentHint(env, () => variablesOf(env).publicUrl('PUBLIC_URL'))

/**
 * @param note receives each variable that is read
 * @throws ConfigError
 */
export const readSecrets = (env: Environment, note?: (read: ReadVariable) => void): Secrets =>
  withCommentHint(env, () => secretsOf(variablesOf(env, note)))

function secretsOf(read: Variables): Secrets {
  const databaseUrl = read.text('DATABASE_URL')
  if (databaseUrl !== undefined) demandDatabaseUrl(databaseUrl)
  const s3Keys = readS3Keys(read)
  return Object.freeze({
    ...{ databaseUrl, oidcClientSecret: read.text('OIDC_CLIENT_SECRET'), s3Keys },
    ...{ outsideProxy: readOutsideProxy(read), smtpUrl: readSmtpUrl(read) },
  })
}

/** Refuses the built-in provider where others can reach it: it lets any visitor sign in as any user. */
function refuseDevelopmentProvider(config: Config, nodeEnv: string | undefined): void {
  if (config.oidc !== null) return
  const cure = 'set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET to those of your identity provider'
  const why = 'the built-in sign-in asks for no password and is for development only'
  if (nodeEnv === 'production')
    throw new ConfigError(`NODE_ENV is production, and ${why}: ${cure}, or unset NODE_ENV.`)
  if (!isLoopback(config.host)) {
    throw new ConfigError(
      `HOST is ${config.host}, which others can reach, and ${why}: ${cure}, or set HOST=127.0.0.1.`,
    )
  }
  if (config.publicUrl !== null && !isLoopback(new URL(config.publicUrl).hostname)) {
    throw new ConfigError(
      `PUBLIC_URL is ${config.publicUrl}, which others can reach, and ${why}: ${cure}, or unset PUBLIC_URL.`,
    )
  }
}

function readRateLimits(read: Variables): RateLimits | null {
  const limits = {
    anonymous: read.integer('RATE_LIMIT_ANONYMOUS', { min: 1, max: 1e9, usual: 1_200 }),
    account: read.integer('RATE_LIMIT_ACCOUNT', { min: 1, max: 1e9, usual: 6_000 }),
    signIn: read.integer('RATE_LIMIT_SIGN_IN', { min: 1, max: 1e9, usual: 600 }),
    reports: 10,
  }
  return read.isOn('RATE_LIMIT') ? Object.freeze(limits) : null
}

const networkNames = ['loopback', 'linklocal', 'uniquelocal']
/** Maximum number of proxies in a row. */
const hopsMax = 10

function readTrustProxy(read: Variables): Config['trustProxy'] {
  const text = read.textOr('TRUST_PROXY', 'off')
  if (text === 'off') return false
  const right = `the number of proxies in a row (1 to ${hopsMax}), or addresses of proxies with commas between, such as 10.0.0.0/8,loopback (masks from /8, IPv6 from /7)`
  if (text === 'all' || text === 'true')
    throw new ConfigError(
      `TRUST_PROXY=${text} would let any client name an address of its choice. Set it to ${right}.`,
    )
  if (/^[1-9]\d?$/.test(text) && Number(text) <= hopsMax) return Number(text)
  const parts = text.split(',').map((part) => part.trim())
  const wrong = parts.find((part) => !networkNames.includes(part) && !isNetwork(part))
  if (wrong === undefined) return parts.join(',')
  throw new ConfigError(`TRUST_PROXY must be off, ${right}; "${wrong}" is none of these.`)
}

/** True for an address or a network, at most an IPv4 /8 or an IPv6 /7: a wider network would trust any client. */
function isNetwork(text: string): boolean {
  const [address = '', mask, ...more] = text.split('/')
  const family = address.includes('%') ? 0 : isIP(address)
  if (family === 0 || more.length > 0) return false
  if (mask === undefined) return true
  // Programs read the mask of an IPv4 address in IPv6 notation differently, so refuse it.
  if (!/^\d{1,3}$/.test(mask) || /^::ffff:/i.test(address)) return false
  const [min, max] = family === 4 ? [8, 32] : [7, 128]
  return Number(mask) >= min && Number(mask) <= max
}

function readRoles(read: Variables): Role[] {
  const parts = read
    .textOr('ROLES', 'api,worker')
    .split(',')
    .map((part) => part.trim())
  const roles = roleNames.filter((name) => parts.includes(name))
  if (parts.every((part) => roleNames.some((name) => name === part)) && roles.includes('api')) return roles
  throw new ConfigError('ROLES must be api or api,worker: what this process does.')
}
