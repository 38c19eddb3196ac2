import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readAssets } from './building.ts'

/** Files that a browser loads immediately for a script: the script and the chunks that it imports. */
function loadedWith(entry: string, files: ReadonlyMap<string, string>): Set<string> {
  const loaded = new Set<string>()
  const visit = (name: string) => {
    if (loaded.has(name)) return
    loaded.add(name)
    for (const [, chunk] of files.get(name)!.matchAll(/from"\.\/([^"]+)"/g)) visit(chunk!)
  }
  visit([...files.keys()].find((name) => name.replace(/-[A-Z0-9]{8}\.js$/, '') === entry)!)
  return loaded
}

test('a page sends few scripts: 20 kB where people read, 70 kB where they publish, gzipped', async () => {
  const files = await readAssets()
  const bytesOf = (...entries: string[]) => {
    const names = new Set(entries.flatMap((entry) => [...loadedWith(entry, files)]))
    return [...names].reduce((sum, name) => sum + gzipSync(files.get(name)!).length, 0)
  }
  expect(bytesOf('page', 'verify-version')).toBeLessThanOrEqual(20_000)
  expect(bytesOf('page', 'json-field')).toBeLessThanOrEqual(20_000)
  // Loaded when a search box gets the focus.
  expect(bytesOf('suggest')).toBeLessThanOrEqual(3_000)
  expect(bytesOf('page', 'statement')).toBeLessThanOrEqual(6_000)
  expect(bytesOf('page', 'push')).toBeLessThanOrEqual(20_000)
  // The worker starts only when a file is chosen. Not counted: the reader of its format, 5 kB for CSV.
  expect(bytesOf('page', 'push', 'push-worker')).toBeLessThanOrEqual(70_000)
})
