/** Browser sessions of the account that is asking. */
import { z } from 'zod'
import { exampleId, exampleInstant } from './examples.ts'
import { Id, Instant } from './text.ts'

/** An item of `GET /api/accounts/me/sessions`. */
export const BrowserSession = z
  .object({
    id: Id,
    userAgent: z.string().meta({
      description: 'What the browser said of itself as it signed in, its `User-Agent`. It may be empty.',
    }),
    createdAt: Instant,
    lastUsedAt: Instant.meta({ description: 'Kept to the day.' }),
    expiresAt: Instant.meta({ description: 'When it ends unless it is used before.' }),
    current: z.boolean().meta({ description: 'Whether this is the session that asks.' }),
  })
  .meta({
    id: 'BrowserSession',
    description: 'A browser that the account is signed in with.',
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
