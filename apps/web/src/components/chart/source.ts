/** Results that a chart is drawn from, and the reason if there is none. */

/** A result: columns with their types in SQL, and rows as the engine writes them. */
export interface ChartSource {
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly rows: readonly (readonly unknown[])[]
}

/** Why there is no chart, as the end of a sentence. */
export interface NoChart {
  readonly reason: string
}
