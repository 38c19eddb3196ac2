/**
 * Shapes for accounts (users and organizations), their settings and their storage usage: bodies and answers of operations/accounts.ts.
 * docs/design: interface.md "Account"; http-api §3.
 */
import { z } from 'zod'
import { exampleUser } from './examples.ts'
import { Count, Id, Instant, Name } from './text.ts'

/** Accepts any text: the registry checks the form of new slugs and refuses others with `invalid_slug`. */
const AccountSlug = z.string().meta({
  description: 'Lowercase letters, digits and, between them, hyphens; at most 39 characters.',
})

/** Public profile, which other answers embed. It must never contain the e-mail address: see `OwnAccount`. */
export const Account = z
  .object({
    id: Id,
    slug: z.string(),
    type: z.enum(['user', 'org']),
    displayName: z.string(),
    createdAt: Instant,
  })
  .meta({ id: 'Account', description: 'The public profile of an account.', examples: [exampleUser] })
export type Account = z.infer<typeof Account>

/** Answer of `GET /api/accounts/me`: the only one with an e-mail address. */
export const OwnAccount = Account.extend({
  email: z.string(),
  emailVerified: z.boolean().meta({
    description:
      'Whether the identity provider says that the address belongs to the user. If not, nothing is mailed to it.',
  }),
  takesMail: z.boolean().meta({ description: 'Whether the user wants mail of the registry.' }),
}).meta({
  id: 'OwnAccount',
  description: 'The authenticated account.',
  examples: [{ ...exampleUser, email: 'ada@example.org', emailVerified: true, takesMail: true }],
})
export type OwnAccount = z.infer<typeof OwnAccount>

/** `POST /api/accounts`: creates an organization; the caller becomes its owner. */
export const CreateOrg = z.strictObject({ slug: AccountSlug, displayName: Name }).meta({
  id: 'CreateOrg',
  description: 'A new organization.',
  examples: [{ slug: 'atlas', displayName: 'The Atlas Project' }],
})
export type CreateOrg = z.infer<typeof CreateOrg>

/** `GET /api/accounts/:slug/settings` */
export const OrgSettings = z
  .object({
    membersMayChangeVisibility: z.boolean().meta({
      description: 'False: only admins and owners can make a private collection public. Default: true.',
    }),
    defaultVisibility: z.enum(['private', 'public']).meta({
      description: 'Visibility of new collections that do not set `public`. Default: `private`.',
    }),
  })
  .meta({
    id: 'OrgSettings',
    description: 'Settings of an organization.',
    examples: [{ membersMayChangeVisibility: true, defaultVisibility: 'private' }],
  })
export type OrgSettings = z.infer<typeof OrgSettings>

/** `GET /api/accounts/:slug/usage` */
export const AccountUsage = z
  .object({
    usedBytes: Count.meta({ description: 'Bytes stored in versions and files of all collections.' }),
    receivedBytes: Count.meta({ description: 'Bytes that push sessions have received and not committed.' }),
    organizationBytes: Count.meta({
      description:
        'Bytes of organizations that the user created, as far as they count against the quota of the user.',
    }),
    quotaBytes: Count.nullable().meta({
      description: 'Limit of all of these in bytes. Null: no limit, or see `countsAgainst`.',
    }),
    countsAgainst: z.string().nullable().meta({
      description:
        'For an organization without a quota of its own: slug of the user who created it, whose quota applies. Null: its own quota applies.',
    }),
    collections: z
      .array(z.object({ slug: z.string(), usedBytes: Count }))
      .meta({ description: 'The largest collections, largest first, at most 100.' }),
  })
  .meta({
    id: 'AccountUsage',
    description: 'Storage usage of an account.',
    examples: [
      {
        ...{ usedBytes: 734_003_200, receivedBytes: 0, organizationBytes: 0 },
        ...{ quotaBytes: 10_737_418_240, countsAgainst: null },
        collections: [{ slug: 'countries', usedBytes: 734_003_200 }],
      },
    ],
  })
export type AccountUsage = z.infer<typeof AccountUsage>

/** `PATCH /api/accounts/:slug`: only the fields to change. */
export const UpdateAccount = z
  .strictObject({
    slug: AccountSlug.optional(),
    displayName: Name.optional(),
    settings: z
      .strictObject(OrgSettings.shape)
      .partial()
      .optional()
      .meta({ description: 'For organizations only; only owners can change them.' }),
    takesMail: z
      .boolean()
      .optional()
      .meta({ description: 'For users only: whether the registry may send mail to them.' }),
  })
  .meta({
    id: 'UpdateAccount',
    description: 'Fields to change.',
    examples: [{ displayName: 'Ada King' }],
  })
export type UpdateAccount = z.infer<typeof UpdateAccount>
