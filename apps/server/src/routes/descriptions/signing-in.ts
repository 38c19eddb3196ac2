/** Signing in and out with a browser, in words. */
import type { Description } from '../../openapi/routes.ts'

export const login: Description = {
  operationId: 'signIn',
  summary: 'Sign in with a browser',
  description:
    'Sends a browser to the identity provider, which sends it back with a session cookie. Open it as a page, not with `fetch`: it answers with a redirect to another site. The first sign-in makes the account. Afterwards the browser is at `return_to`, a path of this site, and its session lasts 30 days from its last use.',
  codes: ['sign_in_unavailable', 'development_only'],
}

export const logout: Description = {
  operationId: 'signOut',
  summary: 'Sign out',
  description:
    'Ends the session of the cookie that comes with the request, and takes the cookie away. It needs no body. Without a session it does nothing, and with an API key the cookie is left alone. Keys of the account stay as they are.',
}
