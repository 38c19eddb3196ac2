import { expect, test } from 'vitest'
import { isForTests, read, sourceFiles, withoutComments } from './source-files.ts'

/** Texts for others to copy, whose programs read theirs. */
const forOthers = ['apps/web/src/components/use-it.tsx', 'apps/web/src/pages/publish/push.tsx']
const entry = /^apps\/[^/]+\/src\/main\.ts$/

test('only a main.ts sees the environment', () => {
  const seeing = sourceFiles.filter((path) => {
    const counts =
      /^(?:packages|apps)\/[^/]+\/src\//.test(path) &&
      !isForTests(path) &&
      !entry.test(path) &&
      !forOthers.includes(path)
    return (
      counts && /\bprocess\s*\.\s*env\b|\benv\b[^\n]*from 'node:process'/.test(withoutComments(read(path)))
    )
  })
  expect(seeing, 'Read the variable in config.ts from what main.ts hands it, and pass the value on.').toEqual(
    [],
  )
})
