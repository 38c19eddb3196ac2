/** Lists the fields of a type that the public will see, and the private ones. */
import type { Plan } from '@ulmus/tabular'

/** Readers of the fields of a type after the push. */
export interface Audience {
  readonly type: string
  /** The whole type is private. */
  readonly isPrivate: boolean
  /** Public fields, and private fields. */
  readonly shown: readonly string[]
  readonly hidden: readonly string[]
  /** Records of the file that were pushed as private and remain private. */
  readonly privateRecords: number
}

/** @param schema of the plan's type in the next version. If it admits unlisted fields, the result includes those of the file. */
export function audienceOf(
  { type, columns }: Pick<Plan, 'type' | 'columns'>,
  schema: object,
  privateRecords: number,
): Audience {
  const { properties = {}, private: isPrivate } = schema as {
    properties?: Record<string, { private?: unknown; propertyOrder?: unknown } | undefined>
    private?: unknown
  }
  const fields = columns.map(({ name, field = name, path }) => path?.[0] ?? field)
  const placeOf = (name: string) => Number(properties[name]?.propertyOrder ?? Number.MAX_SAFE_INTEGER)
  const names = [...new Set([...Object.keys(properties), ...fields])].sort((a, b) => placeOf(a) - placeOf(b))
  const isHidden = (name: string) => properties[name]?.private === true
  return {
    type,
    isPrivate: isPrivate === true,
    shown: names.filter((name) => !isHidden(name)),
    hidden: names.filter(isHidden),
    privateRecords,
  }
}

/** Maximum number of names in a sentence. */
const namesMax = 40

function listed(names: readonly string[]): string {
  const rest = names.length - namesMax
  return rest > 0 ? `${names.slice(0, namesMax).join(', ')} and ${rest} more` : names.join(', ')
}

/** @param isPublic true if the collection is public */
export function audienceText(audience: Audience, isPublic: boolean): string {
  const { type, isPrivate, shown, hidden, privateRecords } = audience
  if (isPrivate) return `The public sees no records of ${type}: the type is private.`
  const begin = isPublic
    ? 'The public will see'
    : 'The collection is private: the public sees nothing of it. Made public, it would show'
  const fields = shown.length === 0 ? 'the ids alone' : listed(shown)
  const rest = hidden.length === 0 ? '. Nothing is private' : `; private: ${listed(hidden)}`
  const records =
    privateRecords === 0
      ? ''
      : ` ${privateRecords} ${privateRecords === 1 ? 'record stays' : 'records stay'} private.`
  return `${begin}: ${fields}${rest}.${records}`
}
