/**
 * Streams a version from the registry and verifies it: each record must match its hash in the manifest, and the trees of all records, the
 * schemas, the metadata and the files must yield the version's digest. A reader that reaches the end has verified everything.
 */

import { type Client, UlmusError } from '@ulmus/client'
import {
  compareUtf8,
  digestOfTrees,
  type JsonObject,
  parseDigestLabel,
  parseSemver,
  recordOf,
  type Tree,
  type TreeEntry,
  treeOfBatches,
} from '@ulmus/content'
import { countText } from '@ulmus/content/quantities'
import type { ListedRecord, Version, VersionFile } from '@ulmus/wire'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { CommandError } from '../../terminal/failure.ts'
import { shellWord } from '../../terminal/shell-word.ts'
import type { FolderRecord } from '../files/record-line.ts'
import { type BaseVersion, isPublicView } from './state.ts'

/** Collection of a registry, to read versions from. */
export interface VersionSource {
  readonly client: Client
  /** `owner/slug`; the new one after a redirect to it. */
  collection: string
  readonly signal: AbortSignal
}

/** A version without its records. */
export interface VersionHead {
  readonly version: Version
  readonly files: readonly VersionFile[]
}

/** @throws CommandError for an invalid version number or digest, or more files than the version states */
export async function readHead(source: VersionSource, semver: string): Promise<VersionHead> {
  const { client, collection } = source
  const version = await client.versions.get(collection, semver)
  // They are printed and become file names.
  if (parseSemver(version.semver) === undefined || parseDigestLabel(version.hash) === undefined)
    throw tampered(
      `The registry calls a version ${JSON.stringify(version.semver)}, ${JSON.stringify(version.hash)}.`,
    )
  demandNamed(version, semver)
  const files: VersionFile[] = []
  if (version.fileCount > 0)
    for await (const file of client.versions.files(collection, version.semver)) {
      if (files.length >= version.fileCount) throw tooMany('files', version.fileCount)
      files.push(file)
    }
  return { version, files }
}

/** @param named number or digest that the user gave; the client has compared a number */
function demandNamed({ hash, publicHash, semver }: Version, named: string): void {
  const label = parseDigestLabel(named)
  if (label === undefined || hash === named) return
  // Members read the full view, whose digest is another. Only the registry says that both are of one version.
  if (label.view === 'public' && publicHash === named && parseDigestLabel(hash)?.view === 'private') return
  throw tampered(`The registry calls ${semver} ${hash}, not ${named}.`)
}

/**
 * Reads the base version of a folder from its registry. Its number may lead to another version once the registry was restored.
 * @throws CommandError `another_version`, `version_withdrawn`
 */
export async function readBaseVersion(
  { client, collection }: Pick<VersionSource, 'client' | 'collection'>,
  base: BaseVersion,
): Promise<Version> {
  const { semver, digest } = base
  const present = await client.versions.get(collection, semver).catch((error: unknown) => {
    if (!(error instanceof UlmusError)) throw error
    if (error.code === 'version_withdrawn') throw leftBehind(error, collection)
    if (error.code !== 'version_not_found') throw error
    throw anotherVersion(`${collection} no longer has ${semver}, the version of this folder.`, collection)
  })
  const same = isPublicView(base) ? present.publicHash : present.hash
  // Digests of different views cannot be compared.
  if (same !== digest && parseDigestLabel(same)?.view === parseDigestLabel(digest)?.view)
    throw anotherVersion(
      `${semver} of ${collection} is now another version than the one of this folder.`,
      collection,
    )
  return present
}

/**
 * Checks, before an update of the folder or its registry, that the caller sees the base version as it was cloned. Otherwise private and
 * public content would be mixed.
 * @throws CommandError `another_view`, `another_version`, `version_withdrawn`
 */
export async function checkView(
  source: Pick<VersionSource, 'client' | 'collection'>,
  base: BaseVersion,
): Promise<void> {
  const { collection } = source
  const seen = await readBaseVersion(source, base)
  if (parseDigestLabel(seen.hash)?.hash === parseDigestLabel(base.digest)?.hash) return
  const next = [`ulmus clone ${shellWord(collection)}`]
  if (isPublicView(base))
    throw new CommandError(
      `This folder holds only the public view of ${collection}. Pushing it would drop the private data. Clone it again while signed in as a member.`,
      { code: 'another_view', next },
    )
  throw new CommandError(
    `This folder holds private data of ${collection} that you cannot read now. Sign in as a member of its owner.`,
    { exitCode: exitCodes.denied, code: 'another_view', next: ['ulmus login'] },
  )
}

