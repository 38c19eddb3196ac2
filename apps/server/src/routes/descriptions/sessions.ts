/** Browser sessions, in words. */
import type { Description } from '../../openapi/routes.ts'

export const listSessions: Description = {
  operationId: 'listBrowserSessions',
  summary: 'Browsers that the account is signed in with',
  description:
    'Lists the browser sessions of the caller, the last used first, 100 at most. It needs a session or a key with the scope `admin`. Use it to find a browser that should not be signed in, and end its session. API keys are not among them: they are at `GET /api/accounts/keys`.',
  answers: { 200: 'The sessions.' },
}

export const endSession: Description = {
  operationId: 'endBrowserSession',
  summary: 'Sign a browser out',
  description:
    'Ends a browser session of the caller, be it the one that asks. From then on its cookie counts as none, also for requests that are under way and have recorded nothing yet. Another account’s session is answered as one that does not exist.',
  codes: ['session_not_found'],
}

export const endOtherSessions: Description = {
  operationId: 'endOtherBrowserSessions',
  summary: 'Sign all other browsers out',
  description:
    'Ends every browser session of the caller but the one that asks; asked with a key, it ends all. Keys stay as they are.',
}
