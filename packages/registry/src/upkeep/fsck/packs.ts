/**
 * Checks packs byte by byte: magic, footer and trailer, every object's bytes against its CRC-32, every index row against the
 * footer.
 */
import {
  allPacks,
  BlobMissingError,
  type BlobStore,
  checkedObjects,
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
    await checkFooter(source, pack, rows, found)
    await checkBytes(source, pack.name, rows, found)
    // A pack that a sweep removed meanwhile does not count as missing.
    if (found.length > 0 && (await recordedPacks(stores.database, [pack.name])).size > 0) {
      for (const [what, why] of found) damages.add(what, why)
    }
    for (const one of rows) await row(one)
  }
  return packs.length
}

async function checkFooter(
  source: PackSource,
  pack: { name: string; bytes: number },
  rows: readonly PackEntry[],
  found: [string, string | Error][],
): Promise<void> {
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
  } catch (error) {
    if (!(error instanceof PackCorruptError || error instanceof BlobMissingError)) throw error
    found.push([`pack ${pack.name}`, error])
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
  source: Pick<BlobStore, 'stream'>,
  name: string,
  entries: readonly PackEntry[],
  found: [string, string | Error][],
): Promise<void> {
  const ascending = entries.toSorted((a, b) => a.offset - b.offset)
  const pieces = checkedObjects(untilMissing(source.stream(name)), ascending, (entry, isCutOff) => {
    const why = isCutOff
      ? `${name} is gone, or ends before it.`
      : `Its bytes in ${name} are not the ones that were written.`
    found.push([objectName(entry), why])
  })
  for await (const _ of pieces);
}

async function* untilMissing(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces
  } catch (error) {
    if (!(error instanceof BlobMissingError)) throw error
  }
}
