/** Outcome of a check of an edited schema: what changes, which version it makes, and what does not fit. */
import type { Sentence } from '@ulmus/content'
import type { RegistryError } from '@ulmus/registry'
import type { PushWarning } from '@ulmus/wire'
import { Reasons, type Refused } from '../../components/form.tsx'
import { Name, Words } from '../../components/small.tsx'
import { reasonOf } from '../../data/changes.ts'
import type { Issue } from '../../form.ts'
import { counted, cutName, cutText, shownName } from '../../format.ts'
import { recordPath } from '../../paths.ts'
import { droppedMax } from './dropped-members.ts'
import { canDrop, type Draft } from './schema-draft.ts'
import { prefixOf, type SchemaEdit } from './schema-entries.ts'
import { rowId } from './schema-fields.tsx'

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
  /** Properties that records lose, and the number of these records. */
  readonly dropped: { readonly names: readonly string[]; readonly records: number } | undefined
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

export const CheckedChange = (checked: Checked) => {
  const { type, sentences, from, to, records, dropped, warnings, stamp, isOther } = checked
  return (
    <section class="note" aria-label="Checked changes">
      {isOther && (
        <p role="alert">
          <strong>You changed the form after the check, so nothing was saved.</strong> This is what a save
          makes now:
        </p>
      )}
      <ul class="sentences">
        {sentences.slice(0, listedMax).map((sentence) => (
          <li key={sentence}>
            <strong>{shownName(type)}</strong>: <Words text={sentence} />
          </li>
        ))}
      </ul>
      {dropped !== undefined && (
        <p>
          {counted(dropped.records, 'record')} {dropped.records === 1 ? 'loses' : 'lose'}{' '}
          {dropped.names.slice(0, listedMax).map((name, index) => (
            <>
              {index > 0 && ', '}
              <code key={name}>{cutName(name, nameMax)}</code>
            </>
          ))}
          . Versions published before keep it.
        </p>
      )}
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
      {/* The form leads here: its focus scrolls the outcome into view. */}
      <button type="submit" class="primary" id="result" name="do" value="save" autofocus>
        Save as {to}
      </button>
    </section>
  )
}

interface RefusalProps {
  readonly draft: Draft
  readonly error: Refused
}

/** Reason for which nothing was stored. */
export function SchemaRefusal({ draft, error }: RefusalProps) {
  const { moved } = draft
  if (moved === undefined && error === undefined) return null
  if (error?.code === 'no_changes')
    return (
      <p class="note" id="result" role="status" tabIndex={-1} autofocus>
        Nothing is changed.
      </p>
    )
  // The focus scrolls it into view, unless a field is to blame, which has the focus.
  const isOfField = ((error?.details['issues'] ?? []) as readonly Issue[]).some(({ path }) => path !== '')
  return (
    <div
      class="note bad"
      id={isOfField ? undefined : 'result'}
      role="alert"
      tabIndex={-1}
      autofocus={!isOfField}
    >
      {moved !== undefined || error === undefined ? (
        <p>{moved}</p>
      ) : error.code === 'schema_violation' ? (
        <Unfit draft={draft} error={error} />
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
  readonly errors?: readonly Fault[]
}

interface UnfitProps extends Pick<RefusalProps, 'draft'> {
  readonly error: RegistryError
}

/** A fault of a record, as the registry tells it. */
interface Fault {
  readonly path: string
  readonly message: string
}

/** Name of a property that the record lacks. */
const missingIn = ({ path, message }: Fault): string | undefined =>
  path === '' ? /^must have required property '(.*)'$/s.exec(message)?.[1] : undefined

/** Name of the property that a fault is of or within; undefined: it is of the record itself. */
const propertyOf = (fault: Fault): string | undefined => {
  const [, first] = fault.path.split('/')
  return missingIn(fault) ?? first?.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** Names of the properties that records do not fit. */
export const unfitProperties = (error: Refused): ReadonlySet<string> => {
  const unfit = (error?.details['validationErrors'] ?? []) as readonly UnfitRecord[]
  const names = unfit.flatMap(({ errors = [] }) => errors.map(propertyOf))
  return new Set(names.filter((name) => name !== undefined))
}

/** Faults of records, each with the first records that have it. */
function Unfit({ draft, error }: UnfitProps) {
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
  const removes = draft.edit.entries.some(({ isRemoved, isDropped }) => isRemoved && !isDropped)
  return (
    <>
      <p>
        {counted(totalErrors, 'record')} {totalErrors === 1 ? 'does' : 'do'} not fit the new schema, so
        nothing was stored. Correct the records first, or change the schema.
        {removes &&
          (canDrop(draft)
            ? ' To remove a property from the records, too, tick that in its row.'
            : ` In a type of more than ${droppedMax} records, a push removes a property from them.`)}
        {isCut && ` These are the faults of the first ${validationErrors.length}:`}
      </p>
      <ul>
        {[...faults.values()].slice(0, listedMax).map(({ path, message, records }) => (
          <li key={`${path} ${message}`}>
            <FaultText fault={{ path, message }} edit={draft.edit} />:{' '}
            {records.slice(0, namedMax).map(({ type, id }, index) => (
              <>
                {index > 0 && ', '}
                <a href={recordPath(draft.seen, type, id)}>
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

/** A fault with a link to the row of its property. */
function FaultText({ fault, edit }: { fault: Fault; edit: SchemaEdit }) {
  const missing = missingIn(fault)
  const row = rowOf(propertyOf(fault), edit)
  const place = missing === undefined ? fault.path : `/${missing}`
  const text = missing === undefined ? fault.message : 'is required, and missing'
  const name = place !== '' && <code>{cutText(place, nameMax)}</code>
  return (
    <>
      {row === undefined ? name : <a href={`#${row}`}>{name}</a>} {cutText(text, 500)}
    </>
  )
}

/** Id of the row of a property; undefined: the form has none. */
function rowOf(property: string | undefined, { entries, added }: SchemaEdit): string | undefined {
  const [index, newIndex] = [entries, added].map((all) => all.findIndex(({ name }) => name === property))
  if (index! >= 0) return rowId(prefixOf(index!, false))
  return newIndex! >= 0 ? rowId(prefixOf(newIndex!, true)) : undefined
}
