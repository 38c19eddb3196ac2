/** Shape of a browser session, which a user reads to find and end unknown ones. Not a push session: see pushes.ts. */
import { z } from 'zod'
import { exampleId, exampleInstant } from './examples.ts'
import { Id, Instant } from './text.ts'

/** An item of `GET /api/accounts/me/sessions`. */
export const BrowserSession = z
  .object({
    id: Id,
    userAgent: z.string().meta({
      description: '`User-Agent` of the browser when it signed in; can be empty.',
    }),
    createdAt: Instant,
    lastUsedAt: Instant.meta({ description: 'Time of the last request, to the day.' }),
    expiresAt: Instant.meta({ description: 'When the session expires if it is not used.' }),
    current: z.boolean().meta({ description: 'Whether this is the session of the request.' }),
  })
  .meta({
    id: 'BrowserSession',
    description: 'A signed-in browser.',
    examples: [
      {
        id: exampleId,
        userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        createdAt: exampleInstant,
        lastUsedAt: exampleInstant,
        expiresAt: '2026-02-14T00:00:00.000Z',
        current: true,
      },
    ],
  })
export type BrowserSession = z.infer<typeof BrowserSession>
