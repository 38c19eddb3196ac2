/**
 * Finds references between records: the fields that a schema declares with `x-ref-type`, and a record's ids in them (content-model §4). A
 * commit warns of ids without a record; nothing is refused.
 */
import { isJsonObject, type Json } from '../json/json.ts'
import { parseFileReference } from './record.ts'

/** Keyword for a field with the id of a record; the keyword's value is that record's type. */
export const referenceKeyword = 'x-ref-type'

/** A path into data; undefined means every item of an array. */
type Steps = readonly (string | undefined)[]

/** A field that contains ids of records of another type. */
export interface ReferenceField {
  readonly steps: Steps
  /** Type of the records that the field refers to. */
  readonly type: string
}

/** Fields nested deeper are ignored. Levels. */
const depthMax = 16
/** Further fields are ignored, because every record is searched for each field. */
const fieldsMax = 100

/**
 * The first 100 fields with `x-ref-type`, within `properties` and `items` only: subschemas behind a `$ref` or in `anyOf` depend on the
 * data.
 */
export function referenceFieldsOf(schema: Json): ReferenceField[] {
  const fields: ReferenceField[] = []
  const visit = (value: Json | undefined, steps: Steps): void => {
    if (value === undefined || !isJsonObject(value) || steps.length > depthMax) return
    const type = value[referenceKeyword]
    if (typeof type === 'string' && fields.length < fieldsMax) fields.push({ steps, type })
    if (isJsonObject(value['properties'] ?? null))
      for (const [name, member] of Object.entries(value['properties'] as object))
        visit(member as Json, [...steps, name])
    visit(value['items'], [...steps, undefined])
  }
  visit(schema, [])
  return fields
}

/** Calls `tell` with each id in a field and its JSON pointer. Skips values other than strings. */
export function eachId(
  data: Json,
  field: ReferenceField,
  tell: (id: string, path: () => string) => void,
): void {
  visitSteps(data, field.steps, 0, [], tell)
}

function visitSteps(
  value: Json,
  steps: Steps,
  at: number,
  way: (string | number)[],
  tell: (id: string, path: () => string) => void,
): void {
  if (at === steps.length) {
    if (typeof value === 'string') tell(value, () => pointerOf(way))
    return
  }
  if (typeof value !== 'object' || value === null) return
  const step = steps[at]
  const visit = (key: string | number, member: Json) => {
    way.push(key)
    visitSteps(member, steps, at + 1, way, tell)
    way.pop()
  }
  if (step === undefined) {
    if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(index, item)
  } else if (!Array.isArray(value) && Object.hasOwn(value, step)) visit(step, value[step]!)
}

const pointerOf = (way: readonly (string | number)[]): string =>
  way.map((key) => `/${escaped(String(key))}`).join('')

/** A member's name in a JSON pointer (RFC 6901). */
const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

/** Members `$file` that name no file. The registry does not treat them as references. */
export function* malformedFileReferences(data: Json, path = ''): Generator<{ path: string; value: Json }> {
  if (typeof data !== 'object' || data === null) return
  if (!Array.isArray(data) && Object.hasOwn(data, '$file')) {
    const value = data['$file']!
    if (typeof value === 'string' && parseFileReference(value) !== undefined) return
    yield { path: `${path}/$file`, value }
  }
  for (const [name, member] of Object.entries(data))
    yield* malformedFileReferences(member, `${path}/${escaped(name)}`)
}
