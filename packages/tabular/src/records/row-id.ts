/** Id of a row by the places of its id columns. */
import { idOf } from '../inference/column.ts'
import { joinIds } from '../inference/ids.ts'

/** Rows without id columns are numbered. @param row its number, from 1 */
export function rowId(
  values: readonly unknown[],
  places: readonly (number | undefined)[],
  row: number,
): string {
  if (places.length === 0) return String(row)
  return joinIds(places.map((place) => (place === undefined ? '' : (idOf(values[place]) ?? ''))))
}
