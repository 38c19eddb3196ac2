import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  filesNamedIn,
  floorOf,
  type Import,
  importsOf,
  isForTests,
  root,
  sourceFiles,
} from './source-files.ts'

/** ARCHITECTURE.md, "The house": what each floor may stand on. */
const mayImport: Record<string, readonly string[]> = {
  content: [],
  wire: ['content'],
  storage: ['content'],
  registry: ['content', 'storage'],
  client: ['content', 'wire'],
  tabular: ['content'],
  server: ['registry', 'wire', 'web'],
  cli: ['client', 'content', 'tabular', 'wire'],
  web: ['client', 'content', 'registry', 'tabular', 'wire'],
  demo: ['client', 'content', 'wire'],
  release: ['web', 'wire'],
  house: ['content', 'client', 'registry', 'release', 'server', 'storage', 'wire'],
  bench: ['content', 'client', 'demo', 'registry', 'server', 'storage', 'wire'],
  faults: ['bench', 'client', 'content', 'demo', 'server', 'storage'],
}

/** Floors that may import only the types of others. */
const mayImportTypes: Record<string, readonly string[]> = { registry: ['wire'] }

/** The declarations of refusals: texts without zod. The registry may import them, the client and browsers must not. */
const refusals = 'packages/wire/src/refusals/index.ts'

/** Floors whose tests may stand on more: a test puts together what runs together. */
const testsMayImport: Record<string, readonly string[]> = {
  client: ['server', 'registry', 'storage'],
  demo: ['server', 'registry', 'storage'],
  server: ['client', 'content', 'storage'],
  cli: ['registry', 'server', 'storage', 'web'],
  release: ['client', 'content', 'server'],
}

/** Benchmarks and the fault tests are programs, but none that anybody installs: they sign in as the demo does and start databases as tests do. */
const isBench = (file: string): boolean => ['bench', 'faults'].includes(floorOf(file))

const edges: readonly Import[] = sourceFiles.flatMap(importsOf)

test('every floor has its place on the stairs', () => {
  const unplaced = [...new Set(sourceFiles.map(floorOf))].filter((floor) => !Object.hasOwn(mayImport, floor))
  expect(
    unplaced,
    'Say in `mayImport` what the new floor may import, and in ARCHITECTURE.md what it is.',
  ).toEqual([])
})

test('no file climbs the stairs', () => {
  const climbing = edges.flatMap(({ file, target, specifier, typeOnly }) => {
    if (target === undefined) return []
    const from = floorOf(file)
    const to = floorOf(target)
    const allowed = [
      from,
      ...(mayImport[from] ?? []),
      ...(typeOnly ? (mayImportTypes[from] ?? []) : []),
      ...(isForTests(file) ? (testsMayImport[from] ?? []) : []),
    ]
    return allowed.includes(to) || (from === 'registry' && target === refusals)
      ? []
      : [
          `${file} imports ${specifier}: ${from} may import ${mayImport[from]?.join(', ') || 'nothing of ours'}`,
        ]
  })
  expect(climbing, 'Move the code to the floor it belongs to, or pass what it needs as an argument.').toEqual(
    [],
  )
})

test('packages meet at their table of contents', () => {
  const inside = edges.filter(({ file, specifier, target }) => {
    const crosses = target !== undefined && floorOf(file) !== floorOf(target)
    return crosses && specifier.startsWith('.') && !isForTests(file) && !isBench(file)
  })
  const named = inside.map(({ file, specifier }) => `${file} imports ${specifier}`)
  expect(named, 'Import from `@ulmus/<package>`, and export the name in its index.ts.').toEqual([])
})

test('what runs does not need what tests need', () => {
  const leaning = edges.filter(
    ({ file, target }) => !isForTests(file) && !isBench(file) && target !== undefined && isForTests(target),
  )
  const named = leaning.map(({ file, specifier }) => `${file} imports ${specifier}`)
  expect(named, 'Move what the program needs out of the test file.').toEqual([])
})

/** Files that a file loads, directly or not. */
function reachableFrom(start: string): string[] {
  const reached = new Set([start])
  for (const file of reached)
    for (const { target, typeOnly } of importsOf(file))
      if (target !== undefined && !typeOnly) reached.add(target)
  return [...reached]
}

