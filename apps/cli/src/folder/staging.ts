/** New files of a working folder, made ready beside it and put in place together. */
import { constants, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Look, lookAt } from './file-index.ts'
import { paths } from './layout.ts'
import { replaceAll } from './replace.ts'

export class Staging {
  readonly root: string
  readonly #moves: [from: string, to: string][] = []
  readonly #removes: string[] = []

  /** What a command before this one left staged is of no use. */
  constructor(root: string) {
    this.root = root
    rmSync(join(root, paths.staged), { recursive: true, force: true })
  }

  /** Where to write what will be the file `path` (from the root). Absolute. */
  file(path: string): string {
    const from = `${paths.staged}/new/${path}`
    this.#moves.push([from, path])
    const file = join(this.root, from)
    mkdirSync(dirname(file), { recursive: true })
    return file
  }

  /** Where `file(path)` wrote. Absolute. */
  peek(path: string): string {
    return join(this.root, `${paths.staged}/new/${path}`)
  }

  text(path: string, text: string): void {
    writeFileSync(this.file(path), text)
  }

  /** A second copy of a staged file. Shares its blocks where the file system can. */
  copy(path: string, to: string): void {
    copyFileSync(this.peek(path), this.file(to), constants.COPYFILE_FICLONE)
  }

  /** How the staged file looks: as it will look in its place. */
  look(path: string): Look {
    return { ...lookAt(this.root, `${paths.staged}/new/${path}`), path }
  }

  remove(path: string): void {
    this.#removes.push(path)
  }

  /** Puts everything in place, also if the program is killed meanwhile: then the next command does the rest. */
  commit(): void {
    replaceAll(this.root, { moves: this.#moves, removes: this.#removes })
    this.discard()
  }

  discard(): void {
    rmSync(join(this.root, paths.staged), { recursive: true, force: true })
  }
}
