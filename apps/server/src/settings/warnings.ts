/** Sentences about settings that are valid, but probably not meant so: for the log of a start, and for `ulmus-server config`. */
import { isInnerHost, sizeText } from '@ulmus/registry'
import { type Config, readConfig, readSecrets } from '../config.ts'
import { devIssuer } from '../sign-in/dev-provider.ts'
import { isSameAddress } from '../sign-in/faults.ts'
import { unencryptedHost } from '../variables/database-settings.ts'
import { portWarning } from '../variables/mail-settings.ts'
import { namesDescription } from '../variables/sign-in-settings.ts'
import { commentRule, type Environment, hasComment, variablesOf } from '../variables/variables.ts'
import { misspeltIn, settingNames, withoutPasswords } from './effective.ts'

/** @throws ConfigError for the first invalid setting */
export const settingWarnings = (env: Environment): string[] => [...misspeltIn(env), ...valueWarnings(env)]

/** For `config`: misspelt names before the error, which one of them may have caused. @throws ConfigError */
export function* configWarnings(env: Environment): Generator<string> {
  yield* misspeltIn(env)
  yield* valueWarnings(env)
  yield* unsignedLogWarnings(env)
}

function valueWarnings(env: Environment): string[] {
  const config = readConfig(env)
  const { publicUrl, mailFrom, outside, secretsKeys } = config
  const { databaseUrl, smtpUrl } = readSecrets(env)
  const has = (name: string) => (env[name]?.trim() ?? '') !== ''
  const warnings: string[] = []
  // The driver reads PGSSLMODE too.
  const host = databaseUrl === undefined || has('PGSSLMODE') ? undefined : unencryptedHost(databaseUrl)
  if (host !== undefined)
    warnings.push(
      `The connection to the database on ${host} is not encrypted: all data can be read on its way. Add ?sslmode=verify-full to DATABASE_URL, or ?sslmode=disable if that network is private.`,
    )
  if (publicUrl?.startsWith('http:') && !isInnerHost(new URL(publicUrl)))
    warnings.push(
      `PUBLIC_URL is ${publicUrl}: cookies of sessions and API keys can be read on their way. Put a proxy with a certificate in front (docs/going-live.md), and set it to ${publicUrl.replace(/^http/, 'https')}.`,
    )
  const nodeEnv = env['NODE_ENV']?.trim() ?? ''
  if (!['', 'production', 'development', 'test'].includes(nodeEnv))
    warnings.push(
      `NODE_ENV is ${nodeEnv}, which changes nothing: its only value with an effect is production, which refuses the built-in sign-in.`,
    )
  if (env['SITE_COLOR']?.trim() === '')
    warnings.push(
      'SITE_COLOR is empty, perhaps because # begins a comment in a file of variables: write SITE_COLOR="#2f8f52", with double quotes, or remove the line.',
    )
  if (mailFrom !== null && databaseUrl !== undefined && secretsKeys.keyFile === undefined)
    warnings.push(
      'SMTP_URL is set, but SECRETS_KEY_FILE is not: invitations to addresses of mail are not sent, since their links wait encrypted in the database. Make a file by `openssl rand -base64 32`, and name it on all servers.',
    )
  const wrongPort = smtpUrl === undefined ? undefined : portWarning(smtpUrl)
  if (wrongPort !== undefined) warnings.push(wrongPort)
  if (mailFrom !== null && outside === null)
    warnings.push('SMTP_URL is set, but OUTSIDE is off: no mail is sent. Remove OUTSIDE to send it.')
  if (config.oidc !== null && namesDescription(variablesOf(env)))
    warnings.push(
      `OIDC_ISSUER ends with /.well-known/openid-configuration, which the server takes off. Set it to the issuer itself, exactly as "issuer" in that description: ${withoutPasswords(config.oidc.issuer)}, or the same with a slash at the end.`,
    )
  return [...warnings, ...commentWarnings(env), ...operatorWarnings(config), ...sizeWarnings(config)]
}

/** Without the values, which may be secrets. */
const commentWarnings = (env: Environment): string[] =>
  settingNames()
    .filter((name) => hasComment(env[name]))
    .map((name) => `${name} has " #" in its value. ${commentRule}`)

/** The start reads the database first, and logs what it lacks. */
function unsignedLogWarnings(env: Environment): string[] {
  const { versionLog } = readConfig(env)
  const isSigned = versionLog === 'off' || versionLog.keyFile !== undefined
  if (isSigned || readSecrets(env).databaseUrl === undefined) return []
  return [
    'DATABASE_URL is set, but VERSION_LOG_KEY_FILE is not: the log of versions is not signed. For a new registry make a key with `ulmus-server log key`, after a move take the former `log.key`, and name its file on all servers (docs/going-live.md), or set VERSION_LOG=off.',
  ]
}

/** Smaller sizes are probably numbers of megabytes or gigabytes without their unit. Bytes. */
const usefulBytesMin = 1e6

function sizeWarnings({ quotaBytes, fileBytesMax, tablesBytes, diskReserveBytes }: Config): string[] {
  const sizes = {
    QUOTA_BYTES: quotaBytes,
    MAX_FILE_BYTES: fileBytesMax,
    TABLES_BYTES: tablesBytes,
    DISK_RESERVE_BYTES: diskReserveBytes,
  }
  return Object.entries(sizes)
    .filter(([, bytes]) => bytes !== null && bytes > 0 && bytes < usefulBytesMin)
    .map(
      ([name, bytes]) =>
        `${name} is ${sizeText(bytes!)}, which is probably not meant so: sizes are bytes, or have a unit, such as 10GB.`,
    )
}

/** Operators that no sign-in makes. Trusted issuers make keys, never accounts. */
function operatorWarnings({ oidc, operators, operatorClaim }: Config): string[] {
  const users = oidc?.issuer ?? devIssuer
  const unusual = operators.filter(({ subject }) => /#|:\/\//.test(subject))
  const warnings = unusual.map(
    ({ issuer, subject }) =>
      `OPERATORS has ${subject} as the subject of ${withoutPasswords(issuer)}. Are these several operators? Put commas between them.`,
  )
  const elsewhere = operators
    .filter(({ issuer }) => issuer !== users)
    .map(
      ({ issuer, subject }) =>
        `OPERATORS names ${withoutPasswords(issuer)}#${subject}, but ${hintOf(issuer, subject, oidc)}`,
    )
  warnings.push(...elsewhere)
  if (oidc === null && operatorClaim !== null)
    warnings.push(
      'OPERATOR_CLAIM is set, but the built-in sign-in has no claims: set OIDC_ISSUER, or name operators in OPERATORS.',
    )
  return warnings
}

/** Only the provider knows which of two spellings is right: a hint to change OPERATORS may lead astray. */
function hintOf(issuer: string, subject: string, oidc: Config['oidc']): string {
  const users = withoutPasswords(oidc?.issuer ?? devIssuer)
  if (oidc !== null && isSameAddress(issuer, oidc.issuer))
    return `OIDC_ISSUER is ${users}: one of them is written wrongly, such as by a slash at the end. Both must be exactly the issuer (iss) by which the provider calls itself: "issuer" in ${users.replace(/\/+$/, '')}/.well-known/openid-configuration.`
  const signIn = oidc === null ? 'by the built-in sign-in' : `by OIDC_ISSUER, ${users}`
  return `users sign in ${signIn}: the name matches only an account that had that identity before. Did you mean ${users}#${subject}? The issuer must be exactly as in the provider's description, also with or without a slash at the end.`
}
