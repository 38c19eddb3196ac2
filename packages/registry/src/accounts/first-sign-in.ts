/** Account of a first sign-in: derives slug, name and e-mail from the identity provider's claims. http-api §2. */
import {
  type AccountRow,
  findAccountByIdentity,
  insertAccount,
  insertIdentity,
  slugsInUse,
  type Tx,
} from '@ulmus/storage'
import { v7 as newId } from 'uuid'
import { slugCandidates, slugFrom } from '../access/slugs.ts'
import type { Context } from '../context.ts'
import { slugsKeptFrom } from './kept-slugs.ts'

/** A user as the identity provider describes them. The identity is (issuer, subject); the rest only describes. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  readonly preferredUsername: string | null
  readonly email: string | null
  /** True if the provider says that the address belongs to the user. Default: false. */
  readonly emailVerified?: boolean
  readonly name: string | null
  /** True if the provider claims that the user is an operator of the registry. Default: false. */
  readonly claimsOperator?: boolean
}

/** The provider's longer names are cut. Characters. */
const displayNameMax = 200
/** The provider's longer e-mail addresses are cut. Characters. */
const emailMax = 320
/** Slugs tried in one query for a new user. */
const candidatesPerLook = 50

/** Creates the account. If another first sign-in created it at the same time, returns that one. */
export const makeUser = (
  { database, now }: Pick<Context, 'database' | 'now'>,
  identity: Identity,
): Promise<AccountRow> =>
  database
    .transact((tx) => makeUserOnce({ now }, tx, identity))
    .catch(async (error: unknown) => {
      if (error instanceof SignedInMeanwhileError) return (await findAccountByIdentity(database, identity))!
      throw error
    })

/** Rolls back the account if the identity has one by now. */
class SignedInMeanwhileError extends Error {}

async function makeUserOnce(clock: Pick<Context, 'now'>, tx: Tx, identity: Identity): Promise<AccountRow> {
  const base = slugBaseOf(identity)
  const account = {
    id: newId(),
    type: 'user' as const,
    createdAt: clock.now(),
    ...contactOf(identity),
    emailVerified: isVerified(identity),
  }
  for (let from = 1; ; from += candidatesPerLook) {
    const candidates = slugCandidates(base, from, candidatesPerLook)
    const taken = await slugsInUse(tx, candidates)
    const kept = await slugsKeptFrom(clock, tx, identity, candidates)
    for (const slug of candidates) {
      if (taken.has(slug) || kept.has(slug)) continue
      const row = { ...account, slug, displayName: account.displayName ?? slug }
      // Another account may have taken the slug since the query; then try the next.
      const made = await insertAccount(tx, row)
      if (made === undefined) continue
      if (await insertIdentity(tx, identity, row.id)) return made
      throw new SignedInMeanwhileError()
    }
  }
}

/** Slug from the first claim that yields one. Cuts at `@`: e-mail addresses are private. */
function slugBaseOf({ preferredUsername, email, name }: Identity): string {
  for (const text of [beforeAt(preferredUsername), beforeAt(email), name]) {
    const slug = text === null ? undefined : slugFrom(text)
    if (slug !== undefined) return slug
  }
  return 'user'
}

const beforeAt = (text: string | null) => text?.split('@', 1)[0] ?? null

/** The provider's claims, cut to the bounds of the registry; null for absent ones. */
export function contactOf({ preferredUsername, email, name }: Identity): {
  displayName: string | null
  email: string | null
} {
  const line = (text: string | null, max: number) =>
    [
      ...(text ?? '')
        .toWellFormed()
        .replace(/\p{Cc}+/gu, ' ')
        .trim(),
    ]
      .slice(0, max)
      .join('')
      .trim() || null
  return {
    displayName: line(name, displayNameMax) ?? line(beforeAt(preferredUsername), displayNameMax),
    email: line(email, emailMax),
  }
}

/** True if mail may go to the address of the identity, which `contactOf` did not cut. */
export const isVerified = (identity: Identity): boolean =>
  identity.emailVerified === true &&
  identity.email !== null &&
  contactOf(identity).email === identity.email.trim()
