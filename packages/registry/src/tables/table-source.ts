/** Input and outcome of the build of a table. */
import type { Hash, JsonObject, TableColumn, Tree } from '@ulmus/content'

/** Identifies a table: a record tree and its schema. */
export interface TableKey {
  readonly tree: Tree
  readonly schemaHash: Hash
  /** Readers of its file: `public`, or the id of the account that owns the collection. */
  readonly scope: string
}

/** A table to be made. */
export interface TableSource extends TableKey {
  /** Id of the account that owns the collection: the file counts for it. */
  readonly owner: string
  readonly schema: JsonObject
  readonly columns: readonly TableColumn[]
  /** Lines of canonical records, whole. A chunk is valid until the next one is requested. */
  lines(): AsyncIterable<Uint8Array>
}

/** Facts about a table file, stored beside it as JSON. */
export interface TableFacts {
  /** Id of the account for whose collection it was made. */
  readonly owner: string
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
