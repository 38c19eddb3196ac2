/**
 * Content of a version, and the parts of it that a view shows. Answers take a version's digest, counts and texts from the `shown…`
 * functions only: its row has those of both views.
 */

import { AsyncLocalStorage } from 'node:async_hooks'
import {
  digestLabel,
  formatSemver,
  type Hash,
  type JsonObject,
  metadataIn,
  parseDigestLabel,
  parseHash,
  type ViewDocument,
  type ViewRoots,
} from '@ulmus/content'
import { findAccountNames, type VersionRow } from '@ulmus/storage'
import type { Workload } from '@ulmus/wire'
import type { View } from '../access/policy.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import { readSidecar } from './sidecar.ts'

/** Content of a version: the documents of its two views and its sidecar. */
export interface VersionContent {
  readonly full: ViewDocument
  readonly public: ViewDocument
  /** Hash of the sidecar object (`sidecar.ts`). */
  readonly sidecar: Hash
}

/** Parses a hash from a row. */
export const storedHash = (text: string): Hash => {
  const hash = parseHash(text)
  if (hash === undefined) throw new Error(`the database holds ${JSON.stringify(text)} where a hash belongs`)
  return hash
}

/** The document of a view, parsed and cached. Reading only roots is cheaper: `rootsOf`. */
export const documentOf = (context: Context, version: VersionRow, view: View): Promise<ViewDocument> =>
  context.objects.document(storedHash(view === 'full' ? version.fullDigest : version.publicDigest))

/** The trees of a view. */
export const rootsOf = async (context: Context, version: VersionRow, view: View): Promise<ViewRoots> =>
  (await readSidecar(context.objects, storedHash(version.sidecar))).roots[view]

/** The stored document of a view, as bytes. */
export const documentBytes = (context: Context, version: VersionRow, view: View): Promise<Uint8Array> =>
  context.objects.documentBytes(storedHash(view === 'full' ? version.fullDigest : version.publicDigest))

/** The metadata of a version, as JSON text: it may have a MiB, so it is not parsed. */
export async function metadataBytes(context: Context, version: VersionRow, view: View): Promise<Uint8Array> {
  const [bytes, roots] = await Promise.all([
    documentBytes(context, version, view),
    rootsOf(context, version, view),
  ])
  return metadataIn(bytes, roots)
}

/** The whole content of a version, to make another version from it. */
export async function readContent(context: Context, version: VersionRow): Promise<VersionContent> {
  const [full, publicDocument] = await Promise.all([
    documentOf(context, version, 'full'),
    documentOf(context, version, 'public'),
  ])
  return { full, public: publicDocument, sidecar: storedHash(version.sidecar) }
}

/** The digest for readers of a view: `private:…` for members, `public:…` for others. */
export const digestOfView = (version: VersionRow, view: View): string =>
  view === 'full'
    ? digestLabel('private', storedHash(version.fullDigest))
    : digestLabel('public', storedHash(version.publicDigest))

type CountedVersion = Pick<
  VersionRow,
  'fullRecords' | 'fullFiles' | 'fullBytes' | 'publicRecords' | 'publicFiles' | 'publicBytes'
>

/** Counts of a version in a view. `totalBytes`: sizes of records and files together. */
export const shownCounts = (version: CountedVersion, view: View) =>
  view === 'full'
    ? { recordCount: version.fullRecords, fileCount: version.fullFiles, totalBytes: version.fullBytes }
    : { recordCount: version.publicRecords, fileCount: version.publicFiles, totalBytes: version.publicBytes }

/**
 * The message of a version and its app and actor. Hidden from outsiders if only private data changed: they see only a number and
 * a time. Hidden from all for a withdrawn version.
 */
export const shownWords = (version: VersionRow, view: View) =>
  version.withdrawnAt === null && (view === 'full' || version.publicChanged)
    ? { message: version.message, appId: version.appId, actorId: version.actorId }
    : { message: null, appId: null, actorId: null }

