import { expect, test } from 'vitest'
import { isForTests, read, sourceFiles, withoutComments } from './source-files.ts'

/** Parse only texts of the program itself, or print the call in an example. */
const others = [
  'packages/content/src/json/parse.ts',
  'apps/server/src/openapi/shapes.ts',
  'apps/server/src/plugins/shapes.ts',
  'apps/server/src/sign-in/pending-cookie.ts',
  'apps/web/src/components/use-it.tsx',
]

test('JSON is parsed by `parseJson`, since `JSON.parse` may confuse names of different texts', () => {
  const found = sourceFiles.filter(
    (path) =>
      /^(?:packages|apps)\/[^/]+\/src\//.test(path) &&
      !isForTests(path) &&
      !others.includes(path) &&
      withoutComments(read(path)).includes('JSON.parse('),
  )
  expect(found, 'Use `parseJson` of packages/content.').toEqual([])
})
