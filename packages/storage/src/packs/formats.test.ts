/** Formats of docs/formats.md. zstd's output may differ between releases: it is decoded, everything else is compared. */
import { type Hash, hashBytes, hashText } from '@ulmus/content'
import { goldenBytes, goldenText } from '@ulmus/content/testing/golden'
import { expect, test } from 'vitest'
import { openMemoryStore } from '../blobs/memory.ts'
import { fileName, installationName, packName } from '../blobs/names.ts'
import { decodeObjectHere, encodeObjectHere, objectBytesMax } from './codec.ts'
import { decodeEncoded } from './encoded-object.ts'
import { type PackEntry, readFooter, writePack } from './pack.ts'
import { patchOf } from './patch.ts'

const encoder = new TextEncoder()
const name = 'packs/00/0'
const decoded = (block: string, base?: string) =>
  Buffer.from(
    decodeObjectHere(
      goldenBytes(block),
      objectBytesMax,
      base === undefined ? undefined : encoder.encode(base),
    ),
  ).toString()

const numbers = (five: string) => `one\ntwo\nthree\nfour\n${five}\nsix\nseven\neight\nnine\n`
const thousand = (at500: string) =>
  Array.from({ length: 1_000 }, (_, n) => `${`${n}`.padStart(4, '0')} ${n === 500 ? at500 : 'line'}\n`).join(
    '',
  )

test('names of blobs', () => {
  const [uuid, hash] = ['0f8fad5b-d9cb-469f-a165-70867728950e', hashText('a file')]
  expect(packName(uuid)).toBe(`packs/0f/${uuid}`)
  expect(fileName(hash)).toBe(`files/73/${hash}`)
  expect(installationName).toBe('installation/id')
})

test.each([
  ['alone', '{}', undefined],
  ['delta', numbers('5'), numbers('five')],
  ['patch', thousand('other'), thousand('line')],
])('encodings: %s', (block, text, base) => {
  expect(decoded(block, base)).toBe(text)
  const encoded = encodeObjectHere(
    encoder.encode(text),
    base === undefined ? undefined : encoder.encode(base),
  )
  expect(encoded.subarray(0, 5)).toEqual(Buffer.from(goldenBytes(block)).subarray(0, 5))
})

test('the operations of a patch', () => {
  const { operations, literals } = patchOf(
    encoder.encode(thousand('other')),
    encoder.encode(thousand('line')),
  )!
  expect(Buffer.from(goldenBytes('patch')).subarray(5, 5 + operations.length)).toEqual(
    Buffer.from(operations),
  )
  expect(Buffer.from(literals).toString()).toBe('0500 other\n')
})

const entryOf = (line: string): PackEntry => {
  const [hash, kind, offset, length, crc, checksum, ...bases] = JSON.parse(line)
  return { hash, kind, offset, length, crc, checksum, bases }
}
const entries = goldenText('entries').split('\n').map(entryOf)

test('a pack is read', async () => {
  const store = openMemoryStore()
  const pack = goldenBytes('pack')
  await store.put(name, pack)
  expect(await readFooter(store, name)).toEqual({ name, bytes: pack.length, entries })
  const [schema, body, next] = await Promise.all(entries.map((entry) => objectIn(pack, entry)))
  expect(schema).toBe('{}')
  expect(entries[0]!.hash).toBe(hashText('{}'))
  expect(body).toBe(`${goldenText('body')}\n`)
  expect(entries[1]!.hash).toBe(hashText(goldenText('leaf')))
  expect(next).toBe(body!.replace('"n":1', '"n":2'))
})

/** Decodes an entry with its chain, and checks CRC-32s and name or checksum. */
async function objectIn(pack: Uint8Array, { hash, kind, checksum, bases }: PackEntry): Promise<string> {
  const chain = [hash, ...bases].map((link: Hash) => {
    const { offset, length, crc } = entries.find((entry) => entry.hash === link)!
    return { hash: link, pack: name, crc, bytes: pack.subarray(offset, offset + length) }
  })
  const bytes = await decodeEncoded({ kind, hash, checksum: checksum ?? hash, chain, base: undefined })
  return Buffer.from(bytes).toString()
}

test('a pack is written, but for what zstd makes of its footer', async () => {
  const store = openMemoryStore()
  const golden = Buffer.from(goldenBytes('pack'))
  const writer = writePack(store, name)
  for (const { offset, length, crc: _, ...object } of entries)
    await writer.add(object, golden.subarray(offset, offset + length))
  expect(await writer.finish()).toMatchObject({ entries })
  const written = Buffer.from(await store.read(name))
  const footerAt = 135 + 24
  expect(written.subarray(0, footerAt)).toEqual(golden.subarray(0, footerAt))
  const trailer = written.subarray(-52)
  const footer = written.subarray(footerAt, -52)
  expect(trailer.readBigUInt64LE(0)).toBe(BigInt(footerAt))
  expect(trailer.readUInt32LE(8)).toBe(footer.length)
  expect(trailer.toString('hex', 12, 44)).toBe(hashBytes(footer))
  expect(trailer.subarray(44)).toEqual(golden.subarray(0, 8))
  expect(Buffer.from(decodeObjectHere(footer, 10_000)).toString()).toBe(goldenText('entries'))
})
