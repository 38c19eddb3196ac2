/** Scripts and styles of pages: read once per process and named by hash, so that browsers can cache them for ever. */
import { readAssets } from '#building'

export interface Assets {
  /** Path of the stylesheet. */
  readonly style: string
  /** Path of an island's script. @throws Error if there is no such island */
  script(name: string): string
  /** Files by path, all immutable. */
  readonly files: ReadonlyMap<string, { readonly type: string; readonly text: string }>
}

/** Characters of the hash that esbuild puts into names. */
const hashLength = 8
/** True for `/assets/verify-1A2B3C4D.js` and `verify`, but not for `/assets/verify-version-1A2B3C4D.js`. */
const isNamed = (path: string, name: string): boolean =>
  path.startsWith(`/assets/${name}-`) && path.length === `/assets/${name}-.js`.length + hashLength

const typeOf = (name: string): string =>
  name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8'

/** @throws errors of esbuild for an invalid source */
export async function openAssets(): Promise<Assets> {
  const files = new Map(
    Array.from(await readAssets(), ([name, text]) => [`/assets/${name}`, { type: typeOf(name), text }]),
  )
  const paths = [...files.keys()]
  return {
    style: paths.find((path) => path.endsWith('.css'))!,
    files,
    script(name) {
      const path = paths.find((one) => isNamed(one, name))
      if (path === undefined) throw new Error(`There is no island ${name}.`)
      return path
    },
  }
}
