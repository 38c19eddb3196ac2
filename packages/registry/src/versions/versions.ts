/**
 * Reads versions (http-api §7) in the caller's view. Services that read records or files of a version find it with `seeVersion` or
 * `versionIn`, which check that it is visible and not withdrawn.
 */

import { formatSemver, parseDigestLabel, parseSemver, type ViewRoots } from '@ulmus/content'
import {
  findVersionByDigest,
  findVersionBySemver,
  listNewestPublicVersions,
  listVersions,
  type VersionRow,
} from '@ulmus/storage'
import type { VersionItem, VersionPath } from '@ulmus/wire'
import { findVisibleAccount } from '../access/find-account.ts'
import { findVisibleCollection, type VisibleCollection } from '../access/find-collection.ts'
import type { View } from '../access/policy.ts'
import { JsonText } from '../answers/json-text.ts'
import { mapPage, type Page, type PageAsk, type PageOrder, pageOf } from '../answers/pages.ts'
import { countAnswer } from '../budgets/answer-budget.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import type { Principal } from '../principal.ts'
import {
  type Actor,
  deprecationOf,
  digestOfView,
  findActors,
  metadataBytes,
  noticeDeprecation,
  noticeVersion,
  refusalOfWithdrawn,
  rootsOf,
  semverOf,
  shownCounts,
  shownWords,
  shownWorkload,
  withdrawalOf,
} from './content.ts'
import { schemasOf } from './schemas.ts'

/** Detail of a version. Its fields are public: change them together with packages/wire/src/versions.ts. */
export interface VersionDetail extends VersionItem {
  metadata: JsonText
  schemas: Record<string, JsonText>
  typeCounts: Record<string, number>
  /** Root hashes of the record trees, for types with records. */
  typeRoots: Record<string, string>
  baseSemver: string | null
}

/** A version in a list of several collections. */
export interface OwnedVersionItem extends VersionItem {
  collection: { id: string; slug: string }
}

/** A version that the caller may see, with the roots of the caller's view. */
export interface VisibleVersion {
  readonly seen: VisibleCollection
  readonly version: VersionRow
  readonly roots: ViewRoots
}

/** @throws collection_not_found, version_not_found. */
export async function seeVersion(
  context: Context,
  who: Principal,
  path: VersionPath,
): Promise<VisibleVersion> {
  return versionIn(context, await findVisibleCollection(context, who, path), path.v)
}

/** A version of a collection that is already found: two versions must be read in one view. @throws version_not_found. */
export async function versionIn(
  context: Context,
  seen: VisibleCollection,
  v: string,
): Promise<VisibleVersion> {
  const version = demandReadable(await namedVersion(context, seen, v))
  noticeDeprecation(version)
  return { seen, version, roots: await rootsOf(context, version, seen.view) }
}

/** The row of a version, withdrawn or not. @throws version_not_found. */
export async function namedVersion(
  context: Context,
  seen: VisibleCollection,
  v: string,
): Promise<VersionRow> {
  const version = await resolveVersion(context, seen, v)
  if (version === undefined) {
    const wereWithdrawn = seen.collection.newestWithdrawn !== null
    throw new RegistryError('version_not_found', {
      say: { version: v, isEmpty: seen.head === null, wereWithdrawn },
    })
  }
  noticeVersion(version, v)
  return version
}

/** @throws version_withdrawn */
function demandReadable(version: VersionRow): VersionRow {
  if (version.withdrawnAt === null) return version
  throw refusalOfWithdrawn(version)
}

async function resolveVersion(
  context: Context,
  seen: VisibleCollection,
  requested: string,
): Promise<VersionRow | undefined> {
  if (requested === 'latest') return seen.head ?? undefined
  const semver = parseSemver(requested)
  if (semver !== undefined) {
    if (seen.head !== null && semverOf(seen.head) === formatSemver(semver)) return seen.head
    return findVersionBySemver(context.database, seen.collection.id, semver)
  }
  const digest = parseDigestLabel(requested)
  if (digest === undefined) return undefined
  const view: View = digest.view === 'private' ? 'full' : 'public'
  // The full digest would confirm an outsider's guess at private content.
  if (view === 'full' && seen.view !== 'full') return undefined
  return findVersionByDigest(context.database, seen.collection.id, { view, hash: digest.hash })
}

const newestFirst: PageOrder = {
  name: 'semver',
  read: (text) => (parseSemver(text) === undefined ? undefined : text),
}

export type Versions = ReturnType<typeof versionsOf>

export function versionsOf(context: Context) {
  return {
    /** Newest first. */
    async list(
      who: Principal,
      path: { owner: string; slug: string },
      ask: PageAsk,
    ): Promise<Page<VersionItem>> {
      const seen = await findVisibleCollection(context, who, path)
      const page = await pageOf(
        ask,
        newestFirst,
        ({ beyond, ...slice }) => {
          const place = beyond && parseSemver(String(beyond.value))
          return listVersions(context.database, seen.collection.id, { ...slice, beyond: place })
        },
        (row) => ({ value: semverOf(row), id: row.id }),
      )
      const actorOf = await findActors(context, page.items, seen.view)
      return mapPage(page, (row) => versionItem(row, seen.view, actorOf(row)))
    },

    /**
     * The newest versions with public changes in an account's public collections, as outsiders see them, newest first. Every caller gets
     * the same, members too.
     * @throws account_not_found, MovedError
     */
    async newestPublic(who: Principal, owner: string, limit: number): Promise<OwnedVersionItem[]> {
      const { account } = await findVisibleAccount(context, who, owner)
      const rows = await listNewestPublicVersions(context.database, account.id, limit)
      const actorOf = await findActors(
        context,
        rows.map(({ version }) => version),
        'public',
      )
      return rows.map(({ collectionSlug, version }) => ({
        ...versionItem(version, 'public', actorOf(version)),
        collection: { id: version.collectionId, slug: collectionSlug },
      }))
    },

    /** @throws collection_not_found, version_not_found, version_withdrawn, busy. */
    detail: async (who: Principal, path: VersionPath): Promise<VersionDetail> =>
      detailOf(context, await seeVersion(context, who, path)),
  }
}

/** @throws busy. */
export async function detailOf(
  context: Context,
  { seen, version, roots }: VisibleVersion,
): Promise<VersionDetail> {
  const metadata = await metadataBytes(context, version, seen.view)
  countAnswer(metadata.length)
  const [schemas, actorOf] = await Promise.all([
    schemasOf(context.objects, roots),
    findActors(context, [version], seen.view),
  ])
  const types = Object.entries(roots.types)
  return {
    ...versionItem(version, seen.view, actorOf(version)),
    metadata: new JsonText(metadata),
    schemas: Object.fromEntries(schemas),
    typeCounts: Object.fromEntries(types.map(([type, { count }]) => [type, count])),
    typeRoots: Object.fromEntries(types.flatMap(([type, { root }]) => (root === null ? [] : [[type, root]]))),
    baseSemver: version.baseSemver,
  }
}

function versionItem(version: VersionRow, view: View, actor: Actor | null): VersionItem {
  const [withdrawn, deprecated] = [withdrawalOf(version), deprecationOf(version)]
  const workload = shownWorkload(version, view)
  return {
    semver: semverOf(version),
    ...{ major: version.major, minor: version.minor, patch: version.patch },
    ...(withdrawn && { withdrawn }),
    ...(deprecated && { deprecated }),
    hash: digestOfView(version, view),
    publicHash: digestOfView(version, 'public'),
    ...shownWords(version, view),
    actor,
    ...(workload && { workload }),
    ...shownCounts(version, view),
    createdAt: instantText(version.createdAt),
  }
}
