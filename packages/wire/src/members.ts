/** Shapes for members of organizations, seen from the user and from the organization. docs/design/http-api.md §3. */
import { z } from 'zod'
import { Account } from './accounts.ts'
import { exampleInstant, exampleUser } from './examples.ts'
import { Instant } from './text.ts'

/** Role in an organization: each includes the rights of the weaker ones. The storage package has the same names in a column. */
export const Role = z
  .enum(['owner', 'admin', 'member'])
  .meta({ id: 'Role', description: 'owner ⊃ admin ⊃ member.' })
export type Role = z.infer<typeof Role>

/** An item of `GET /api/accounts/me/memberships`. */
export const Membership = z.object({ account: Account, role: Role }).meta({
  id: 'Membership',
  description: 'An organization and the caller’s role in it.',
  examples: [
    {
      account: { ...exampleUser, slug: 'atlas', type: 'org', displayName: 'The Atlas Project' },
      role: 'owner',
    },
  ],
})
export type Membership = z.infer<typeof Membership>

/** An item of `GET /api/accounts/:slug/members`. */
export const Member = z.object({ account: Account, role: Role, since: Instant }).meta({
  id: 'Member',
  description: 'A user and its role in the organization.',
  examples: [{ account: exampleUser, role: 'owner', since: exampleInstant }],
})
export type Member = z.infer<typeof Member>

/** `PUT /api/accounts/:slug/members/:user` */
export const SetMember = z
  .strictObject({ role: Role })
  .meta({ id: 'SetMember', description: 'The new role.', examples: [{ role: 'member' }] })
export type SetMember = z.infer<typeof SetMember>
