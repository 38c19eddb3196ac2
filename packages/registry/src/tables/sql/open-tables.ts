/** Opens table files for processes without privileges. */
import { link, open, rm } from 'node:fs/promises'

/** Opens table files through links that are deleted again, so that `/proc` does not tell their names. */
export async function openWithoutNames(tables: readonly { readonly path: string }[], path: string) {
  const files = []
  for (const table of tables) {
    await link(table.path, path)
    try {
      files.push(await open(path, 'r'))
    } finally {
      await rm(path, { force: true })
    }
  }
  return files
}
