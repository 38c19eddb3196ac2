/** Our sources as JavaScript: what is ours in a few files, what is others' imported as it was. */
import { readFileSync, rmSync } from 'node:fs'
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
}

export interface Bundled {
  /** Packages of others that the JavaScript imports. */
  readonly imported: ReadonlySet<string>
  /** Folders that it reads, from the root. They must lie beside `outdir`, under their own last names. */
  readonly folders: ReadonlySet<string>
}

const fileUrl = /new URL\(\s*'([^']+)',\s*import\.meta\.url,?\s*\)/g

/** Where a program or a folder that a source names lies in what is released: programs beside the bundle, folders beside that. */
const entryName = (file: string): string =>
  relative(root, file)
    .replace(/^(?:packages|apps)\//, '')
    .replace('/src/', '/')
    .replace(/\.tsx?$/, '')
    .replaceAll('/', '-')

/** @throws what esbuild throws for a source with an error in it */
export async function bundle({ entries, outdir, target, platform, banner }: Bundling): Promise<Bundled> {
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
      entryPoints: Array.from(entryPoints, ([out, file]) => ({ in: file, out })),
      chunkNames: 'chunk-[hash]',
      // Errors are known by their names.
      keepNames: true,
      metafile: true,
      absWorkingDir: root,
      plugins: [ownSources({ programs: entryPoints, folders })],
    })
    if (entryPoints.size > known) continue
    const imports = Object.values(metafile!.outputs).flatMap((output) => output.imports)
    const specifiers = imports.filter(({ external }) => external).map(({ path }) => path)
    const imported = new Set(specifiers.filter((path) => !path.startsWith('node:')).map(packageOf))
    return { imported, folders }
  }
}

/** Others' packages stay outside. Files that ours name by their URL are found where they are in what is released. */
function ownSources(found: { programs: Map<string, string>; folders: Set<string> }): Plugin {
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
      building.onResolve({ filter: /^[^./#]/ }, ({ path, kind }) =>
        kind === 'entry-point' || path.startsWith('@ulmus/') ? undefined : { path, external: true },
      )
      building.onLoad({ filter: /\.tsx?$/ }, ({ path }) => ({
        contents: readFileSync(path, 'utf8').replaceAll(fileUrl, (_, specifier: string) =>
          rename(path, specifier),
        ),
        loader: path.endsWith('x') ? 'tsx' : 'ts',
      }))
    },
  }
}
