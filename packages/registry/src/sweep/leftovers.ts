/** Blobs that nothing refers to: of commits, pushes and uploads that came to nothing. */
import { parseHash } from '@ulmus/content'
import {
  filesPrefix,
  type ListedBlob,
  livePushes,
  packsPrefix,
  passSweepGate,
  recordedFiles,
  recordedPacks,
} from '@ulmus/storage'
import type { Context } from '../context.ts'

type Stores = Pick<Context, 'database' | 'blobs'>

export interface Removed {
  blobs: number
  bytes: number
}

const namesAtOnce = 1_000
/** Of uploads: while they are looked at and removed, no commit and no upload is recorded. */
const uploadsAtOnce = 50
const allRuns = 'runs/'

/** Everything under `prefix` that was last written before `before`, some at a time. */
async function* listedBefore(stores: Stores, prefix: string, before: Date): AsyncGenerator<ListedBlob[]> {
  let page: ListedBlob[] = []
  for await (const blob of stores.blobs.list(prefix)) {
    if (blob.modifiedAt >= before) continue
    page.push(blob)
    if (page.length < namesAtOnce) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}

async function remove(stores: Stores, blobs: readonly ListedBlob[], removed: Removed): Promise<void> {
  for (const { name, bytes } of blobs) {
    await stores.blobs.remove(name)
    removed.blobs++
    removed.bytes += bytes
  }
}

/**
 * Removes what was last written before `before` and belongs to nothing: packs that no commit recorded, unless one that began before
 * they were written is under way; what ended push sessions had received; uploads that were never recorded as files.
 */
export async function removeLeftovers(stores: Stores, before: Date): Promise<Removed> {
  const removed: Removed = { blobs: 0, bytes: 0 }
  const { ids, oldestCommit } = await livePushes(stores.database)
  const packsBefore = oldestCommit !== undefined && oldestCommit < before ? oldestCommit : before
  for await (const page of listedBefore(stores, packsPrefix, packsBefore)) {
    const names = page.map(({ name }) => name)
    const recorded = await recordedPacks(stores.database, names)
    await remove(
      stores,
      page.filter(({ name }) => !recorded.has(name)),
      removed,
    )
  }
  for await (const page of listedBefore(stores, allRuns, before)) {
    await remove(
      stores,
      page.filter(({ name }) => !ids.has(name.split('/')[1]!)),
      removed,
    )
  }
  for await (const page of listedBefore(stores, filesPrefix, before)) {
    await removeUnrecordedFiles(stores, page, before, removed)
  }
  return removed
}

const hashIn = (name: string): string => name.slice(name.lastIndexOf('/') + 1)

/**
 * An upload stores its bytes, then records them in a transaction that passes the gate and makes sure that they are there
 * (`files.ts`). So, while the gate is ours, what is not recorded and was not written anew is nobody's.
 */
async function removeUnrecordedFiles(
  stores: Stores,
  page: readonly ListedBlob[],
  before: Date,
  removed: Removed,
): Promise<void> {
  const hashes = page.map(({ name }) => hashIn(name)).filter((hash) => parseHash(hash) !== undefined)
  const recorded = await recordedFiles(stores.database, hashes)
  const suspects = page.filter(({ name }) => !recorded.has(hashIn(name)))
  for (let i = 0; i < suspects.length; i += uploadsAtOnce) {
    await removeStillUnrecorded(stores, suspects.slice(i, i + uploadsAtOnce), before, removed)
  }
}

async function removeStillUnrecorded(
  stores: Stores,
  suspects: readonly ListedBlob[],
  before: Date,
  removed: Removed,
): Promise<void> {
  await stores.database.transact(async (tx) => {
    await passSweepGate(tx, 'sweep')
    const since = await recordedFiles(
      tx,
      suspects.map(({ name }) => hashIn(name)),
    )
    for (const suspect of suspects) {
      if (since.has(hashIn(suspect.name))) continue
      for await (const now of stores.blobs.list(suspect.name)) {
        if (now.name === suspect.name && now.modifiedAt < before) await remove(stores, [now], removed)
      }
    }
  })
}
