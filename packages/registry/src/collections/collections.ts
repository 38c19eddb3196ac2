/** Collections: creation, changes, deletion, lists, details. interface.md "Collections", http-api §4. */

import {
  type AccountRow,
  type CollectionRow,
  insertCollection,
  keepFormerSlug,
  keepPrivate,
  lockAccount,
  lockCollection,
  ownersOfPrivateSources,
  publicAmong,
  setPublishersOnly,
  type Tx,
  updateCollection,
} from '@ulmus/storage'
import type {
  CollectionItem,
  CollectionPath,
  CreateCollection,
  UpdateCollection,
  UpdatedCollection,
  VersionPath,
} from '@ulmus/wire'
import { demandStill } from '../access/authority.ts'
import { findVisibleAccount } from '../access/find-account.ts'
import { findCollectionTo, findVisibleCollection, type VisibleCollection } from '../access/find-collection.ts'
import { roleIn } from '../access/membership.ts'
import { mayCreateIn, mayMakePublic, type Permission, type Role } from '../access/policy.ts'
import { checkCollectionSlug } from '../access/slugs.ts'
import { demandCollectionSlug } from '../accounts/kept-slugs.ts'
import { JsonText } from '../answers/json-text.ts'
import type { Page, PageAsk } from '../answers/pages.ts'
import { audited, type Tell } from '../audit/acts.ts'
import { readerOf } from '../budgets/answer-budget.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import { demandCaller, type Principal } from '../principal.ts'
import { metadataBytes, noticeDeprecation, semverOf, shownCounts, shownWords } from '../versions/content.ts'
import { type Openings, openingsOf } from '../versions/opened.ts'
import { defineForgetting, removeCollection } from './deletion.ts'
import {
  type CollectionFrame,
  type FrameRequest,
  factsOf,
  forkedFromOf,
  frameOf,
  hiddenByOperators,
} from './frame.ts'
import { type BrowseAsk, browseFacets, browsePublic, listMine, listOwned } from './lists.ts'
import { demandMayCreate, demandShown, newCollection, slugTakenAs } from './making.ts'
import { openingWarnings } from './opening.ts'
import { transferCollection } from './transfer.ts'

export type { CollectionPath } from '@ulmus/wire'

/** Only the fields to change. */
export type CollectionChange = Partial<CreateCollection> & Pick<UpdateCollection, 'publishersOnly'>

export type Collections = ReturnType<typeof collectionsOf>

