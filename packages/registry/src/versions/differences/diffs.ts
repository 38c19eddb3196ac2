/** Differences between two versions, with the data of both (http-api §7), made of stored canonical forms. */

import { documentDigest, emptyTree, type Hash, type ViewRoots } from '@ulmus/content'
import { findVersionBefore } from '@ulmus/storage'
import type { VersionPath } from '@ulmus/wire'
import {
  findNamedCollection,
  findVisibleCollection,
  type VisibleCollection,
} from '../../access/find-collection.ts'
import type { JsonText } from '../../answers/json-text.ts'
import { readCursor } from '../../answers/places.ts'
import { counting, readerOf } from '../../budgets/answer-budget.ts'
import type { Context } from '../../context.ts'
import type { Principal } from '../../principal.ts'
import { digestOfView, metadataBytes, semverOf } from '../content.ts'
import { describeSchemaChanges, type TypeChanges } from '../schema-changes.ts'
import { type VisibleVersion, versionIn } from '../versions.ts'
import { countDifferences, type DifferenceTotals, differenceReader, fileDifferences } from './changes.ts'
import { lineOf, type ReadDifference, type RecordChange } from './difference-forms.ts'
import { type PageAsk, readPage, type ViewPair } from './difference-pages.ts'
import { type DiffSummary, SummaryCache } from './difference-summary.ts'

export interface DiffAsk extends Omit<PageAsk, 'reader'> {
  /**
   * The first version: `latest`, a semver or a digest; for another collection, prefixed with `owner/slug@`. Absent: the version before, or
   * nothing if there is none.
   */
  from?: string
  /** `nextCursor` of a page, or base64url of JCS([type, id]). */
  cursor?: string
  /** 1 – 2,000, of added, updated and removed together. A page of large records has fewer (`pageBytesMax`). */
  limit: number
}

export type { RecordChange } from './difference-forms.ts'

/** Page of a difference. Its fields are public: change them together with packages/wire/src/diffs.ts. */
export interface DiffPage {
  /** Semvers; `from` has the prefix `owner/slug@` if it is of another collection. Null: nothing. */
  from: string | null
  to: string
  /** Each `{id, type, hash, data}`. */
  added: JsonText[]
  /** Each `{id, type, hash, data, previousHash, previousData}`. */
  updated: JsonText[]
  removed: NonNullable<ReadDifference['removed']>[]
  /** With `withRemoved`, which is not in the API: canonical forms of the removed records. */
  removedRecords?: JsonText[]
  pagination: { limit: number; hasMore: boolean; nextCursor: string | null }
  /** Facts about the whole difference. Optional fields are only on the first page, the one without a cursor. */
  meta: {
    /** Null: too many to count (`countDifferences`). */
    totals?: DifferenceTotals | null
    schemasChanged: boolean
    metadataChanged: boolean
    filesAdded?: string[]
    filesRemoved?: string[]
    /** Changes of types and their schemas, in words. */
    schemaChanges?: TypeChanges[]
    /** Part of the version number that the difference raises, and the reason. */
    level?: Level
    reason?: string
  }
}

type Level = keyof typeof reasons

const reasons = {
  major: 'The types or their schemas differ.',
  minor: 'Records or files differ; types and schemas do not.',
  patch: 'Only metadata differ.',
  none: 'Nothing differs that you may read.',
}

export type Diffs = ReturnType<typeof diffsOf>

export function diffsOf(context: Context) {
  const summaries = new SummaryCache()
  return {
    /**
     * A page of the differences from one version to another; either may be newer, and the first may be of another collection.
     * Reads both in the caller's view, or in the public one if the caller sees either only in that.
     * @throws collection_not_found, version_not_found, invalid_request for a malformed cursor, busy.
     */
    async page(who: Principal, path: VersionPath, ask: DiffAsk): Promise<DiffPage> {
      const { from, to, other } = await pairOf(context, who, path, ask.from)
      const beyond = ask.cursor === undefined ? undefined : readCursor(ask.cursor, 'cursor')
      const pair = viewsOf(from, to)
      const reader = readerOf(who)
      const { nextCursor, differences } = await readPage(context, pair, beyond, { ...ask, reader })
      const page = {
        added: textsOf(differences, 'added'),
        updated: textsOf(differences, 'updated'),
        removed: differences.flatMap(({ removed }) => removed ?? []),
      }
      const meta = await metaOf(context, from, to)
      const isFirst = beyond === undefined
      const isAll = [ask.type, ask.change, ask.column, ask.id].every((filter) => filter === undefined)
      return {
        from: from && `${other === undefined ? '' : placeOf(other.seen)}${semverOf(from.version)}`,
        to: semverOf(to.version),
        ...page,
        ...(ask.withRemoved && { removedRecords: textsOf(differences, 'removed') }),
        pagination: { limit: ask.limit, hasMore: nextCursor !== null, nextCursor },
        meta: isFirst
          ? {
              ...meta,
              ...(await wholeOf(context, pair, isAll && nextCursor === null ? page : undefined, {
                reader,
                ...meta,
              })),
            }
          : meta,
      }
    },

    /**
     * Numbers of changed records by type and of changed cells by column, of as many of the first differences as one scan reads.
     * Reads both versions in the same view as `page`.
     * @throws collection_not_found, version_not_found, busy.
     */
    async summary(who: Principal, path: VersionPath, requested: string): Promise<DiffSummary> {
      const { from, to } = await pairOf(context, who, path, requested)
      return summaries.read(context, viewsOf(from, to), readerOf(who))
    },

    /**
     * All differing records, as NDJSON by type, then id: `{change, id, type, hash, …}`, with the same data as a page. `hash`
     * identifies the two versions in the caller's view.
     * @throws collection_not_found, version_not_found
     */
    async stream(
      who: Principal,
      path: VersionPath,
      ask: Pick<DiffAsk, 'from' | 'type' | 'change'>,
    ): Promise<{ hash: string; lines: AsyncGenerator<Uint8Array> }> {
      const { from, to } = await pairOf(context, who, path, ask.from)
      const pair = viewsOf(from, to)
      const whole = { ...ask, limit: streamedAtOnce, reader: readerOf(who) }
      const hash = [from, to].map((one) => one && digestOfView(one.version, one.seen.view)).join(' ')
      return { hash, lines: linesOf(context, pair, whole) }
    },
  }
}

