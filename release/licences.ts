/**
 * `npm run licences`: writes docs/licences.md, the third-party packages in each release with their licences. Reads the sources, as `npm run
 * release` bundles them, and package-lock.json.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { bundle, packagesIn } from './bundle.ts'
import { released } from './packages.ts'
import { manifestAt, root, type Versions, versionsOf } from './workspace.ts'

/** Permitted licences of bundled packages: they only require attribution. */
const permitted: ReadonlySet<string> = new Set([
  ...[
    '0BSD',
    'Apache-2.0',
    'BlueOak-1.0.0',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'CC0-1.0',
    'ISC',
    'MIT',
    'Unlicense',
  ],
])

interface Locked {
  readonly version: string
  readonly license?: string
  readonly dependencies?: Versions
  readonly optionalDependencies?: Versions
  readonly peerDependencies?: Versions
  readonly peerDependenciesMeta?: Readonly<Record<string, { optional?: boolean }>>
}

export interface Shipped {
  readonly name: string
  readonly version: string
  /** An SPDX expression. */
  readonly licence: string
  /** Released packages that contain or need it. */
  readonly with: readonly string[]
}

const { packages: locked } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Readonly<Record<string, Locked>>
}

/** All third-party packages that are installed with, or bundled into, a released package, by name and version. */
export async function shippedPackages(): Promise<Shipped[]> {
  const found = new Map<string, { at: Locked; name: string; by: Set<string> }>()
  for (const one of released) {
    const { name: by } = manifestAt(one.folder)
    for (const path of closure([...(await needsOf(one))])) {
      const at = locked[path]!
      const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
      const known = found.get(`${name}@${at.version}`) ?? { at, name, by: new Set<string>() }
      found.set(`${name}@${at.version}`, known)
      known.by.add(by)
    }
  }
  return [...found.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { at, name, by }]) => ({
      ...{ name, version: at.version, licence: at.license ?? 'unknown', with: [...by].sort() },
    }))
}

type Released = (typeof released)[number]

/** Paths in the lock file of a released package's own dependencies. */
async function needsOf({
  needs,
  optional,
  folders,
  banner: _banner,
  ...bundling
}: Released): Promise<Set<string>> {
  const outdir = mkdtempSync(join(tmpdir(), 'ulmus-licences-'))
  try {
    const { imported, embedded } = await bundle({ ...bundling, outdir })
    const { dependencies, optionalDependencies } = versionsOf([...imported, ...needs])
    const named = Object.entries({ ...dependencies, ...optionalDependencies, ...optional })
    const places = new Set([...embedded, ...named.map(([name, version]) => placeOf(name, version))])
    if (folders['apps/web/assets'] !== undefined) for (const path of await bundledInAssets()) places.add(path)
    return places
  } finally {
    rmSync(outdir, { recursive: true, force: true })
  }
}

function placeOf(name: string, version: string): string {
  const place = Object.keys(locked).find(
    (path) => path.endsWith(`node_modules/${name}`) && locked[path]!.version === version,
  )
  if (place === undefined) throw new Error(`package-lock.json has no ${name} ${version}.`)
  return place
}

/** Paths of packages whose code is in the scripts of pages. */
async function bundledInAssets(): Promise<Set<string>> {
  const islands = join(root, 'apps/web/src/islands')
  const { metafile } = await build({
    entryPoints: readdirSync(islands)
      .filter((name) => /^[\w-]+\.tsx?$/.test(name))
      .map((name) => join(islands, name)),
    ...{ bundle: true, write: false, outdir: '/', format: 'esm', splitting: true, metafile: true },
    ...{ jsx: 'automatic', jsxImportSource: 'preact', absWorkingDir: root, logLevel: 'error' },
  })
  return packagesIn(Object.keys(metafile.inputs))
}

/** Paths of all direct and indirect dependencies, as npm resolved them. */
function closure(places: readonly string[]): Set<string> {
  const all = new Set<string>()
  const add = (path: string): void => {
    if (all.has(path)) return
    all.add(path)
    const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = locked[path]!
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) add(resolved(path, name))
    for (const name of Object.keys(peerDependencies ?? {}))
      if (peerDependenciesMeta?.[name]?.optional !== true) add(resolved(path, name))
  }
  for (const place of places) add(place)
  return all
}

/** Resolves `name` for the package at `path`: the nearest enclosing folder that has it. */
function resolved(path: string, name: string): string {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (locked[place] !== undefined) return place
    if (folder === '') throw new Error(`package-lock.json has no ${name} for ${path}.`)
  }
}

/** True if permitted licences suffice. @param expression of SPDX; mixed AND and OR need manual review */
export function isPermitted(expression: string): boolean {
  const words = expression.replace(/^\((.*)\)$/, '$1')
  const choices = words.split(' OR ')
  if (choices.length > 1) return choices.some((licence) => permitted.has(licence))
  return words.split(' AND ').every((licence) => permitted.has(licence))
}

export function licencesPage(shipped: readonly Shipped[]): string {
  const rows = shipped.map(
    (one) => `| ${one.name} | ${one.version} | ${one.licence} | ${one.with.join(', ')} |`,
  )
  return `# Licences

Ulmus itself is under the [MIT licence](../LICENSE). These ${shipped.length} packages of others come with what is released: npm installs them beside it, or their code is
part of it. Some are for other systems than yours, and are not installed there. Written by \`npm run licences\`; \`release/licences.ts\` has the list of licences that are
permitted.

| package | version | licence | comes with |
|---|---|---|---|
${rows.join('\n')}
`
}

if (import.meta.main) writeFileSync(join(root, 'docs/licences.md'), licencesPage(await shippedPackages()))
