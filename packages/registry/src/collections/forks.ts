/**
 * Forks: a new collection whose first version shares the objects and documents of the source's latest. The source protects these
 * from sweeps until the fork is recorded. interface.md "Fork", http-api §6.
 */

import { documentDigest, emptyTree, type ViewRoots } from '@ulmus/content'
import {
  type AccountRow,
  type CollectionRow,
  findAccountById,
  findAccountFor,
  insertAuditEvents,
  type Landing,
  landVersion,
  NotLandedError,
  openObjectWriter,
  type PackedObjects,
  recordPacks,
  standing,
  type VersionRow,
} from '@ulmus/storage'
import type { CollectionPath, CreateFork, Family } from '@ulmus/wire'
import { v7 as newId } from 'uuid'
import { type Acting, authorityIn } from '../access/authority.ts'
import type { VisibleAccount } from '../access/find-account.ts'
import { findVisibleCollection, type VisibleCollection } from '../access/find-collection.ts'
import { mayCreateIn, mayEnter, mayFork } from '../access/policy.ts'
import { checkCollectionSlug, isAccountSlug } from '../access/slugs.ts'
import { demandCollectionSlug } from '../accounts/kept-slugs.ts'
import { quotaRefusal } from '../accounts/quotas.ts'
import { auditRow } from '../audit/acts.ts'
import type { Context } from '../context.ts'
import { demand, RegistryError } from '../errors/errors.ts'
import { type Caller, demandCaller, type Principal } from '../principal.ts'
import { retryIfSwept } from '../upkeep/retry-if-swept.ts'
import { semverOf, storedHash } from '../versions/content.ts'
import { madeBy, versionMadeRow } from '../versions/land.ts'
import { readSidecar, writeSidecar } from '../versions/sidecar.ts'
import { familyOf } from './family.ts'
import { demandMayCreate, newCollection, slugTakenAs } from './making.ts'

export type Forks = ReturnType<typeof forksOf>

/**
 * Forks that may land concurrently. A statement that lands a fork does not see concurrent ones. Forks into an account that is
 * within this number of its maximum therefore lock it and land one after another.
 */
const forksAtOnceMax = 500

/** Look-ups of the latest version that a fork attempts. */
const looksMax = 5

/** Common fields of every fork's first version. */
const firstVersion = {
  ...{ major: 1, minor: 0, patch: 0, baseSemver: null },
  ...{ publicChanged: true, message: 'Fork', appId: null, actorId: null, storedBytes: 0 },
}

export const forksOf = (context: Context) => ({
  /** The source and the forks that the caller may see. @throws collection_not_found, MovedError */
  family: (who: Principal, path: CollectionPath): Promise<Family> => familyOf(context, who, path),

  /**
   * Forks a collection in constant time: it reads no tree.
   * @throws in this order: unauthenticated, insufficient_scope, key_limited; collection_not_found; account_not_found for the
   * target; not_a_member of it; private_content; no_versions, invalid_slug; too_many_collections, quota_exceeded, slug_taken,
   * slug_kept.
   */
  async create(who: Principal, path: CollectionPath, input: CreateFork) {
    for (let looks = 1; ; looks++) {
      try {
        return await fork(context, who, path, input)
      } catch (error) {
        if (!(error instanceof NotLandedError)) throw error
        // The version was withdrawn meanwhile: look up the new latest one.
        if (error.why === 'source_withdrawn' && looks < looksMax) continue
        throw new RegistryError('collection_not_found', { say: path })
      }
    }
  },
})

/** @throws the errors of `create`; NotLandedError if the source is gone or its latest version was withdrawn meanwhile */
async function fork(context: Context, who: Principal, path: CollectionPath, input: CreateFork) {
  const caller = demandCaller(who)
  demand(mayEnter(caller, { scope: 'write', unlimited: true }))
  const [source, target] = await Promise.all([
    findVisibleCollection(context, who, path, { forReading: false }),
    findTarget(context, caller, input.targetOrg),
  ])
  if (target === undefined) throw new RegistryError('account_not_found', { say: { target: input.targetOrg } })
  demand(mayCreateIn(who, target.role), { owner: target.account.slug })
  const { collection, head } = source
  const ofBothViews = input.view === undefined
  demand(mayFork(source, !ofBothViews || head === null || (await isFullyPublic(context, head))))
  if (head === null) throw new RegistryError('no_versions')
  const slug = input.slug ?? collection.slug
  checkCollectionSlug(slug)
  await demandCollectionSlug(context, context.database, target.account, slug)

  const row = rowOf(context, { collection, head }, { ...input, slug, ownerId: target.account.id })
  const byMember = source.role !== null
  const ofPrivate = byMember && ofBothViews
  const taken = ofPrivate ? forkedRow(caller, source, target.account, row) : undefined
  const land = async () => {
    const { content, packed } = ofPrivate ? bothViews : await publicAlone(context, head)
    const version: VersionRow = {
      ...{ ...head, ...content, ...firstVersion, ...standing, ...madeBy(caller) },
      ...{ id: row.headId, collectionId: row.id, createdAt: row.createdAt },
    }
    const { collectionsMax } = context.limits
    const acting = { who: caller, collection: row, owner: target.account }
    // The log lists the collection before its version.
    const [ofFork, ofVersion] = [collectionMadeRow(acting, row.createdAt), versionMadeRow(acting, version)]
    const landing = (max: number): Landing => ({
      ...{ version, from: null, headDescription: row.headDescription, topics: row.topics },
      usualQuota: context.limits.quotaBytes,
      by: authorityIn(context, caller, target.account.id, (memberRole) => mayCreateIn(caller, memberRole)),
      audit: ofVersion,
      fork: {
        ...{ sourceId: collection.id, sourceVersionId: head.id, byMember, ofPrivate },
        ...{ collection: row, owner: target.account, collectionsMax: max, audit: ofFork },
      },
    })
    const farFromMax = collectionsMax - forksAtOnceMax
    if (packed === undefined && farFromMax > 0 && taken === undefined) {
      try {
        await context.database.transactOnce((tx) => landVersion(tx, landing(farFromMax)))
        return version
      } catch (error) {
        // The transaction below lands the fork after all, or throws the reason.
        if (!(error instanceof NotLandedError)) throw error
      }
    }
    await context.database
      .transact(async (tx) => {
        await demandMayCreate(context, tx, caller, target.account)
        if (packed !== undefined) await recordPacks(tx, packed)
        await landVersion(tx, landing(collectionsMax))
        if (taken !== undefined) await insertAuditEvents(tx, [taken])
      })
      .catch(async (error) => {
        if (!(error instanceof NotLandedError) || error.why !== 'over_quota') throw error
        throw await quotaRefusal(context, { who: caller, owner: target.account })
      })
    return version
  }
  const version = await slugTakenAs(slug, () => retryIfSwept(context.objects, land))
  context.jobs.wake('events')
  return {
    id: row.id,
    owner: target.account.slug,
    slug,
    name: row.name,
    forkedFrom: {
      owner: source.owner.slug,
      slug: source.collection.slug,
      version: row.forkedFromSemver,
    },
    version: { semver: semverOf(version), recordCount: version.fullRecords },
  }
}

