/**
 * Causes of failed sign-ins, each in a sentence for the log with its remedy. Never with a token, a code or a secret: texts of the provider
 * are quoted without them, and errors of parsers, which quote their input, not at all.
 */
import { RegistryError, tlsReason } from '@ulmus/registry'
import { OperatorNoteError } from '../plugins/answers/errors.ts'

/** Errors of `openid-client` and `oauth4webapi`, whose causes are answers of the provider or parts of them. */
export interface ProviderError extends Error {
  readonly code?: string
  /** RFC 6749 §4.1.2.1 and §5.2. */
  readonly error?: string
  readonly error_description?: string
  readonly cause?: unknown
}

/** Timeout of requests to the provider. Seconds. */
export const timeoutSeconds = 5

/** Longest text of the provider in the log. Characters. */
const quotedMax = 300

/** The failed sign-in of a user, with its cause for the log. `info`: the user declined, or took too long. */
export const failedSignIn = (level: 'info' | 'warn', sentence: string, reason?: string): RegistryError =>
  new RegistryError('sign_in_failed', {
    say: { reason },
    cause: new OperatorNoteError(level, `A sign-in failed: ${sentence}`),
  })

/** A provider or a setting with which no user can sign in. */
export const unavailableSignIn = (sentence: string, reason?: string): RegistryError =>
  new RegistryError('sign_in_unavailable', {
    say: { reason },
    cause: new OperatorNoteError('warn', `A sign-in failed: ${sentence}`),
  })

/** A sentence about a description of the provider that cannot be used. */
export function issuerSentence(issuer: string, error: unknown): string {
  return `OIDC_ISSUER, ${issuer}, ${issuerFaultOf(error as ProviderError)} Until then no user can sign in; the rest works.`
}

/** True if two issuers differ at most by slashes at the end, the case of the host or the usual port. */
export function isSameAddress(one: string, other: string): boolean {
  const plain = (issuer: string) => (URL.parse(issuer)?.href ?? issuer).replace(/\/+$/, '')
  return plain(one) === plain(other)
}

/**
 * A sentence about an issuer that works although the provider writes its own otherwise, for identities have the provider's; undefined if
 * it is right. The description of a provider with several tenants names a pattern, which is no issuer.
 */
export const spellingSentence = (issuer: string, own: string): string | undefined =>
  issuer === own || !isSameAddress(issuer, own)
    ? undefined
    : `OIDC_ISSUER is ${lineOf(issuer)}; the provider calls itself ${lineOf(own)}: set it so. OPERATORS must name ${lineOf(own)}, too.`

function issuerFaultOf(error: ProviderError): string {
  const { status, body } = (error.cause ?? {}) as { status?: unknown; body?: { issuer?: unknown } }
  switch (error.code) {
    case 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED':
      return `names another issuer: ${lineOf(body?.issuer)}. Set OIDC_ISSUER to exactly that, if it is your provider.`
    case 'OAUTH_RESPONSE_IS_NOT_CONFORM':
      return `is no OpenID Connect provider now: its /.well-known/openid-configuration answers ${status}. Correct it, or start the provider.`
    case 'OAUTH_RESPONSE_IS_NOT_JSON':
    case 'OAUTH_PARSE_ERROR':
    case 'OAUTH_INVALID_RESPONSE':
      return 'is no OpenID Connect provider: its /.well-known/openid-configuration is not a description of one, but perhaps a web page. Correct it.'
    case 'OAUTH_MISSING_SERVER_METADATA':
    case 'OAUTH_INVALID_SERVER_METADATA':
    case 'OAUTH_HTTP_REQUEST_FORBIDDEN':
      return `has a description that cannot be used: ${reasonOf(error)}. Correct it at the provider.`
  }
  return `does not answer: ${reasonOf(error)}. Correct it, or start the provider.`
}

/** Errors with which the user, or the provider in their place, declines. */
const declined = new Set([
  'access_denied',
  'login_required',
  'consent_required',
  'interaction_required',
  'account_selection_required',
])

/** For the user: a new try hardly helps. */
const notOurs =
  'This registry does not accept the answer of the identity provider. If that happens again, tell the operator of the registry.'

/**
 * The refusal for an error after the browser came back, with a note for the log.
 * @param secrets texts that no log may have
 * @param isUserInfo true: the code was taken, and the profile of the user was not read
 */
