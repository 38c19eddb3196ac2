/** Refusals of credentials: signing in with a browser or from a terminal, sessions and API keys. */
import type { Refusal } from './refusal.ts'

export const credentialRefusals = {
  authorization_pending: {
    kind: 'invalid',
    sentence: 'The sign-in is not approved yet. Poll again after the interval.',
    meaning: 'the user has not decided yet',
    explanation: 'A program signs in from a terminal, and the user has not approved or refused it yet.',
    remedy: 'Poll again after `interval` seconds.',
  },
  slow_down: {
    kind: 'invalid',
    sentence: 'Polled too soon. From now on, wait five seconds longer between requests.',
    meaning: 'the program polled again before `interval` seconds had passed',
    remedy: 'From now on, wait five seconds longer between requests (RFC 8628).',
  },
  access_denied: {
    kind: 'invalid',
    sentence: 'The sign-in was denied in the browser. Start again at POST /auth/device.',
    meaning: 'the user refused the sign-in of the program in the browser',
    remedy: 'If that was a mistake, start again with `POST /auth/device`.',
  },
  expired_token: {
    kind: 'invalid',
    sentence: 'The device code expired, was used, or never existed. Start again at POST /auth/device.',
    meaning: 'the device code expired, was used, or never existed',
    explanation:
      'The device code expired after ten minutes, its key was already fetched, or it never existed.',
    remedy: 'Start again with `POST /auth/device`.',
  },
  sign_in_failed: {
    kind: 'invalid',
    sentence: (f) => `Signing in failed. ${f.reason ? `${f.reason} ` : ''}Start again at /auth/login.`,
    meaning: 'the sign-in was started elsewhere, is too old, or was refused',
    explanation:
      'This browser did not start the sign-in, the sign-in is older than ten minutes, the identity provider refused it, or this registry does not accept the answer of the provider. The log of the server names the cause.',
    remedy:
      'Start again at `/auth/login`. If it happens again, tell the operator the number of the request that the page shows ([causes](troubleshooting.md#sign-ins-that-fail)).',
  },
  unauthenticated: {
    kind: 'unauthenticated',
    sentence: (f) => `${f.reason ?? 'Sign in, or send an API key as `Authorization: Bearer ul_…`.'}`,
    meaning: 'no credential, or an invalid API key',
    explanation:
      'The request has no credential but needs one, or its API key is malformed, unknown, revoked or expired, even if it needs none. With `WWW-Authenticate: Bearer`.',
    remedy:
      'Sign in, or send a live key as `Authorization: Bearer ul_…`. To read public data, leave the header out.',
  },
  development_only: {
    kind: 'forbidden',
    sentence:
      'The built-in sign-in has no passwords, so it refuses requests that come through a proxy. Set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET to those of your identity provider, or open the address that the server listens on from the same machine.',
    meaning: 'the built-in sign-in works only on its own machine',
    explanation:
      'Signing in through a proxy (`Forwarded`, `Via`, `X-Real-IP`, any `X-Forwarded-…`, or HTTP/1.0) without a configured identity provider: the built-in one asks for no password and only serves its own machine.',
    remedy:
      "Set `OIDC_ISSUER`, `OIDC_CLIENT_ID` and `OIDC_CLIENT_SECRET`, or open the server's own address on its machine.",
  },
  device_code_not_found: {
    kind: 'missing',
    sentence:
      'This code is wrong, has expired or was already used. Codes expire after ten minutes: check the code in the terminal, or start again there.',
    meaning: 'no such code is waiting for approval',
    explanation:
      'No terminal is waiting with this code: it was mistyped, already answered, or expired after ten minutes.',
    remedy: 'Check the code in the terminal, or start again there.',
  },
  session_not_found: {
    kind: 'missing',
    sentence: 'You have no browser session with this id.',
    meaning: 'the account has no such browser session',
    explanation:
      "The caller's account has no browser session with this id: unknown, ended, or another account's.",
    remedy: 'List `/api/accounts/me/sessions`.',
  },
  sign_in_unavailable: {
    kind: 'unavailable',
    sentence: (f) => `${f.reason ?? 'The identity provider does not answer.'} Try to sign in again shortly.`,
    meaning: 'the identity provider does not answer, or does not accept this registry',
    explanation:
      'The identity provider does not answer, or does not accept this registry as a client. With `Retry-After`.',
    remedy:
      'Try again; the operator finds the cause and the setting in the log of the server ([causes](troubleshooting.md#sign-ins-that-fail)).',
  },
  insufficient_scope: {
    kind: 'forbidden',
    sentence: (f) =>
      `The scope of this API key is too narrow. Use a key with ${f.needed ? `the \`${f.needed}\` scope` : 'a wider scope'}.`,
    meaning: 'the scope of the key is too narrow',
    explanation:
      "The key's scope is too narrow. Scopes nest: admin ⊃ write ⊃ read. A key can only create and revoke keys with no more rights than its own.",
    remedy: 'Use a key with the scope named in the sentence, or a session.',
    example: { say: { needed: 'write' } },
  },
  key_limited: {
    kind: 'forbidden',
    sentence: (f) => {
      if (f.webhook)
        return 'This API key expires, and a webhook would outlive it. Use a key without an end, or sign in.'
      return f.until === undefined
        ? 'This API key is limited to certain collections and cannot do this. Use a key without that limit or, to change the address or the visibility of one of its own collections or to delete it, one of scope `admin`.'
        : `This API key expires at ${f.until}, and the keys that it creates cannot expire later. Set \`expiresAt\` no later, or omit it. For a key that lasts longer, sign in or use a key that lasts longer.`
    },
    meaning:
      'the key is limited to other collections, has not the scope that its own collections need, or expires before the key that it would create',
    explanation:
      'The key is limited to certain collections, and the call concerns another collection, an account or a fork. Or the key expires, and the new key would expire later or never. Or a limited key whose scope is not `admin` would change the `slug` or the `public` of one of its collections, or delete it.',
    remedy:
      'Use a key without that limit, one with scope `admin`, or a session. For a new key, set `expiresAt` no later than the expiry of the current key, or omit it.',
  },
  session_required: {
    kind: 'forbidden',
    sentence:
      'API keys cannot open private collections. Sign in with a browser, and open the collection on /admin.',
    meaning: 'the call needs a browser session',
    explanation:
      'An operator opens private collections only with a browser session, and reads them only with one.',
    remedy: 'Sign in with a browser, and open the collection on `/admin`.',
  },
  key_not_found: {
    kind: 'missing',
    sentence: 'You have no API key with this id.',
    meaning: 'the account has no such key',
    explanation: "The caller's account has no key with this id: unknown, revoked, or another account's.",
    remedy: 'List `/api/accounts/keys`.',
  },
  too_many_keys: {
    kind: 'conflict',
    sentence: (f) => `The account has ${f.max} live API keys, the maximum. Revoke one first.`,
    meaning: 'the account has 100 live keys',
    remedy: 'Revoke keys that are not needed.',
    example: { say: { max: 100 } },
  },
} satisfies Readonly<Record<string, Refusal>>
