/** Messages between the server and an engine process. */
import type { Statement } from './query-sql.ts'

/** Table files that a process keeps open: opening one takes some 20 ms. */
export const openFilesMax = 4

export interface EngineTask {
  /** Path of the table file. */
  readonly file: string
  /** True for a file that is being built: it stays open from a task that `begins` it until one that `ends` it. */
  readonly writes: boolean
  readonly begins?: boolean
  readonly ends?: boolean
  /** With `begins`: few bytes will follow. */
  readonly isSmall?: boolean
  readonly statements: readonly Statement[]
  /** Limit of DuckDB's memory. MiB. */
  readonly memoryMebibytes: number
  /** CPU time after which the statements are interrupted. */
  readonly milliseconds: number
  /** Folder for what a sort cannot keep in memory. Default: such a sort fails. */
  readonly scratch?: string
}

export type EngineReply =
  /** Rows of each statement. Integers and times are texts, as `getRowsJson` of DuckDB's binding makes them. */
  | { readonly results: readonly (readonly (readonly unknown[])[])[]; readonly error?: undefined }
  | { readonly error: string; readonly kind: EngineFault }

/**
 * `unreadable`: the table file cannot be opened. `lost`: the process that began to build it has ended. `waiting`: the statements got too
 * little CPU time to end soon. `failed`: by a statement.
 */
export type EngineFault = 'unreadable' | 'lost' | 'waiting' | 'failed'