export function refusalOfReturn(
  error: ProviderError,
  secrets: readonly string[],
  isUserInfo: boolean,
): RegistryError {
  const says = [error.error, error.error_description].filter((text) => typeof text === 'string')
  const saying = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), says.join(': '))
  if (error.code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR') {
    if (!declined.has(error.error ?? ''))
      return failedSignIn(
        'warn',
        `the identity provider sent the browser back with an error, ${quoted(saying)}. Compare the client at the provider: its redirect URI, scopes and users.`,
        notOurs,
      )
    const isDenied = error.error === 'access_denied'
    return failedSignIn(
      'info',
      `the user cancelled, or the identity provider refused this user (${quoted(saying)}).`,
      isDenied ? 'The identity provider refused it, or you cancelled.' : undefined,
    )
  }
  if (isOfClient(error) && !isUserInfo)
    return unavailableSignIn(
      `the identity provider does not accept this registry as a client (${saying === '' ? 'HTTP 401' : quoted(saying)}). Set OIDC_CLIENT_ID and OIDC_CLIENT_SECRET to those that the provider has for it.`,
      'The identity provider does not accept this registry. Its operator must correct the setting that the log names.',
    )
  if (error.code === 'OAUTH_RESPONSE_BODY_ERROR')
    return failedSignIn(
      'warn',
      `the identity provider does not take its own code back: ${quoted(saying)}. If that happens at every sign-in, PUBLIC_URL is not the address that visitors use, or PUBLIC_URL/auth/callback is not the redirect URI of the client.`,
      notOurs,
    )
  const sentence = sentenceOf(error)
  return isAway(error) ? unavailableSignIn(sentence) : failedSignIn('warn', sentence, notOurs)
}

/** RFC 6749 §5.2, or HTTP 401 without such a body. */
const isOfClient = ({ code, error }: ProviderError): boolean =>
  ['invalid_client', 'unauthorized_client'].includes(error ?? '') ||
  code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE'

const isAway = (error: ProviderError): boolean =>
  error instanceof TypeError ||
  error.name === 'TimeoutError' ||
  error.code === 'OAUTH_TIMEOUT' ||
  (error.code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' &&
    Number((error.cause as Response | undefined)?.status) >= 500)

/** Details of a refused token, which `oauth4webapi` has as cause of the cause. */
interface Mismatch {
  readonly claim?: string
  readonly claims?: Readonly<Record<string, unknown>>
  readonly expected?: unknown
  readonly now?: number
}

function sentenceOf(error: ProviderError): string {
  const mismatch = ((error.cause as ProviderError | undefined)?.cause ?? {}) as Mismatch
  const response = (error as { response?: Response }).response ?? error.cause
  const answer = response instanceof Response ? response : undefined
  switch (error.code) {
    case 'OAUTH_TIMEOUT':
      return `the identity provider did not answer within ${timeoutSeconds} s.`
    case 'OAUTH_RESPONSE_IS_NOT_CONFORM':
    case 'OAUTH_WWW_AUTHENTICATE_CHALLENGE':
      return `the identity provider answers ${answer?.status} at ${addressOf(answer)}, an address of its own description. Correct it at the provider, or allow this client there.`
    case 'OAUTH_RESPONSE_IS_NOT_JSON':
    case 'OAUTH_PARSE_ERROR':
      return 'an answer of the identity provider is not the JSON that it must be. Look at the log of the provider.'
    case 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED':
      return timeSentence(mismatch)
    case 'OAUTH_JWT_CLAIM_COMPARISON_FAILED':
      return claimSentence(mismatch)
    case 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED':
      return 'the identity provider sent the profile of another user than the ID token names. Look at the log of the provider.'
    case 'OAUTH_KEY_SELECTION_FAILED':
      return 'the ID token is signed with a key that the identity provider does not publish (jwks_uri). Correct it at the provider.'
  }
  if (isAway(error)) return `the identity provider cannot be reached: ${reasonOf(error)}.`
  return `the answer of the identity provider is not valid: ${reasonOf(error)}. Look at the log of the provider.`
}

function timeSentence({ claim = '', claims = {}, now = 0 }: Mismatch): string {
  const seconds = Math.abs(Math.round(Number(claims[claim]) - now))
  const when = claim === 'nbf' ? `is valid only in ${seconds} s` : `expired ${seconds} s ago`
  return `the ID token ${when} by the clock of this server. Compare the clocks of this server and of the identity provider (NTP).`
}

function claimSentence({ claim = '', claims = {}, expected }: Mismatch): string {
  if (claim === 'nonce')
    return 'the ID token belongs to another sign-in (nonce). Look at the log of the provider.'
  const name = claim === 'iss' ? 'OIDC_ISSUER' : 'OIDC_CLIENT_ID'
  const than = expected === undefined ? `${name} alone` : `${name}, ${quoted(expected)}`
  return `the ID token has ${claim} ${quoted([claims[claim]].flat().join(', '))}, and not ${than}. Correct ${name}, or the client at the provider.`
}

/** Without its query. */
function addressOf(answer: Response | undefined): string {
  const url = answer?.url ?? ''
  return URL.canParse(url) ? lineOf(`${new URL(url).origin}${new URL(url).pathname}`) : 'an address'
}

/** A text of the provider, in one line. */
const lineOf = (text: unknown): string =>
  String(text)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s"]+/gu, ' ')
    .trim()
    .slice(0, quotedMax)

const quoted = (text: unknown): string => `"${lineOf(text)}"`

/** The first cause in one line: a fault of the network, or a sentence of the library. */
function reasonOf(error: unknown): string {
  const { cause, errors, message } = error as { cause?: unknown; errors?: unknown[]; message: string }
  const [first] = errors ?? []
  if (cause instanceof Error) return reasonOf(cause)
  if (message === '' && first instanceof Error) return reasonOf(first)
  return tlsReason(message.split('\n')[0]!, 'it does not speak TLS').replace(/\.$/, '')
}
