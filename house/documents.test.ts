import { existsSync, globSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, test } from 'vitest'
import { envFileDifferences } from '../apps/server/src/settings/env-file.ts'
import { errorsPage } from '../release/errors-page.ts'
import { read, root, sourceFiles } from './source-files.ts'

/** Names of variables, as they are written in a text: `PORT`, `OIDC_ISSUER`. */
const variablesIn = (text: string, pattern: RegExp): string[] => [
  ...new Set(Array.from(text.matchAll(pattern), ([, name]) => name!)),
]

const config = ['apps/server/src/config.ts', ...globSync('apps/server/src/variables/*.ts', { cwd: root })]
  .map(read)
  .join('')
const variables = variablesIn(config, /(?<![A-Za-z])'([A-Z][A-Z0-9_]*)'/g).sort()

const missingFrom = (wanted: readonly string[], held: readonly string[]) =>
  wanted.filter((one) => !held.includes(one))

test('docs/errors.md is the present truth', () => {
  expect(read('docs/errors.md'), 'Run `npm run errors`, and review the changes.').toBe(errorsPage())
})

test('config.ts names its variables as literal strings', () => {
  expect(variables, 'Name each variable in apps/server/src/config.ts as a literal string.').toContain('PORT')
})

test('every configuration variable has its line in docs/configuration.md, and every line its variable', () => {
  const documented = variablesIn(read('docs/configuration.md'), /^\|\s*`([A-Z][A-Z0-9_]*)`/gm)
  expect(
    missingFrom(variables, documented),
    'Add a row "| `VARIABLE` | …" to docs/configuration.md.',
  ).toEqual([])
  expect(missingFrom(documented, variables), 'Delete the row from docs/configuration.md.').toEqual([])
})

