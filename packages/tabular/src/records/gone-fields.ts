/** Finds fields of an existing type that a file lacks. */
import type { Inference } from '../inference/infer.ts'
import type { FieldState } from './field-states.ts'
import type { GoneField, Plan, PlannedColumn, PlanWishes } from './plan.ts'

export function goneFields(
  inference: Inference,
  { samples }: { readonly samples?: readonly { readonly data: unknown }[] | undefined },
  states: ReadonlyMap<string, FieldState>,
  { columns, leftOut = [] }: Plan,
  { optional = [] }: PlanWishes,
): GoneField[] {
  const fields = new Set(columns.map(({ name, field = name }) => field))
  const asked = new Set(leftOut.filter(({ why }) => why === 'asked').map(({ name }) => name))
  const has = (data: unknown, [name, ...inner]: readonly string[]): boolean =>
    name === undefined ||
    (typeof data === 'object' &&
      data !== null &&
      Object.hasOwn(data, name) &&
      has((data as Record<string, unknown>)[name], inner))
  const isInUse = (field: string, path = [field] as readonly string[]) =>
    samples === undefined || samples.some(({ data }) => has(data, path))
  const fresh = columns.filter(({ isKnown }) => isKnown !== true)
  return [...states].flatMap(([field, { isRequired, kind, path }]): GoneField[] => {
    if (fields.has(field) || (!isRequired && !isInUse(field, path))) return []
    // Records of JSON may lack optional fields, even if all of them do.
    const isLoose = inference.format === 'json' || inference.format === 'ndjson' || asked.has(field)
    const isAccepted = optional.includes(field) || (!isRequired && isLoose)
    return [
      {
        field,
        isRequired: isRequired && !optional.includes(field),
        isAccepted,
        renamed: renamedOf(field, kind, fresh),
      },
    ]
  })
}

/** A new column that may be the renamed field: it has the same kind, and a similar name or no other column is new. */
function renamedOf(
  field: string,
  kind: FieldState['kind'],
  fresh: readonly PlannedColumn[],
): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  const alike = fresh.filter((column) => column.kind === kind)
  const named = alike.find(
    ({ name }) => plain(name).includes(plain(field)) || plain(field).includes(plain(name)),
  )
  return (named ?? (alike.length === 1 ? alike[0] : undefined))?.name
}
