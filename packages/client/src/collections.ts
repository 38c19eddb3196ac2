/** Collections, their forks and versions. interface.md "Collections", "Fork"; http-api §4, §6, §7, §11. */
import type {
  BrowseQuery,
  Collection,
  CollectionItem,
  CreateCollection,
  CreatedCollection,
  CreateFork,
  Done,
  Fork,
  OwnedCollection,
  Schemas,
  TransferredCollection,
  UpdateCollection,
  Version,
  VersionFile,
  VersionItem,
  WithdrawnVersion,
  WithdrawVersion,
} from '@ulmus/wire'
import { type DiffOptions, diffPages, type ManifestOptions, manifestPages } from './differences.ts'
import { everyItem, type PageOptions, readPage } from './lists.ts'
import { accountPlace, type CollectionRef, collectionPlace, versionPlace } from './places.ts'
import type { Transport } from './transport.ts'

export type BrowseOptions = Partial<BrowseQuery>
/** Settings of a new collection. Defaults: `name` is the slug, `public` is false or the organization's setting. */
export type NewCollection = Omit<CreateCollection, 'public'> & { public?: boolean }

export const collectionCalls = (transport: Transport) => {
  const ownedBy = (owner: string) => `${accountPlace(owner)}/collections`
  return {
    /** A page of the public collections, newest change first. */
    browse: (options: BrowseOptions = {}) =>
      readPage<CollectionItem>(transport, '/api/collections', { ...options }),
    /** All of them, page by page. */
    browseAll: (options: BrowseOptions = {}) =>
      everyItem(readPage<CollectionItem>(transport, '/api/collections', { limit: 100, ...options })),
    /** @throws slug_taken, invalid_slug, not_a_member, key_limited */
    create: async (owner: string, collection: NewCollection) =>
      (await transport.json<CreatedCollection>({ method: 'POST', path: ownedBy(owner), json: collection }))
        .body,
    /** @throws collection_not_found, also for what the caller may not see */
    get: async (ref: CollectionRef) =>
      (await transport.json<Collection>({ path: collectionPlace(ref) })).body,
    update: async (ref: CollectionRef, changes: UpdateCollection) =>
      (await transport.json<Done>({ method: 'PATCH', path: collectionPlace(ref), json: changes })).body,
    remove: async (ref: CollectionRef) =>
      (await transport.json<Done>({ method: 'DELETE', path: collectionPlace(ref) })).body,
    /** A page of an account's collections; to others than its members, of the public ones. */
    list: (owner: string, options: PageOptions = {}) =>
      readPage<OwnedCollection>(transport, ownedBy(owner), { ...options }),
    listAll: (owner: string) =>
      everyItem(readPage<OwnedCollection>(transport, ownedBy(owner), { limit: 100 })),
    /** Forks the latest version into an organization. @throws private_content, no_versions, slug_taken, not_a_member */
    fork: async (source: CollectionRef, fork: CreateFork) =>
      (await transport.json<Fork>({ method: 'POST', path: `${collectionPlace(source)}/fork`, json: fork }))
        .body,
    /** Gives a collection to another account; the former address leads on. @throws insufficient_role, not_a_member, slug_taken */
    transfer: async (ref: CollectionRef, to: string) => {
      const call = { method: 'POST', path: `${collectionPlace(ref)}/transfer`, json: { to } } as const
      return (await transport.json<TransferredCollection>(call)).body
    },
  }
}

export const versionCalls = (transport: Transport) => ({
  /** A page of the versions, newest first. */
  list: (ref: CollectionRef, options: PageOptions = {}) =>
    readPage<VersionItem>(transport, `${collectionPlace(ref)}/versions`, { ...options }),
  listAll: (ref: CollectionRef) =>
    everyItem(readPage<VersionItem>(transport, `${collectionPlace(ref)}/versions`, { limit: 100 })),
  /** A version in detail. `version`: `latest` (the default), a semver or a digest. @throws version_not_found */
  get: async (ref: CollectionRef, version = 'latest') =>
    (await transport.json<Version>({ path: versionPlace(ref, version) })).body,
  /** Makes a version unreadable, permanently. With `erase`, also deletes the data that only it has. @throws insufficient_role */
  withdraw: async (ref: CollectionRef, version: string, withdrawal: WithdrawVersion) => {
    const call = {
      method: 'POST',
      path: `${versionPlace(ref, version)}/withdraw`,
      json: withdrawal,
    } as const
    return (await transport.json<WithdrawnVersion>(call)).body
  },
  /** Warns its readers; null takes the warning back. @throws insufficient_role, version_withdrawn */
  deprecate: async (ref: CollectionRef, version: string, message: string | null) => {
    const call = {
      method: 'POST',
      path: `${versionPlace(ref, version)}/deprecate`,
      json: { message },
    } as const
    return (await transport.json<Done>(call)).body
  },
  /** The JSON Schema of each type. */
  schemas: async (ref: CollectionRef, version = 'latest') =>
    (await transport.json<Version>({ path: versionPlace(ref, version) })).body.schemas as Schemas,
  /** The files of a version, and which of its records refer to each. */
  files: (ref: CollectionRef, version = 'latest') =>
    everyItem(readPage<VersionFile>(transport, `${versionPlace(ref, version)}/files`, {})),
  /** Manifest of a version, by hash, or with `since` its changes, page by page. */
  manifest: (ref: CollectionRef, version = 'latest', options: ManifestOptions = {}) =>
    manifestPages(transport, ref, version, options),
  /** Differences between two versions, with the data on both sides, page by page. Either may be the newer. */
  diff: (ref: CollectionRef, from: string, to = 'latest', options: DiffOptions = {}) =>
    diffPages(transport, ref, { from, to }, options),
  /**
   * Downloads a version as `.tar.gz`. The body is not buffered, since it may not fit in memory; reading it rejects if the
   * connection breaks off. @throws version_not_found
   */
  export: async (ref: CollectionRef, version = 'latest', signal?: AbortSignal): Promise<Response> =>
    (await transport.open({ path: `${collectionPlace(ref)}/export`, query: { version }, signal })).response,
})
