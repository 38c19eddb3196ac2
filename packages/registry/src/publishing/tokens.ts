/**
 * Verification of tokens by the keys of their issuers. Keys are fetched from issuers that the operator listed, never because of a URL in
 * a token, and at most twice a minute, however many unknown key ids strangers send.
 */
import { parseJson } from '@ulmus/content'
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  decodeJwt,
  errors,
  type JSONWebKeySet,
  jwtVerify,
} from 'jose'
import type { Context } from '../context.ts'
import type { TrustedIssuer } from '../issuers.ts'
import { ask, checkUrl, type Outside } from '../outside/ask.ts'
import type { TokenClaims } from './claims.ts'

export interface VerifiedToken {
  readonly issuer: TrustedIssuer
  readonly claims: TokenClaims
  readonly jti: string
  /** The token is refused after this. */
  readonly until: Date
}

/** Age at which a token is refused. Seconds. */
const ageMax = 600
/** Tolerated difference of clocks. Seconds. */
const tolerance = 30
/** Pause between two fetches of one issuer's keys, also after a failure. Milliseconds. */
const pause = 30_000
/** Time after which keys are fetched again. Milliseconds. */
const keysAgeMax = 600_000
const fetchMilliseconds = 10_000
const fetchedBytesMax = 256 * 1024
const algorithms = ['RS256', 'ES256']

export type Tokens = ReturnType<typeof tokensOf>

export function tokensOf(context: Pick<Context, 'issuers' | 'outside' | 'log' | 'now'>) {
  const trusted = context.issuers.map((issuer) => ({ issuer, keys: keysOf(context, issuer) }))

  /**
   * @param audience the only `aud` that is accepted
   * @returns the claims; or the reason for a refusal, for the sender of the token
   */
  return async (token: string, audience: string): Promise<VerifiedToken | string> => {
    const named = issuerIn(token)
    if (named === undefined) return 'The token is not a JWT with an issuer (`iss`).'
    const found = trusted.find(({ issuer }) => issuer.issuer === named)
    if (found === undefined) return 'The operators of this registry do not trust the issuer of the token.'
    try {
      const { payload } = await jwtVerify(token, found.keys, {
        ...{ issuer: named, audience, algorithms, clockTolerance: tolerance, maxTokenAge: ageMax },
        requiredClaims: ['jti', 'sub', 'iat', 'exp'],
        currentDate: context.now(),
      })
      const { aud, jti, iat, exp } = payload
      if (Array.isArray(aud) && aud.length !== 1)
        return `The token has ${aud.length} audiences. It must be for this registry alone: ${audience}.`
      if (typeof jti !== 'string' || jti === '' || jti.length > 1_000)
        return 'The token needs an id (`jti`) of at most 1,000 characters.'
      const until = new Date((Math.min(exp!, iat! + ageMax) + tolerance + 1) * 1_000)
      return { issuer: found.issuer, claims: payload, jti, until }
    } catch (error) {
      return reasonOf(error, audience, context.now())
    }
  }
}

function issuerIn(token: string): string | undefined {
  try {
    const { iss } = decodeJwt(token)
    return typeof iss === 'string' ? iss : undefined
  } catch {
    return undefined
  }
}

