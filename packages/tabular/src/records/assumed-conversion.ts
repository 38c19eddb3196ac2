/** Finds the conversion that fits the values of a file to a field of an existing type. */
import type { Column } from '../inference/column.ts'
import { type Conversion, kindsAfter } from '../inference/conversions.ts'
import type { Kind } from '../inference/kinds.ts'
import type { FieldReading } from './remembered.ts'

/**
 * The conversion by which the values of a column fit the kind of a field: the one of earlier files, or else the only one. None, if the
 * values fit as they are.
 */
export function assumedConversion(
  column: Column,
  kind: Kind,
  { convert }: FieldReading,
): Conversion | undefined {
  const isSame = (made: Kind) => made === kind || (made === 'integer' && kind === 'number')
  if (kind === 'string' || kind === 'any') return undefined
  if (convert !== undefined && !kindsAfter(convert).some(isSame)) return undefined
  if (convert !== undefined && column.admitted.includes(convert)) return convert
  if (column.isEmpty || isSame(column.kind)) return undefined
  const offered = column.conversions.filter((one) => isSame(one.kind))
  // If some values have another notation, name these, and not all of them.
  if (offered.length === 0) return convert
  return offered.length === 1 ? offered[0]!.conversion : undefined
}