export function collectionsOf(context: Context) {
  defineForgetting(context)
  const openings = openingsOf(context)
  return {
    /** @throws account_not_found, not_a_member, key_limited, invalid_slug, insufficient_role, slug_taken, slug_kept. */
    async create(who: Principal, owner: string, input: CreateCollection) {
      const { account, role } = await findVisibleAccount(context, who, owner)
      demand(mayCreateIn(who, role), { owner: account.slug })
      checkCollectionSlug(input.slug)
      const row = await slugTakenAs(input.slug, () =>
        audited(context, who, async (tx, tell) => {
          const locked = await demandMayCreate(context, tx, demandCaller(who), account)
          if (input.public === true) demandMayMakePublic(who, locked)
          const isPublic = input.public ?? locked.account.defaultVisibility === 'public'
          const made = newCollection(context, account.id, { ...input, public: isPublic })
          await insertCollection(tx, made, account)
          await demandCollectionSlug(context, tx, account, made.slug)
          const target = `${account.slug}/${made.slug}`
          tell({ action: 'collection.made', account: account.id, target, details: { public: isPublic } })
          return made
        }),
      )
      return { id: row.id, owner: account.slug, slug: row.slug, name: row.name }
    },

    /**
     * Changes a collection. If that makes it public, the answer warns of what older versions show.
     * @param options.dryRun true: check, and return the warnings, without changing anything
     * @throws collection_not_found, not_a_member, key_limited, invalid_slug, insufficient_role, slug_taken, slug_kept, hidden_by_operators.
     */
    patch: (
      who: Principal,
      path: CollectionPath,
      change: CollectionChange,
      { dryRun = false }: { dryRun?: boolean } = {},
    ): Promise<UpdatedCollection> => patchCollection({ context, openings }, who, { path, change, dryRun }),

    /**
     * Deletes a collection with its versions, records and file references. A sweep frees their storage later; data inherited by
     * existing forks stays.
     * @throws collection_not_found, not_a_member, key_limited, insufficient_role.
     */
    remove: (who: Principal, path: CollectionPath): Promise<{ ok: true }> =>
      removeCollection(context, who, path),

    /**
     * Transfers a collection to another account.
     * @throws collection_not_found, not_a_member, key_limited, insufficient_role, account_not_found, slug_taken, slug_kept,
     * too_many_collections.
     */
    transfer: (who: Principal, path: CollectionPath, to: string): Promise<{ owner: string; slug: string }> =>
      transferCollection(context, who, path, to),

    /** Those of `ids` that are public now, for cached lists. */
    stillPublic: (ids: readonly string[]): Promise<Set<string>> => publicAmong(context.database, ids),

    /** Public collections, the same for every caller. @throws invalid_request for a cursor of another list. */
    browse: (ask: BrowseAsk) => browsePublic(context, ask),

    /** Counts the collections that `browse` lists, by license, size, type and owner. */
    facets: (ask: Parameters<typeof browseFacets>[1]) => browseFacets(context, ask),

    /**
     * Lists an account's collections: all for its members, else the public ones. A member's limited key adds its own collection.
     * @throws account_not_found, invalid_request.
     */
    list: (who: Principal, owner: string, ask: PageAsk): Promise<Page<CollectionItem>> =>
      listOwned(context, who, owner, ask),

    /**
     * Lists the collections of the caller and of the caller's organizations.
     * @throws key_limited, invalid_request.
     */
    mine: (who: Principal, ask: PageAsk): Promise<Page<CollectionItem>> => listMine(context, who, ask),

    /**
     * Data that every page of a collection needs.
     * @throws collection_not_found, version_not_found if there are versions, busy.
     */
    shown: (who: Principal, path: VersionPath, ask: FrameRequest): Promise<CollectionFrame> =>
      frameOf({ context, openings }, who, path, ask),

    /** @throws collection_not_found. */
    async detail(who: Principal, path: CollectionPath) {
      const seen = await findVisibleCollection(context, who, path)
      const [latestVersion, forkedFrom] = await Promise.all([
        latestVersionOf(context, seen),
        forkedFromOf(context, who, seen.collection),
      ])
      return {
        ...factsOf(seen),
        latestVersion,
        publishersOnly: seen.collection.publishersOnly,
        ...hiddenByOperators(seen.collection),
        ...(forkedFrom === undefined ? {} : { forkedFrom }),
      }
    },
  }
}

async function patchCollection(
  { context, openings }: { context: Context; openings: Openings },
  who: Principal,
  { path, change, dryRun }: { path: CollectionPath; change: CollectionChange; dryRun: boolean },
): Promise<UpdatedCollection> {
  const { seen, to } = await demandChange(context, who, path, change)
  const isOpening = change.public === true && !seen.collection.public
  if (!dryRun) await changeCollection(context, who, { seen, to, change })
  const warnings = isOpening ? openingWarnings(await openings.of(seen.collection, readerOf(who))) : []
  return { ok: true, ...(warnings.length > 0 && { warnings }) }
}

/** Checks a change before it is made. `to`: the permission to check again when it is. */
async function demandChange(
  context: Context,
  who: Principal,
  path: CollectionPath,
  change: CollectionChange,
): Promise<{ seen: VisibleCollection; to: Permission }> {
  const to = permissionFor(change)
  const seen = await findCollectionTo(to, context, who, path)
  const { collection, owner, role } = seen
  if (change.slug !== undefined) checkCollectionSlug(change.slug)
  demandShown(owner, collection, change)
  if (change.public === true && !collection.public) demandMayMakePublic(who, { account: owner, role })
  return { seen, to }
}

