/** Marks that people and programs write for missing values. */
import { Numeral } from '../reading/table.ts'
import type { CellKind } from './kinds.ts'

/** In lower case. */
const marks: ReadonlySet<string> = new Set(
  'na,n/a,n.a.,#n/a,nan,null,none,nil,missing,unknown,k.a.,\\n,-,--,---,–,—,.,..,...,?,??,???,*,**,***,#,##,###,infinity,-infinity,inf,-inf,#div/0!,#value!,#ref!'.split(
    ',',
  ),
)
/** Longer texts are no marks. Characters. */
const markMax = Math.max(...Array.from(marks, (mark) => mark.length))

export const isMark = (text: string): boolean => text.length <= markMax && marks.has(text.toLowerCase())

export interface Mark {
  readonly mark: string
  /** Kind of the mark, if it were a value. */
  readonly kind: CellKind
  readonly count: number
  /** Line of the first occurrence. */
  readonly line: number
}

/** Counts the marks of one column. */
export class MarkWatch {
  readonly #seen = new Map<string, { readonly kind: CellKind; count: number; readonly line: number }>()

  /** @param copy A slice would keep the whole piece of the file in memory. */
  see(value: unknown, kind: CellKind, line: number, copy: (text: string) => string): void {
    if (kind !== 'string' && kind !== 'numeral') return
    const text = value instanceof Numeral ? value.text : value
    if (typeof text !== 'string' || !isMark(text)) return
    const known = this.#seen.get(text)
    if (known !== undefined) known.count++
    else this.#seen.set(copy(text), { kind, count: 1, line })
  }

  found(): Mark[] {
    return Array.from(this.#seen, ([mark, { kind, count, line }]) => ({ mark, kind, count, line }))
  }
}
