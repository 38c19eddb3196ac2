/** Collections, their forks and versions. interface.md "Collections", "Fork"; http-api §4, §6, §7, §11. */
import type {
  BrowseQuery,
  CollectionFacetsQuery,
  CreateCollection,
  CreateFork,
  ReportCollection,
  RestoreVersion,
  Schemas,
  UpdateCollection,
  WithdrawVersion,
} from '@ulmus/wire'
import { call, readPage, requestOf } from './calls.ts'
import { type DiffOptions, diffPages, type ManifestOptions, manifestPages } from './differences.ts'
import { everyItem, type PageOptions } from './lists.ts'
import { type CollectionRef, partsOf, versionParts } from './places.ts'
import type { Transport } from './transport.ts'

export type BrowseOptions = Partial<BrowseQuery>
export type CollectionFacetsOptions = Partial<CollectionFacetsQuery>
/** Settings of a new collection. Defaults: `name` is the slug, `public` is false or the organization's setting. */
export type NewCollection = Omit<CreateCollection, 'public'> & { public?: boolean }

export const collectionCalls = (transport: Transport) => ({
  /** A page of the public collections, newest change first. */
  browse: (options: BrowseOptions = {}) =>
    readPage(transport, 'GET /api/collections', {}, { query: options }),
  /** All public collections, page by page. */
  browseAll: (options: BrowseOptions = {}) =>
    everyItem(readPage(transport, 'GET /api/collections', {}, { query: { limit: 100, ...options } })),
  /** Counts public collections by license, size, type and owner. */
  facets: (options: CollectionFacetsOptions = {}) =>
    call(transport, 'GET /api/collections/facets', {}, { query: options }),
  /** @throws slug_taken, invalid_slug, not_a_member, key_limited */
  create: (owner: string, collection: NewCollection) =>
    call(transport, 'POST /api/accounts/:owner/collections', { owner }, { json: collection }),
  /** @throws collection_not_found, also for a collection that is hidden from the caller */
  get: async (ref: CollectionRef) => call(transport, 'GET /api/collections/:owner/:slug', partsOf(ref)),
  /**
   * `warnings` of the answer, and with `dryRun` of a check that changes nothing: what older versions show once the collection
   * is public.
   */
  update: async (
    ref: CollectionRef,
    changes: UpdateCollection,
    { dryRun = false }: { dryRun?: boolean } = {},
  ) =>
    call(transport, 'PATCH /api/collections/:owner/:slug', partsOf(ref), {
      ...{ json: changes, query: dryRun ? { dry_run: true } : {} },
    }),
  remove: async (ref: CollectionRef) => call(transport, 'DELETE /api/collections/:owner/:slug', partsOf(ref)),
  /** A page of an account's collections; callers who are not members see public ones and those that they have a grant on. */
  list: (owner: string, options: PageOptions = {}) =>
    readPage(transport, 'GET /api/accounts/:owner/collections', { owner }, { query: options }),
  listAll: (owner: string) =>
    everyItem(
      readPage(transport, 'GET /api/accounts/:owner/collections', { owner }, { query: { limit: 100 } }),
    ),
  /**
   * Forks the latest version into an organization, or the account of the caller. `view: 'public'` leaves out private content, so that every
   * reader of a public collection may.
   * @throws private_content, no_versions, slug_taken, not_a_member
   */
  fork: async (source: CollectionRef, fork: CreateFork) =>
    call(transport, 'POST /api/collections/:owner/:slug/fork', partsOf(source), { json: fork }),
  /** Source and forks, and how many versions each fork is behind. */
  family: async (ref: CollectionRef) =>
    call(transport, 'GET /api/collections/:owner/:slug/family', partsOf(ref)),
  /** Tells the operators of the registry what is wrong with a collection. @throws too_many_reports */
  report: async (ref: CollectionRef, report: ReportCollection) =>
    call(transport, 'POST /api/collections/:owner/:slug/report', partsOf(ref), { json: report }),
  /** Transfers a collection to another account; its former address redirects. @throws insufficient_role, not_a_member, slug_taken */
  transfer: async (ref: CollectionRef, to: string) =>
    call(transport, 'POST /api/collections/:owner/:slug/transfer', partsOf(ref), { json: { to } }),
})

