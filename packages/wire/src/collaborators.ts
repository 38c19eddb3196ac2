/** Shapes for collaborators of a collection, and for the list of everybody with access to it. docs/design/http-api.md §16. */
import { z } from 'zod'
import { Account } from './accounts.ts'
import { exampleId, exampleInstant, exampleUser } from './examples.ts'
import { Role } from './members.ts'
import { Id, Instant } from './text.ts'

/** Grant on one collection: each includes the rights of the weaker ones. The storage package has the same names in a column. */
export const Grant = z.enum(['read', 'write', 'admin']).meta({
  id: 'Grant',
  description:
    'admin ⊃ write ⊃ read. `read`: all versions with their private parts. `write`: also push, upload files, update metadata and deprecate. `admin`: also settings, visibility, trusted publishers and collaborators.',
})
export type Grant = z.infer<typeof Grant>

/** `PUT …/collaborators/:user` */
export const SetCollaborator = z
  .strictObject({ grant: Grant })
  .meta({ id: 'SetCollaborator', description: 'The new grant.', examples: [{ grant: 'read' }] })
export type SetCollaborator = z.infer<typeof SetCollaborator>

const invitedBy = z
  .string()
  .nullable()
  .meta({ description: 'Slug of the user who gave it. Null: the account is deleted.' })

/** An item of `GET …/collaborators`. */
export const Collaborator = z.object({ account: Account, grant: Grant, since: Instant, invitedBy }).meta({
  id: 'Collaborator',
  description: 'A user with a grant on the collection.',
  examples: [{ account: exampleUser, grant: 'write', since: exampleInstant, invitedBy: 'ada' }],
})
export type Collaborator = z.infer<typeof Collaborator>

/** A pending invitation to a collection. */
export const CollaboratorInvitation = z
  .object({ id: Id, user: Account, grant: Grant, invitedBy, createdAt: Instant, expiresAt: Instant })
  .meta({ id: 'CollaboratorInvitation', description: 'A pending invitation to the collection.' })
export type CollaboratorInvitation = z.infer<typeof CollaboratorInvitation>

const exampleInvitation = {
  ...{ id: exampleId, user: exampleUser, grant: 'read' as const, invitedBy: 'ada' },
  ...{ createdAt: exampleInstant, expiresAt: '2026-01-29T00:00:00.000Z' },
}

/** Answer to an invitation of a collaborator: the only one with the token. */
export const InvitedCollaborator = CollaboratorInvitation.extend({
  token: z.string().meta({ description: 'Token of the link. Only this answer contains it.' }),
  url: z.string().meta({ description: 'Link for the invitee. Pass it on.' }),
  mailed: z.boolean().meta({ description: 'Whether the registry mails the link, too.' }),
}).meta({
  id: 'InvitedCollaborator',
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
export type InvitedCollaborator = z.infer<typeof InvitedCollaborator>

/** `GET …/access` */
export const Access = z
  .object({
    public: z.boolean().meta({ description: 'Whether everybody reads the public view.' }),
    owner: Account,
    memberCount: z.int().meta({ description: 'Users with a role in the owner; 1 if the owner is a user.' }),
    members: z
      .array(z.object({ account: Account, role: Role }))
      .meta({ description: 'These users by slug, at most 100.' }),
    collaborators: z.array(Collaborator).meta({ description: 'Collaborators by slug.' }),
    invitations: z
      .array(CollaboratorInvitation)
      .meta({ description: 'Pending invitations of collaborators, newest first.' }),
  })
  .meta({
    id: 'Access',
    description: 'Everybody who can read all of a collection, and why.',
    examples: [
      {
        ...{ public: false, owner: exampleUser, memberCount: 1 },
        members: [{ account: exampleUser, role: 'owner' }],
        collaborators: [],
        invitations: [exampleInvitation],
      },
    ],
  })
export type Access = z.infer<typeof Access>
