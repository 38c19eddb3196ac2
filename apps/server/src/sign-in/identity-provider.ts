/** Client of the identity provider: OpenID Connect, authorization code with PKCE. http-api §2. */
import { type Identity, RegistryError } from '@ulmus/registry'
import * as oidc from 'openid-client'
import { isLoopback } from '../loopback.ts'
import type { Pending } from './pending-cookie.ts'

/** The two steps of a sign-in: before and after the browser visits the provider. */
export interface IdentityProvider {
  /** Returns the address for the browser, and the state to remember until it returns. @throws sign_in_unavailable */
  begin(redirectUri: string): Promise<{ url: string; pending: Omit<Pending, 'returnTo'> }>
  /**
   * Returns the identity that the provider confirms.
   * @param returned the URL that the browser returned to, with `code` and `state`
   * @throws sign_in_failed, sign_in_unavailable
   */
  complete(returned: URL, pending: Pending): Promise<Identity>
}

export interface ProviderOptions {
  /** Called at the first sign-in: the issuer of the built-in provider is known only once the server listens. */
  readonly issuer: () => string
  readonly clientId: string
  readonly clientSecret: string
  /** Issuer in stored identities, if it is not the provider's own. */
  readonly knownAs?: string
  /** Claim and value that make a user an operator. Default: none. */
  readonly operatorClaim?: { readonly name: string; readonly value: string } | null
  /** `login`: the provider must ask for credentials again. */
  readonly prompt?: 'login'
}

/** Timeout of requests to the provider. Seconds. */
const timeoutSeconds = 5

/** OpenID Connect Core §2: at most 255 ASCII characters. */
const subjectShape = /^[\x20-\x7e]{1,255}$/
const badSubject = 'The identity provider sent a subject that is not 1 to 255 ASCII characters.'

/** Discovers the provider's endpoints at the first sign-in, and retries until it answers: it may be unavailable when the server starts. */
export function identityProvider(options: ProviderOptions): IdentityProvider {
  let discovered: Promise<oidc.Configuration> | undefined
  const configuration = async () => {
    discovered ??= discover(options)
    try {
      return await discovered
    } catch (cause) {
      discovered = undefined
      throw new RegistryError('sign_in_unavailable', { cause })
    }
  }
  return {
    async begin(redirectUri) {
      const provider = await configuration()
      const pending = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
      }
      const url = oidc.buildAuthorizationUrl(provider, {
        redirect_uri: redirectUri,
        scope: 'openid profile email',
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
        ...(options.prompt === undefined ? {} : { prompt: options.prompt }),
      })
      return { url: url.href, pending }
    },
    async complete(returned, pending) {
      const provider = await configuration()
      try {
        return await exchange(provider, returned, pending, options)
      } catch (cause) {
        throw refusalOf(cause)
      }
    },
  }
}

/** Reads the description of the provider. */
export function discover({ issuer, clientId, clientSecret }: ProviderOptions): Promise<oidc.Configuration> {
  const url = new URL(issuer())
  // `readConfig` allows plain http only for providers on this machine.
  const isPlain = url.protocol === 'http:' && isLoopback(url.hostname)
  // Verify the signatures of ID tokens, so that a proxy between the server and the provider cannot sign users in.
  const execute = [oidc.enableNonRepudiationChecks, ...(isPlain ? [oidc.allowInsecureRequests] : [])]
  return oidc.discovery(url, clientId, clientSecret, undefined, { execute, timeout: timeoutSeconds })
}

async function exchange(
  provider: oidc.Configuration,
  returned: URL,
  pending: Pending,
  { knownAs, operatorClaim }: Pick<ProviderOptions, 'knownAs' | 'operatorClaim'>,
): Promise<Identity> {
  const checks = {
    expectedState: pending.state,
    expectedNonce: pending.nonce,
    pkceCodeVerifier: pending.verifier,
    idTokenExpected: true,
  }
  const tokens = await oidc.authorizationCodeGrant(provider, returned, checks).catch((cause) => {
    throw refusedClient(cause)
  })
  const claims = tokens.claims()
  if (claims === undefined) throw new Error('The provider sent no ID token.')
  if (!subjectShape.test(claims.sub))
    throw new RegistryError('sign_in_failed', { say: { reason: badSubject } })
  // Many providers return name and e-mail only from this endpoint.
  const hasMore = provider.serverMetadata().userinfo_endpoint !== undefined
  const more = hasMore ? await oidc.fetchUserInfo(provider, tokens.access_token, claims.sub) : {}
  const profile = { ...claims, ...more } as Record<string, unknown>
  const text = (name: string) =>
    typeof profile[name] === 'string' && profile[name].trim() !== '' ? profile[name].trim() : null
  return {
    issuer: knownAs ?? claims.iss,
    subject: claims.sub,
    preferredUsername: text('preferred_username'),
    email: text('email'),
    // Some providers send it as text.
    emailVerified: [true, 'true'].includes(profile['email_verified'] as boolean | string),
    name: text('name'),
    // The claim may be one value or a list.
    claimsOperator:
      operatorClaim != null && [profile[operatorClaim.name]].flat().includes(operatorClaim.value),
  }
}

/** Converts an error of the code exchange: a refusal if the provider does not accept this registry (RFC 6749 §5.2), else `cause` itself. */
function refusedClient(cause: unknown): unknown {
  const { error } = cause as { error?: unknown }
  const isOfClient = error === 'invalid_client' || error === 'unauthorized_client'
  if (!isOfClient && !(cause instanceof oidc.WWWAuthenticateChallengeError)) return cause
  const why = `The identity provider does not accept this registry as a client (${isOfClient ? error : 'HTTP 401'}). Set OIDC_CLIENT_ID and OIDC_CLIENT_SECRET to those that the provider has for it.`
  return new RegistryError('sign_in_unavailable', {
    say: {
      reason:
        'The identity provider does not accept this registry. Its operator must correct the setting that the log names.',
    },
    cause: new Error(why, { cause }),
  })
}

/** A provider that does not answer is unavailable. Any other error is a failed sign-in: refused, replayed, forged or too late. */
function refusalOf(cause: unknown): RegistryError {
  if (cause instanceof RegistryError) return cause
  const { code } = cause as { code?: unknown }
  const away =
    cause instanceof TypeError ||
    (cause as Error).name === 'TimeoutError' ||
    code === 'OAUTH_TIMEOUT' ||
    (code === 'OAUTH_RESPONSE_IS_NOT_CONFORM' &&
      Number((cause as { cause?: { status?: number } }).cause?.status) >= 500)
  if (away) return new RegistryError('sign_in_unavailable', { cause })
  const providerError = cause instanceof oidc.AuthorizationResponseError ? cause.error : undefined
  const reason =
    providerError === 'access_denied' ? 'The identity provider refused it, or you cancelled.' : undefined
  return new RegistryError('sign_in_failed', { say: { reason }, cause })
}
