/** Members of organizations. http-api §3. */
import { z } from 'zod'
import { Account } from './accounts.ts'
import { Instant } from './text.ts'

/** owner ⊃ admin ⊃ member. */
export const Role = z.enum(['owner', 'admin', 'member']).meta({ id: 'Role' })
export type Role = z.infer<typeof Role>

/** An item of `GET /api/accounts/me/memberships`. */
export const Membership = z.object({ account: Account, role: Role }).meta({ id: 'Membership' })
export type Membership = z.infer<typeof Membership>

/** An item of `GET /api/accounts/:slug/members`. */
export const Member = z.object({ account: Account, role: Role, since: Instant }).meta({ id: 'Member' })
export type Member = z.infer<typeof Member>

/** `PUT /api/accounts/:slug/members/:user` */
export const SetMember = z.strictObject({ role: Role }).meta({ id: 'SetMember' })
export type SetMember = z.infer<typeof SetMember>
