import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type TarEntry, tarOf } from './tar.ts'

const instant = new Date('2026-01-15T00:00:00.000Z')

async function archiveOf(entries: readonly TarEntry[]): Promise<Buffer> {
  const stream = tarOf(
    (async function* () {
      yield* entries
    })(),
    instant,
  )
  return Buffer.concat(await Array.fromAsync(stream))
}

const entryOf = (name: string, text: string): TarEntry => {
  const bytes = Buffer.from(text)
  return { name, size: bytes.length, content: [bytes] }
}

/** What `tar` makes of an archive. */
function tar(archive: Buffer, ...options: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-tar-'))
  try {
    writeFileSync(join(folder, 'a.tar'), archive)
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

test('sizes beyond eleven octal digits are told in a pax header', async () => {
  const size = 8 * 1024 ** 3
  const stream = tarOf(
    (async function* () {
      yield { name: 'huge', size, content: [] }
    })(),
    instant,
  )
  expect(
    Buffer.from((await stream.next()).value!)
      .subarray(156, 157)
      .toString(),
  ).toBe('x')
  expect(Buffer.from((await stream.next()).value!).toString()).toMatch(`19 size=${size}\n`)
  await stream.return(undefined)
})

test('an entry that is not as long as it said is an error, not an archive', async () => {
  for (const content of [
    [],
    [Buffer.from('a')],
    [Buffer.from('abc')],
    [Buffer.from('ab'), Buffer.from('c')],
  ]) {
    await expect(archiveOf([{ name: 'a', size: 2, content }])).rejects.toThrow(RangeError)
  }
})
