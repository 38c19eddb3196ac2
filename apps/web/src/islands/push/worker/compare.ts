/** Difference between a file and the latest version, by hashes, and the push that publishes it. */
import type { Push, PushOptions } from '@ulmus/client'
import { recordOf } from '@ulmus/content'
import type { Plan, TableRecord } from '@ulmus/tabular'
import type { Report } from '../calls.ts'
import type { CompareAsk, Target } from '../shapes.ts'
import { counted, countText } from '../words.ts'
import type { HeldRecord, Schemas } from './latest.ts'

/** A record of the file with its line. */
export interface FileRecord extends TableRecord {
  readonly line: number
  /** The record was pushed as private and remains private. */
  readonly private?: true
}

/** The difference, kept in the worker until it is published. */
export interface Comparison {
  readonly plan: Plan
  /** All schemas of the next version; undefined: unchanged. */
  readonly schemas: Schemas | undefined
  /** Added and updated records. */
  readonly changed: readonly FileRecord[]
  readonly added: number
  /** Ids of removed records. */
  readonly removed: readonly string[]
  readonly unchanged: number
  /** The first added and updated records, to be shown. */
  readonly samples: { readonly added: readonly FileRecord[]; readonly updated: readonly FileRecord[] }
  /** Number of records of the type in the latest version. */
  readonly heldBefore: number
}

interface Sides {
  readonly records: AsyncIterable<TableRecord & { readonly line: number }>
  readonly held: ReadonlyMap<string, HeldRecord>
  readonly plan: Plan
  readonly mode: CompareAsk['mode']
  readonly schemas: Schemas | undefined
}

/** Maximum number of records shown of each change. */
export const samplesMax = 10

/** Rows between two progress reports. */
const reportedEvery = 10_000

/** @throws TableError for a row that does not fit the plan */
export async function compareRecords(sides: Sides, report: Report): Promise<Comparison> {
  const { records, held, plan, mode, schemas } = sides
  const changed: FileRecord[] = []
  const seen = new Set<string>()
  const samples = { added: [] as FileRecord[], updated: [] as FileRecord[] }
  let added = 0
  for await (const record of records) {
    seen.add(record.id)
    if (seen.size % reportedEvery === 0) report(`${counted(seen.size, 'row')} compared`)
    const known = held.get(record.id)
    if (known === undefined) added++
    else if (known.hash === recordOf(record.id, record.type, record.data as never).hash) continue
    // Repeat the mark: without it the push would make the record public.
    changed.push(known?.isPrivate ? { ...record, private: true } : record)
    const sample = known === undefined ? samples.added : samples.updated
    if (sample.length < samplesMax) sample.push(record)
  }
  const removed = mode === 'everything' ? [...held.keys()].filter((id) => !seen.has(id)) : []
  const unchanged = seen.size - changed.length
  return { plan, schemas, changed, added, removed, unchanged, samples, heldBefore: held.size }
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
  if (heldBefore > 0 && added === rows && rows > 1)
    return `None of the ${countText(rows)} ids is in ${plan.type}. Is the id the right column?`
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
