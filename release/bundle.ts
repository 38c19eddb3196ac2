/** Bundles our sources as a few JavaScript files. Third-party packages are embedded or stay imports. */
import { readFileSync, rmSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, join, normalize, relative } from 'node:path'
import { buildOfSources } from '@ulmus/wire/build'
import { build, type Plugin } from 'esbuild'
import { packageOf, root } from './workspace.ts'

export interface Bundling {
  /** Source files from the root, by output name without extension. */
  readonly entries: Readonly<Record<string, string>>
  /** Output folder. */
  readonly outdir: string
  readonly target: string
  readonly platform: 'node' | 'neutral'
  /** First line of every file, such as `#!/usr/bin/env node`. */
  readonly banner?: string
  /** True if third-party packages are embedded, except those in `beside`. */
  readonly embeds: boolean
  /** Packages that stay imports; they are used if they are installed. */
  readonly beside: readonly string[]
}

export interface Bundled {
  /** Third-party packages that the JavaScript imports. */
  readonly imported: ReadonlySet<string>
  /** Folders of embedded packages, from the root: `node_modules/ajv`. */
  readonly embedded: ReadonlySet<string>
  /** Folders that the code reads, from the root. They must be placed beside `outdir`, under their last names. */
  readonly folders: ReadonlySet<string>
}

const fileUrl = /new URL\(\s*'([^']+)',\s*import\.meta\.url,?\s*\)/g

/** Name in the release of a program or folder that a source refers to: programs beside the bundle, folders beside `outdir`. */
const entryName = (file: string): string =>
  relative(root, file)
    .replace(/^(?:packages|apps)\//, '')
    .replace('/src/', '/')
    .replace(/\.tsx?$/, '')
    .replaceAll('/', '-')

/** @throws errors of esbuild for an invalid source */
export async function bundle(bundling: Bundling): Promise<Bundled> {
  const { entries, outdir, target, platform, banner, embeds, beside } = bundling
  const entryPoints = new Map(Object.entries(entries).map(([out, file]) => [out, join(root, file)]))
  const folders = new Set<string>()
  // Programs for threads and processes are found while bundling, and may refer to further ones.
  for (;;) {
    const known = entryPoints.size
    rmSync(outdir, { recursive: true, force: true })
    const { metafile } = await build({
      ...{ outdir, target, platform, banner: banner === undefined ? {} : { js: banner } },
      ...{ bundle: true, splitting: true, format: 'esm', write: true, logLevel: 'error' },
      ...{ jsx: 'automatic', jsxImportSource: 'preact', conditions: ['released'] },
      mainFields: ['module', 'main'],
      entryPoints: Array.from(entryPoints, ([out, file]) => ({ in: file, out })),
      chunkNames: 'chunk-[hash]',
      // Code recognises errors by their names.
      keepNames: true,
      metafile: true,
      // Without git, as in a build of an image, the environment may name it.
      define: { RELEASED_BUILD: JSON.stringify(process.env['ULMUS_BUILD'] ?? buildOfSources()) },
      absWorkingDir: root,
      plugins: [
        ownSources({ programs: entryPoints, folders }, (path) => embeds && !beside.includes(packageOf(path))),
      ],
    })
    if (entryPoints.size > known) continue
    const imports = Object.values(metafile!.outputs).flatMap((output) => output.imports)
    const specifiers = imports.filter(({ external }) => external).map(({ path }) => path)
    const others = specifiers.filter((path) => !isBuiltin(path)).map(packageOf)
    const imported = new Set(others.filter((name) => !beside.includes(name)))
    const inputs = Object.values(metafile!.outputs).flatMap((output) => Object.entries(output.inputs))
    const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path)
    return { imported, embedded: packagesIn(used), folders }
  }
}

/** Folders of the third-party packages that files belong to. */
export const packagesIn = (files: readonly string[]): Set<string> =>
  new Set(
    files
      .filter((path) => path.includes('node_modules/'))
      .map((path) => {
        const at = path.lastIndexOf('node_modules/') + 'node_modules/'.length
        return path.slice(0, at) + packageOf(path.slice(at))
      }),
  )

/**
 * Leaves third-party packages as imports, unless `isEmbedded` selects them. Rewrites URLs of files in our sources to their places in the
 * release.
 */
function ownSources(
  found: { programs: Map<string, string>; folders: Set<string> },
  isEmbedded: (specifier: string) => boolean,
): Plugin {
  const rename = (file: string, specifier: string): string => {
    const named = normalize(join(file, '..', specifier))
    if (/\.tsx?$/.test(specifier)) {
      const name = entryName(named)
      found.programs.set(name, named)
      return `new URL('./${name}.js', import.meta.url)`
    }
    found.folders.add(relative(root, named))
    return `new URL('../${basename(named)}', import.meta.url)`
  }
  return {
    name: 'own-sources',
    setup(building) {
      building.onResolve({ filter: /^[^./#]/ }, ({ path, kind }) => {
        const isInside = kind === 'entry-point' || path.startsWith('@ulmus/')
        if (isInside || (!isBuiltin(path) && isEmbedded(path))) return undefined
        return { path, external: true }
      })
      building.onLoad({ filter: /\.tsx?$/ }, ({ path }) => ({
        contents: readFileSync(path, 'utf8').replaceAll(fileUrl, (_, specifier: string) =>
          rename(path, specifier),
        ),
        loader: path.endsWith('x') ? 'tsx' : 'ts',
      }))
    },
  }
}
