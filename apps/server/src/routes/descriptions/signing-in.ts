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

export const startDevice: Description = {
  operationId: 'startDeviceLogin',
  summary: 'Sign in from a terminal',
  description:
    'Begins the sign-in of a program that has no browser (RFC 8628). Show the person `user_code` and `verification_uri`: there, signed in, they see which program on which machine asks for what, and allow or refuse it. Meanwhile ask `/auth/device/token` every `interval` seconds. Codes last ten minutes and work once.',
  answers: { 200: 'Both codes, and where the person goes.' },
}

export const collectDevice: Description = {
  operationId: 'finishDeviceLogin',
  summary: 'Fetch the key of a terminal',
  description:
    'Answers the API key once the person has allowed it, the same as `POST /api/accounts/keys` does, and only once. The key is of the account that allowed it, called as the program asked, and ends after 90 days unless the person chose another end.',
  answers: { 200: 'The new key.' },
  codes: ['authorization_pending', 'slow_down', 'access_denied', 'expired_token', 'too_many_keys'],
}
