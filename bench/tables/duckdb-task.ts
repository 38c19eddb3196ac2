/** Messages between the benchmark and the process of DuckDB. */

export interface DuckDbTask {
  readonly file: string
  readonly writes: boolean
  readonly statements: readonly string[]
}

export type DuckDbReply =
  | {
      readonly results: readonly (readonly (readonly unknown[])[])[]
      readonly ms: number
      readonly cpuMs: number
      readonly error?: undefined
    }
  | { readonly error: string }
