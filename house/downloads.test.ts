/** Nothing of ours is on the public npm registry: a command that would ask it for our names runs whatever a stranger puts there. */
import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import manifest from '../apps/server/package.json' with { type: 'json' }
import { isForTests, read, root, sourceFiles } from './source-files.ts'

const documents = globSync('{*.md,docs/*.md,{packages,apps}/*/README.md}', { cwd: root })
const texts = [...documents, ...sourceFiles.filter((file) => !isForTests(file))]

/** `npx ulmus-server` is left out: in the sources, and beside an installed server, npx finds it without asking. */
const byName =
  /npx (?:--\S+ )*(?:@ulmus\/|ulmus(?!-server))|npm (?:i|install|exec)(?: -\S+(?: \/\S+)?)* (?:@ulmus\/|ulmus\b)|npmjs\.com/

test.each([
  ['npx ulmus --help', true],
  ['npx @ulmus/server start', true],
  ['npm install --global ulmus', true],
  ['npm install --prefix /opt/ulmus @ulmus/server', true],
  ['npm i @ulmus/client', true],
  ['npm install ./ulmus-server-0.1.0.tgz', false],
  ['npm install https://registry.example/downloads/ulmus-0.1.0.tgz', false],
  ['npx ulmus-server --help', false],
])('%s asks for a name of ours: %s', (text, expected) => {
  expect(byName.test(text)).toBe(expected)
})

test('no document, page or message tells readers to take our packages from a public registry', () => {
  const found = texts.flatMap((file) => (byName.exec(read(file)) ?? []).map((text) => `${file}: ${text}`))
  expect(found, 'Name the tarball that a registry serves at /downloads.').toEqual([])
})

test('documents name packages of the present version', () => {
  const pattern = /\/downloads\/ulmus(?:-[a-z]+)?-([\d.]+)\.tgz/g
  const found = documents.flatMap((file) =>
    Array.from(read(file).matchAll(pattern), ([, version]) => version),
  )
  expect(found.length).toBeGreaterThan(5)
  expect(new Set(found)).toEqual(new Set([manifest.version]))
})
