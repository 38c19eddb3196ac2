/** Checks OIDC_ISSUER when a server starts, so that a wrong one is in the log before the first sign-in fails. */
import { discover, type ProviderOptions } from './identity-provider.ts'

/** A sentence about an issuer that cannot sign users in; undefined if it can. Takes as long as the provider, at most some seconds. */
export async function issuerFault(options: ProviderOptions): Promise<string | undefined> {
  try {
    await discover(options)
    return undefined
  } catch (error) {
    return `OIDC_ISSUER, ${options.issuer()}, ${faultOf(error)} Until then no user can sign in; the rest works.`
  }
}

function faultOf(error: unknown): string {
  const { code, cause } = error as {
    code?: unknown
    cause?: { status?: unknown; body?: { issuer?: unknown } }
  }
  switch (code) {
    case 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED':
      return `names another issuer: ${String(cause?.body?.issuer).slice(0, 200)}. Set OIDC_ISSUER to exactly that, if it is your provider.`
    case 'OAUTH_RESPONSE_IS_NOT_CONFORM':
      return `is no OpenID Connect provider now: its /.well-known/openid-configuration answers ${cause?.status}. Correct it, or start the provider.`
    case 'OAUTH_RESPONSE_IS_NOT_JSON':
    case 'OAUTH_PARSE_ERROR':
    case 'OAUTH_INVALID_RESPONSE':
      return 'is no OpenID Connect provider: its /.well-known/openid-configuration is not a description of one, but perhaps a web page. Correct it.'
  }
  return `does not answer: ${reasonOf(error)}. Correct it, or start the provider.`
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as { cause?: unknown; message: string }
  if (cause instanceof Error) return reasonOf(cause)
  return message.split('\n')[0]!.replace(/\.$/, '')
}
