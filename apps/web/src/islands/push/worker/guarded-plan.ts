/** Makes columns of a plan private whose names or values the collection keeps private. */
import { type Inference, type KnownType, type Plan, repeatText, type Table } from '@ulmus/tabular'
import type { Report } from '../calls.ts'
import type { Planned } from '../shapes.ts'
import { guardedColumns } from './exposures.ts'
import type { LatestVersion } from './latest.ts'
import { changesOf } from './schema-changes.ts'

interface Opened {
  readonly latest: LatestVersion
  readonly table: Table
  readonly inference: Inference
}

/** The plan, and the reasons by column. Reads private values of the latest version only if the plan has new public columns. */
export async function guardedPlan(
  { latest, table, inference }: Opened,
  proposed: Plan,
  known: KnownType | undefined,
  report: Report,
): Promise<Pick<Planned, 'plan' | 'guarded'>> {
  const { after } = changesOf(proposed, latest.schemas)
  const byName = guardedColumns(latest.schemas, after, proposed)
  const columns = proposed.columns.map((column) =>
    byName.has(column.name) ? { ...column, isPrivate: true } : column,
  )
  const plan = { ...proposed, columns }
  const hasNew = columns.some(({ isKnown, isPrivate }) => isKnown !== true && !isPrivate)
  const values = hasNew ? await latest.privateValues(report) : []
  const isRenamed = hasNew && plan.gone !== undefined && plan.gone.length > 0
  if (values.length === 0 && !isRenamed) return { plan, guarded: byName }
  const { repeatedIn, withRenames, withRepeats } = await import('@ulmus/tabular/private')
  const repeats = await repeatedIn(table, inference, plan, values, known)
  const byValue = Array.from(repeats, ([name, one]) => [name, repeatText(one, plan.type)] as const)
  const named = await withRenames(table, inference, plan, known)
  return { plan: withRepeats(named, repeats), guarded: new Map([...byName, ...byValue]) }
}
