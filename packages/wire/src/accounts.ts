/** Accounts: users and organizations. interface.md "Account"; http-api §3. */
import { z } from 'zod'
import { Id, Instant, Name } from './text.ts'

export const Account = z
  .object({
    id: Id,
    slug: z.string(),
    type: z.enum(['user', 'org']),
    displayName: z.string(),
    createdAt: Instant,
  })
  .meta({ id: 'Account', description: 'The public profile of an account.' })
export type Account = z.infer<typeof Account>

/** What `GET /api/accounts/me` answers: the only place an e-mail address appears. */
export const OwnAccount = Account.extend({ email: z.string() }).meta({ id: 'OwnAccount' })
export type OwnAccount = z.infer<typeof OwnAccount>

/** `POST /api/accounts`: makes an organization, the caller its owner. */
export const CreateOrg = z.strictObject({ slug: z.string(), displayName: Name }).meta({ id: 'CreateOrg' })
export type CreateOrg = z.infer<typeof CreateOrg>

/** `PATCH /api/accounts/:slug`: only what is to change. */
export const UpdateAccount = z
  .strictObject({ slug: z.string().optional(), displayName: Name.optional() })
  .meta({ id: 'UpdateAccount' })
export type UpdateAccount = z.infer<typeof UpdateAccount>