/** The job that made a version, if the readers of the view are shown it. */
export function shownWorkload(version: VersionRow, view: View): Workload | undefined {
  const { workload, withdrawnAt, publicChanged } = version
  if (workload === null || withdrawnAt !== null) return undefined
  const isShown = view === 'full' ? workload.shows !== 'none' : publicChanged && workload.shows === 'everyone'
  if (!isShown) return undefined
  const { issuer, kind, subject, claims, run } = workload
  return { issuer, kind, subject, claims: { ...claims }, run }
}

/** Time and reason of a withdrawal, and whether the version is, or will be, erased; undefined if it is readable. */
export const withdrawalOf = ({ withdrawnAt, withdrawnReason, erasure }: VersionRow) =>
  withdrawnAt === null
    ? undefined
    : { at: instantText(withdrawnAt), reason: withdrawnReason ?? '', erase: erasure !== null }

/** Error for readers of a withdrawn version. */
export function refusalOfWithdrawn(version: VersionRow): RegistryError {
  const { at, reason } = withdrawalOf(version)!
  return new RegistryError('version_withdrawn', {
    say: { version: semverOf(version) },
    details: { reason, withdrawnAt: at },
  })
}

/** Time and message of a deprecation; undefined if the version is not deprecated. */
export const deprecationOf = ({ deprecatedAt, deprecation }: VersionRow) =>
  deprecatedAt === null ? undefined : { at: instantText(deprecatedAt), message: deprecation ?? '' }

/** An account that did something, with its current names. */
export interface Actor {
  slug: string
  displayName: string
}

/**
 * Authors of versions; null if the account is gone, or if the version changed only private data and the reader is an outsider.
 * Runs one statement, or none.
 */
export async function findActors(
  { database }: Pick<Context, 'database'>,
  versions: readonly VersionRow[],
  view: View,
): Promise<(version: VersionRow) => Actor | null> {
  const isVisible = ({ publicChanged }: VersionRow) => view === 'full' || publicChanged
  const ids = new Set(versions.filter(isVisible).map(({ madeBy }) => madeBy))
  const names = await findAccountNames(database, [...ids])
  return (version) => (isVisible(version) && names.get(version.madeBy)) || null
}

/** `v1.2.3` of a version row. */
export const semverOf = (version: VersionRow): string => formatSemver(version)

/** The same content with other metadata: two new documents over the same roots. Reads no tree. */
export const withMetadata = (content: VersionContent, metadata: JsonObject): VersionContent => ({
  ...content,
  full: { ...content.full, metadata },
  public: { ...content.public, metadata },
})

/** Totals of all types; bytes of records and files together. */
export function totalsOf(document: ViewRoots): { records: number; bytes: number } {
  const totals = { records: 0, bytes: document.files.bytes }
  for (const type of Object.values(document.types)) {
    totals.records += type.count
    totals.bytes += type.bytes
  }
  return totals
}

/** Facts for the headers of the answer to the current request. */
export interface Notices {
  /** Called for each deprecated version that the request reads. */
  deprecated(since: Date): void
  /** Called for each version that the request names, in order. @param name semver, or the digest that it was named by */
  resolved(name: string): void
}

const running = new AsyncLocalStorage<Notices>()

/** Notifies the current request if the version that it reads is deprecated; ignored outside of `hearingNotices`. */
export function noticeDeprecation({ deprecatedAt }: { readonly deprecatedAt: Date | null }): void {
  if (deprecatedAt !== null) running.getStore()?.deprecated(deprecatedAt)
}

/** Notifies the current request of a version that was looked up by `requested`. */
export const noticeVersion = (version: VersionRow, requested: string): void =>
  running.getStore()?.resolved(parseDigestLabel(requested) === undefined ? semverOf(version) : requested)

/** Runs `work`, which answers a request. */
export const hearingNotices = <T>(notices: Notices, work: () => T): T => running.run(notices, work)