async function changeCollection(
  context: Context,
  who: Principal,
  { seen, to, change }: { seen: VisibleCollection; to: Permission; change: CollectionChange },
): Promise<void> {
  const { collection, owner } = seen
  await slugTakenAs(change.slug, () =>
    audited(context, who, async (tx, tell) => {
      // Lock the owner: its settings must not change before the collection is public.
      const account = change.public === true ? await lockAccount(tx, owner.id) : undefined
      const locked = await lockCollection(tx, collection.id, 'update')
      if (locked === undefined)
        throw new RegistryError('collection_not_found', { say: { owner: owner.slug, slug: collection.slug } })
      await demandStill(context, tx, { who: demandCaller(who), collection, owner }, to)
      demandShown(owner, locked, change)
      if (account !== undefined && !locked.public) {
        demandMayMakePublic(who, { account, role: await roleIn(tx, who, account) })
        await demandMayMakeForkPublic(tx, who, locked)
      }
      await applyChange(context, tx, locked, change)
      if (change.slug !== undefined) await demandCollectionSlug(context, tx, owner, change.slug)
      tellChange(tell, { owner, before: locked, change })
    }),
  )
}

/** The permission for all fields of a change together. */
function permissionFor({ publishersOnly, slug, public: visible }: CollectionChange): Permission {
  if (publishersOnly !== undefined) return 'administer'
  return slug !== undefined || visible !== undefined ? 'move' : 'describe'
}

/** @throws insufficient_role */
const demandMayMakePublic = (
  who: Principal,
  { account, role }: { account: AccountRow; role: Role | null },
): void => demand(mayMakePublic(who, role, account), { owner: account.slug, needed: 'admin' })

/**
 * A fork contains data of its private sources, so the settings of their owners count, too.
 * @throws insufficient_role
 */
async function demandMayMakeForkPublic(tx: Tx, who: Principal, fork: CollectionRow): Promise<void> {
  for (const owner of await ownersOfPrivateSources(tx, fork))
    demand(mayMakePublic(who, await roleIn(tx, who, owner), owner), { needed: 'admin' })
}

async function applyChange(
  context: Context,
  tx: Tx,
  locked: CollectionRow,
  change: CollectionChange,
): Promise<void> {
  const { id, ownerId, slug } = locked
  if (change.publishersOnly !== undefined) await setPublishersOnly(tx, id, change.publishersOnly)
  const next = {
    slug: change.slug ?? slug,
    name: change.name ?? locked.name,
    public: change.public ?? locked.public,
    description: change.description === undefined ? locked.description : change.description,
  }
  if (change.public === false && locked.hiddenAt !== null) await keepPrivate(tx, id)
  const members = ['slug', 'name', 'public', 'description'] as const
  if (members.every((member) => next[member] === locked[member])) return
  const at = context.now()
  const isUnpublished = locked.public && !next.public
  if (next.slug !== slug || isUnpublished) await keepFormerSlug(tx, { id, ownerId, slug }, at)
  await updateCollection(tx, id, { ...next, updatedAt: at })
}

function tellChange(
  tell: Tell,
  { owner, before, change }: { owner: AccountRow; before: CollectionRow; change: CollectionChange },
): void {
  const slug = change.slug ?? before.slug
  const about = { account: owner.id, target: `${owner.slug}/${slug}` }
  if (slug !== before.slug)
    tell({ action: 'collection.renamed', ...about, details: { formerly: `${owner.slug}/${before.slug}` } })
  if (change.public !== undefined && change.public !== before.public)
    tell({ action: 'collection.visibility', ...about, details: { public: change.public } })
  const { publishersOnly } = change
  if (publishersOnly !== undefined && publishersOnly !== before.publishersOnly)
    tell({ action: 'collection.publishing', ...about, details: { publishersOnly } })
}

async function latestVersionOf(context: Context, { head, view }: VisibleCollection) {
  if (head === null) return null
  noticeDeprecation(head)
  const metadata = await metadataBytes(context, head, view)
  return {
    semver: semverOf(head),
    ...shownCounts(head, view),
    metadata: new JsonText(metadata),
    createdAt: instantText(head.createdAt),
    message: shownWords(head, view).message,
  }
}
