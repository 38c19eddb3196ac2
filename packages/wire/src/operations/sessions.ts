/** Browsers that an account is signed in with. */
import { z } from 'zod'
import { operation } from '../operation.ts'
import { SessionPath } from '../paths.ts'
import { BrowserSession } from '../sessions.ts'
import { Done } from '../text.ts'

export const sessionOperations = {
  'GET /api/accounts/me/sessions': operation({
    id: 'listBrowserSessions',
    tag: 'accounts',
    summary: 'Browsers that the account is signed in with',
    description:
      'Lists the browser sessions of the caller, the last used first, 100 at most. It needs a session or a key with the scope `admin`. Use it to find a browser that should not be signed in, and end its session. API keys are not among them: they are at `GET /api/accounts/keys`.',
    entrance: { scope: 'admin', unlimited: true },
    answers: { 200: z.array(BrowserSession) },
    answerWords: { 200: 'The sessions.' },
  }),
  'DELETE /api/accounts/me/sessions': operation({
    id: 'endOtherBrowserSessions',
    tag: 'accounts',
    summary: 'Sign all other browsers out',
    description:
      'Ends every browser session of the caller but the one that asks; asked with a key, it ends all. Keys stay as they are.',
    entrance: { scope: 'admin', unlimited: true },
    answers: { 200: Done },
  }),
  'DELETE /api/accounts/me/sessions/:id': operation({
    id: 'endBrowserSession',
    tag: 'accounts',
    summary: 'Sign a browser out',
    description:
      'Ends a browser session of the caller, be it the one that asks. From then on its cookie counts as none, also for requests that are under way and have recorded nothing yet. Another account’s session is answered as one that does not exist.',
    entrance: { scope: 'admin', unlimited: true },
    params: SessionPath,
    answers: { 200: Done },
    refusals: ['session_not_found'],
  }),
}
