/** Erasing the files that withdrawn versions alone have: a step of erasure.ts, before the trees that name them go. */
import { isDeepStrictEqual } from 'node:util'
import type { Hash } from '@ulmus/content'
import {
  fileName,
  forgetFile,
  ObjectMissing,
  type ObjectReader,
  openObjectReader,
  passSweepGate,
  recordedFiles,
  sidecarsInFamily,
  type VersionToErase,
} from '@ulmus/storage'
import type { Context } from '../../context.ts'
import { storedHash } from '../../versions/content.ts'
import { readSidecar } from '../../versions/sidecar.ts'
import { allFiles, withoutThoseIn } from '../../withdrawals/left-files.ts'
import { addTo, type Tally } from './unreferenced.ts'

export type SweepContext = Pick<Context, 'database' | 'blobs'>

const cacheBytes = 33_554_432

export const readerOf = ({ database, blobs }: SweepContext): ObjectReader =>
  openObjectReader({ database, blobs, cacheBytesMax: cacheBytes })

/** The files of versions, by version. */
async function filesOf(
  context: SweepContext,
  asked: readonly VersionToErase[],
): Promise<Map<VersionToErase, Hash[]>> {
  const objects = readerOf(context)
  const found = new Map<VersionToErase, Hash[]>()
  for (const version of asked) {
    try {
      const { roots } = await readSidecar(objects, storedHash(version.sidecar))
      found.set(version, await allFiles({ objects }, roots.full.files))
    } catch (error) {
      // They went before the trees, by a sweep that ended before its time.
      if (!(error instanceof ObjectMissing)) throw error
    }
  }
  return found
}

/** @returns versions of which a file stays because something landed meanwhile. */
export async function eraseFiles(
  context: SweepContext,
  asked: readonly VersionToErase[],
  removed: Tally,
): Promise<Set<string>> {
  const objects = readerOf(context)
  const waiting = new Set<string>()
  for (const [{ id, collectionId }, hashes] of await filesOf(context, asked)) {
    const family = await sidecarsInFamily(context.database, collectionId)
    const own = family.get(collectionId) ?? []
    const left = await withoutThoseIn({ objects }, hashes, own, 'full')
    const heirs = new Map([...left].map((hash): [Hash, string[]] => [hash, []]))
    for (const [fork, sidecars] of family) {
      if (fork === collectionId) continue
      const lacked = await withoutThoseIn({ objects }, [...left], sidecars, 'full')
      for (const hash of left) if (!lacked.has(hash)) heirs.get(hash)!.push(fork)
    }
    for (const [hash, forks] of heirs) {
      const gone = await eraseFile(context, { hash, collectionId, family, heirs: forks })
      if (gone === 'waits') waiting.add(id)
      else if (gone !== undefined) addTo(removed, [gone])
    }
  }
  return waiting
}

/** Behind the gate, so that no commit and no upload is recorded meanwhile. Undefined: others have it. */
async function eraseFile(
  { database, blobs }: SweepContext,
  file: {
    hash: Hash
    collectionId: string
    family: ReadonlyMap<string, readonly string[]>
    heirs: readonly string[]
  },
): Promise<{ name: string; bytes: number } | 'waits' | undefined> {
  const forgotten = await database.transact(async (tx) => {
    await passSweepGate(tx, 'sweep')
    if (!isDeepStrictEqual(await sidecarsInFamily(tx, file.collectionId), file.family)) return 'waits'
    return { bytes: await forgetFile(tx, file) }
  })
  if (forgotten === 'waits') return forgotten
  // Bytes that are recorded must be there, however this ends: so they go when that is certain, or by a later sweep, which comes here again.
  return database.transact(async (tx) => {
    await passSweepGate(tx, 'sweep')
    if ((await recordedFiles(tx, [file.hash])).size > 0) return undefined
    const name = fileName(file.hash)
    await blobs.remove(name)
    return forgotten.bytes === undefined ? undefined : { name, bytes: forgotten.bytes }
  })
}
