/** Bundled dependencies of releases are listed, and their licences permit it. */
import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isPermitted, licencesPage, shippedPackages } from '../release/licences.ts'
import { read, root } from './source-files.ts'

const shipped = await shippedPackages()

test('docs/licences.md is the present truth', () => {
  expect(shipped.length).toBeGreaterThan(100)
  expect(read('docs/licences.md'), 'Run `npm run licences`, and read what has changed.').toBe(
    licencesPage(shipped),
  )
})

test('every package that comes along has a licence that is permitted', () => {
  const others = shipped.filter(({ licence }) => !isPermitted(licence))
  expect(others, 'Take another package, or add its licence to `permitted` in release/licences.ts.').toEqual(
    [],
  )
})

test('a licence is as the package itself says it, where it is installed', () => {
  const said = shipped.flatMap(({ name, version, licence }) => {
    const path = `node_modules/${name}/package.json`
    if (!existsSync(`${root}/${path}`)) return []
    const own = JSON.parse(read(path)) as { version: string; license?: string }
    return own.version === version ? [[`${name} ${licence}`, `${name} ${own.license}`] as const] : []
  })
  expect(said.length).toBeGreaterThan(100)
  expect(said.filter(([locked, own]) => locked !== own)).toEqual([])
})

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-only)', true],
  ['MIT AND ISC', true],
  ['GPL-3.0-only', false],
  ['(MIT AND GPL-3.0-only)', false],
  ['(MIT OR ISC) AND GPL-3.0-only', false],
  ['unknown', false],
])('%s is permitted: %s', (expression, expected) => {
  expect(isPermitted(expression)).toBe(expected)
})
