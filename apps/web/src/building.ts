/** Builds pages and browser assets from the sources. A release contains them already built, with `built.ts` in place of this file. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin, stop, transformSync } from 'esbuild'

/**
 * Lets Node import `.tsx` files until the returned function is called: Node strips types by itself, but cannot parse JSX. That call also
 * ends esbuild's process, to free its memory.
 */
export function readTsx(): () => void {
  const hooks = registerHooks({
    load(url, context, next) {
      if (!url.endsWith('.tsx')) return next(url, context)
      const { code } = transformSync(readFileSync(fileURLToPath(url), 'utf8'), {
        loader: 'tsx',
        jsx: 'automatic',
        jsxImportSource: 'preact',
        target: 'esnext',
        sourcemap: 'inline',
        sourcefile: url,
      })
      return { format: 'module', source: code, shortCircuit: true }
    },
  })
  return () => {
    hooks.deregister()
    void stop()
  }
}

const source = (folder: string) => join(import.meta.dirname, folder)

/** Reads Snappy in Parquet files without WebAssembly, which the content security policy of pages forbids. */
const plainSnappy: Plugin = {
  name: 'plain-snappy',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^hysnappy$/ }, ({ path, resolveDir }) => ({
      path,
      namespace: 'plain-snappy',
      pluginData: resolveDir,
    }))
    onLoad({ filter: /.*/, namespace: 'plain-snappy' }, ({ pluginData }) => ({
      contents: `import { snappyUncompress as read } from 'hyparquet/src/snappy.js'
        export const snappyUncompress = (input, length) => {
          const output = new Uint8Array(length)
          read(input, output)
          return output
        }
        export const snappyUncompressor = () => snappyUncompress`,
      resolveDir: pluginData as string,
    }))
  },
}

/** Scripts of the islands and the stylesheet, by file name, which contains a hash. @throws errors of esbuild for an invalid source */
export async function readAssets(): Promise<ReadonlyMap<string, string>> {
  const islands = readdirSync(source('islands')).filter((name) => /^[\w-]+\.tsx?$/.test(name))
  const common = { bundle: true, minify: true, write: false, outdir: '/' } as const
  const scriptsOf = (names: readonly string[]) =>
    build({
      ...common,
      entryPoints: names.map((name) => join(source('islands'), name)),
      plugins: [plainSnappy],
      entryNames: '[name]-[hash]',
      chunkNames: 'chunk-[hash]',
      format: 'esm',
      splitting: true,
      target: 'es2023',
      jsx: 'automatic',
      jsxImportSource: 'preact',
    })
  // Build the publishing page separately: in one build it would load parts of packages that only verification or workbooks need.
  const isWorkbook = (name: string) => name === 'push-workbook.ts'
  const isPublishing = (name: string) => name.startsWith('push') && !isWorkbook(name)
  const [publishing, workbooks, others, styles] = await Promise.all([
    scriptsOf(islands.filter(isPublishing)),
    scriptsOf(islands.filter(isWorkbook)),
    scriptsOf(islands.filter((name) => !name.startsWith('push'))),
    build({ ...common, entryPoints: [join(source('styles'), 'index.css')] }),
  ])
  const css = styles.outputFiles[0]!.text
  const hash = createHash('sha256').update(css).digest('hex').slice(0, 8)
  return new Map([
    ...[publishing, workbooks, others]
      .flatMap(({ outputFiles }) => outputFiles)
      .map(({ path, text }) => [path.slice(1), text] as const),
    [`style-${hash}.css`, css],
  ])
}
