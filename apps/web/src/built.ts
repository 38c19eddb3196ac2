/** In the place of `building.ts` in what is released: pages are JavaScript there, and what browsers load lies in a folder. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('../assets', import.meta.url))

/** There is none to be read. */
export function readTsx(): () => void {
  return () => {}
}

/** Texts of the islands' scripts and of the stylesheet, by file name. */
export async function readAssets(): Promise<ReadonlyMap<string, string>> {
  const texts = (await readdir(folder)).map(
    async (name) => [name, await readFile(join(folder, name), 'utf8')] as const,
  )
  return new Map(await Promise.all(texts))
}
