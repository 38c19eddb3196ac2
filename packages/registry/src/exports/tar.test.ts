import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type TarEntry, tarOf } from './tar.ts'

const instant = new Date('2026-01-15T00:00:00.000Z')

async function archiveOf(entries: readonly TarEntry[]): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(tarOf(all(entries), instant)))
}

async function* all(entries: readonly TarEntry[]) {
  yield* entries
}

const entryOf = (name: string, text: string): TarEntry => {
  const bytes = Buffer.from(text)
  return { name, size: bytes.length, content: [bytes] }
}

/** Output of `tar` for an archive, or for the beginning of one followed by zeros. */
function tar(archive: Uint8Array | { start: Uint8Array; bytes: number }, ...options: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-tar-'))
  try {
    const path = join(folder, 'a.tar')
    writeFileSync(path, archive instanceof Uint8Array ? archive : archive.start)
    if (!(archive instanceof Uint8Array)) truncateSync(path, archive.bytes)
    const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C.UTF-8', TZ: 'UTC' }
    return execFileSync('tar', [...options, '-f', 'a.tar'], { cwd: folder, env, encoding: 'utf8' })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('entries of any name and size are what tar reads', async () => {
  const name = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 128 })
    .map((text) => text.replace(/[\\/\p{Cc}]/gu, '_').replace(/^[.-]/, '_'))
    .filter((text) => text.isWellFormed() && Buffer.byteLength(text) <= 200)
  const content = fc.oneof(
    fc.string({ maxLength: 50 }),
    fc.constantFrom('', 'x'.repeat(511), 'x'.repeat(512), 'x'.repeat(513)),
  )
  await fc.assert(
    fc.asyncProperty(name, content, async (name, text) => {
      const archive = await archiveOf([entryOf(`records/${name}`, text), entryOf('last', 'end')])
      expect(archive.length % 512).toBe(0)
      expect(tar(archive, '-t', '--quoting-style=literal').split('\n')).toEqual([
        `records/${name}`,
        'last',
        '',
      ])
      expect(tar(archive, '-x', '--to-stdout')).toBe(`${text}end`)
    }),
    { numRuns: 60 },
  )
})

test('every entry has the same owner, mode and time', async () => {
  const listing = tar(
    await archiveOf([entryOf('a', 'x'), entryOf('ä', '')]),
    '-tv',
    '--full-time',
    '--numeric-owner',
  )
  for (const line of listing.trim().split('\n'))
    expect(line).toMatch(/^-rw-r--r-- 0\/0 .* 2026-01-15 00:00:00 \S+$/)
})

test('an entry of more than 8 GiB has its size', async () => {
  const size = 8 * 1024 ** 3
  const stream = tarOf(all([{ name: 'huge', size, content: [] }]), instant)
  const { value: header } = await stream.next()
  await stream.return(undefined)
  // A hole of that size.
  expect(tar({ start: header!, bytes: 512 + size + 1024 }, '-tv')).toMatch(
    new RegExp(`^-rw-r--r-- 0/0 +${size} .* huge\n$`),
  )
})

test('an entry that is not as long as it said is an error, not an archive', async () => {
  for (const content of [
    [],
    [Buffer.from('a')],
    [Buffer.from('abc')],
    [Buffer.from('ab'), Buffer.from('c')],
  ]) {
    await expect(archiveOf([{ name: 'a', size: 2, content }])).rejects.toThrow('Size mismatch')
  }
})

test('the archive fails with the error of its source', async () => {
  async function* failing() {
    yield Buffer.alloc(1)
    throw new RangeError('source failed')
  }
  await expect(archiveOf([{ name: 'a', size: 2, content: failing() }])).rejects.toThrow('source failed')
  const entries = (async function* () {
    yield entryOf('a', 'x')
    throw new RangeError('no more entries')
  })()
  await expect(Array.fromAsync(tarOf(entries, instant))).rejects.toThrow('no more entries')
})

test('an archive that is left or read slowly reads little of its sources, and ends them', async () => {
  const pieceBytes = 65_536
  let given = 0
  const ended: string[] = []
  async function* content() {
    try {
      for (; given < 100; given++) yield Buffer.alloc(pieceBytes)
    } finally {
      ended.push('content')
    }
  }
  async function* entries() {
    try {
      yield { name: 'a', size: 100 * pieceBytes, content: content() }
    } finally {
      ended.push('entries')
    }
  }
  let taken = 0
  for await (const chunk of tarOf(entries(), instant)) {
    taken += chunk.length
    await sleep(1)
    if (taken > 10 * pieceBytes) break
  }
  expect(given).toBeLessThan(16)
  expect(ended).toEqual(['content', 'entries'])
})
