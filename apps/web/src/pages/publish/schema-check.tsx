/** Outcome of a check of an edited schema: what changes, which version it makes, and what does not fit. */
import type { Sentence } from '@ulmus/content'
import type { RegistryError } from '@ulmus/registry'
import type { PushWarning } from '@ulmus/wire'
import { Reasons, type Refused } from '../../components/form.tsx'
import { Name, Words } from '../../components/small.tsx'
import { reasonOf } from '../../data/changes.ts'
import type { VisitedCollection } from '../../data/collection.ts'
import type { Issue } from '../../form.ts'
import { counted, cutText, shownName } from '../../format.ts'
import { recordPath } from '../../paths.ts'

/** An edited schema that can be saved. */
export interface Checked {
  readonly type: string
  readonly sentences: readonly Sentence[]
  /** Null: the collection has no version. */
  readonly from: string | null
  readonly to: string
  /** Number of records of the type, all of which fit. */
  readonly records: number
  readonly warnings: readonly PushWarning[]
  /** True: another change than the one that was to be saved. */
  readonly isOther: boolean
  /** Identifies the checked change: a save with another one is checked first. */
  readonly stamp: string
}

/** Maximum number of sentences, warnings and faults that are listed. */
const listedMax = 100
/** Maximum number of records named for each fault. */
const namedMax = 3
/** Maximum length of a name. Characters. */
const nameMax = 100

export const CheckedChange = ({ type, sentences, from, to, records, warnings, stamp, isOther }: Checked) => (
  <section class="note" aria-label="Checked changes">
    {isOther && (
      <p role="alert">
        <strong>You changed the form after the check, so nothing was saved.</strong> This is what a save makes
        now:
      </p>
    )}
    <ul class="sentences">
      {sentences.slice(0, listedMax).map((sentence) => (
        <li key={sentence}>
          <strong>{shownName(type)}</strong>: <Words text={sentence} />
        </li>
      ))}
    </ul>
    {sentences.length > listedMax && <p>and {sentences.length - listedMax} more changes.</p>}
    <p>
      It makes version <span class="semver">{to}</span>
      {from !== null && ` after ${from} (${reasonOf(from, to)})`}.{' '}
      {records === 0
        ? 'The type has no records yet.'
        : records === 1
          ? 'The one record fits.'
          : `All ${counted(records, 'record')} fit.`}{' '}
      {sentences.some((sentence) => /became private(?:,|$)/.test(sentence)) &&
        'Versions published before still show what becomes private.'}
    </p>
    {warnings.length > 0 && (
      <ul class="plain">
        {warnings.slice(0, listedMax).map(({ type: of, id, path, message }) => (
          <li key={`${of} ${id} ${path} ${message}`} dir="auto">
            Warning:{' '}
            {cutText(
              [of, id, path]
                .filter(Boolean)
                .map((part) => shownName(part!))
                .join(' '),
              3 * nameMax,
            )}
            : {cutText(message, 500)}
          </li>
        ))}
      </ul>
    )}
    <input type="hidden" name="checked" value={stamp} />
    {/* The focus scrolls the outcome into view. */}
    <button type="submit" class="primary" name="do" value="save" autofocus>
      Save as {to}
    </button>
  </section>
)

interface RefusalProps {
  readonly seen: VisitedCollection
  readonly error: Refused
  /** Sentences about the latest version if the form was made from another one. */
  readonly moved: string | undefined
}

/** Reason for which nothing was stored. */
export function SchemaRefusal({ seen, error, moved }: RefusalProps) {
  if (moved === undefined && error === undefined) return null
  if (error?.code === 'no_changes')
    return (
      <p class="note" role="status" tabIndex={-1} autofocus>
        Nothing is changed.
      </p>
    )
  // The focus scrolls it into view, unless a field is to blame, which has the focus.
  const isOfField = ((error?.details['issues'] ?? []) as readonly Issue[]).some(({ path }) => path !== '')
  return (
    <div class="note bad" role="alert" tabIndex={-1} autofocus={!isOfField}>
      {moved !== undefined || error === undefined ? (
        <p>{moved}</p>
      ) : error.code === 'schema_violation' ? (
        <Unfit seen={seen} error={error} />
      ) : (
        <Reasons of={error} />
      )}
    </div>
  )
}

interface UnfitRecord {
  readonly id: string
  readonly type: string
  readonly message: string
  readonly errors?: readonly { readonly path: string; readonly message: string }[]
}

/** Faults of records, each with the first records that have it. */
function Unfit({ seen, error }: { seen: VisitedCollection; error: RegistryError }) {
  const { validationErrors = [], totalErrors = 0 } = error.details as {
    validationErrors?: readonly UnfitRecord[]
    totalErrors?: number
  }
  const faults = new Map<string, { path: string; message: string; records: UnfitRecord[] }>()
  for (const record of validationErrors)
    for (const { path, message } of record.errors ?? [{ path: '', message: record.message }]) {
      const key = `${path} ${message}`
      const fault = faults.get(key) ?? { path, message, records: [] }
      fault.records.push(record)
      faults.set(key, fault)
    }
  const isCut = totalErrors > validationErrors.length
  return (
    <>
      <p>
        {counted(totalErrors, 'record')} {totalErrors === 1 ? 'does' : 'do'} not fit the new schema, so
        nothing was stored. Correct the records first, or change the schema.
        {isCut && ` Of the first ${validationErrors.length}:`}
      </p>
      <ul>
        {[...faults.values()].slice(0, listedMax).map(({ path, message, records }) => (
          <li key={`${path} ${message}`}>
            {path !== '' && <code>{cutText(path, nameMax)}</code>} {cutText(message, 500)}:{' '}
            {records.slice(0, namedMax).map(({ type, id }, index) => (
              <>
                {index > 0 && ', '}
                <a href={recordPath(seen, type, id)}>
                  <Name of={id} most={nameMax} />
                </a>
              </>
            ))}
            {records.length > namedMax && ` and ${records.length - namedMax} more`}
          </li>
        ))}
      </ul>
    </>
  )
}