/** Row of the fork, which is made together with its first version. */
const rowOf = (
  context: Context,
  { collection, head }: { collection: CollectionRow; head: VersionRow },
  { ownerId, slug, public: isPublic = true }: { ownerId: string; slug: string; public?: boolean | undefined },
) => ({
  ...newCollection(context, ownerId, { ...collection, slug, public: isPublic }),
  headId: newId(),
  headDescription: collection.headDescription,
  topics: collection.topics,
  forkedFromId: collection.id,
  forkedFromSemver: semverOf(head),
  ancestors: [collection.id, ...collection.ancestors],
})

const collectionMadeRow = ({ who, owner, collection }: Acting, at: Date) =>
  auditRow(
    who,
    { action: 'collection.made', account: owner.id, target: `${owner.slug}/${collection.slug}` },
    at,
  )

/**
 * Row for the audit log of the source's owner if a member forks its private parts into another account. Undefined within the account.
 */
function forkedRow(
  who: Caller,
  { collection, owner }: VisibleCollection,
  target: AccountRow,
  fork: { readonly slug: string; readonly createdAt: Date },
) {
  if (owner.id === target.id) return undefined
  const details = { fork: `${target.slug}/${fork.slug}` }
  const act = {
    action: 'collection.forked',
    account: owner.id,
    target: `${owner.slug}/${collection.slug}`,
    details,
  } as const
  return auditRow(who, act, fork.createdAt)
}

/** Finds a fork's target: the caller's account, or an organization by its current slug, since names in a body are not redirected. */
async function findTarget(
  context: Context,
  who: Caller,
  slug: string | undefined,
): Promise<VisibleAccount | undefined> {
  if (slug === undefined) {
    const account = await findAccountById(context.database, who.accountId)
    return account && { account, role: 'owner' }
  }
  const found = isAccountSlug(slug) ? await findAccountFor(context.database, slug, who.accountId) : undefined
  return found?.account.type === 'org' ? found : undefined
}

/** Changes from the source's latest version to the fork's first, with the packs to record, if any. */
interface Content {
  content: Partial<VersionRow>
  packed: PackedObjects | undefined
}

/** A member's fork takes both views, unless the member wants the public one. */
const bothViews: Content = { content: {}, packed: undefined }

/**
 * A fork of the public view uses it as both. It nearly always reuses the source's sidecar; a new one has some hundred
 * bytes.
 */
async function publicAlone({ database, blobs, objects }: Context, source: VersionRow): Promise<Content> {
  const { roots, references } = await readSidecar(objects, storedHash(source.sidecar))
  const writer = openObjectWriter({ database, blobs, inline: true })
  const sidecar = await writeSidecar(writer, {
    roots: { full: roots.public, public: roots.public },
    references: { full: references.public, public: references.public },
    hiddenTrees: {},
    // Formerly private names are visible only to members of the source.
    formerlyPrivate: [],
  })
  const content = {
    fullDigest: source.publicDigest,
    sidecar,
    fullRecords: source.publicRecords,
    fullFiles: source.publicFiles,
    fullBytes: source.publicBytes,
    listedTypes: source.listedTypes && { ...source.listedTypes, full: source.listedTypes.public },
  }
  return { content, packed: sidecar === source.sidecar ? undefined : await writer.finish() }
}

/** True if nothing of the version is private, which an outsider's fork requires (content-model §6). */
async function isFullyPublic(context: Context, version: VersionRow): Promise<boolean> {
  if (version.fullDigest === version.publicDigest) return true
  const { roots } = await readSidecar(context.objects, storedHash(version.sidecar))
  if (roots.full === roots.public) return true
  const typesOnly = ({ types }: ViewRoots) => documentDigest({ files: emptyTree, metadata: {}, types })
  return typesOnly(roots.full) === typesOnly(roots.public)
}