test('every configuration variable has its line in .env.example, and every line its variable', () => {
  const offered = variablesIn(read('.env.example'), /^#?\s*([A-Z][A-Z0-9_]*)=/gm)
  // A deployment sets it for all programs, not for this one.
  const ours = variables.filter((name) => name !== 'NODE_ENV')
  expect(missingFrom(ours, offered), 'Add a line "# VARIABLE=<default>" to .env.example.').toEqual([])
  expect(missingFrom(offered, variables), 'Delete the line from .env.example.').toEqual([])
})

test('a value of .env.example is read as it is written: none is cut at a `#`', () => {
  const lines = read('.env.example').matchAll(/^#?\s*([A-Z][A-Z0-9_]*=.*)$/gm)
  for (const [, line] of lines) {
    const [name, value] = line!.split(/=(.*)/s) as [string, string]
    expect(envFileDifferences(line!)).toEqual([])
    expect([name, parseEnv(line!)[name]]).toEqual([name, value.replaceAll('"', '')])
  }
})

test('whatever part of the design the sources cite is in docs/design', () => {
  const headings = (page: string) => read(`docs/design/${page}.md`).match(/^#+ .*$/gm) ?? []
  const lost = sourceFiles.flatMap((file) =>
    [
      ...read(file).matchAll(
        /\b(http-api|content-model|interface|architecture|house)(?:\.md)?(?: |: )((?:§\d+|"[^"]+")(?:, (?:§\d+|"[^"]+"))*)/g,
      ),
    ].flatMap(([cited, page = '', parts = '']) => {
      const known = ['http-api', 'content-model', 'interface'].includes(page) ? headings(page) : []
      const isKnown = (part: string) =>
        known.some((heading) =>
          part.startsWith('§')
            ? heading.startsWith(`## ${part.slice(1)}. `)
            : heading.replace(/^#+ /, '').startsWith(part.slice(1, -1)),
        )
      return (parts.match(/§\d+|^"[^"]+"/g) ?? []).every(isKnown) ? [] : [`${file}: ${cited}`]
    }),
  )
  expect(lost, 'Cite a heading of docs/design, or say it in words.').toEqual([])
})

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md'])('%s names files and folders that are there', (page) => {
  const named = Array.from(
    read(page).matchAll(/`((?:packages|apps|house|docs|bench|deploy|faults)\/[^`\s<*]+)`/g),
    ([, path]) => path!,
  )
  expect(named.length).toBeGreaterThan(10)
  expect(
    named.filter((path) => !existsSync(join(root, path))),
    'Say where it is now.',
  ).toEqual([])
})

const pages = globSync('{*.md,{docs,bench}/**/*.md}', { cwd: root }).sort()
const decisions = pages.filter((page) => page.startsWith('docs/decisions/') && !page.endsWith('/README.md'))

/** A heading as a link names it: lowercase, without punctuation, hyphens for spaces. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}\s_-]/gu, '')
    .replaceAll(' ', '-')
const anchorsIn = (text: string) =>
  Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading]) => anchorOf(heading!))

test.each(pages)('links between documents lead somewhere: %s', (page) => {
  const prose = read(page).replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '')
  const links = Array.from(prose.matchAll(/\]\((?![a-z]+:|\/)([^)\s]+)\)/g), ([, link]) => link!)
  const lost = links.filter((link) => {
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? page : normalize(join(dirname(page), path))
    if (!existsSync(join(root, target))) return true
    return anchor !== undefined && !anchorsIn(read(target)).includes(anchor)
  })
  expect(lost).toEqual([])
})

test.each(decisions)('a decision has a heading and a reason, its page is in the index: %s', (page) => {
  const [title = '', ...sections] = read(page).split(/^## /m)
  const index = read('docs/decisions/README.md')
  expect(index).toContain(`- [${/^# (.+)/.exec(title)?.[1]}](${page.replace('docs/decisions/', '')})\n`)
  expect(sections.length).toBeGreaterThan(0)
  for (const section of sections) expect(section).toMatch(/^.+\n\n\S/)
})

/** `docs/tuning.md`, `docs/tuning.md#memory`, `docs/tuning.md ("Memory")` or `docs/tuning.md, "Memory"`. */
const citation = /\b(docs\/[\w/-]+\.md)(?:#([\w-]+)|(?: \(|, )"([^"\n]+)")?/g
const citing = [
  ...sourceFiles,
  ...pages,
  ...globSync('{.ci/run,.env.example,Dockerfile,compose.yaml,deploy/*,{packages,apps}/**/*.{js,sql,md}}', {
    cwd: root,
    exclude: ['**/node_modules/**'],
  }).filter((path) => statSync(join(root, path)).isFile()),
]

test('pages and headings of docs that sources and documents cite are there', () => {
  const lost = citing.flatMap((file) =>
    Array.from(read(file).matchAll(citation)).flatMap(([cited, page = '', anchor, heading]) => {
      const wanted = heading === undefined ? anchor : anchorOf(heading)
      const isThere =
        existsSync(join(root, page)) && (wanted === undefined || anchorsIn(read(page)).includes(wanted))
      return isThere ? [] : [`${file}: ${cited}`]
    }),
  )
  expect(lost, 'Cite a page and a heading of docs/ that is there.').toEqual([])
})

test('served pages name served pages only', () => {
  const list = read('apps/web/src/docs/pages.ts')
  const served = Array.from(list.matchAll(/\bname: '([\w-]+)'/g), ([, name]) =>
    name === 'changelog' ? 'CHANGELOG.md' : `docs/${name}.md`,
  )
  expect(served.length).toBeGreaterThan(10)
  const lost = served.flatMap((file) =>
    Array.from(read(file).matchAll(citation), ([, page]) => page!)
      .filter((page) => !served.includes(page))
      .map((page) => `${file}: ${page}`),
  )
  expect(lost, 'Readers of /docs cannot open it: say it in words, or cite a page of pages.ts.').toEqual([])
})

const files = globSync('{packages,apps,house}/**/*.{ts,js,sql}', {
  cwd: root,
  exclude: ['**/node_modules/**'],
})

test.each([...decisions, 'docs/glossary.md'])('code that is named is there: %s', (page) => {
  const isThere = (name: string) =>
    name.endsWith('/')
      ? existsSync(join(root, 'packages', name)) || existsSync(join(root, name))
      : files.some((file) => file === name || file.endsWith(`/${name}`))
  const named = Array.from(read(page).matchAll(/`([\w./-]+(?:\.(?:ts|js|sql)|\/))`/g), ([, name]) => name!)
  expect(
    named.filter((name) => !isThere(name)),
    'Say where it is now.',
  ).toEqual([])
})
