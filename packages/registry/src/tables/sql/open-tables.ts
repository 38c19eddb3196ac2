/** Opens files for processes without privileges: they have no names there. */
import { type FileHandle, link, open, rm } from 'node:fs/promises'

/**
 * Opens a new file for answers, and table files through links that are deleted again, so that `/proc` does not tell their names.
 * @param path new path for these
 */
export async function openWithoutNames(tables: readonly { readonly path: string }[], path: string) {
  const files: FileHandle[] = []
  const openNext = async (flags: string) => {
    try {
      files.push(await open(path, flags))
    } finally {
      await rm(path, { force: true })
    }
  }
  try {
    await openNext('wx+')
    // The process opens it again.
    await files[0]!.chmod(0o666)
    for (const table of tables) {
      await link(table.path, path)
      await openNext('r')
    }
    return files
  } catch (error) {
    await Promise.all(files.map((file) => file.close()))
    throw error
  }
}
