/** Reads the registry's diff from the base to another version, and applies it to the base's records. */
import { compareUtf8, type Json, parseDigestLabel, recordOf } from '@ulmus/content'
import type { DiffPage, Manifest } from '@ulmus/wire'
import { type BaseChange, BaseWriter } from '../base/base-writer.ts'
import type { BaseVersion } from '../base/state.ts'
import { tampered, tooMany, type VersionHead, type VersionSource } from '../base/verified-version.ts'
import type { Staging } from '../files/staging.ts'

/** A record that differs in the other version. */
interface Incoming extends BaseChange {
  readonly type: string
}

/**
 * Stages the base's records of the other version, for every type with a difference.
 * @returns the types, in order
 */
export async function stageIncoming(
  staging: Staging,
  source: VersionSource,
  base: BaseVersion | null,
  head: VersionHead,
  onProgress: (records: number) => void,
): Promise<string[]> {
  const types: string[] = []
  // Each difference concerns a record of one of the versions, so this bound stops an endless stream before it fills the disk.
  const most = (base?.recordCount ?? 0) + head.version.recordCount
  let writer: BaseWriter | undefined
  let records = 0
  for await (const change of base === null ? everything(source, head) : incoming(source, base, head)) {
    if (++records > most) throw tooMany('records', most)
    if (writer?.type !== change.type) {
      writer?.finish()
      writer = new BaseWriter(staging, change.type)
      types.push(change.type)
    }
    writer.apply(change)
    if (records % 1_000 === 0) onProgress(records)
  }
  writer?.finish()
  onProgress(records)
  return types
}

async function* everything({ client, collection, signal }: VersionSource, { version }: VersionHead) {
  const options = { limit: 10_000, signal }
  const marks = hasMarks(version.hash)
    ? listed(client.versions.manifest(collection, version.semver, options))
    : undefined
  for await (const { id, type, data, hash } of client.records.ndjson(collection, version.semver, {
    signal,
  })) {
    checkHash(type, id, data, hash)
    const mark = (await marks?.next())?.value
    yield { type, id, data, isRemoved: false, private: mark?.isPrivate ?? false }
  }
}

const hasMarks = (digest: string): boolean => parseDigestLabel(digest)?.view === 'private'

/** A difference of data or of private marks. */
interface Named {
  readonly type: string
  readonly id: string
}

/** Differences of data, joined with those of private marks, by type and id. The diff of data does not contain marks. */
async function* incoming(
  { client, collection, signal }: VersionSource,
  base: BaseVersion,
  { version }: VersionHead,
): AsyncGenerator<Incoming, void, undefined> {
  const differences = differing(
    client.versions.diff(collection, base.semver, version.semver, { limit: 2_000, signal }),
  )
  const marks = hasMarks(version.hash)
    ? listed(
        client.versions.manifest(collection, version.semver, { since: base.semver, limit: 10_000, signal }),
      )
    : undefined
  let difference = await differences.next()
  let mark = await marks?.next()
  while (difference.done !== true || mark?.done === false) {
    const order =
      difference.done === true
        ? 1
        : mark === undefined || mark.done === true
          ? -1
          : compareNamed(difference.value, mark.value)
    const marked = order >= 0 && mark?.done === false ? mark.value : undefined
    const isPrivate = marked?.isPrivate ?? false
    if (order <= 0 && difference.done !== true) yield { ...difference.value, private: isPrivate }
    else if (marked !== undefined)
      yield { type: marked.type, id: marked.id, isRemoved: marked.isRemoved, private: isPrivate }
    if (order <= 0) difference = await differences.next()
    if (order >= 0) mark = await marks?.next()
  }
}

const compareNamed = (a: Named, b: Named): number => compareUtf8(a.type, b.type) || compareUtf8(a.id, b.id)

async function* differing(pages: AsyncIterable<DiffPage>) {
  for await (const { added, updated, removed } of pages) {
    const present = [...added, ...updated].map(({ type, id, data, hash }) => {
      checkHash(type, id, data as Json, hash)
      return { type, id, data: data as Json, isRemoved: false }
    })
    const gone = removed.map(({ type, id }) => ({ type, id, isRemoved: true }))
    yield* [...present, ...gone].sort(compareNamed)
  }
}

async function* listed(pages: AsyncIterable<Manifest>) {
  for await (const { records = [], delta } of pages) {
    const { added, updated, removed } = delta ?? { added: records, updated: [], removed: [] }
    const present = [...added, ...updated].map((one) => ({
      type: one.type,
      id: one.id,
      isRemoved: false,
      isPrivate: one.private === true,
    }))
    const gone = removed.map(({ type, id }) => ({ type, id, isRemoved: true, isPrivate: false }))
    yield* [...present, ...gone].sort(compareNamed)
  }
}

function checkHash(type: string, id: string, data: Json, hash: string): void {
  if (recordOf(id, type, data).hash !== hash)
    throw tampered(`The ${type} ${JSON.stringify(id)} is not what its hash says.`)
}
