/** Parts of a version that only members see, as the pages of a collection list them for members. */
import { parseJson, type ViewRoots } from '@ulmus/content'
import type { VersionRow } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { storedHash } from './content.ts'
import { readSchemaObjects } from './schemas.ts'
import { readSidecar } from './sidecar.ts'

/** Numbers and names of hidden parts. For members only: the names themselves are private. */
export interface Hidden {
  /** Number of hidden records, and of all. */
  readonly records: number
  readonly recordsInAll: number
  readonly types: readonly string[]
  /** Hidden fields of public types, as `Type.field`. */
  readonly fields: readonly string[]
}

export async function hiddenOf(context: Context, version: VersionRow): Promise<Hidden> {
  const { roots } = await readSidecar(context.objects, storedHash(version.sidecar))
  const { full, public: open } = roots
  // Skip schemas that both views share: they may have 4 MiB in each view.
  const differ = Object.keys(open.types).filter(
    (type) => !Object.hasOwn(full.types, type) || full.types[type]!.schema !== open.types[type]!.schema,
  )
  const [all, shown] = await Promise.all([fieldsOf(context, full, differ), fieldsOf(context, open, differ)])
  return {
    records: version.fullRecords - version.publicRecords,
    recordsInAll: version.fullRecords,
    types: Object.keys(full.types).filter((type) => !Object.hasOwn(open.types, type)),
    fields: [...all].filter((field) => !shown.has(field)),
  }
}

/** Fields in the schemas of some types of a view. */
async function fieldsOf(context: Context, view: ViewRoots, types: readonly string[]): Promise<Set<string>> {
  const fields = new Set<string>()
  const some = Object.fromEntries(
    types.filter((type) => Object.hasOwn(view.types, type)).map((type) => [type, view.types[type]!]),
  )
  for await (const { type, bytes } of readSchemaObjects(context.objects, { ...view, types: some })) {
    const { properties = {} } = parseJson(new TextDecoder().decode(bytes)) as { properties?: object }
    for (const name of Object.keys(properties)) fields.add(`${type}.${name}`)
  }
  return fields
}
