/** Sentences about a DATA_DIR that the account may not use. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { sentenceOf } from './start-faults.ts'

const folder = mkdtempSync(join(tmpdir(), 'ulmus-faults-'))
afterAll(() => rmSync(folder, { recursive: true }))

const refusedAt = (path: string) =>
  Object.assign(new Error(`EACCES: permission denied, mkdir '${path}'`), { code: 'EACCES', path })
const sentence = (dataDir: string, path: string) => sentenceOf(refusedAt(path), 'start', dataDir)

test('a folder below several that are missing is a mistake in the setting, not a defect', () => {
  const missing = join(folder, 'a/b/c')
  expect(sentence(missing, join(folder, 'a'))).toMatch(
    /^DATA_DIR, .* make this one: as root, install -d -o \S+ .*a\/b\/c\.$/,
  )
  expect(sentence(missing, '/elsewhere')).toBeUndefined()
})

test('root is advised to give away an empty folder or a registry, and none with other files', () => {
  const make = (name: string, ...files: string[]) => {
    const at = join(folder, name)
    mkdirSync(at)
    for (const file of files) writeFileSync(join(at, file), '')
    return at
  }
  for (const at of [make('empty'), make('ours', 'database', 'log.key')])
    expect(sentence(at, join(at, 'objects'))).toContain(`as root, chown -R`)
  const others = make('etc', 'passwd')
  expect(sentence(others, join(others, 'objects'))).toMatch(/has no files of others/)
  expect(sentence(others, join(others, 'objects'))).not.toContain('chown')
})
