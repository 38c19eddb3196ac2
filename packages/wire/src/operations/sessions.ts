/** Operations that list and end the caller's browser sessions. Push sessions are in push-sessions.ts. */
import { z } from 'zod'
import { operation } from '../operation.ts'
import { SessionPath } from '../paths.ts'
import { BrowserSession } from '../sessions.ts'
import { Done } from '../text.ts'

export const sessionOperations = {
  'GET /api/accounts/me/sessions': operation({
    id: 'listBrowserSessions',
    tag: 'accounts',
    summary: 'List browser sessions',
    description:
      'Lists browser sessions of the caller, most recently used first, at most 100. Requires a session or a key with the `admin` scope. Use it to find a browser that should not be signed in, then end its session. API keys are at `GET /api/accounts/keys`.',
    entrance: { scope: 'admin', unlimited: true },
    answers: { 200: z.array(BrowserSession) },
    answerWords: { 200: 'The sessions.' },
  }),
  'DELETE /api/accounts/me/sessions': operation({
    id: 'endOtherBrowserSessions',
    tag: 'accounts',
    summary: 'Sign out all other browsers',
    description:
      'Ends all browser sessions of the caller except the one that sends the request; a request with a key ends all. API keys stay valid. Requires a session or a key with the `admin` scope.',
    entrance: { scope: 'admin', unlimited: true },
    answers: { 200: Done },
  }),
  'DELETE /api/accounts/me/sessions/:id': operation({
    id: 'endBrowserSession',
    tag: 'accounts',
    summary: 'Sign out a browser',
    description:
      'Ends a browser session of the caller, including the current one. Its cookie is rejected from then on, also in running requests that have not recorded anything. Requires a session or a key with the `admin` scope. A session of another account gets 404.',
    entrance: { scope: 'admin', unlimited: true },
    params: SessionPath,
    answers: { 200: Done },
    refusals: ['session_not_found'],
  }),
}
