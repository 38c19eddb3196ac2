/** Collection look-ups by path. A collection that the caller may not see gets the same answer as one that does not exist. */
import {
  type AccountRow,
  type CollectionRow,
  type FoundCollection,
  findCollectionByPath,
  findFormerCollection,
  type VersionRow,
} from '@ulmus/storage'
import type { Context } from '../context.ts'
import { demand, MovedError, RegistryError } from '../errors/errors.ts'
import type { Principal } from '../principal.ts'
import { isOperator } from './operators.ts'
import {
  belongs,
  demandOf,
  type Grant,
  mayDo,
  mayReadOpened,
  maySee,
  type Permission,
  type Role,
  type Standing,
  type View,
  viewFor,
  viewOfOpened,
} from './policy.ts'
import { isAccountSlug, isCollectionSlug } from './slugs.ts'

/** A collection that the caller may see. */
export interface VisibleCollection {
  readonly collection: CollectionRow
  readonly owner: AccountRow
  /** The latest version; null before the first. */
  readonly head: VersionRow | null
  /** The caller's role in the owner, before the limits of its key; `policy.ts` takes both. */
  readonly role: Role | null
  /** The caller's grant on the collection, before the limits of its key. */
  readonly grant: Grant | null
  /** The view of its versions that the caller reads. */
  readonly view: View
  /** The caller reads it as an operator, until and for this reason. */
  readonly opening: FoundCollection['opening']
}

/**
 * @param options.forReading false: for an act that copies or follows the collection, which an operator's opening does not permit (default: true)
 * @throws collection_not_found; collection_hidden; MovedError when a former slug leads to a collection that the caller may see.
 */
export async function findVisibleCollection(
  context: Context,
  who: Principal,
  path: { owner: string; slug: string },
  { forReading = true }: { forReading?: boolean } = {},
): Promise<VisibleCollection> {
  // Skip the look-up for impossible slugs: PostgreSQL refuses a NUL, for instance.
  if (!isAccountSlug(path.owner) || !isCollectionSlug(path.slug)) {
    throw new RegistryError('collection_not_found', { say: path })
  }
  const accountId = who.kind === 'anonymous' ? null : who.accountId
  const found = await findCollectionByPath(context.database, path, accountId)
  const opening = found !== undefined && forReading ? await currentOpening(context, who, found) : null
  if (found !== undefined && opening !== null) return { ...found, opening, view: viewOfOpened(who) }
  if (found !== undefined && maySee(who, found)) {
    return { ...found, opening, view: viewFor(who, found) }
  }
  // Look up former slugs even if the collection exists but is hidden: the timing must not reveal it.
  const former = await findFormerCollection(context.database, path, accountId)
  if (found === undefined && former !== undefined && maySee(who, former)) {
    throw new MovedError({ owner: former.owner.slug, slug: former.collection.slug })
  }
  // It was public, so this reveals nothing.
  if ((found ?? former)?.collection.publicOnceShown)
    throw new RegistryError('collection_hidden', { say: path })
  throw new RegistryError('collection_not_found', { say: path })
}

/** The opening by which the caller reads a collection of others as an operator now. Its powers may have ended since the act. */
async function currentOpening(
  context: Context,
  who: Principal,
  found: FoundCollection,
): Promise<FoundCollection['opening']> {
  const { opening } = found
  if (opening === null || belongs(found) || who.kind === 'anonymous') return null
  return mayReadOpened(who, opening, context.now()) && (await isOperator(context, who)) ? opening : null
}

/**
 * Finds a collection that a request names besides its subject. Follows former slugs here: a redirect would send the whole request
 * elsewhere.
 * @throws collection_not_found
 */
export async function findNamedCollection(
  context: Context,
  who: Principal,
  path: { owner: string; slug: string },
): Promise<VisibleCollection> {
  try {
    return await findVisibleCollection(context, who, path)
  } catch (error) {
    if (!(error instanceof MovedError)) throw error
    return findVisibleCollection(context, who, { slug: path.slug, ...error.to })
  }
}

/** @throws the refusal of the permission */
export function demandIn(
  who: Principal,
  at: Standing & { readonly owner: { readonly slug: string } },
  permission: Permission,
): void {
  const answer = mayDo(who, at, permission)
  const { scope, role, grant } = demandOf(permission)
  const needed = answer === 'insufficient_role' ? role : answer === 'insufficient_grant' ? grant : scope
  demand(answer, { owner: at.owner.slug, needed, held: at.grant })
}

/** A collection in which the caller has a permission. @throws the errors of `findVisibleCollection`; the refusal of the permission */
export async function findCollectionTo(
  permission: Permission,
  context: Context,
  who: Principal,
  path: { owner: string; slug: string },
): Promise<VisibleCollection> {
  const seen = await findVisibleCollection(context, who, path)
  demandIn(who, seen, permission)
  return seen
}
