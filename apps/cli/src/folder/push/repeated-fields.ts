/**
 * Finds new public fields of a working folder that repeat a private field of its base, such as a private field under another name. The
 * registry compares only names.
 */
import { isJsonObject } from '@ulmus/content'
import { isPrivateType, type RepeatedField, repeatText, statesOf } from '@ulmus/tabular'
import { privateFieldsIn, RepeatWatch } from '@ulmus/tabular/private'
import type { Folder } from '../changes/changes.ts'
import { fileAt } from '../files/inside.ts'
import { baseRecordsPath } from '../files/layout.ts'
import { parseLine } from '../files/record-line.ts'
import { entriesInOrder } from '../files/sequence.ts'
import { privateValues } from '../import/known.ts'

/** A new public field. */
export interface RepeatingField {
  readonly type: string
  readonly field: string
  readonly repeats: RepeatedField
}

export const repeatingText = ({ type, field, repeats }: RepeatingField): string =>
  `the field ${field} of ${type}, which ${repeatText(repeats, type)}`

/** Reads the records of types with new public fields, and those of the base with private ones. @throws CommandError */
export function repeatedFields({ root, base, schemas, records }: Folder): RepeatingField[] {
  const before = new Map(Object.entries(base?.schemas ?? {}))
  if (privateFieldsIn(before).size === 0) return []
  const types = [...schemas].flatMap(([type, { source }]) => {
    const fields = newFieldsOf(source, before.get(type))
    return fields.length === 0 ? [] : [{ type, fields }]
  })
  if (types.length === 0) return []
  const baseFiles = (type: string) => [baseRecordsPath(type)].filter((path) => fileAt(root, path))
  const values = privateValues(root, before, baseFiles)
  return types.flatMap(({ type, fields }) => {
    const watches = values.map((one) => ({ type: one.type, watch: new RepeatWatch(one, fields.length) }))
    for (const batch of entriesInOrder(root, type, records.get(type) ?? [])) {
      for (const entry of batch) {
        const { id, data } = parseLine(entry.text, type, entry).record
        const read = (place: number) => (isJsonObject(data) ? [data[fields[place]!]] : [])
        for (const { watch } of watches) watch.see(id, read)
      }
    }
    return fields.flatMap((field, place): RepeatingField[] => {
      for (const { type: of, watch } of watches) {
        const repeated = watch.repeated(place)
        if (repeated !== undefined) return [{ type, field, repeats: { type: of, field: repeated } }]
      }
      return []
    })
  })
}

/** Public fields that the type did not have. A private field of the base that becomes public is found by its name. */
function newFieldsOf(schema: unknown, before: unknown): string[] {
  if (isPrivateType(schema)) return []
  const known = statesOf(before)
  return [...statesOf(schema)].flatMap(([field, { isPrivate }]) =>
    isPrivate || known.has(field) ? [] : [field],
  )
}
