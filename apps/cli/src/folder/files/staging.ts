/**
 * Stages new files of a working folder, and moves them into place together. Paths are from the root and must match `own` in replace.ts.
 * Use one instance at a time, under the folder's lock: they share a folder.
 */
import { type FileStat, statFile } from './file-index.ts'
import { copyInto, regularFile, removeFolder, writeInside } from './inside.ts'
import { paths } from './layout.ts'
import { replaceAll, stagedPath } from './replace.ts'

export class Staging {
  readonly root: string
  readonly #places = new Set<string>()
  readonly #removes: string[] = []

  /** Removes files staged by an earlier command. */
  constructor(root: string) {
    this.root = root
    removeFolder(root, paths.staged)
  }

  /** Staging path of the file `path`. */
  file(path: string): string {
    this.#places.add(path)
    return this.peek(path)
  }

  /** Path that `file(path)` wrote to. */
  peek(path: string): string {
    return stagedPath(path)
  }

  text(path: string, text: string): void {
    writeInside(this.root, this.file(path), text)
  }

  /** Copies a staged file. */
  copy(path: string, to: string): void {
    copyInto(this.root, this.file(to), regularFile(this.root, this.peek(path)))
  }

  /** Facts about the staged file that stay valid after it is moved into place. */
  stat(path: string): FileStat {
    return { ...statFile(this.root, this.peek(path)), path }
  }

  remove(path: string): void {
    this.#removes.push(path)
  }

  /** Moves all files into place. If the program is killed meanwhile, the next command finishes the moves. */
  commit(): void {
    replaceAll(this.root, { places: [...this.#places], removes: this.#removes })
    this.discard()
  }

  discard(): void {
    removeFolder(this.root, paths.staged)
  }
}
