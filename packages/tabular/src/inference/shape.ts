/** Infers the shape of lists and objects, level by level, within bounds. */
import { type CellKind, type Kind, kindOfAll, kindOfValue } from './kinds.ts'

/** Maximum of inspected levels; deeper ones may have any shape. */
const depthMax = 8
/** Maximum of an object's member names. In an object with more, the names are data. */
const namesMax = 100
/** Maximum of shapes per column. */
const shapesMax = 1_000

/** Observes the lists and objects of one column, one after another. */
export class Shape {
  readonly #depth: number
  readonly #counted: { shapes: number }
  readonly #seen = new Set<CellKind>()
  #isNullable = false
  #items: Shape | undefined
  #members: Map<string, Shape> | undefined = new Map()

  constructor(depth = 0, counted = { shapes: 0 }) {
    this.#depth = depth
    this.#counted = counted
  }

  see(value: unknown): void {
    if (value === null || value === undefined) {
      this.#isNullable ||= value === null
      return
    }
    const kind = kindOfValue(value)
    // Within lists and objects, a numeral is a text; all other values keep their kind.
    this.#seen.add(kind === 'numeral' ? 'string' : kind)
    if (this.#depth === depthMax) return
    if (kind === 'array') {
      this.#items ??= this.#inner()
      for (const item of value as unknown[]) this.#items?.see(item)
    } else if (kind === 'object') this.#seeMembers(value as object)
  }

  #seeMembers(value: object): void {
    for (const [name, member] of Object.entries(value)) {
      if (this.#members === undefined) return
      let shape = this.#members.get(name)
      if (shape === undefined) {
        shape = this.#members.size < namesMax ? this.#inner() : undefined
        if (shape === undefined) this.#members = undefined
        else this.#members.set(name, shape)
      }
      shape?.see(member)
    }
  }

  #inner(): Shape | undefined {
    return ++this.#counted.shapes > shapesMax ? undefined : new Shape(this.#depth + 1, this.#counted)
  }

  /** A schema that all inspected values match. Members that may be missing are not required. */
  schema(): Record<string, unknown> {
    if (this.#seen.size === 0) return {}
    const kind = kindOfAll(this.#seen, false)
    const schema = typeOf(kind, this.#isNullable)
    if (kind === 'array' && this.#items !== undefined) {
      const items = this.#items.schema()
      if (Object.keys(items).length > 0) schema['items'] = items
    }
    if (kind === 'object' && this.#members !== undefined && this.#members.size > 0)
      schema['properties'] = Object.fromEntries(
        Array.from(this.#members, ([name, shape]) => [name, shape.schema()]),
      )
    return schema
  }
}

/** A schema for values of a kind. */
export function typeOf(kind: Kind, isNullable: boolean): Record<string, unknown> {
  if (kind === 'any') return {}
  const format = kind === 'date' || kind === 'date-time' ? kind : undefined
  const type = format === undefined ? kind : 'string'
  return { type: isNullable ? [type, 'null'] : type, ...(format === undefined ? {} : { format }) }
}
