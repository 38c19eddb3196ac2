/** Hashes of the log, read from its stored tiles. */
import { hashesInTiles } from '@ulmus/content/log'
import { type Queries, readTiles } from '@ulmus/storage'

const hashBytes = 32

/** Reads hashes of a log of a size from the stored tiles, which may be wider. */
export const storedHashes = (at: Queries, size: number) =>
  hashesInTiles(size, async (tile) => {
    const [hashes] = await readTiles(at, [tile])
    return (hashes ?? new Uint8Array()).subarray(0, tile.width * hashBytes)
  })
