import { globSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'
import { importsOf, isForTests, read, root, sourceFiles } from './source-files.ts'

type Names = Readonly<Record<string, string>>
interface Manifest {
  readonly name: string
  readonly dependencies?: Names
  readonly optionalDependencies?: Names
  readonly devDependencies?: Names
}

const manifestAt = (path: string) => JSON.parse(read(path)) as Manifest
const namesOf = (...lists: (Names | undefined)[]) => new Set(lists.flatMap((list) => Object.keys(list ?? {})))

/** `@aws-sdk/client-s3` of `@aws-sdk/client-s3/x`. */
const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')

/** `#name` is a file of the same package, as its `imports` say. */
const isFile = (specifier: string) => /^(?:\.|#|node:|$)|\.ts$/.test(specifier)
/** Types without a program: they come with the types of their packages. */
const typesAlone = new Set(['hast'])

test.each(globSync('{packages,apps}/*/package.json', { cwd: root }))(
  '%s declares what its files import',
  (path) => {
    const { name, dependencies, optionalDependencies, devDependencies } = manifestAt(path)
    const toRun = namesOf(dependencies, optionalDependencies)
    const toTest = namesOf(
      dependencies,
      optionalDependencies,
      devDependencies,
      manifestAt('package.json').devDependencies,
    )
    const files = sourceFiles.filter((file) => file.startsWith(`${dirname(path)}/src/`))
    const undeclared = files.flatMap((file) =>
      importsOf(file)
        .map(({ specifier }) => packageOf(specifier))
        .filter((one) => !isFile(one) && one !== name && !typesAlone.has(one))
        .filter((one) => !(isForTests(file) ? toTest : toRun).has(one))
        .map((one) => `${file} imports ${one}`),
    )
    expect(undeclared, 'Add it to `dependencies`, or for tests alone to `devDependencies`.').toEqual([])
  },
)

test('Drizzle defines tables and generates migrations, and runs no statement', () => {
  const running = sourceFiles.filter((file) =>
    importsOf(file).some(({ specifier }) => /^drizzle-orm\/(?!(?:pg-core|migrator)$)/.test(specifier)),
  )
  expect(running, 'Write the statement as SQL, for `query` of packages/storage.').toEqual([])
})
