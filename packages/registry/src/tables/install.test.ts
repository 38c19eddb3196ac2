import { mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unlimitedSpace } from '@ulmus/storage'
import { expect, test } from 'vitest'
import { takeFolder } from './folder/own-folder.ts'
import { installTables } from './install.ts'

const place = mkdtempSync(join(tmpdir(), 'ulmus-install-'))
const warnings: string[] = []
const log = { info() {}, error() {}, warn: (_facts: object, text: string) => void warnings.push(text) }
const options = { space: unlimitedSpace, bytesMax: null, log: log as never }

test('the folder is created for its owner alone, the data folder too', async () => {
  await using opened = new AsyncDisposableStack()
  const folder = join(place, 'data', 'tables')
  expect(await installTables({ ...options, folder }, opened)).toMatchObject({ files: expect.anything() })
  expect([join(folder, '1'), folder, join(place, 'data')].map((path) => statSync(path).mode & 0o777)).toEqual(
    [0o700, 0o700, 0o700],
  )
})

test('servers with one data folder get a folder each, and folders of servers that are gone are deleted', async () => {
  const base = join(place, 'shared')
  const [one, two] = [await takeFolder(base), await takeFolder(base)]
  expect([one.folder, two.folder]).toEqual([join(base, '1'), join(base, '2')])
  for (const { folder } of [one, two]) writeFileSync(join(folder, 'table'), '')
  two.release()
  one.release()
  // Of another layout.
  mkdirSync(join(base, 'ab'))
  const next = await takeFolder(base)
  expect(next.folder).toBe(join(base, '1'))
  expect(
    readdirSync(base, { recursive: true })
      .filter((name) => !/lock/.test(String(name)))
      .sort(),
  ).toEqual(['1', '1/table'])
  next.release()
})

test('a server that cannot have the folder starts all the same, and tells why it answers no questions', async () => {
  await using opened = new AsyncDisposableStack()
  writeFileSync(join(place, 'file'), '')
  const folder = join(place, 'file', 'tables')
  // Readers get the reason: it names no path.
  expect(await installTables({ ...options, folder }, opened)).toBe('it has no folder for tables')
  expect(warnings).toEqual([expect.stringContaining('cannot be created')])
})
