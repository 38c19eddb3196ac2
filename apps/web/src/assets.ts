/** What browsers load for pages: scripts and styles, bundled once a process, named by hash so that they may be kept for ever. */
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'

export interface Assets {
  /** Path of the stylesheet. */
  readonly style: string
  /** Path of an island's script. @throws Error for one that there is not */
  script(name: string): string
  /** Files by path, all immutable. */
  readonly files: ReadonlyMap<string, { readonly type: string; readonly text: string }>
}

const source = (folder: string) => join(import.meta.dirname, folder)

const hashLength = 8
/** `/assets/verify-1A2B3C4D.js` is `verify`, and `/assets/verify-version-1A2B3C4D.js` is not. */
const isNamed = (path: string, name: string): boolean =>
  path.startsWith(`/assets/${name}-`) && path.length === `/assets/${name}-.js`.length + hashLength

/** @throws what esbuild throws for a source with an error in it */
export async function openAssets(): Promise<Assets> {
  const islands = readdirSync(source('islands')).filter((name) => /^[\w-]+\.tsx?$/.test(name))
  const common = { bundle: true, minify: true, write: false, outdir: '/assets' } as const
  const [scripts, styles] = await Promise.all([
    build({
      ...common,
      entryPoints: islands.map((name) => join(source('islands'), name)),
      entryNames: '[name]-[hash]',
      chunkNames: 'chunk-[hash]',
      format: 'esm',
      splitting: true,
      target: 'es2023',
      jsx: 'automatic',
      jsxImportSource: 'preact',
    }),
    build({ ...common, entryPoints: [join(source('styles'), 'index.css')] }),
  ])
  const files = new Map(
    scripts.outputFiles.map(({ path, text }) => [path, { type: 'text/javascript; charset=utf-8', text }]),
  )
  const css = styles.outputFiles[0]!.text
  const style = `/assets/style-${createHash('sha256').update(css).digest('hex').slice(0, 8)}.css`
  files.set(style, { type: 'text/css; charset=utf-8', text: css })
  const paths = [...files.keys()]
  return {
    style,
    files,
    script(name) {
      const path = paths.find((one) => isNamed(one, name))
      if (path === undefined) throw new Error(`There is no island ${name}.`)
      return path
    },
  }
}
