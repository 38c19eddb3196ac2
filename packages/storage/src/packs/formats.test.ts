/** The formats of docs/formats.md. zstd's output may differ between releases: what it made is decoded, all else is compared. */
import { hashBytes, hashText } from '@ulmus/content'
import { goldenBytes, goldenText } from '@ulmus/content/testing/golden'
import { expect, test } from 'vitest'
import { openMemoryStore } from '../blobs/memory.ts'
import { decodeObjectHere, objectBytesMax } from './codec.ts'
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

test('encodings', () => {
  expect(decoded('alone')).toBe('{}')
  expect(decoded('delta', numbers('five'))).toBe(numbers('5'))
  expect(decoded('patch', thousand('line'))).toBe(thousand('other'))
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
  const [schema, body] = entries.map(({ offset, length }) =>
    decodeObjectHere(pack.subarray(offset, offset + length), objectBytesMax),
  )
  expect(hashBytes(schema!)).toBe(entries[0]!.hash)
  expect(hashBytes(body!)).toBe(entries[1]!.checksum)
  expect(Buffer.from(body!).toString()).toBe(`${goldenText('body')}\n`)
  expect(entries[1]!.hash).toBe(hashText(goldenText('leaf')))
})

test('a pack is written, but for what zstd makes of its footer', async () => {
  const store = openMemoryStore()
  const golden = Buffer.from(goldenBytes('pack'))
  const writer = writePack(store, name)
  for (const { offset, length, crc: _, ...object } of entries)
    await writer.add(object, golden.subarray(offset, offset + length))
  expect(await writer.finish()).toMatchObject({ entries })
  const written = Buffer.from(await store.read(name))
  const footerAt = 28 + 107
  expect(written.subarray(0, footerAt)).toEqual(golden.subarray(0, footerAt))
  const trailer = written.subarray(-52)
  const footer = written.subarray(footerAt, -52)
  expect(trailer.readBigUInt64LE(0)).toBe(BigInt(footerAt))
  expect(trailer.readUInt32LE(8)).toBe(footer.length)
  expect(trailer.toString('hex', 12, 44)).toBe(hashBytes(footer))
  expect(trailer.subarray(44)).toEqual(golden.subarray(0, 8))
  expect(Buffer.from(decodeObjectHere(footer, 10_000)).toString()).toBe(goldenText('entries'))
})
