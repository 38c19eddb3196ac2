/**
 * Erases the files of withdrawn versions. A file stays in the collection if another of its versions has it, and in the store if
 * another collection has it. Forks that inherited a file get a record of their own.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Hash } from '@ulmus/content'
import {
  fileName,
  forgetFile,
  ObjectMissingError,
  type ObjectReader,
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

type Stores = Pick<Context, 'database' | 'blobs' | 'objects'>

/** Files of the versions, by version. */
export async function filesOf(
  objects: ObjectReader,
  requested: readonly VersionToErase[],
): Promise<Map<VersionToErase, Hash[]>> {
  const found = new Map<VersionToErase, Hash[]>()
  for (const version of requested) {
    try {
      const { roots } = await readSidecar(objects, storedHash(version.sidecar))
      found.set(version, await allFiles({ objects }, roots.full.files))
    } catch (error) {
      // An interrupted sweep has erased the files, and then the trees.
      if (!(error instanceof ObjectMissingError)) throw error
    }
  }
  return found
}

/**
 * Erases files.
 * @param removed tally to which the removed files are added
 * @returns ids of versions with a file that stays because other data landed meanwhile.
 */
export async function eraseFiles(
  context: Stores,
  files: ReadonlyMap<VersionToErase, readonly Hash[]>,
  removed: Tally,
): Promise<Set<string>> {
  const waiting = new Set<string>()
  for (const [{ id, collectionId }, hashes] of files) {
    const family = await sidecarsInFamily(context.database, collectionId)
    const own = family.get(collectionId) ?? []
    const left = await withoutThoseIn(context, hashes, own, 'full')
    const heirs = new Map([...left].map((hash): [Hash, string[]] => [hash, []]))
    for (const [fork, sidecars] of family) {
      if (fork === collectionId) continue
      const lacked = await withoutThoseIn(context, [...left], sidecars, 'full')
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

/**
 * Runs behind the gate, so that no commit and no upload is recorded meanwhile. Deletes rows before bytes, so that no row ever
 * names a missing file; the next sweep resumes an interrupted removal. Returns `waits` if other data landed meanwhile, undefined
 * if other collections have the file.
 */
async function eraseFile(
  { database, blobs }: Stores,
  file: {
    hash: Hash
    collectionId: string
    family: ReadonlyMap<string, readonly string[]>
    heirs: readonly string[]
  },
): Promise<{ name: string; bytes: number } | 'waits' | undefined> {
  const isForgotten = await database.transact(async (tx) => {
    await passSweepGate(tx, 'sweep')
    if (!isDeepStrictEqual(await sidecarsInFamily(tx, file.collectionId), file.family)) return false
    await forgetFile(tx, file)
    return true
  })
  if (!isForgotten) return 'waits'
  return database.transact(async (tx) => {
    await passSweepGate(tx, 'sweep')
    if ((await recordedFiles(tx, [file.hash])).size > 0) return undefined
    const name = fileName(file.hash)
    const bytes = await blobs.size(name)
    if (bytes === undefined) return undefined
    await blobs.remove(name)
    return { name, bytes }
  })
}
