/**
 * Rebuilds the index from the packs' footers alone (content-model §8), after the index was lost or damaged: `ulmus-server fsck
 * --rebuild-index`.
 */
import {
  BlobMissingError,
  checkedObjects,
  type FoundPack,
  inlinePacksLeft,
  PackCorruptError,
  type PackEntry,
  packsPrefix,
  putInlinePacks,
  readFooter,
  rebuildIndex,
} from '@ulmus/storage'
import type { SweepContext } from '../sweep.ts'
import type { Damage } from './damage.ts'

export interface RebuildReport {
  packs: number
  objects: number
  /** Objects without a readable chain: dead ones that a sweep had left. */
  incomplete: number
  /** Packs with unreadable footers; their existing rows stay. */
  damages: Damage[]
}

/** No server may run meanwhile: a running commit would find its pack recorded already. */
export async function rebuild({ database, blobs }: SweepContext): Promise<RebuildReport> {
  for await (const inline of inlinePacksLeft(database, 100)) await putInlinePacks({ database, blobs }, inline)
  const damages: Damage[] = []
  const readable: string[] = []
  const unreadable = new Set<string>()
  for await (const { name } of blobs.list(packsPrefix)) {
    try {
      await readFooter(blobs, name)
      readable.push(name)
    } catch (error) {
      if (!(error instanceof PackCorruptError || error instanceof BlobMissingError)) throw error
      damages.push({ what: `pack ${name}`, why: error.message })
      unreadable.add(name)
    }
  }
  async function* footers(): AsyncGenerator<FoundPack> {
    for (const name of readable) {
      const pack = await readFooter(blobs, name)
      const damaged = new Set<PackEntry>()
      const pieces = checkedObjects(blobs.stream(name), pack.entries, (entry) => {
        damaged.add(entry)
      })
      for await (const _ of pieces);
      yield { ...pack, damaged }
    }
  }
  const made = await database.transact((tx) => rebuildIndex(tx, footers(), unreadable))
  return { packs: readable.length, ...made, damages }
}
