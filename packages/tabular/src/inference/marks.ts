/** Marks that people and programs write for missing values. */
import { Numeral } from '../reading/table.ts'
import type { Seen } from './kinds.ts'

const marks: ReadonlySet<string> = new Set(
  'NA,N/A,n/a,na,#N/A,NaN,nan,NULL,Null,null,None,none,nil,\\N,-,--,–,—,.,..,?,Infinity,-Infinity,inf,-inf,#DIV/0!,#VALUE!,#REF!'.split(
    ',',
  ),
)

export interface Mark {
  readonly mark: string
  /** Kind of the mark, if it were a value. */
  readonly kind: Seen
  readonly count: number
  /** Line of the first occurrence. */
  readonly line: number
}

/** Counts the marks of one column. */
export class MarkWatch {
  readonly #seen = new Map<string, { readonly kind: Seen; count: number; readonly line: number }>()

  see(value: unknown, kind: Seen, line: number): void {
    if (kind !== 'string' && kind !== 'numeral') return
    const text = value instanceof Numeral ? value.text : value
    if (typeof text !== 'string' || !marks.has(text)) return
    const known = this.#seen.get(text)
    if (known !== undefined) known.count++
    // Store the constant: a slice would keep the whole piece of the file in memory.
    else this.#seen.set([...marks].find((mark) => mark === text)!, { kind, count: 1, line })
  }

  found(): Mark[] {
    return Array.from(this.#seen, ([mark, { kind, count, line }]) => ({ mark, kind, count, line }))
  }
}
