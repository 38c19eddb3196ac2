/** A store that runs a function when a pack is durable, before its transaction begins. */
import { type BlobStore, packsPrefix } from '@ulmus/storage'

export interface PackWatch {
  /** Runs once, when the next pack is durable and before its writer continues. */
  afterPack: (() => Promise<unknown>) | undefined
}

export const watchingPacks = (blobs: BlobStore, watch: PackWatch): BlobStore => ({
  ...blobs,
  async put(name, source) {
    const bytes = await blobs.put(name, source)
    const work = watch.afterPack
    if (!name.startsWith(packsPrefix) || work === undefined) return bytes
    watch.afterPack = undefined
    await work()
    return bytes
  },
})