const anotherVersion = (difference: string, collection: string): CommandError =>
  new CommandError(
    `${difference} The registry was perhaps restored from a backup. Nothing was changed. Clone the collection beside this folder, and carry your changes over:`,
    {
      code: 'another_version',
      next: ['ulmus diff    # your changes', `ulmus clone ${shellWord(collection)} ../NEW_FOLDER`],
    },
  )

/** The registry sends no diff from a withdrawn version. */
const leftBehind = (error: UlmusError, collection: string): CommandError =>
  new CommandError(
    `${error.message}\nThis folder is based on it and cannot be updated. Clone the collection again and copy your changes into the new folder.`,
    { code: error.code, next: [`ulmus clone ${shellWord(collection)} FOLDER`], cause: error },
  )

/** Entries of a tree per batch. */
const batchSize = 1_024

/**
 * Reads every record of a version, by type and id, and verifies the digest of the version at the end.
 * @param take called with each record
 * @throws CommandError `not_what_the_digest_says`
 */
export async function readVerified(
  source: VersionSource,
  head: VersionHead,
  take: (type: string, record: FolderRecord) => void,
): Promise<void> {
  const { version, files } = head
  const marks = privateMarks(source, version)
  const trees = new Map<string, Tree>()
  for (const type of Object.keys(version.schemas).sort(compareUtf8)) {
    if (countOf(version, type) === 0) continue
    trees.set(type, await treeOfBatches(entriesOf(source, version, type, marks, take)))
  }
  await marks.finish()
  const parts = {
    schemas: version.schemas as Record<string, JsonObject>,
    metadata: version.metadata as JsonObject,
    files,
  }
  const digest = await digestOfTrees(parseDigestLabel(version.hash)!.view, { ...parts, trees })
  if (digest !== version.hash)
    throw tampered(`The data of ${version.semver} has the digest ${digest}, not ${version.hash} as stated.`)
}

/** Number of records of a type; 0 if the registry names none. */
function countOf({ typeCounts }: Version, type: string): number {
  const count = Object.hasOwn(typeCounts, type) ? typeCounts[type] : undefined
  return Number.isSafeInteger(count) ? count! : 0
}

async function* entriesOf(
  { client, collection, signal }: VersionSource,
  version: Version,
  type: string,
  marks: Marks,
  take: (type: string, record: FolderRecord) => void,
): AsyncGenerator<TreeEntry[], void, undefined> {
  let batch: TreeEntry[] = []
  const most = countOf(version, type)
  let count = 0
  for await (const { id, data, hash } of client.records.ndjson(collection, version.semver, {
    type,
    signal,
  })) {
    // The digest is verified only at the end, and an endless stream would fill the disk.
    if (++count > most) throw tooMany(`records of ${type}`, most)
    const content = recordOf(id, type, data)
    if (content.hash !== hash) throw tampered(`The ${type} ${JSON.stringify(id)} is not what its hash says.`)
    take(type, { id, data, private: await marks.isPrivate(type, id, hash) })
    batch.push({ key: id, hash: content.hash, size: content.size })
    if (batch.length < batchSize) continue
    yield batch
    batch = []
  }
  yield batch
}

interface Marks {
  /** Call it for every record, in order. */
  isPrivate(type: string, id: string, hash: string): Promise<boolean>
  finish(): Promise<void>
}

/** Reads the private marks of records from the manifest. A public view has none, and needs no request. */
function privateMarks({ client, collection, signal }: VersionSource, version: Version): Marks {
  if (parseDigestLabel(version.hash)?.view === 'public')
    return { isPrivate: () => Promise.resolve(false), finish: () => Promise.resolve() }
  const pages = client.versions.manifest(collection, version.semver, { limit: 10_000, signal })
  let page: readonly ListedRecord[] = []
  let index = 0
  return {
    async isPrivate(type, id, hash) {
      while (index >= page.length) {
        const { done, value } = await pages.next()
        if (done === true) throw tampered(`The manifest of ${version.semver} ends before its records.`)
        page = value.records ?? []
        index = 0
      }
      const listed = page[index++]!
      if (listed.type === type && listed.id === id && listed.hash === hash) return listed.private === true
      throw tampered(`The manifest of ${version.semver} lists other records than it has.`)
    },
    async finish() {
      await pages.return()
    },
  }
}

export const tooMany = (what: string, count: number): CommandError =>
  tampered(
    `The registry sends more ${what} than the ${countText(count)} that the version has by its own count.`,
  )

/** Error for data that does not match its digest, hash or count. */
export const tampered = (message: string): CommandError =>
  new CommandError(message, { code: 'not_what_the_digest_says' })
