/** All leaves of a log: those that were read before are kept beside `known_logs`, 64 bytes each, and checked again with the new ones. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  base64Of,
  entriesIn,
  type HashReader,
  hexOf,
  LogError,
  leafBytes,
  leafHashOf,
  nodeHashOf,
  rootOf,
  type Subtree,
  tilePath,
  tileWidth,
} from '@ulmus/content/log'
import { monitorFolder, writePrivate } from './known-logs.ts'
import type { OpenLog } from './open-log.ts'

/** Bytes of a slot, the first half of a leaf. */
const slotBytes = 32
/** All leaves are in memory at once, up to 1 GiB. */
export const leavesMax = 2 ** 24

/** Two leaves with one slot: the registry has made two statements at one place of a collection. */
export interface Duplicate {
  readonly slot: string
  readonly first: number
  readonly second: number
}

export interface Leaves {
  readonly size: number
  /** Leaves that were known before. */
  readonly before: number
  readonly duplicates: readonly Duplicate[]
  /** 64 bytes. @param index below `size` */
  leaf(index: number): Uint8Array
  /** Index of the leaf with a slot; undefined: the log has none. */
  find(slot: Uint8Array): number | undefined
}

/**
 * Reads the leaves that are new since last time.
 * @throws LogError unless all leaves together have the root of the checkpoint
 */
export async function readLeaves(env: NodeJS.ProcessEnv, log: OpenLog): Promise<Leaves> {
  const { size } = log.checkpoint
  if (size > leavesMax) throw new LogError(`The log has ${size} entries, more than ulmus can monitor.`)
  const file = join(monitorFolder(env, log.host), 'leaves')
  const kept = readKept(file, size)
  let bytes = await completed(log, kept)
  // The kept leaves may be damaged.
  if (kept.length > 0 && (await rootText(bytes)) !== log.checkpoint.root)
    bytes = await completed(log, new Uint8Array())
  if ((await rootText(bytes)) !== log.checkpoint.root)
    throw new LogError('The entries of the log are not those of its signed checkpoint.')
  if (bytes.length > kept.length) {
    mkdirSync(monitorFolder(env, log.host), { recursive: true, mode: 0o700 })
    writePrivate(file, bytes)
  }
  return indexed(bytes, kept.length / leafBytes)
}

function readKept(file: string, size: number): Uint8Array {
  try {
    const bytes = readFileSync(file)
    return bytes.subarray(0, Math.min(size, Math.floor(bytes.length / leafBytes)) * leafBytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Uint8Array()
    throw error
  }
}

/** @param kept leaves from the first on, which are not read again */
async function completed({ client, checkpoint: { size } }: OpenLog, kept: Uint8Array): Promise<Uint8Array> {
  const bytes = new Uint8Array(size * leafBytes)
  bytes.set(kept)
  const from = kept.length / leafBytes
  for (let index = Math.floor(from / tileWidth); index * tileWidth < size; index++) {
    const width = Math.min(tileWidth, size - index * tileWidth)
    if (index * tileWidth + width <= from) continue
    const path = tilePath({ level: 'entries', index, width })
    const entries = entriesIn(await client.log.file(path))
    if (entries.length !== width || entries.some(({ length }) => length !== leafBytes))
      throw new LogError(`${path} does not have ${width} entries of ${leafBytes} bytes.`)
    for (const [n, entry] of entries.entries()) {
      const place = index * tileWidth + n
      if (place >= from) bytes.set(entry, place * leafBytes)
    }
  }
  return bytes
}

const leafIn = (bytes: Uint8Array, index: number): Uint8Array =>
  bytes.subarray(index * leafBytes, (index + 1) * leafBytes)

async function rootText(bytes: Uint8Array): Promise<string> {
  const hashOf = ({ level, index }: Subtree): Uint8Array =>
    level === 0
      ? leafHashOf(leafIn(bytes, index))
      : nodeHashOf(
          hashOf({ level: level - 1, index: 2 * index }),
          hashOf({ level: level - 1, index: 2 * index + 1 }),
        )
  const read: HashReader = async (places) => places.map(hashOf)
  return base64Of(await rootOf(bytes.length / leafBytes, read))
}

function indexed(bytes: Uint8Array, before: number): Leaves {
  const size = bytes.length / leafBytes
  const slots = new Map<string, number>()
  const duplicates: Duplicate[] = []
  for (let index = 0; index < size; index++) {
    const slot = hexOf(leafIn(bytes, index).subarray(0, slotBytes))
    const first = slots.get(slot)
    if (first === undefined) slots.set(slot, index)
    else duplicates.push({ slot, first, second: index })
  }
  return {
    ...{ size, before, duplicates },
    leaf: (index) => leafIn(bytes, index),
    find: (slot) => slots.get(hexOf(slot)),
  }
}
