/** Client of the identity provider: OpenID Connect, authorization code with PKCE. http-api §2. */
import type { Identity } from '@ulmus/registry'
import * as oidc from 'openid-client'
import { isLoopback } from '../loopback.ts'
import {
  failedSignIn,
  issuerSentence,
  type ProviderError,
  refusalOfReturn,
  timeoutSeconds,
  unavailableSignIn,
} from './faults.ts'
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
      throw unavailableSignIn(issuerSentence(options.issuer(), cause))
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
      // The browser has one cookie for the sign-ins of all its tabs.
      if (returned.searchParams.get('state') !== pending.state)
        throw failedSignIn(
          'info',
          'the browser came back from another sign-in than its last one, such as that of another tab.',
          'Another sign-in was started in this browser meanwhile.',
        )
      return identityOf(provider, returned, pending, options)
    },
  }
}

/** Reads the description of the provider. */
export async function discover({
  issuer,
  clientId,
  clientSecret,
}: ProviderOptions): Promise<oidc.Configuration> {
  const url = new URL(issuer())
  // `readConfig` allows plain http only for providers on this machine.
  const isPlain = url.protocol === 'http:' && isLoopback(url.hostname)
  // Verify the signatures of ID tokens, so that a proxy between the server and the provider cannot sign users in.
  const execute = [oidc.enableNonRepudiationChecks, ...(isPlain ? [oidc.allowInsecureRequests] : [])]
  const provider = await oidc.discovery(url, clientId, clientSecret, undefined, {
    execute,
    timeout: timeoutSeconds,
  })
  // Throws if the description has no address for the browser.
  oidc.buildAuthorizationUrl(provider, {})
  return provider
}

async function identityOf(
  provider: oidc.Configuration,
  returned: URL,
  pending: Pending,
  { knownAs, operatorClaim, clientSecret }: ProviderOptions,
): Promise<Identity> {
  const { state, nonce, verifier } = pending
  const secrets = [returned.searchParams.get('code') ?? '', state, nonce, verifier, clientSecret]
  const refuse = (isUserInfo: boolean) => (error: ProviderError) => {
    throw refusalOfReturn(error, secrets.filter(Boolean), isUserInfo)
  }
  const checks = {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  }
  const tokens = await oidc.authorizationCodeGrant(provider, returned, checks).catch(refuse(false))
  // The library has refused answers without an ID token.
  const claims = tokens.claims()!
  if (!subjectShape.test(claims.sub)) throw failedSignIn('warn', badSubject, badSubject)
  // Many providers return name and e-mail only from this endpoint.
  const hasMore = provider.serverMetadata().userinfo_endpoint !== undefined
  const more = hasMore
    ? await oidc.fetchUserInfo(provider, tokens.access_token, claims.sub).catch(refuse(true))
    : {}
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
