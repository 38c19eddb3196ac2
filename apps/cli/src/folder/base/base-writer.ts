/**
 * Rewrites the base's records of one type after a push or an update. The next comparison reads the result, so it must contain exactly the
 * records of the new version.
 */
import { compareUtf8, type Json } from '@ulmus/content'
import { Cursor } from '../files/cursor.ts'
import { fileAt, removeFile } from '../files/inside.ts'
import { baseRecordsPath } from '../files/layout.ts'
import { LineWriter, lineBatches, type NumberedLine } from '../files/lines.ts'
import { idOf, lineOf, parseLine } from '../files/record-line.ts'
import type { Staging } from '../files/staging.ts'
import { tampered } from './verified-version.ts'

/** A change of one record of the base. */
export interface BaseChange {
  readonly id: string
  /** Undefined: the data is unchanged and only the privacy changed, or the record was removed. */
  readonly data?: Json
  readonly isRemoved: boolean
  readonly private: boolean
}

/** Merges the old base with changes. Call `apply` in ascending order of ids (UTF-8 bytes), then `finish`. */
export class BaseWriter {
  readonly type: string
  readonly #root: string
  readonly #path: string
  readonly #old: Cursor<NumberedLine>
  readonly #writer: LineWriter
  readonly #staging: Staging

  constructor(staging: Staging, type: string) {
    this.type = type
    this.#staging = staging
    this.#root = staging.root
    this.#path = baseRecordsPath(type)
    const isThere = fileAt(this.#root, this.#path) !== undefined
    this.#old = new Cursor(isThere ? lineBatches(this.#root, this.#path) : [])
    this.#writer = new LineWriter(this.#root, staging.file(this.#path))
  }

  apply(change: BaseChange): void {
    let existing: NumberedLine | undefined
    for (let old = this.#old.current; old !== undefined; old = this.#old.current) {
      const order = compareUtf8(idOf(old.text)!, change.id)
      if (order > 0) break
      if (order === 0) existing = old
      else this.#writer.write(old.text)
      this.#old.next()
    }
    if (change.isRemoved) return
    const { id, private: isPrivate } = change
    const data = change.data === undefined ? this.#dataOf(existing, change) : change.data
    this.#writer.write(lineOf({ id, data, private: isPrivate }))
  }

  #dataOf(existing: NumberedLine | undefined, { id }: BaseChange): Json {
    if (existing === undefined)
      throw tampered(
        `The registry says that the ${this.type} ${JSON.stringify(id)} was there before; it was not.`,
      )
    return parseLine(existing.text, this.type, { file: this.#path, line: existing.number }).record.data
  }

  finish(): void {
    for (; this.#old.current !== undefined; this.#old.next()) this.#writer.write(this.#old.current.text)
    this.#old.close()
    this.#writer.close()
    if (this.#writer.count > 0) return
    // A type without records has no file.
    removeFile(this.#root, this.#staging.file(this.#path))
    this.#staging.remove(this.#path)
  }
}
