/** Order of the properties in the form of a schema, and the buttons that change it. */
import type { Form } from '../../page.ts'
import { type Entry, newIndexes, type SchemaEdit } from './schema-entries.ts'

/** An entry with its index among the old or the new ones, which names its fields. */
interface Positioned {
  readonly entry: Entry
  readonly index: number
  readonly isNew: boolean
}

/** Entries by their positions, which are renumbered. Entries whose position is no number stay where they are. */
export function inOrder({ entries, added }: Pick<SchemaEdit, 'entries' | 'added'>): Positioned[] {
  const all = [
    ...entries.map((entry, index) => ({ entry, index, isNew: false })),
    ...added.map((entry, index) => ({ entry, index, isNew: true })),
  ]
  const places = new Map(all.map((one, at) => [one, placeOf(one.entry, at) ?? at + 1]))
  return renumbered(all.toSorted((a, b) => places.get(a)! - places.get(b)!))
}

const renumbered = (sorted: readonly Positioned[]): Positioned[] =>
  sorted.map((one, at) => ({ ...one, entry: { ...one.entry, order: String(at + 1) } }))

/**
 * A number to sort by; undefined: the position is no number. A moved property comes before the one at its new position if it moves up,
 * and after it if it moves down.
 */
export function placeOf({ order }: Entry, index: number): number | undefined {
  if (order === '') return index + 1
  const place = Number(order)
  return Number.isFinite(place) ? place + Math.sign(place - index - 1) / 2 : undefined
}

export type Direction = 'up' | 'down'

/** A button that moves a property by one place, as `up.p3` or `down.n0`. */
const pressed = /^(up|down)\.([pn])(\d{1,3})$/

export const isMove = (form: Form): boolean => pressed.test(form['do'] ?? '')

/** The entries in their order after the button that a form was sent by, and the property that it moved. */
export function movedBy(
  form: Form,
  edit: SchemaEdit,
): { order: Positioned[]; moved?: { name: string; direction: Direction } } {
  const order = inOrder(edit)
  const [, direction, kind, digits] = pressed.exec(form['do'] ?? '') ?? []
  if (direction === undefined) return { order }
  const isNew = kind === 'n'
  const index = isNew ? newIndexes(form).indexOf(Number(digits)) : Number(digits)
  const at = order.findIndex((one) => one.isNew === isNew && one.index === index)
  const to = direction === 'up' ? at - 1 : at + 1
  const [one, other] = [order[at], order[to]]
  if (one === undefined || other === undefined) return { order }
  const swapped = order.with(at, other).with(to, one)
  return {
    order: renumbered(swapped),
    moved: { name: one.entry.name, direction: direction as Direction },
  }
}
