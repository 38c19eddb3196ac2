/** Reading backups from an untrusted place. */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zstdCompressSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { type Manifest, nameOf, openShelf, ShelfUnfitError } from './shelf.ts'

const folder = mkdtempSync(join(tmpdir(), 'ulmus-shelf-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const sha256 = 'ab'.repeat(32)
const line = `["files/${sha256}",1,"${sha256}"]\n`

test.each([
  ['reads when nothing is wrong', zstdCompressSync(line), 1, undefined],
  [
    'a line is a bomb',
    zstdCompressSync(line + 'a'.repeat(100_000_000)),
    2,
    /line 2 is longer than 65536 bytes/,
  ],
  ['there is no end of lines', zstdCompressSync(line.repeat(100_000)), 3, /more than the 3 lines/],
  ['is not compressed', Buffer.from(line), 1, /does not unpack/],
  ['a line is no blob', zstdCompressSync('["x\n'), 1, /line 1 is not a blob/],
  ['is cut off', zstdCompressSync(line.slice(0, -1)), 1, /ends too early/],
] as const)('the list of blobs: %s', async (_what, list, count, sentence) => {
  const shelf = await openShelf({ folder }, false)
  const id = '20260131t120000123z'
  await shelf.store.put(nameOf(id, 'blobs'), list)
  const hash = createHash('sha256').update(list).digest('hex')
  const manifest = { blobs: { bytes: list.length, sha256: hash, count } } as Manifest
  const blobs = shelf.blobs(id, manifest)
  if (sentence === undefined) expect(await blobs).toEqual([{ name: `files/${sha256}`, bytes: 1, sha256 }])
  else {
    await expect(blobs).rejects.toThrow(sentence)
    await expect(blobs).rejects.toThrow(ShelfUnfitError)
    await expect(blobs).rejects.toThrow(/--backup ID/)
  }
  await shelf.store.close()
})
