/** Our sources as JavaScript in a few files. Packages of others are embedded, or imported as they were. */
import { readFileSync, rmSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { basename, join, normalize, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { packageOf, root } from './workspace.ts'

export interface Bundling {
  /** Output names without their ending, and the files from the root. */
  readonly entries: Readonly<Record<string, string>>
  /** Folder for the JavaScript. */
  readonly outdir: string
  readonly target: string
  readonly platform: 'node' | 'neutral'
  /** First line of every file, such as `#!/usr/bin/env node`. */
  readonly banner?: string
  /** True if packages of others become part of the JavaScript, but for those that `beside` names. */
  readonly embeds: boolean
  /** Packages that are imported if they are installed as well. */
  readonly beside: readonly string[]
}

export interface Bundled {
  /** Packages of others that the JavaScript needs beside it. */
  readonly imported: ReadonlySet<string>
  /** Folders of the packages that are part of it, from the root: `node_modules/ajv`. */
  readonly embedded: ReadonlySet<string>
  /** Folders that it reads, from the root. They must lie beside `outdir`, under their own last names. */
  readonly folders: ReadonlySet<string>
}

const fileUrl = /new URL\(\s*'([^']+)',\s*import\.meta\.url,?\s*\)/g

/** Released place of a program or folder named in a source: programs beside the bundle, folders beside that. */
const entryName = (file: string): string =>
  relative(root, file)
    .replace(/^(?:packages|apps)\//, '')
    .replace('/src/', '/')
    .replace(/\.tsx?$/, '')
    .replaceAll('/', '-')

/** @throws what esbuild throws for a source with an error in it */
export async function bundle(bundling: Bundling): Promise<Bundled> {
  const { entries, outdir, target, platform, banner, embeds, beside } = bundling
  const entryPoints = new Map(Object.entries(entries).map(([out, file]) => [out, join(root, file)]))
  const folders = new Set<string>()
  // Programs that threads and processes run are found by reading, and may name further ones.
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
      // Errors are known by their names.
      keepNames: true,
      metafile: true,
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

/** Folders of the packages of others that files are from. */
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
 * Packages of others stay outside, unless `isEmbedded` says otherwise. Files that our sources name by their URL are found where they are
 * in what is released.
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