function reasonOf(error: unknown, audience: string, now: Date): string {
  if (error instanceof UnfetchedError)
    return `The keys of the issuer could not be fetched: ${error.message} Try again later.`
  if (error instanceof errors.JWTExpired) {
    const fault = error.claim === 'iat' ? `is more than ${ageMax / 60} minutes old` : 'has expired'
    return `The token ${fault}. Request another one right before the push.`
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'aud') return `The audience (\`aud\`) of the token must be ${audience}.`
    if (error.reason === 'missing') return `The token has no \`${error.claim}\`.`
    const time = error.payload[error.claim]
    const ahead = typeof time === 'number' ? Math.ceil(time - now.getTime() / 1_000) : 0
    if ((error.claim === 'nbf' || error.claim === 'iat') && ahead > 0)
      return `The token’s \`${error.claim}\` is ${ahead} seconds ahead of this registry’s clock: the clocks of the issuer and of the registry differ. Set both by NTP. ${tolerance} seconds are tolerated.`
    return `The token’s \`${error.claim}\` is not acceptable.`
  }
  if (error instanceof errors.JOSEAlgNotAllowed)
    return `The token must be signed with ${algorithms.join(' or ')}.`
  if (error instanceof errors.JOSEError) return 'The signature of the token was not made by its issuer.'
  // A key set may have keys that Node cannot import.
  if (error instanceof TypeError || error instanceof DOMException)
    return 'The signature of the token cannot be verified with the keys of its issuer.'
  throw error
}

/** The message is for the sender of a token; it names no address. */
class UnfetchedError extends Error {}

function keysOf(context: Pick<Context, 'outside' | 'log'>, { issuer, jwks }: TrustedIssuer) {
  if (jwks !== undefined) return createLocalJWKSet(jwks)
  let failed: { at: number; error: UnfetchedError } | undefined
  const fetchKeys = async (): Promise<Response> => {
    if (failed !== undefined && performance.now() - failed.at < pause) throw failed.error
    try {
      const text = await keySetOf(issuer, outsideFor(issuer, context.outside))
      failed = undefined
      return new Response(text)
    } catch (error) {
      if (!(error instanceof UnfetchedError)) throw error
      failed = { at: performance.now(), error }
      context.log.warn(
        { issuer, reason: error.message },
        'The keys of a trusted issuer could not be fetched.',
      )
      throw error
    }
  }
  return createRemoteJWKSet(new URL(issuer), {
    ...{ cooldownDuration: pause, cacheMaxAge: keysAgeMax, timeoutDuration: 3 * fetchMilliseconds },
    [customFetch]: fetchKeys,
  })
}

/** The operator named the issuer, so it may be at a private address. */
function outsideFor(issuer: string, outside: Outside | null): Outside {
  if (outside === null) throw new UnfetchedError('this registry sends no requests to others (OUTSIDE=off).')
  const { networks, origins } = outside.allowed
  return { ...outside, allowed: { networks, origins: new Set([...origins, new URL(issuer).origin]) } }
}

/** The key set that the issuer's discovery document names, as JSON. @throws UnfetchedError */
async function keySetOf(issuer: string, outside: Outside): Promise<string> {
  const discovery = await fetchJson(
    `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    'its discovery document',
    outside,
  )
  const { issuer: named, jwks_uri: address } = discovery as { issuer?: unknown; jwks_uri?: unknown }
  if (named !== issuer) throw new UnfetchedError('its discovery document names another issuer.')
  if (typeof address !== 'string') throw new UnfetchedError('its discovery document names no key set.')
  const keys = await fetchJson(address, 'its key set', outside)
  try {
    createLocalJWKSet(keys as JSONWebKeySet)
  } catch {
    throw new UnfetchedError('its key set is malformed.')
  }
  return JSON.stringify(keys)
}

async function fetchJson(address: string, what: string, outside: Outside): Promise<object> {
  const url = checkUrl(address, outside)
  if (!(url instanceof URL))
    throw new UnfetchedError(`${what} is at an address that this registry does not ask.`)
  const question = { method: 'GET', milliseconds: fetchMilliseconds, bytesMax: fetchedBytesMax } as const
  const asked = await ask(url, { ...question, headers: { accept: 'application/json' } }, outside)
  if (asked.kind === 'failed') throw new UnfetchedError(`asking for ${what} failed (${asked.why}).`)
  if (asked.status !== 200) throw new UnfetchedError(`asking for ${what} was answered with ${asked.status}.`)
  try {
    const read = parseJson(asked.body.toString('utf8')) as unknown
    if (typeof read === 'object' && read !== null) return read
  } catch {}
  throw new UnfetchedError(`${what} is not JSON.`)
}
