/** The part of `oidc-provider`, which brings no types, that the built-in identity provider uses. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export interface Adapter {
    upsert(id: string, payload: Record<string, unknown>, expiresInSeconds: number): Promise<void>
    find(id: string): Promise<Record<string, unknown> | undefined>
    findByUid(uid: string): Promise<Record<string, unknown> | undefined>
    findByUserCode(code: string): Promise<Record<string, unknown> | undefined>
    consume(id: string): Promise<void>
    destroy(id: string): Promise<void>
    revokeByGrantId(grantId: string): Promise<void>
  }

  interface Grant {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }

  interface Context {
    readonly oidc: {
      readonly client: { readonly clientId: string }
      readonly session: { readonly accountId: string }
      readonly provider: { readonly Grant: new (of: { clientId: string; accountId: string }) => Grant }
    }
  }

  export interface Configuration {
    adapter: new (kind: string) => Adapter
    jwks: { keys: object[] }
    cookies: { keys: string[] }
    clients: Record<string, unknown>[]
    claims: Record<string, string[]>
    features: Record<string, { enabled: boolean }>
    interactions: { url(context: Context, interaction: { uid: string }): string }
    pkce: { required(): boolean }
    /** Seconds. */
    ttl: Record<string, number>
    findAccount(
      context: Context,
      subject: string,
    ): { accountId: string; claims(): Record<string, unknown> & { sub: string } } | undefined
    loadExistingGrant(context: Context): Promise<Grant>
  }

  export default class Provider {
    constructor(issuer: string, configuration: Configuration)
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    /** Rejects when the browser has no such interaction. */
    interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<{ uid: string }>
    /** Answers the request: 303 back into the provider. */
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: { login: { accountId: string } },
    ): Promise<void>
  }
}
