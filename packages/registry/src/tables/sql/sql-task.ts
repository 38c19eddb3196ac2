/** Messages between the server and a process that runs SQL. */
import type { SqlQuestion } from '@ulmus/wire'

export type SqlFormat = NonNullable<SqlQuestion['format']>

/** First message: the tables that the process serves, for its whole life. */
export interface SqlTables {
  /** Limit of DuckDB's memory. MiB. */
  readonly memoryMebibytes: number
  /** Descriptor of the file that answers in Parquet are written to. Undefined: the server has none. */
  readonly answerFile?: number | undefined
  readonly tables: readonly {
    /** Path that opens the table file without telling its name. */
    readonly file: string
    /** Name of the view, unique whatever the case. */
    readonly name: string
    /** Columns that the view has. */
    readonly columns: readonly string[]
  }[]
}

/** Asks for the names of the tables that a statement reads; it is not run. */
export interface SqlNamesTask {
  readonly namesIn: string
}

export interface SqlTask {
  readonly sql: string
  readonly format: SqlFormat
  readonly rowsMax: number
  /** With the names and types of the columns. */
  readonly bytesMax: number
  /** CPU time. */
  readonly milliseconds: number
}

export interface SqlColumn {
  readonly name: string
  /** As DuckDB writes it: `VARCHAR`, `BIGINT[]`. */
  readonly type: string
}

export type SqlReply =
  | { readonly kind: 'ready' }
  | { readonly kind: 'names'; readonly names: readonly string[] }
  /** A part of the text of the answer. Of Parquet: in base64. */
  | { readonly kind: 'piece'; readonly text: string }
  | {
      readonly kind: 'end'
      readonly truncated: boolean
    }
  /** `interrupted`: after `milliseconds`. `busy`: it got too little CPU time to end soon. */
  | {
      readonly kind: 'refused'
      readonly reason: 'invalid' | 'interrupted' | 'busy' | 'memory' | 'unavailable'
      readonly message: string
    }
