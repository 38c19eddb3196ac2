/** Loads the data that every page of a collection needs: the collection, the caller's rights and the version. */

import { formatSemver } from '@ulmus/content'
import { type CollectionRow, findCollectionById, hasQuestions } from '@ulmus/storage'
import type { OpeningWarning, VersionPath } from '@ulmus/wire'
import { demandIn, findVisibleCollection, type VisibleCollection } from '../access/find-collection.ts'
import {
  type Grant,
  mayEndGrant,
  maySee,
  type Permission,
  permissionsIn,
  type Role,
  viewFor,
} from '../access/policy.ts'
import { readerOf } from '../budgets/answer-budget.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import type { Principal } from '../principal.ts'
import { semverOf } from '../versions/content.ts'
import { type Hidden, hiddenOf } from '../versions/hidden.ts'
import { numberAfter } from '../versions/land.ts'
import type { Openings } from '../versions/opened.ts'
import { detailOf, type VersionDetail, versionIn } from '../versions/versions.ts'
import { openingWarnings } from './opening.ts'

/** Rights that decide which controls a page has. The services check again. */
export interface CallerRights {
  /** True if the caller reads the full view. */
  readonly readsAll: boolean
  /** Role of the caller's account in the owner, and its grant as a collaborator. */
  readonly role: Role | null
  readonly grant: Grant | null
  /** True for a collaborator who may end the own grant with this credential. */
  readonly mayLeave: boolean
  may(permission: Permission): boolean
  /** @throws the refusal of the permission */
  demand(permission: Permission): void
}

/** Parts that a page needs. */
export interface FrameRequest {
  /** True: show a member the public view. */
  readonly asPublic: boolean
  /** True: read the version, too. */
  readonly withVersion: boolean
}

/** Data for the frame of all collection pages (apps/web/src/data/collection.ts). */
export interface CollectionFrame {
  readonly facts: ReturnType<typeof factsOf>
  readonly hiddenByOperators?: { readonly since: string; readonly reason: string }
  /** The caller reads it as an operator, until and for this reason. */
  readonly openedByOperator?: { readonly until: string; readonly reason: string }
  /** Rights of the caller, whatever `asPublic` is. */
  readonly rights: CallerRights
  /** Semver of the newest version; null before the first. */
  readonly latest: string | null
  /** Semver of the next version if its records change, or its metadata or private marks alone. */
  readonly next: Readonly<Record<'content' | 'other', string>>
  readonly forkedFrom: Awaited<ReturnType<typeof forkedFromOf>>
  /** True: there is a saved question that the caller may see. */
  readonly hasQuestions: boolean
  /** Null if there is no readable version, or it was not requested. */
  readonly version: VersionDetail | null
  /** For members: parts of the version that the public view hides. Undefined for others, and before the first version. */
  readonly hidden: Hidden | undefined
  /** For members of a private collection: what its older versions would show if it became public. */
  readonly opening: readonly OpeningWarning[]
}

/** @throws collection_not_found; MovedError; version_not_found and version_withdrawn for a named version; busy. */
export async function frameOf(
  { context, openings }: { context: Context; openings: Openings },
  who: Principal,
  path: VersionPath,
  { asPublic, withVersion }: FrameRequest,
): Promise<CollectionFrame> {
  const seen = await findVisibleCollection(context, who, path)
  const readsAll = seen.view === 'full'
  const read: VisibleCollection = asPublic ? { ...seen, view: 'public' } : seen
  const reader: Principal = asPublic && who.kind !== 'anonymous' ? { ...who, view: 'public' } : who
  // Without a readable version, still look a named one up: it may be withdrawn.
  const isRead = seen.head === null ? path.v !== 'latest' : withVersion || readsAll
  const [forkedFrom, hasSaved, found] = await Promise.all([
    forkedFromOf(context, reader, seen.collection),
    hasQuestions(context.database, seen.collection.id, { publicOnly: read.view === 'public' }),
    isRead ? versionIn(context, read, path.v) : undefined,
  ])
  const [version, hidden, opened] = await Promise.all([
    withVersion && found !== undefined ? detailOf(context, found) : null,
    readsAll && found !== undefined ? hiddenOf(context, found.version) : undefined,
    readsAll && !seen.collection.public ? openings.soon(seen.collection, readerOf(who)) : undefined,
  ])
  return {
    facts: factsOf(seen),
    ...hiddenByOperators(seen.collection),
    ...(seen.opening !== null && {
      openedByOperator: { until: instantText(seen.opening.until), reason: seen.opening.reason },
    }),
    rights: rightsOf(who, seen),
    latest: seen.head && semverOf(seen.head),
    next: { content: nextOf(seen, 'content'), other: nextOf(seen, 'other') },
    forkedFrom,
    hasQuestions: hasSaved,
    version,
    hidden,
    opening: opened === undefined ? [] : openingWarnings(opened),
  }
}

const nextOf = ({ head, collection }: VisibleCollection, change: 'content' | 'other'): string =>
  formatSemver(numberAfter(head, collection.newestWithdrawn, head === null ? 'first' : change))

interface FactsSource {
  readonly collection: CollectionRow
  readonly owner: Pick<VisibleCollection['owner'], 'slug' | 'displayName'>
}

/** Facts of a collection in answers. The fields are public: change them together with packages/wire/src/collections.ts. */
export const factsOf = ({ collection, owner }: FactsSource) => ({
  id: collection.id,
  slug: collection.slug,
  name: collection.name,
  description: shownDescription(collection),
  topics: collection.topics,
  public: collection.public,
  ownerSlug: owner.slug,
  ownerName: owner.displayName,
  createdAt: instantText(collection.createdAt),
  updatedAt: instantText(collection.updatedAt),
})

/** Since when and why operators hide it, for its members. */
export const hiddenByOperators = ({ hiddenAt, hiddenReason }: CollectionRow) =>
  hiddenAt === null
    ? {}
    : {
        hiddenByOperators: {
          since: instantText(hiddenAt),
          reason: hiddenReason ?? 'Its owner is suspended.',
        },
      }

const rightsOf = (who: Principal, seen: VisibleCollection): CallerRights => ({
  readsAll: seen.view === 'full',
  role: seen.role,
  grant: seen.grant,
  mayLeave: seen.grant !== null && mayEndGrant(who, seen, true) === 'ok',
  may: (permission) => permissionsIn(who, seen).has(permission),
  demand: (permission) => demandIn(who, seen, permission),
})

/** The latest version's metadata.description, else the collection's own, else null. */
export const shownDescription = (collection: CollectionRow): string | null =>
  collection.headDescription ?? collection.description

/** The source of a fork, if the caller may see it now; undefined otherwise, and for a collection that is no fork. */
export async function forkedFromOf(context: Context, who: Principal, collection: CollectionRow) {
  if (collection.forkedFromId === null || collection.forkedFromSemver === null) return undefined
  const callerId = who.kind === 'anonymous' ? null : who.accountId
  const source = await findCollectionById(context.database, collection.forkedFromId, callerId)
  if (source === undefined || !maySee(who, source)) return undefined
  // A reader of the public view, even a member, learns no more than the public.
  const isHidden = !source.collection.public && viewFor(who, source) === 'public'
  if (isHidden) return undefined
  return { owner: source.owner.slug, slug: source.collection.slug, version: collection.forkedFromSemver }
}
