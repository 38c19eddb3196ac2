/** Names that say what a class is. */
import { expect, test } from 'vitest'
import { read, sourceFiles, withoutComments } from './source-files.ts'

test('the name of an error ends in Error', () => {
  // A name that programs of users have.
  const kept = ['BatchRefused']
  const others = sourceFiles
    .filter((file) => !file.startsWith('house/'))
    .flatMap((file) =>
      Array.from(
        withoutComments(read(file)).matchAll(/\bclass (\w+)(?:<[^>]+>)? extends (?:\w+\.)?\w*Error\b/g),
        ([, name = '']) => ({ file, name }),
      ),
    )
    .filter(({ name }) => !name.endsWith('Error') && !kept.includes(name))
  expect(others).toEqual([])
})