/** Reads a version in detail. Other calls of the client use it, too. */
export const readVersion = async (
  transport: Transport,
  ref: CollectionRef,
  version: string,
  signal?: AbortSignal,
) => call(transport, 'GET /api/collections/:owner/:slug/versions/:v', versionParts(ref, version), { signal })

export const versionCalls = (transport: Transport) => ({
  /** A page of the versions, newest first. */
  list: (ref: CollectionRef, options: PageOptions = {}) =>
    readPage(transport, 'GET /api/collections/:owner/:slug/versions', partsOf(ref), { query: options }),
  listAll: (ref: CollectionRef) =>
    everyItem(
      readPage(transport, 'GET /api/collections/:owner/:slug/versions', partsOf(ref), {
        query: { limit: 100 },
      }),
    ),
  /** Shares of changed values by version and column, of the newest versions. */
  strip: async (ref: CollectionRef) =>
    call(transport, 'GET /api/collections/:owner/:slug/versions/strip', partsOf(ref)),
  /** A version in detail. `version`: `latest` (the default), a semver or a digest. @throws version_not_found */
  get: (ref: CollectionRef, version = 'latest') => readVersion(transport, ref, version),
  /** Makes a version permanently unreadable. With `erase`, also deletes the data that only it has. @throws insufficient_role */
  withdraw: async (ref: CollectionRef, version: string, withdrawal: WithdrawVersion) =>
    call(transport, 'POST /api/collections/:owner/:slug/versions/:v/withdraw', versionParts(ref, version), {
      json: withdrawal,
    }),
  /** Publishes the content of an earlier version again. @throws version_withdrawn, private_field_made_public, private_record_made_public */
  restore: async (ref: CollectionRef, version: string, options: RestoreVersion = {}) =>
    call(transport, 'POST /api/collections/:owner/:slug/versions/:v/restore', versionParts(ref, version), {
      json: options,
    }),
  /** Warns the version's readers; null removes the warning. @throws insufficient_role, version_withdrawn */
  deprecate: async (ref: CollectionRef, version: string, message: string | null) =>
    call(transport, 'POST /api/collections/:owner/:slug/versions/:v/deprecate', versionParts(ref, version), {
      json: { message },
    }),
  /** The JSON Schema of each type. */
  schemas: async (ref: CollectionRef, version = 'latest') =>
    (await readVersion(transport, ref, version)).schemas as Schemas,
  /** Files of a version, with the records that refer to each. */
  files: (ref: CollectionRef, version = 'latest') =>
    everyItem(
      readPage(transport, 'GET /api/collections/:owner/:slug/versions/:v/files', versionParts(ref, version)),
    ),
  /** Manifest of a version by hash, or with `since` its changes, page by page. */
  manifest: (ref: CollectionRef, version = 'latest', options: ManifestOptions = {}) =>
    manifestPages(transport, ref, version, options),
  /** Differences between two versions, with the data of both sides, page by page. Either may be the newer. */
  diff: (ref: CollectionRef, from: string, to = 'latest', options: DiffOptions = {}) =>
    diffPages(transport, ref, { from, to }, options),
  /**
   * Downloads a version as `.tar.gz`. The body is not buffered, since it may not fit in memory; reading it rejects if the
   * connection breaks off. @throws version_not_found
   */
  export: async (ref: CollectionRef, version = 'latest', signal?: AbortSignal): Promise<Response> => {
    const request = requestOf('GET /api/collections/:owner/:slug/export', partsOf(ref), {
      query: { version },
      signal,
    })
    return (await transport.open(request)).response
  },
})
