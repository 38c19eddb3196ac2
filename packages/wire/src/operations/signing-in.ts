/**
 * Operations under `/auth`: sign-in and sign-out with a browser, and sign-in from a terminal (RFC 8628). Requests
 * without a credential have a rate limit of their own. docs/design/http-api.md §2, §10.
 */
import { DevicePoll, DeviceRequest, DeviceStart, LoginQuery } from '../device-login.ts'
import { CreatedKey } from '../keys.ts'
import { operation } from '../operation.ts'
import { Done } from '../text.ts'

export const signInOperations = {
  'GET /auth/login': operation({
    id: 'signIn',
    tag: 'signing in',
    summary: 'Sign in with a browser',
    description:
      'Redirects a browser to the identity provider, which returns it with a session cookie. Open it as a page, not with `fetch`: the redirect leads to another site. The first sign-in creates the account. Afterwards the browser is sent to `return_to`, a path of this site. A session expires 30 days after its last use. With `Accept: text/html` refusals are pages.',
    credentials: false,
    limited: 'sign-in',
    query: LoginQuery,
    answers: {},
    otherAnswers: {
      302: {
        description:
          'Redirect to the identity provider, which returns through `/auth/callback` to `return_to`.',
        headers: { Location: { description: 'The identity provider.', schema: { type: 'string' } } },
      },
    },
    refusals: ['sign_in_unavailable', 'development_only'],
  }),
  'POST /auth/device': operation({
    id: 'startDeviceLogin',
    tag: 'signing in',
    summary: 'Start signing in from a terminal',
    description:
      'Starts the sign-in of a program without a browser (RFC 8628). Show the user `user_code` and `verification_uri`: that page, once signed in, names the program, its machine and the requested scope, and lets the user approve or deny. Meanwhile poll `/auth/device/token` every `interval` seconds. Codes expire after 10 minutes and work once.',
    credentials: false,
    limited: 'sign-in',
    body: DeviceRequest,
    answers: { 200: DeviceStart },
    answerWords: { 200: 'Both codes and the page for the user.' },
  }),
  'POST /auth/device/token': operation({
    id: 'finishDeviceLogin',
    tag: 'signing in',
    summary: 'Poll for the key of a terminal',
    description:
      'Returns the API key once the user has approved, in the shape of `POST /api/accounts/keys`, and only once. The key belongs to the account that approved and has the requested label. It expires after 90 days unless the user chose another date.',
    credentials: false,
    limited: 'sign-in',
    body: DevicePoll,
    answers: { 200: CreatedKey },
    answerWords: { 200: 'The new key.' },
    refusals: ['authorization_pending', 'slow_down', 'access_denied', 'expired_token', 'too_many_keys'],
  }),
  'POST /auth/logout': operation({
    id: 'signOut',
    tag: 'signing in',
    summary: 'Sign out',
    description:
      'Ends the session of the request’s cookie and removes the cookie. No body is needed. Without a session it does nothing, and with an API key it leaves the cookie alone. API keys of the account stay valid.',
    limited: 'sign-in',
    answers: { 200: Done },
  }),
}
