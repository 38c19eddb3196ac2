/**
 * Tiles of a log (C2SP tlog-tiles): files of up to 256 hashes, from which every root and proof can be computed, and bundles of up to 256
 * entries. A full tile never changes.
 */
import { LogError } from './log-error.ts'
import { type HashReader, nodeHashOf } from './merkle.ts'

/** Hashes of a full tile, entries of a full bundle. */
export const tileWidth = 256
/** Levels of the tree that a tile spans. */
const tileHeight = 8
const hashBytes = 32

/** `level`: 0 for hashes of leaves, or `entries`. `width` is below 256 for the last, partial tile of a level. */
export interface Tile {
  readonly level: number | 'entries'
  readonly index: number
  readonly width: number
}

/** Path of a tile below the address of the log: `tile/0/x001/234.p/5`. */
export function tilePath({ level, index, width }: Tile): string {
  const digits = String(index).padStart(Math.ceil(String(index).length / 3) * 3, '0')
  const groups = digits.match(/\d{3}/g)!
  const name = groups.map((group, at) => (at === groups.length - 1 ? group : `x${group}`)).join('/')
  return `tile/${level}/${name}${width === tileWidth ? '' : `.p/${width}`}`
}

const pathPattern = /^tile\/(entries|0|[1-9]\d?)\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/

/** @returns undefined for a path that names no tile, also if it is not the only way to write it */
export function parseTilePath(path: string): Tile | undefined {
  const [, level, name, partial] = pathPattern.exec(path) ?? []
  if (level === undefined || name === undefined) return undefined
  const tile = {
    level: level === 'entries' ? ('entries' as const) : Number(level),
    index: Number(name.replaceAll(/[x/]/g, '')),
    width: partial === undefined ? tileWidth : Number(partial),
  }
  return tile.width <= tileWidth && tilePath(tile) === path ? tile : undefined
}

/** Tiles of hashes that a log of `size` has and a log of `before` has not, the lowest level first. */
export function tilesSince(before: number, size: number): (Tile & { level: number })[] {
  const tiles: (Tile & { level: number })[] = []
  for (let level = 0; Math.floor(size / tileWidth ** level) > 0; level++) {
    const [from, to] = [before, size].map((leaves) => Math.floor(leaves / tileWidth ** level))
    for (let index = Math.floor(from! / tileWidth); index * tileWidth < to!; index++) {
      const width = Math.min(tileWidth, to! - index * tileWidth)
      if (index * tileWidth + width > from!) tiles.push({ level, index, width })
    }
  }
  return tiles
}

/**
 * Reads hashes of subtrees from the tiles of a log. Nothing is checked: compare a root or proof with a signed one.
 * @param readTile content of a tile, 32 bytes a hash
 * @throws LogError for a tile of another length
 */
export function hashesInTiles(
  size: number,
  readTile: (tile: Tile & { level: number }) => Promise<Uint8Array>,
): HashReader {
  return async (places) => {
    const tiles = new Map<string, Promise<Uint8Array>>()
    const read = (level: number, index: number): Promise<Uint8Array> => {
      const width = Math.min(tileWidth, Math.floor(size / tileWidth ** level) - index * tileWidth)
      const tile = { level, index, width }
      const path = tilePath(tile)
      const reading = tiles.get(path) ?? readTile(tile).then((bytes) => demandLength(bytes, tile))
      tiles.set(path, reading)
      return reading
    }
    return Promise.all(
      places.map(async ({ level, index }) => {
        const [tileLevel, above] = [Math.floor(level / tileHeight), level % tileHeight]
        const [first, count] = [index * 2 ** above, 2 ** above]
        const bytes = await read(tileLevel, Math.floor(first / tileWidth))
        return subtreeHash(bytes, first % tileWidth, count)
      }),
    )
  }
}

function demandLength(bytes: Uint8Array, tile: Tile): Uint8Array {
  if (bytes.length === tile.width * hashBytes) return bytes
  throw new LogError(`${tilePath(tile)} has ${bytes.length} bytes instead of ${tile.width * hashBytes}.`)
}

/** Hash of `count` hashes of a tile, a power of two. */
function subtreeHash(bytes: Uint8Array, first: number, count: number): Uint8Array {
  if (count === 1) return bytes.subarray(first * hashBytes, (first + 1) * hashBytes)
  const half = count / 2
  return nodeHashOf(subtreeHash(bytes, first, half), subtreeHash(bytes, first + half, half))
}

/** A bundle of entries: two bytes of length, big-endian, before each. */
export function bundleOf(entries: readonly Uint8Array[]): Uint8Array {
  const bundle = new Uint8Array(entries.reduce((sum, { length }) => sum + 2 + length, 0))
  let at = 0
  for (const entry of entries) {
    bundle.set([entry.length >> 8, entry.length & 0xff], at)
    bundle.set(entry, at + 2)
    at += 2 + entry.length
  }
  return bundle
}

/** @throws LogError unless the bundle is a sequence of entries */
export function entriesIn(bundle: Uint8Array): Uint8Array[] {
  const entries: Uint8Array[] = []
  for (let at = 0; at < bundle.length; ) {
    const length = (bundle[at]! << 8) | (bundle[at + 1] ?? 0)
    const entry = bundle.subarray(at + 2, at + 2 + length)
    if (at + 2 > bundle.length || entry.length !== length)
      throw new LogError('A bundle of entries is cut off.')
    entries.push(entry)
    at += 2 + length
  }
  return entries
}
