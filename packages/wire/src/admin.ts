/** Data and actions for operators of a registry. http-api §11. */
import { z } from 'zod'
import { Account } from './accounts.ts'
import { exampleUser } from './examples.ts'
import { listParameters } from './lists.ts'
import { Count, Instant, line } from './text.ts'

/** `GET /api/admin/accounts` */
export const OperatedAccountsQuery = z.strictObject({
  ...listParameters('slug'),
  q: line(200)
    .optional()
    .meta({
      description: 'Part of the slug, the name or the e-mail address, in any case.',
      examples: ['ada'],
    }),
})
export type OperatedAccountsQuery = z.infer<typeof OperatedAccountsQuery>

export const OperatedAccount = Account.extend({
  email: z.string().nullable(),
  suspendedAt: Instant.nullable().meta({ description: 'Null: it is not suspended.' }),
  collections: Count,
  usedBytes: Count.meta({ description: 'What its versions and files take.' }),
  quotaBytes: Count.nullable().meta({
    description: 'What it may have stored, if it has a quota of its own. Null: what all may have.',
  }),
  identities: z
    .array(z.object({ issuer: z.string(), subject: z.string() }))
    .meta({ description: 'At identity providers: by which a user signs in.' }),
}).meta({
  id: 'OperatedAccount',
  description: 'An account, as operators see it.',
  examples: [
    {
      ...{ ...exampleUser, email: 'ada@example.org', suspendedAt: null, collections: 2 },
      ...{ usedBytes: 734_003_200, quotaBytes: null },
      identities: [{ issuer: 'https://login.example', subject: '248289761001' }],
    },
  ],
})
export type OperatedAccount = z.infer<typeof OperatedAccount>

/** `PATCH /api/admin/accounts/:slug` */
export const OperateAccount = z
  .strictObject({
    suspended: z.boolean().optional(),
    quotaBytes: z
      .int()
      .min(0)
      .max(Number.MAX_SAFE_INTEGER)
      .nullable()
      .optional()
      .meta({ description: 'What it may have stored. Bytes; null: what all may have.' }),
    owner: line(39).optional().meta({
      description: 'Handle of the new owner, for an organization without an owner who can sign in.',
    }),
  })
  .meta({
    id: 'OperateAccount',
    description: 'What is to change of an account.',
    examples: [{ suspended: true }, { quotaBytes: 10_737_418_240 }, { owner: 'grace' }],
  })
export type OperateAccount = z.infer<typeof OperateAccount>

/** `POST /api/admin/accounts/:slug/identities` */
export const LinkIdentity = z
  .strictObject({
    issuer: line(2_000).meta({ description: 'The address of the identity provider, as in `OIDC_ISSUER`.' }),
    subject: line(255).meta({ description: 'The `sub` by which the provider knows the person.' }),
    move: z.boolean().optional().meta({
      description: 'Take the identity from the account that it signs in as now. Default: false.',
    }),
  })
  .meta({
    id: 'LinkIdentity',
    description: 'An identity by which a user is to sign in.',
    examples: [{ issuer: 'https://login.example', subject: '248289761001', move: true }],
  })
export type LinkIdentity = z.infer<typeof LinkIdentity>

export const LinkedIdentity = z
  .object({
    account: z.string().meta({ description: 'Slug of the account.' }),
    movedFrom: z.string().nullable().meta({
      description: 'Slug of the account that the identity signed in as before. Null: none.',
    }),
  })
  .meta({
    id: 'LinkedIdentity',
    description: 'The identity signs in as the account.',
    examples: [{ account: 'ada', movedFrom: 'ada-2' }],
  })
export type LinkedIdentity = z.infer<typeof LinkedIdentity>

/** `POST /api/admin/accounts/:slug/transfer` */
export const HandOver = z
  .strictObject({
    to: line(39).meta({ description: 'Slug of the organization or the user that receives them.' }),
    collections: z
      .array(line(100))
      .min(1)
      .max(10_000)
      .optional()
      .meta({ description: 'Slugs of the collections. Default: all.' }),
  })
  .meta({
    id: 'HandOver',
    description: 'Collections of a user that another account is to own.',
    examples: [{ to: 'atlas' }, { to: 'atlas', collections: ['cities'] }],
  })
export type HandOver = z.infer<typeof HandOver>

export const HandedOver = z
  .object({
    collections: z
      .array(z.object({ from: z.string(), to: z.string() }))
      .meta({ description: 'The former path of each, which leads to the new one, and the new one.' }),
  })
  .meta({
    id: 'HandedOver',
    description: 'The collections have another owner.',
    examples: [{ collections: [{ from: 'ada/cities', to: 'atlas/cities' }] }],
  })
export type HandedOver = z.infer<typeof HandedOver>

/** `DELETE /api/admin/accounts/:slug` */
export const EraseQuery = z.strictObject({
  confirm: z
    .literal('true')
    .optional()
    .meta({
      description: '`true`: erase a person who owns public collections, too.',
      examples: ['true'],
    }),
})
export type EraseQuery = z.infer<typeof EraseQuery>

export const ErasedAccount = z
  .object({
    organizationsWithoutOwner: z.array(z.string()).meta({
      description: 'Slugs of organizations that the person alone owned.',
    }),
  })
  .meta({
    id: 'ErasedAccount',
    description: 'The person is erased.',
    examples: [{ organizationsWithoutOwner: [] }],
  })
export type ErasedAccount = z.infer<typeof ErasedAccount>

/** `GET /api/admin/usage` */
export const Usage = z
  .object({
    users: Count,
    organizations: Count,
    suspended: Count,
    collections: Count,
    publicCollections: Count,
    versions: Count,
    bytes: z
      .object({ packs: Count, files: Count, setAside: Count })
      .meta({ description: 'In the stores: packs of records, files, and what a sweep has set aside.' }),
    quotaBytes: Count.nullable().meta({
      description: 'What an account may have stored that has no quota of its own. Null: as much as it likes.',
    }),
  })
  .meta({
    id: 'Usage',
    description: 'What is in the registry.',
    examples: [
      {
        ...{
          users: 12,
          organizations: 3,
          suspended: 0,
          collections: 40,
          publicCollections: 31,
          versions: 512,
        },
        bytes: { packs: 734_003_200, files: 120_000, setAside: 0 },
        quotaBytes: null,
      },
    ],
  })
export type Usage = z.infer<typeof Usage>

/** `GET /api/admin/jobs` */
export const JobsUnderWay = z
  .object({
    pushes: z
      .object({ open: Count, committing: Count })
      .meta({ description: 'Push sessions that receive, and those whose commit or dry run is under way.' }),
    queues: z
      .array(z.object({ queue: z.string(), state: z.string(), jobs: Count }))
      .meta({ description: 'Background jobs by queue and state; ended ones are counted for a day.' }),
  })
  .meta({
    id: 'JobsUnderWay',
    description: 'What is under way.',
    examples: [
      {
        pushes: { open: 1, committing: 0 },
        queues: [{ queue: 'metadata-update', state: 'completed', jobs: 7 }],
      },
    ],
  })
export type JobsUnderWay = z.infer<typeof JobsUnderWay>
