/** Replaces `building.ts` in a release, so both have the same exports: pages are JavaScript files, and browser assets are in a folder. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../assets', import.meta.url))

/** Does nothing: a release has no `.tsx` files. */
export function readTsx(): () => void {
  return () => {}
}

/** Scripts of the islands and the stylesheet, by file name. */
export async function readAssets(): Promise<ReadonlyMap<string, string>> {
  const texts = (await readdir(folder)).map(
    async (name) => [name, await readFile(join(folder, name), 'utf8')] as const,
  )
  return new Map(await Promise.all(texts))
}
