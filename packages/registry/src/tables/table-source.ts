/** Input and outcome of the build of a table. */
import type { Hash, JsonObject, TableColumn, Tree } from '@ulmus/content'

/** A table to be made: a record tree and its schema. */
export interface TableSource {
  readonly tree: Tree
  readonly schema: JsonObject
  readonly schemaHash: Hash
  readonly columns: readonly TableColumn[]
  /** Lines of canonical records, whole. A chunk is valid until the next one is requested. */
  lines(): AsyncIterable<Uint8Array>
}

/** Facts about a table file, stored beside it as JSON. */
export interface TableFacts {
  readonly rows: number
  /** Values that their column cannot represent, by the path of the column. */
  readonly misfits: Readonly<Record<string, number>>
  /** SHA-256 of the file in hex. */
  readonly sha256: string
}

export interface Progress {
  rowsDone: number
  readonly rows: number
}
