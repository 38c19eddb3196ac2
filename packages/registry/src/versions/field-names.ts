/** Names of types and fields, and their titles, by which a search finds a collection. From schemas of the public view only. */
import { parseJson } from '@ulmus/content'
import { giveWay } from '@ulmus/storage'

/** Names and titles of a collection; later ones are not searchable. */
const namesMax = 200
/** Longer names are cut. UTF-16 units. */
const nameUnitsMax = 200
/** Bytes of schemas that are parsed; later schemas only give the name of their type. */
const parsedMax = 1024 ** 2
/** Levels of members in objects and lists. */
const levelsMax = 3

/** @param schemas canonical JSON, by type. Yields to the event loop between schemas. */
export async function fieldNames(
  schemas: AsyncIterable<readonly [type: string, schema: string]> | readonly (readonly [string, string])[],
): Promise<string> {
  const types = new Set<string>()
  const fields = new Set<string>()
  let parsed = 0
  for await (const [type, schema] of schemas) {
    types.add(type)
    parsed += schema.length
    if (parsed > parsedMax || fields.size >= namesMax) continue
    noteNames(parseJson(schema), fields, 1)
    await giveWay()
  }
  return [...types, ...fields].slice(0, namesMax).map(inParts).join(' ')
}

function noteNames(schema: unknown, names: Set<string>, level: number): void {
  if (level > levelsMax || names.size >= namesMax) return
  const { title, properties, items } = objectIn(schema)
  if (typeof title === 'string') names.add(title)
  noteNames(items, names, level + 1)
  for (const [name, member] of Object.entries(objectIn(properties))) {
    names.add(name)
    noteNames(member, names, level + 1)
  }
}

const objectIn = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}

/** `keeperEmail` is found by `keeper`, `email` and as a whole. */
function inParts(name: string): string {
  const cut = name.slice(0, nameUnitsMax)
  const parts = cut.replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
  return parts === cut ? cut : `${cut} ${parts}`
}
