/** Checks OIDC_ISSUER when a server starts, so that a wrong one is in the log before the first sign-in fails. */
import { issuerSentence } from './faults.ts'
import { discover, type ProviderOptions } from './identity-provider.ts'

/** A sentence about an issuer that cannot sign users in; undefined if it can. Takes as long as the provider, at most some seconds. */
export async function issuerFault(options: ProviderOptions): Promise<string | undefined> {
  try {
    await discover(options)
    return undefined
  } catch (error) {
    return issuerSentence(options.issuer(), error)
  }
}
