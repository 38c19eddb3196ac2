/** Signs users in by OIDC as browsers do, and names the outcome of what they try. */
import { accountsOf } from '../accounts/accounts.ts'
import { sessionsOf } from '../accounts/browser-sessions.ts'
import type { Context } from '../context.ts'
import type { Caller } from '../principal.ts'

export const issuer = 'https://login.example'

/** The caller of a new browser session of a user, who is made by the first. */
export async function signIn(context: Context, name: string): Promise<Caller> {
  const account = await accountsOf(context).signIn({
    ...{ issuer, subject: name, preferredUsername: name },
    ...{ email: `${name}@example.org`, name },
  })
  const { token } = await sessionsOf(context).open(account)
  return (await sessionsOf(context).resolve(token, '192.0.2.7'))!.caller
}

/** `ok`, the code of a refusal, or what else was thrown. */
export const outcome = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'ok',
    (error) => error.code ?? error,
  )
