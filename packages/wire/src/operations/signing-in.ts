/** Signing in and out with a browser, and from a terminal. http-api §2, §10. */
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
      'Sends a browser to the identity provider, which sends it back with a session cookie. Open it as a page, not with `fetch`: it answers with a redirect to another site. The first sign-in makes the account. Afterwards the browser is at `return_to`, a path of this site, and its session lasts 30 days from its last use.',
    credentials: false,
    limited: 'sign-in',
    query: LoginQuery,
    answers: {},
    otherAnswers: {
      302: {
        description: 'To the identity provider, and from there, by `/auth/callback`, to `return_to`.',
        headers: { Location: { description: 'The identity provider.', schema: { type: 'string' } } },
      },
    },
    refusals: ['sign_in_unavailable', 'development_only'],
  }),
  'POST /auth/device': operation({
    id: 'startDeviceLogin',
    tag: 'signing in',
    summary: 'Sign in from a terminal',
    description:
      'Begins the sign-in of a program that has no browser (RFC 8628). Show the person `user_code` and `verification_uri`: there, signed in, they see which program on which machine asks for what, and allow or refuse it. Meanwhile ask `/auth/device/token` every `interval` seconds. Codes last ten minutes and work once.',
    credentials: false,
    limited: 'sign-in',
    body: DeviceRequest,
    answers: { 200: DeviceStart },
    answerWords: { 200: 'Both codes, and where the person goes.' },
  }),
  'POST /auth/device/token': operation({
    id: 'finishDeviceLogin',
    tag: 'signing in',
    summary: 'Fetch the key of a terminal',
    description:
      'Answers the API key once the person has allowed it, the same as `POST /api/accounts/keys` does, and only once. The key is of the account that allowed it, called as the program asked, and ends after 90 days unless the person chose another end.',
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
      'Ends the session of the cookie that comes with the request, and takes the cookie away. It needs no body. Without a session it does nothing, and with an API key the cookie is left alone. Keys of the account stay as they are.',
    limited: 'sign-in',
    answers: { 200: Done },
  }),
}
