/** Refusals of the registry, mapped to places in the user's file, with remedies. */
import { BatchRefused, type UlmusError } from '@ulmus/client'
import type { Plan, PlannedColumn } from '@ulmus/tabular'
import { refusedExposures } from '../../shared/exposures.ts'
import { type FileFault, type Refusal, refusalOf } from '../refusal.ts'
import type { Remedy } from '../remedies.ts'
import { counted } from '../words.ts'
import type { FileRecord } from './lines.ts'

type RefusedRecord = NonNullable<UlmusError['body']['validationErrors']>[number]

/** The push that the registry refused. */
export interface Sent {
  readonly plan: Plan
  /** Columns by the schema of the latest version. Undefined: the type is new. */
  readonly known: ReadonlyMap<string, PlannedColumn> | undefined
  /** The sent records, in order. */
  readonly changed: readonly FileRecord[]
  /** The version that the file was compared with. */
  readonly head: string | null
}

/** Converts a refusal for the page. Line numbers are those of the file. */
export function serverRefusal(error: UlmusError, sent: Sent): Refusal {
  const { body, code } = error
  if (code === 'version_conflict') return outdated(body.currentVersion ?? null)
  if (refusedExposures(body).length > 0) return newlyPrivate(sent.head)
  if (body.validationErrors === undefined) return refusalOf(error.message)
  const faults = recordFaults(error, sent)
  const total = Math.max(body.totalErrors ?? 0, faults.length)
  const isCarried = faults.every(({ line }) => line === undefined)
  const subject = isCarried ? 'of the latest version, which the file does not have,' : 'of the file'
  const verb = total === 1 ? 'does not fit' : 'do not fit'
  const sentence = `${counted(total, 'record')} ${subject} ${verb} the schema of ${sent.plan.type}. Nothing was published.`
  return { sentence, faults, total, ways: remediesFor(faults, sent) }
}

function outdated(head: string | null): Refusal {
  const name = head ?? 'the present state'
  const sentence = `Another version was published while you worked here. Nothing was published.`
  const way = {
    label: `Compare with ${name}`,
    sentence: 'What you chose stays.',
    change: { kind: 'head', head },
  } as const
  return refusalOf(sentence, { ways: [way] })
}

/** The comparison has ticks for everything that would become public, so the registry learned of more since. */
const newlyPrivate = (head: string | null): Refusal =>
  refusalOf('More private data would become public than you confirmed. Nothing was published.', {
    ways: [
      {
        label: 'Compare again',
        sentence: 'What you chose stays. Then tick what may become public.',
        change: { kind: 'head', head },
      },
    ],
  })

/** A fault of a record, with its column. */
interface RecordFault extends FileFault {
  readonly isListed: boolean
  readonly isMissing: boolean
}

function recordFaults(error: UlmusError, { plan, changed }: Sent): RecordFault[] {
  const before = error instanceof BatchRefused && error.kind === 'records' ? error.linesBefore : undefined
  const columns = new Map(plan.columns.map(({ name, field = name }) => [field, name]))
  const ids = new Map(before === undefined ? changed.map((record, place) => [record.id, place] as const) : [])
  const recordOf = ({ line, id }: RefusedRecord): FileRecord | undefined => {
    const place = before === undefined || line === null ? ids.get(id ?? '') : before + line - 1
    return place === undefined ? undefined : changed[place]
  }
  return (error.body.validationErrors ?? []).flatMap((refused): RecordFault[] => {
    const record = recordOf(refused)
    const { errors = [{ path: '', message: refused.message }] } = refused
    return errors.map(({ path, message }) => {
      const missing = /^must have required property '(.*)'$/s.exec(message)?.[1]
      const field = missing ?? fieldAt(path)
      const value =
        field !== undefined && record && Object.hasOwn(record.data, field) ? record.data[field] : undefined
      return {
        line: record?.line,
        id: refused.id ?? undefined,
        column: field === undefined ? undefined : (columns.get(field) ?? field),
        value: value === undefined ? undefined : shown(value),
        problem: missing === undefined ? message : 'must have a value',
        isListed: message.startsWith('must be one of '),
        isMissing: missing !== undefined,
      }
    })
  })
}

/** Top-level member of a JSON pointer. */
function fieldAt(pointer: string): string | undefined {
  const [, first] = pointer.split('/')
  return first?.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** Maximum length of a value in the table of faults. Characters. */
const valueCharacters = 60

export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > valueCharacters ? `${text.slice(0, valueCharacters)}…` : text
}

/** One remedy for each column and kind of fault. */
function remediesFor(faults: readonly RecordFault[], sent: Sent): Remedy[] {
  const byColumn = Map.groupBy(
    faults.filter(({ column }) => column !== undefined),
    ({ column, isListed, isMissing }) => JSON.stringify([column, isListed, isMissing]),
  )
  return [...byColumn.values()].flatMap((some) => remedyFor(some, sent) ?? [])
}

function remedyFor(faults: readonly RecordFault[], { plan, known }: Sent): Remedy | undefined {
  const [{ line, isListed, isMissing, value, problem }] = faults as [RecordFault]
  const column = faults[0]!.column!
  const planned = plan.columns.find(({ name }) => name === column)
  if (planned === undefined) return undefined
  const remedy = (label: string, sentence: string, set: Partial<PlannedColumn>): Remedy => ({
    label,
    sentence,
    change: { kind: 'column', column, set },
  })
  const before = known?.get(column)
  if (isListed)
    return remedy('Allow new values', `${column} is a closed list, and “${value}” is not on it.`, {
      choices: undefined,
    })
  if (isMissing)
    return remedy(`Make ${column} optional`, `Some records have no ${column}.`, { isRequired: false })
  // A record of the latest version no longer fits the changed column.
  if (line === undefined && before !== undefined && before.kind !== planned.kind)
    return remedy(
      `Keep ${column} a ${before.kind}`,
      `Records that the file does not have hold other values: one ${problem}.`,
      { kind: before.kind },
    )
  if (planned.kind === 'integer' && value !== undefined && Number.isFinite(Number(value)))
    return remedy(`Make ${column} a number`, `“${value}” is not an integer.`, { kind: 'number' })
  return undefined
}
