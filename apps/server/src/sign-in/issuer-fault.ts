/** Checks OIDC_ISSUER when a server starts, so that a wrong one is in the log before the first sign-in fails. */
import { issuerSentence, spellingSentence } from './faults.ts'
import { discover, type ProviderOptions } from './identity-provider.ts'

export interface IssuerFault {
  /** `error`: the issuer cannot sign users in. */
  readonly level: 'error' | 'warn'
  readonly sentence: string
}

/** Undefined for a right issuer. Takes as long as the provider, at most some seconds. */
export async function issuerFault(options: ProviderOptions): Promise<IssuerFault | undefined> {
  const issuer = options.issuer()
  try {
    const provider = await discover(options)
    const sentence = spellingSentence(issuer, provider.serverMetadata().issuer)
    return sentence === undefined ? undefined : { level: 'warn', sentence }
  } catch (error) {
    return { level: 'error', sentence: issuerSentence(issuer, error) }
  }
}
