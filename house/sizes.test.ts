import { expect, test } from 'vitest'
import { isForTests, read, sourceFiles } from './source-files.ts'

const linesMax = 300

/** Files that are longer for a reason, with the length that they may not grow beyond. Shorten one, and lower its figure. */
const ratchet: Record<string, number> = {}

const lengths = sourceFiles
  .filter((path) => !isForTests(path))
  .map((path) => ({ path, lines: read(path).split('\n').length - 1 }))

test(`no file is longer than ${linesMax} lines`, () => {
  const long = lengths.filter(({ path, lines }) => lines > (ratchet[path] ?? linesMax))
  const named = long.map(({ path, lines }) => `${path}: ${lines} lines`)
  expect(named, 'Split the file by what its parts are about, and name each part for it.').toEqual([])
})

test('the ratchet holds no more than it must', () => {
  const loose = Object.entries(ratchet).filter(
    ([path, most]) => (lengths.find((file) => file.path === path)?.lines ?? 0) < Math.max(most, linesMax + 1),
  )
  expect(loose, 'Lower the figure to the length the file has now, or take the file off the ratchet.').toEqual(
    [],
  )
})

test('no room is without a name', () => {
  const nameless = sourceFiles.filter((path) =>
    /(?:^|\/)(?:utils?|helpers?|common|types|misc)(?:\/|\.ts$)/.test(path),
  )
  expect(nameless, 'Name the file for the noun it is about.').toEqual([])
})
