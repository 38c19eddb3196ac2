/** Difference between a file and the latest version, by hashes, and the push that publishes it. */
import type { Push, PushOptions } from '@ulmus/client'
import { recordOf } from '@ulmus/content'
import type { Plan } from '@ulmus/tabular'
import type { Report } from '../../calls.ts'
import type { CompareAsk, Target } from '../../shapes.ts'
import { counted, countText } from '../../words.ts'
import type { HeldRecord, Schemas } from '../latest.ts'
import type { FileRecord, LinedRecord } from '../lines.ts'
import type { ChangedCells } from './changed-cells.ts'
import type { UpdateSides } from './updates.ts'

/** The difference, kept in the worker until it is published. */
export interface Comparison {
  readonly plan: Plan
  /** All schemas of the next version; undefined: unchanged. */
  readonly schemas: Schemas | undefined
  /** Added and updated records. */
  readonly changed: readonly FileRecord[]
  readonly added: readonly FileRecord[]
  readonly updated: readonly FileRecord[]
  /** Changes of the updated records. */
  readonly cells: ChangedCells
  /** Ids of removed records. */
  readonly removed: readonly string[]
  readonly unchanged: number
  /** Number of records of the type in the latest version. */
  readonly heldBefore: number
}

interface Sides extends Omit<UpdateSides, 'held'> {
  readonly records: AsyncIterable<LinedRecord>
  readonly held: ReadonlyMap<string, HeldRecord>
  readonly mode: CompareAsk['mode']
  readonly schemas: Schemas | undefined
}

/** Rows between two progress reports. */
const reportedEvery = 10_000

/** @throws TableError for a row that does not fit the plan */
export async function compareRecords(sides: Sides, report: Report): Promise<Comparison> {
  const { records, held, plan, mode, schemas } = sides
  const [added, different] = [[] as FileRecord[], new Map<string, FileRecord>()]
  const seen = new Set<string>()
  for await (const record of records) {
    seen.add(record.id)
    if (seen.size % reportedEvery === 0) report(`${counted(seen.size, 'row')} compared`)
    const known = held.get(record.id)
    if (known === undefined) added.push(record)
    else if (known.hash !== recordOf(record.id, record.type, record.data as never).hash)
      different.set(record.id, record)
  }
  const { updatesOf } = await import('./updates.ts')
  const { updated, cells } = await updatesOf(different, sides)
  const removed = mode === 'everything' ? [...held.keys()].filter((id) => !seen.has(id)) : []
  const changed = [...added, ...updated]
  const unchanged = seen.size - changed.length
  return { plan, schemas, changed, added, updated, cells, removed, unchanged, heldBefore: held.size }
}

export const hasChanges = ({ changed, removed, schemas }: Comparison): boolean =>
  changed.length + removed.length > 0 || schemas !== undefined

/** Sentence about a change that the user probably did not intend. */
export function cautionOf({
  plan,
  changed,
  added,
  removed,
  unchanged,
  heldBefore,
}: Comparison): string | undefined {
  const rows = changed.length + unchanged
  if (heldBefore > 0 && added.length === rows && rows > 1)
    return `None of the ${countText(rows)} ids is in ${plan.type}. Is this the right file, and the id the right column?`
  if (removed.length * 2 > heldBefore)
    return `This removes ${countText(removed.length)} of the ${counted(heldBefore, 'record')} of ${plan.type}.`
  return undefined
}

/** Choices of the user for the push. */
export interface Opening {
  readonly message?: string
  readonly confirmPublic: readonly string[]
}

/** Push that publishes a comparison. Its base is the compared version, so the registry refuses it if there is a newer one. */
export const pushOf = ({ head }: Target, comparison: Comparison, opening: Opening): Push => ({
  baseVersion: head,
  records: linesOf(comparison.changed) as never,
  deletes: comparison.removed.map((id) => ({ id, type: comparison.plan.type })),
  // The page cautions of many removals.
  maxRemoved: '100%',
  ...(comparison.schemas === undefined ? {} : { schemas: comparison.schemas as never }),
  ...opening,
})

function* linesOf(records: readonly FileRecord[]): Generator<object> {
  for (const { line: _, ...record } of records) yield record
}

export function progressOf({ changed, removed }: Comparison, report: Report): PushOptions {
  const all = countText(changed.length + removed.length)
  return {
    onProgress: ({ phase, recordsSent, deletesSent }) => {
      if (phase === 'committing') report('The server makes the version…')
      else if (phase === 'checking') report('The server checks it…')
      else report(`${countText(recordsSent + deletesSent)} of ${all} sent`)
    },
  }
}
