/**
 * Shapes for invitations to organizations and collections, as the organization and as the invited user read them, and the answer to one. The token of the
 * link leaves the registry once, when the invitation is created. docs/design/http-api.md §11.
 */
import { z } from 'zod'
import { Account } from './accounts.ts'
import { Grant } from './collaborators.ts'
import { exampleId, exampleInstant, exampleUser } from './examples.ts'
import { Role } from './members.ts'
import { Id, Instant, line } from './text.ts'

/** `POST /api/accounts/:slug/invitations` */
export const CreateInvitation = z
  .strictObject({
    user: line(39).optional().meta({ description: 'Slug of a user. Give either `user` or `email`.' }),
    email: z.email().max(320).optional().meta({
      description:
        'Address to which you send the link. The registry mails it, too, if its operator has set up mail (`mailed`).',
    }),
    role: Role,
  })
  .refine(({ user, email }) => (user === undefined) !== (email === undefined), {
    message: 'needs either `user` or `email`',
  })
  .meta({
    id: 'CreateInvitation',
    description: 'The invited user or address, and the role.',
    examples: [{ email: 'grace@example.org', role: 'member' }],
  })
export type CreateInvitation = z.infer<typeof CreateInvitation>

/** Role in an invitation of the caller: `collaborator` is one of `collection` alone. */
export const InvitedRole = z.enum(['owner', 'admin', 'member', 'collaborator']).meta({
  id: 'InvitedRole',
  description: 'The role in the organization, or `collaborator` of one collection.',
})

/** Members of an invitation in both lists. */
const common = {
  id: Id,
  invitedBy: z
    .string()
    .nullable()
    .meta({ description: 'Slug of the inviter. Null: the account is deleted.' }),
  createdAt: Instant,
  expiresAt: Instant,
}
const exampleCommon = {
  ...{ id: exampleId, role: 'member' as const, invitedBy: 'ada' },
  ...{ createdAt: exampleInstant, expiresAt: '2026-01-29T00:00:00.000Z' },
}
const exampleInvitation = { ...exampleCommon, user: null, email: 'grace@example.org' }

/** An item of `GET /api/accounts/:slug/invitations`. */
export const Invitation = z
  .object({ ...common, role: Role, user: Account.nullable(), email: z.string().nullable() })
  .meta({
    id: 'Invitation',
    description: 'A pending invitation.',
    examples: [exampleInvitation],
  })
export type Invitation = z.infer<typeof Invitation>

/** Answer to creating an invitation: the only one that contains the token. */
export const CreatedInvitation = Invitation.extend({
  token: z.string().meta({ description: 'Token of the link. Only this answer contains it.' }),
  url: z.string().meta({ description: 'Link for the invitee. Pass it on.' }),
  mailed: z.boolean().meta({ description: 'Whether the registry mails the link, too.' }),
}).meta({
  id: 'CreatedInvitation',
  description: 'The new invitation. Only this answer contains its link.',
  examples: [
    {
      ...exampleInvitation,
      token: 'x3u0pYb9V1m5sQyq8Jt2cKfLwRzE7aHdNoGiXeTvU4k',
      url: 'https://registry.example/invitations/x3u0pYb9V1m5sQyq8Jt2cKfLwRzE7aHdNoGiXeTvU4k',
      mailed: false,
    },
  ],
})
export type CreatedInvitation = z.infer<typeof CreatedInvitation>

/** An item of `GET /api/accounts/me/invitations`. */
export const OwnInvitation = z
  .object({
    ...common,
    role: InvitedRole,
    org: Account.meta({ description: 'The organization; for a collaborator the owner of the collection.' }),
    collection: z
      .object({ owner: z.string(), slug: z.string(), name: z.string(), grant: Grant })
      .nullable()
      .meta({
        description: 'For a collaborator: the collection, and the grant on it. Null: of an organization.',
      }),
  })
  .meta({
    id: 'OwnInvitation',
    description: 'An invitation of the caller.',
    examples: [
      {
        ...exampleCommon,
        org: { ...exampleUser, slug: 'atlas', type: 'org', displayName: 'The Atlas Project' },
        collection: null,
      },
    ],
  })
export type OwnInvitation = z.infer<typeof OwnInvitation>

/** `POST /api/invitations/:token` */
export const AnswerInvitation = z.strictObject({ accept: z.boolean() }).meta({
  id: 'AnswerInvitation',
  description: 'Whether to join.',
  examples: [{ accept: true }],
})
export type AnswerInvitation = z.infer<typeof AnswerInvitation>

/** Answer to `POST /api/invitations/:token`. */
export const AnsweredInvitation = z
  .object({
    org: z
      .string()
      .meta({ description: 'Slug of the organization; for a collaborator of the owner of the collection.' }),
    collection: z
      .string()
      .nullable()
      .meta({ description: 'For a collaborator: `owner/slug` of the collection. Null: of an organization.' }),
  })
  .meta({
    id: 'AnsweredInvitation',
    description: 'An answered invitation.',
    examples: [{ org: 'atlas', collection: null }],
  })
export type AnsweredInvitation = z.infer<typeof AnsweredInvitation>
