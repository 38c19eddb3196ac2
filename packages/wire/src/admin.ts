/**
 * Shapes for operators of a registry, under `/api/admin` (operations/admin.ts). Only these answers contain e-mail addresses of other
 * accounts. docs/design/http-api.md §11.
 */
import { z } from 'zod'
import { Account } from './accounts.ts'
import { exampleInstant, exampleUser } from './examples.ts'
import { listParameters } from './lists.ts'
import { Count, Instant, line, prose } from './text.ts'

/** `GET /api/admin/accounts` */
export const OperatedAccountsQuery = z.strictObject({
  ...listParameters('slug'),
  q: line(200)
    .optional()
    .meta({
      description: 'Part of the slug, name or e-mail address; case-insensitive.',
      examples: ['ada'],
    }),
})
export type OperatedAccountsQuery = z.infer<typeof OperatedAccountsQuery>

/** An item of `GET /api/admin/accounts`. */
export const OperatedAccount = Account.extend({
  email: z.string().nullable(),
  suspendedAt: Instant.nullable().meta({ description: 'Null: not suspended.' }),
  suspendedReason: z
    .string()
    .nullable()
    .meta({ description: 'Reason of the suspension, as long as the audit log has it. Null: none.' }),
  erased: z
    .boolean()
    .meta({ description: 'True: the anonymous account that owns the collections of an erased person.' }),
  lacksOwner: z
    .boolean()
    .meta({ description: 'True: an organization whose owners are all erased or suspended. Appoint one.' }),
  collections: Count,
  usedBytes: Count.meta({ description: 'Bytes stored in versions and files.' }),
  quotaBytes: Count.nullable().meta({
    description: 'Own quota in bytes. Null: the default quota.',
  }),
  identities: z
    .array(z.object({ issuer: z.string(), subject: z.string() }))
    .meta({ description: 'Identities at identity providers with which the user signs in.' }),
}).meta({
  id: 'OperatedAccount',
  description: 'An account with the fields for operators.',
  examples: [
    {
      ...{ ...exampleUser, email: 'ada@example.org', suspendedAt: null, erased: false, collections: 2 },
      ...{ suspendedReason: null, lacksOwner: false },
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
    hideCollections: z.boolean().optional().meta({
      description:
        'With `suspended: true`: hide the public collections of the user until the suspension ends (default: true).',
    }),
    reason: prose(1_000).optional().meta({
      description:
        'With `suspended: true`: the reason, which the user reads at the sign-in and the audit log has. Repeat the request to change it.',
    }),
    quotaBytes: z
      .int({ error: 'must be a number of bytes without a unit, such as 10000000000 for 10 GB, or null' })
      .min(0)
      .max(Number.MAX_SAFE_INTEGER)
      .nullable()
      .optional()
      .meta({ description: 'Quota in bytes. Null: the default quota.' }),
    owner: line(39).optional().meta({
      description: 'Slug of the new owner of an organization whose owners cannot sign in.',
    }),
  })
  .meta({
    id: 'OperateAccount',
    description: 'Fields to change.',
    examples: [
      { suspended: true, reason: 'It published spam.' },
      { quotaBytes: 10_737_418_240 },
      { owner: 'grace' },
    ],
  })
export type OperateAccount = z.infer<typeof OperateAccount>

/** `POST /api/admin/collections/:owner/:slug/hide` */
export const HideCollection = z
  .strictObject({
    reason: prose(1_000).meta({
      description: 'The reason, which members of the owner and collaborators see.',
    }),
  })
  .meta({
    id: 'HideCollection',
    description: 'Why a collection is hidden.',
    examples: [{ reason: 'It names people who did not agree.' }],
  })
export type HideCollection = z.infer<typeof HideCollection>

/** A member of the collection for its members. */
export const HiddenByOperators = z.object({ since: Instant, reason: z.string() }).meta({
  id: 'HiddenByOperators',
  description:
    'For members and collaborators: since when and why operators of the registry hide the collection.',
  examples: [{ since: exampleInstant, reason: 'It names people who did not agree.' }],
})

/** `POST /api/admin/collections/:owner/:slug/open` */
export const OpenCollection = z
  .strictObject({
    reason: line(1_000).meta({ description: 'For the audit log of the owner.' }),
  })
  .meta({
    id: 'OpenCollection',
    description: 'Why an operator reads a private collection.',
    examples: [{ reason: 'A court order names this collection.' }],
  })

/** Answer to opening a collection. */
export const OpenedCollection = z
  .object({ until: Instant.meta({ description: 'When the operator ceases to read it.' }) })
  .meta({
    id: 'OpenedCollection',
    description: 'A collection that an operator reads for an hour.',
    examples: [{ until: exampleInstant }],
  })
export type OpenedCollection = z.infer<typeof OpenedCollection>

/** `POST /api/admin/accounts/:slug/identities` */
export const LinkIdentity = z
  .strictObject({
    issuer: line(2_000).meta({ description: 'Address of the identity provider, as in `OIDC_ISSUER`.' }),
    subject: line(255).meta({ description: '`sub` of the user at the identity provider.' }),
    move: z.boolean().optional().meta({
      description: 'Take the identity from the account that it signs in as now (default: false).',
    }),
  })
  .meta({
    id: 'LinkIdentity',
    description: 'An identity to link.',
    examples: [{ issuer: 'https://login.example', subject: '248289761001', move: true }],
  })
export type LinkIdentity = z.infer<typeof LinkIdentity>

/** Answer to linking an identity. */
export const LinkedIdentity = z
  .object({
    account: z.string().meta({ description: 'Slug of the account.' }),
    movedFrom: z.string().nullable().meta({
      description: 'Slug of the account that the identity signed in as before, or null.',
    }),
  })
  .meta({
    id: 'LinkedIdentity',
    description: 'A linked identity.',
    examples: [{ account: 'ada', movedFrom: 'ada-2' }],
  })
export type LinkedIdentity = z.infer<typeof LinkedIdentity>

/** `POST /api/admin/accounts/:slug/transfer` */
export const HandOver = z
  .strictObject({
    to: line(39).meta({ description: 'Slug of the organization or user that receives the collections.' }),
    collections: z
      .array(line(100))
      .min(1)
      .max(10_000)
      .optional()
      .meta({ description: 'Slugs of the collections (default: all).' }),
  })
  .meta({
    id: 'HandOver',
    description: 'Collections to transfer, and their new owner.',
    examples: [{ to: 'atlas' }, { to: 'atlas', collections: ['cities'] }],
  })
export type HandOver = z.infer<typeof HandOver>

/** Answer to the transfer of an account's collections. */
export const HandedOver = z
  .object({
    collections: z
      .array(z.object({ from: z.string(), to: z.string(), hidden: z.literal(true).optional() }))
      .meta({
        description:
          'Former and new path of each collection. The former path redirects to the new one. `hidden`: operators must show it before others see it.',
      }),
  })
  .meta({
    id: 'HandedOver',
    description: 'The transferred collections.',
    examples: [{ collections: [{ from: 'ada/cities', to: 'atlas/cities' }] }],
  })
export type HandedOver = z.infer<typeof HandedOver>

/** `DELETE /api/admin/accounts/:slug` */
export const EraseQuery = z.strictObject({
  confirm: z
    .literal('true')
    .optional()
    .meta({
      description: '`true`: erase the person even if public or hidden collections remain.',
      examples: ['true'],
    }),
})
export type EraseQuery = z.infer<typeof EraseQuery>

/** Answer to `DELETE /api/admin/accounts/:slug`. */
export const ErasedAccount = z
  .object({
    organizationsWithoutOwner: z.array(z.string()).meta({
      description: 'Slugs of organizations that have no owner left.',
    }),
  })
  .meta({
    id: 'ErasedAccount',
    description: 'Result of erasing a person.',
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
    bytes: z.object({ packs: Count, files: Count, setAside: Count }).meta({
      description: 'Stored bytes: packs of records, files, and objects that a sweep has set aside.',
    }),
    quotaBytes: Count.nullable().meta({
      description: 'Default quota of an account in bytes. Null: no limit.',
    }),
  })
  .meta({
    id: 'Usage',
    description: 'Totals of the registry.',
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
      .meta({ description: 'Push sessions that are open, and those with a running commit or dry run.' }),
    queues: z
      .array(z.object({ queue: z.string(), state: z.string(), jobs: Count }))
      .meta({ description: 'Background jobs by queue and state; ended jobs are counted for a day.' }),
  })
  .meta({
    id: 'JobsUnderWay',
    description: 'Running pushes and jobs.',
    examples: [
      {
        pushes: { open: 1, committing: 0 },
        queues: [{ queue: 'metadata-update', state: 'completed', jobs: 7 }],
      },
    ],
  })
export type JobsUnderWay = z.infer<typeof JobsUnderWay>
