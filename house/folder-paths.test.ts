/** One door to the files of working folders, which strangers may have made: apps/cli/src/folder/files/inside.ts. */
import { expect, test } from 'vitest'
import { importsOf, isForTests, sourceFiles } from './source-files.ts'

/** `lines.ts` reads and writes descriptors that the door gave it; `fetch-file.ts` keeps the cache, which is no working folder. */
const allowed = ['files/inside.ts', 'files/lines.ts', 'base/fetch-file.ts'].map(
  (name) => `apps/cli/src/folder/${name}`,
)

test('the rooms of working folders open files through inside.ts alone', () => {
  const files = sourceFiles.filter((file) => file.startsWith('apps/cli/src/folder/') && !isForTests(file))
  expect(files.length).toBeGreaterThan(20)
  const strange = files
    .filter((file) => !allowed.includes(file))
    .filter((file) => importsOf(file).some(({ specifier }) => /^(?:node:)?fs(?:\/|$)/.test(specifier)))
  expect(strange, 'Use a function of inside.ts: it follows no links and opens regular files only.').toEqual(
    [],
  )
})