test('content runs in browsers, but for `@ulmus/content/stored`: it imports nothing of Node, and takes no global of it', () => {
  const inContent = reachableFrom('packages/content/src/index.ts')
  expect(inContent.length).toBeGreaterThan(40)
  const named = inContent.filter((file) =>
    /from 'node:|\b(?:Buffer|process)\./.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(named, 'Use what ECMAScript and the web have: Uint8Array, TextEncoder.').toEqual([])
})

test.each(['push', 'read'])('%s threads load no database', (pool) => {
  const loaded = reachableFrom(`packages/registry/src/${pool}-thread.ts`)
  expect(loaded.length).toBeGreaterThan(40)
  // A thread with the whole package starts in 500 ms of CPU instead of 85.
  expect(loaded, 'Import from `@ulmus/storage/decoding` or `/encoding`, or only types.').not.toContain(
    'packages/storage/src/index.ts',
  )
})

test('refusals load no zod: threads of the registry start with them', () => {
  const loaded = reachableFrom(refusals)
  expect(loaded.length).toBeGreaterThan(10)
  const withZod = loaded.filter((file) =>
    importsOf(file).some(({ specifier, typeOnly }) => specifier === 'zod' && !typeOnly),
  )
  expect(withZod, 'Import only types; `members` gets its shapes as an argument.').toEqual([])
})

test('the client and the pages load no texts of refusals', () => {
  const entries = sourceFiles.filter((file) => /^apps\/web\/src\/islands\/[^/]+$/.test(file))
  expect(entries.length).toBeGreaterThan(5)
  const loading = ['packages/client/src/index.ts', ...entries].filter((file) =>
    reachableFrom(file).includes(refusals),
  )
  expect(loading, 'Import only types of `@ulmus/wire`: the texts are many times as long.').toEqual([])
})

test('imports lead somewhere', () => {
  const lost = edges.filter(({ target }) => target !== undefined && !existsSync(join(root, target)))
  const named = lost.map(({ file, specifier }) => `${file} imports ${specifier}`)
  expect(named, 'Write the `.ts` specifier of an existing file, or a name that the package exports.').toEqual(
    [],
  )
})

test('imports go round in no circle, those of types neither', () => {
  const next = new Map<string, Set<string>>()
  for (const { file, target } of edges) {
    if (target === undefined) continue
    next.set(file, (next.get(file) ?? new Set()).add(target))
  }
  expect(circlesIn(next), 'Move what both files need into a third that imports neither.').toEqual([])
})

test('islands run in browsers: they import nothing of the server, and none of its pages', () => {
  const islands = 'apps/web/src/islands/'
  const allowed = ['client', 'content', 'tabular', 'wire']
  const inside = edges.filter(({ file }) => file.startsWith(islands) && !isForTests(file))
  expect(inside.length).toBeGreaterThan(5)
  const strange = inside.filter(({ target, specifier }) =>
    target === undefined
      ? !/^preact(?:\/|$)/.test(specifier)
      : !target.startsWith(islands) && !allowed.includes(floorOf(target)),
  )
  const named = strange.map(({ file, specifier }) => `${file} imports ${specifier}`)
  expect(
    named,
    'What the page knows is handed over in `data-` attributes; what it asks, it asks the API.',
  ).toEqual([])
})

test('no file is dead', () => {
  const entries =
    /^(?:apps\/[^/]+\/src\/main|apps\/web\/src\/islands\/[^/]+|packages\/[^/]+\/src\/index|.*\.config|.*\.test|bench\/[^/]+|release\/main)\.tsx?$/
  const manifests = [
    'package.json',
    'vitest.config.ts',
    ...globSync('{packages,apps}/*/package.json', { cwd: root }),
  ]
  const reached = new Set([
    ...edges.map(({ target }) => target),
    ...[...manifests, ...sourceFiles].flatMap(filesNamedIn),
  ])
  const dead = sourceFiles.filter((file) => !reached.has(file) && !entries.test(file))
  expect(dead, 'Import the file where it is needed, or delete it.').toEqual([])
})

/** Each circle once, as the files on it. */
function circlesIn(next: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const done = new Set<string>()
  const circles: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file)
    if (at >= 0) circles.push([...path.slice(at), file].join(' → '))
    if (at >= 0 || done.has(file)) return
    for (const target of next.get(file) ?? []) visit(target, [...path, file])
    done.add(file)
  }
  for (const file of next.keys()) visit(file, [])
  return circles
}
