/**
 * Stored shares of changed values, by type and column: docs/formats.md. Bounded, since a page reads those of hundreds of versions.
 */
import { parseJson } from '@ulmus/content'

/** Stored text of a version and view. UTF-16 units. */
const storedMax = 4_096
/** Columns with longer names are left out: no filter of a comparison takes them. UTF-16 units. */
export const nameMax = 100

/** A column of a type, and the share of its values that changed. */
export interface ColumnShare {
  readonly type: string
  /** Names from the outside in, joined by dots: `name.common`. Empty: the record as a whole. */
  readonly column: string
  /** 0 to 1; null: unknown. */
  readonly share: number | null
  /** The only one of the two versions that has the column. Undefined: both have it. */
  readonly only?: 'before' | 'after' | undefined
}

const marks = { before: -1, after: 1 } as const

/** If not all fit, leaves out the columns that changed least. */
export function writeShares(shares: readonly ColumnShare[]): string {
  const changedMost = shares
    .filter(({ type, column }) => type.length <= nameMax && column.length <= nameMax)
    .sort((a, b) => (b.share ?? 0) - (a.share ?? 0))
  let units = 2
  const kept = new Set<ColumnShare>()
  const types = new Set<string>()
  for (const one of changedMost) {
    units += textOf(one).length + 1 + (types.has(one.type) ? 0 : JSON.stringify(one.type).length + 6)
    if (units > storedMax) break
    types.add(one.type)
    kept.add(one)
  }
  const byType = Map.groupBy(
    shares.filter((one) => kept.has(one)),
    ({ type }) => type,
  )
  return `[${[...byType].map(([type, own]) => `[${JSON.stringify(type)},[${own.map(textOf)}]]`)}]`
}

const textOf = ({ column, share, only }: ColumnShare): string =>
  JSON.stringify([
    column,
    share === null ? null : rounded(share),
    ...(only === undefined ? [] : [marks[only]]),
  ])

/** Three digits, but a part is never nothing and never all. */
const rounded = (share: number): number =>
  share <= 0 || share >= 1 ? share : Math.min(0.999, Number(share.toPrecision(3)))

type StoredShares = [type: string, columns: [column: string, share: number | null, only?: number][]][]

export const readShares = (text: string): ColumnShare[] =>
  (parseJson(text) as StoredShares).flatMap(([type, columns]) =>
    columns.map(([column, share, only]) => ({
      ...{ type, column, share },
      only: only === marks.before ? 'before' : only === marks.after ? 'after' : undefined,
    })),
  )