/** Differences that a stream reads in one step. */
const streamedAtOnce = 200

async function* linesOf(
  context: Context,
  pair: ViewPair,
  ask: DiffAsk & { reader: string },
): AsyncGenerator<Uint8Array> {
  let cursor: string | null | undefined
  while (cursor !== null) {
    const beyond = cursor === undefined ? undefined : readCursor(cursor, 'cursor')
    // A stream has a fixed cost, whatever its length: see `AnswerBudget.stream`.
    const { differences, nextCursor } = await counting(
      () => {},
      () => readPage(context, pair, beyond, ask),
    )
    if (differences.length > 0) yield Buffer.concat(differences.flatMap(lineOf))
    cursor = nextCursor
  }
}

/** Both versions in the caller's view; in the public one if the caller sees either only in that. */
async function pairOf(context: Context, who: Principal, path: VersionPath, requested: string | undefined) {
  const seen = await findVisibleCollection(context, who, path)
  const other = requested === undefined ? undefined : await seeOther(context, who, requested)
  const view = other === undefined || other.seen.view === seen.view ? seen.view : 'public'
  const to = await versionIn(context, { ...seen, view }, path.v)
  const v = other?.v ?? requested ?? (await semverBefore(context, to))
  const from = v === null ? null : await versionIn(context, { ...(other?.seen ?? seen), view }, v)
  return { from, to, other }
}

async function semverBefore(context: Context, { version }: VisibleVersion): Promise<string | null> {
  const before = await findVersionBefore(context.database, version)
  return before === undefined ? null : semverOf(before)
}

const nothing: ViewRoots = Object.freeze({ files: emptyTree, types: {} })

const viewsOf = (from: VisibleVersion | null, to: VisibleVersion): ViewPair => ({
  from: from?.roots ?? nothing,
  to: to.roots,
})

/**
 * The collection and version in `owner/slug@v1.0.0`; undefined if no other collection is named.
 * @throws collection_not_found
 */
async function seeOther(
  context: Context,
  who: Principal,
  requested: string,
): Promise<{ seen: VisibleCollection; v: string } | undefined> {
  const [, owner, slug, v] = /^([^/@]+)\/([^/@]+)@(.+)$/.exec(requested) ?? []
  if (owner === undefined || slug === undefined || v === undefined) return undefined
  return { seen: await findNamedCollection(context, who, { owner, slug }), v }
}

const placeOf = ({ owner, collection }: VisibleCollection) => `${owner.slug}/${collection.slug}@`

const textsOf = (differences: readonly ReadDifference[], change: RecordChange): JsonText[] =>
  differences.flatMap((one) => (one.change === change ? one.text! : []))

/** Summary of the whole difference for its first page. @param page the whole difference, if one page has it */
async function wholeOf(
  context: Context,
  { from, to }: ViewPair,
  page: Pick<DiffPage, 'added' | 'updated' | 'removed'> | undefined,
  {
    reader,
    schemasChanged,
    metadataChanged,
  }: { reader: string; schemasChanged: boolean; metadataChanged: boolean },
) {
  const totals =
    page === undefined
      ? await countDifferences(differenceReader(context, reader), from, to)
      : { added: page.added.length, updated: page.updated.length, removed: page.removed.length }
  const files = await fileDifferences(context.objects, from, to)
  const schemaChanges = schemasChanged ? await describeSchemaChanges(context.objects, from, to) : []
  const isContent =
    totals === null ||
    [totals.added, totals.updated, totals.removed, files.added.length, files.removed.length].some(Boolean)
  const level: Level = schemasChanged ? 'major' : isContent ? 'minor' : metadataChanged ? 'patch' : 'none'
  const facts = { totals, filesAdded: files.added, filesRemoved: files.removed, schemaChanges }
  return { ...facts, level, reason: reasons[level] }
}

async function metaOf(context: Context, from: VisibleVersion | null, to: VisibleVersion) {
  return {
    schemasChanged: schemasOf(from?.roots ?? nothing) !== schemasOf(to.roots),
    metadataChanged: await metadataDiffers(context, from, to),
  }
}

/** Compares the texts: each may have a MiB. */
async function metadataDiffers(
  context: Context,
  from: VisibleVersion | null,
  to: VisibleVersion,
): Promise<boolean> {
  if (from?.version.id === to.version.id) return false
  const [one, other] = await Promise.all(
    [from, to].map((side) =>
      side === null ? noMetadata : metadataBytes(context, side.version, side.seen.view),
    ),
  )
  return Buffer.compare(one!, other!) !== 0
}

const noMetadata = Buffer.from('{}')

/** Hash of a view's types and their schemas only. */
const schemasOf = ({ types }: ViewRoots): Hash =>
  documentDigest({
    files: emptyTree,
    metadata: {},
    types: Object.fromEntries(
      Object.entries(types).map(([type, { schema }]) => [type, { schema, ...emptyTree }]),
    ),
  })
