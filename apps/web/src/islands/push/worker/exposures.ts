/** Private names that a push would make public. The user must confirm each, because a published version keeps its values. */
import { type MadePublic, madePublic, nameToConfirm } from '@ulmus/content'
import { type Plan, repeatText } from '@ulmus/tabular'
import { type Exposure, privateInText } from '../../shared/exposures.ts'
import type { Schemas } from './latest.ts'

const sourcesOf = (schemas: Schemas) => new Map(Object.entries(schemas)) as never

const foundIn = (before: Schemas, after: Schemas): MadePublic[] =>
  madePublic(sourcesOf(before), sourcesOf(after))

const exposureOf = (found: MadePublic): Exposure => ({
  name: nameToConfirm(found),
  why: privateInText(found.privateIn),
})

/** Public columns that repeat a private field under another name. The registry does not find them. */
export const repeatExposures = ({ type, columns, isPrivate }: Plan): Exposure[] =>
  columns.flatMap(({ name, field = name, isPrivate: isHidden, repeats }) =>
    repeats === undefined || isHidden || isPrivate === true
      ? []
      : [{ name: field, why: `It ${repeatText(repeats, type)}.` }],
  )

/** Exposures relative to the latest version. The registry also remembers names of earlier versions. */
export const exposuresOf = (before: Schemas, after: Schemas): Exposure[] =>
  foundIn(before, after).map(exposureOf)

/** Deduplicates by name: a name is confirmed for all types at once. */
export function distinctExposures(exposures: readonly Exposure[]): Exposure[] {
  const byName = new Map<string, Exposure>()
  for (const one of exposures) if (!byName.has(one.name)) byName.set(one.name, one)
  return [...byName.values()]
}

/** Columns whose fields are private elsewhere in the collection, with the reason. They start as private. */
export function guardedColumns(before: Schemas, after: Schemas, plan: Plan): Map<string, string> {
  const found = foundIn(before, after).filter(({ type }) => type === plan.type)
  const columns = plan.columns.flatMap(({ name, field = name }) => {
    const exposed = found.find((one) => one.field === field)
    return exposed === undefined ? [] : [[name, `private in ${exposed.privateIn.join(', ')}`] as const]
  })
  return new Map(columns)
}
