/** Accounts: users and organizations. interface.md "Account"; http-api §3. */
import { z } from 'zod'
import { exampleUser } from './examples.ts'
import { Count, Id, Instant, Name } from './text.ts'

const AccountSlug = z.string().meta({
  description: 'Lowercase letters, digits and, between them, hyphens; at most 39 characters.',
})

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
export const OwnAccount = Account.extend({ email: z.string() }).meta({
  id: 'OwnAccount',
  description: 'The account that is asking.',
  examples: [{ ...exampleUser, email: 'ada@example.org' }],
})
export type OwnAccount = z.infer<typeof OwnAccount>

/** `POST /api/accounts`: makes an organization, the caller its owner. */
export const CreateOrg = z.strictObject({ slug: AccountSlug, displayName: Name }).meta({
  id: 'CreateOrg',
  description: 'An organization to make.',
  examples: [{ slug: 'atlas', displayName: 'The Atlas Project' }],
})
export type CreateOrg = z.infer<typeof CreateOrg>

/** `GET /api/accounts/:slug/settings` */
export const OrgSettings = z
  .object({
    membersMayChangeVisibility: z.boolean().meta({
      description: 'False: admins and owners alone make a private collection public. Default: true.',
    }),
    defaultVisibility: z.enum(['private', 'public']).meta({
      description: 'Of collections that are made without saying. Default: `private`.',
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
    usedBytes: Count.meta({ description: 'What versions and files of all collections take.' }),
    receivedBytes: Count.meta({ description: 'What push sessions have received and not committed.' }),
    organizationBytes: Count.meta({
      description:
        'What organizations that the user made have stored and received, as far as it counts against the quota of the user.',
    }),
    quotaBytes: Count.nullable().meta({
      description: 'What all of it may come to. Null: as much as the stores hold, or see `countsAgainst`.',
    }),
    countsAgainst: z.string().nullable().meta({
      description:
        'Of an organization without a quota of its own: the slug of the user who made it, whose quota counts. Null: its own.',
    }),
    collections: z
      .array(z.object({ slug: z.string(), usedBytes: Count }))
      .meta({ description: 'Those that take most, the largest first; 100 at most.' }),
  })
  .meta({
    id: 'AccountUsage',
    description: 'What an account has stored.',
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
      .meta({ description: 'Of an organization, by its owners.' }),
  })
  .meta({
    id: 'UpdateAccount',
    description: 'What is to change of an account.',
    examples: [{ displayName: 'Ada King' }],
  })
export type UpdateAccount = z.infer<typeof UpdateAccount>
