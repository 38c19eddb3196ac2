/**
 * Checks packs byte by byte: magic, footer and trailer, every object's bytes against its CRC-32, every index row against the
 * footer.
 */
import { crc32 } from 'node:zlib'
import {
  allPacks,
  BlobMissingError,
  type BlobStore,
  type Database,
  objectKey,
  PackCorruptError,
  type PackEntry,
  type PackSource,
  packsOf,
  readFooter,
  recordedPacks,
  rowsOfPack,
} from '@ulmus/storage'
import type { Damages } from './damage.ts'

interface Stores {
  database: Database
  blobs: BlobStore
}

/** Read size for packs. Bytes. */
const readBytes = 8_388_608

/** Name of an object in reports of damage. */
export const objectName = ({ kind, hash }: { kind: string; hash: string }): string => `${kind} object ${hash}`

/** Checks every recorded pack and calls `row` for every row of the index. Returns the number of packs. */
export async function checkPacks(
  stores: Stores,
  damages: Damages,
  row: (row: PackEntry) => Promise<void>,
): Promise<number> {
  const source = packsOf(stores)
  const packs = await allPacks(stores.database)
  for (const pack of packs) {
    const rows = await rowsOfPack(stores.database, pack.id)
    const found: [what: string, why: string | Error][] = []
    const entries = await checkFooter(source, pack, rows, found)
    await checkBytes(source, pack.name, entries ?? rows, found)
    // A pack that a sweep removed meanwhile does not count as missing.
    if (found.length > 0 && (await recordedPacks(stores.database, [pack.name])).size > 0) {
      for (const [what, why] of found) damages.add(what, why)
    }
    for (const one of rows) await row(one)
  }
  return packs.length
}

/** Entries of the footer; undefined if it is unreadable. */
async function checkFooter(
  source: PackSource,
  pack: { name: string; bytes: number },
  rows: readonly PackEntry[],
  found: [string, string | Error][],
): Promise<PackEntry[] | undefined> {
  try {
    const { bytes, entries } = await readFooter(source, pack.name)
    if (bytes !== pack.bytes)
      found.push([`pack ${pack.name}`, `It has ${bytes} bytes; the index says ${pack.bytes}.`])
    const byName = new Map(entries.map((entry) => [objectKey(entry), entry]))
    for (const row of rows) {
      const entry = byName.get(objectKey(row))
      if (entry === undefined)
        found.push([objectName(row), `${pack.name}, where the index has it, lacks it.`])
      else if (!isSame(row, entry))
        found.push([objectName(row), `The index and the footer of ${pack.name} do not agree on it.`])
    }
    return entries
  } catch (error) {
    if (!(error instanceof PackCorruptError || error instanceof BlobMissingError)) throw error
    found.push([`pack ${pack.name}`, error])
    return undefined
  }
}

/** The chain may differ, if bases were stored in another form since the footer was written; the nearest base may not. */
const isSame = (row: PackEntry, entry: PackEntry): boolean =>
  row.offset === entry.offset &&
  row.length === entry.length &&
  row.crc === entry.crc &&
  row.checksum === entry.checksum &&
  row.bases[0] === entry.bases[0]

async function checkBytes(
  source: PackSource,
  name: string,
  entries: readonly PackEntry[],
  found: [string, string | Error][],
): Promise<void> {
  for (const group of groupsOf(entries.toSorted((a, b) => a.offset - b.offset))) {
    const start = group[0]!.offset
    const last = group.at(-1)!
    const bytes = await source
      .read(name, { start, length: last.offset + last.length - start })
      .catch((error: unknown) => {
        if (error instanceof BlobMissingError) return undefined
        throw error
      })
    for (const entry of group) {
      const at = entry.offset - start
      if (bytes === undefined) found.push([objectName(entry), `${name} is gone, or ends before it.`])
      else if (crc32(bytes.subarray(at, at + entry.length)) !== entry.crc)
        found.push([objectName(entry), `Its bytes in ${name} are not the ones that were written.`])
    }
  }
}

/** Groups of adjacent entries, each small enough for one read. */
function groupsOf(entries: readonly PackEntry[]): PackEntry[][] {
  const groups: PackEntry[][] = []
  let end = -1
  for (const entry of entries) {
    const group = groups.at(-1)
    const fits = group !== undefined && entry.offset + entry.length - group[0]!.offset <= readBytes
    if (group !== undefined && entry.offset === end && fits) group.push(entry)
    else groups.push([entry])
    end = entry.offset + entry.length
  }
  return groups
}
