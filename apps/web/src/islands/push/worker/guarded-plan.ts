/** Makes columns of a plan private whose names or values the collection keeps private. */
import {
  type Inference,
  type KnownType,
  type Plan,
  repeatedIn,
  repeatText,
  type Table,
  withRepeats,
} from '@ulmus/tabular'
import type { Report } from '../calls.ts'
import type { Planned } from '../shapes.ts'
import { guardedColumns } from './exposures.ts'
import { withSchemaReadings } from './facts.ts'
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
  const columns = withSchemaReadings(proposed.columns, inference).map((column) =>
    byName[column.name] === undefined ? column : { ...column, isPrivate: true },
  )
  const plan = { ...proposed, columns }
  const hasNew = columns.some(({ isKnown, isPrivate }) => isKnown !== true && !isPrivate)
  const values = hasNew ? await latest.privateValues(report) : []
  const repeats = await repeatedIn(table, inference, plan, values, known)
  const byValue = Array.from(repeats, ([name, one]) => [name, repeatText(one, plan.type)] as const)
  return { plan: withRepeats(plan, repeats), guarded: { ...byName, ...Object.fromEntries(byValue) } }
}
