/** Form of a record: its fields, or its data as JSON, and whether it is private. */
import { fieldsMax, fieldsOf, jsonFault, type PlainSchema } from '@ulmus/content'
import type { ComponentChildren } from 'preact'
import { Field, Refusal, type Refused } from '../../../components/form.tsx'
import { Badge, Name } from '../../../components/small.tsx'
import type { VersionResponse, VisitedCollection } from '../../../data/collection.ts'
import { isObject } from '../../../data/records.ts'
import { refusedField } from '../../../form.ts'
import { counted, cutName, cutText } from '../../../format.ts'
import { CollectionPage } from '../../../layout/collection.tsx'
import type { Form, View, Visit } from '../../../page.ts'
import { withQuery } from '../../../paths.ts'
import { Confirmations, inFormWords } from '../confirmations.tsx'
import { allControls, type Control, controlsMax, controlsOf, jsonText } from './controls.ts'
import { enteredData } from './entries.ts'
import { Inputs } from './inputs.tsx'

/** A record and the state of its form. */
export interface Edited {
  readonly seen: VisitedCollection
  readonly version: VersionResponse
  readonly type: string
  readonly schema: PlainSchema
  /** Undefined for a new record. */
  readonly data: unknown
  readonly isPrivate: boolean
  /** The latest version lacks the record: the version that the form was made from, and a sentence. */
  readonly gone?: { readonly from: string; readonly sentence: string }
}

/** Inputs for the fields; undefined: this type, or this record, has none, so that it is edited as JSON. */
export function inputsOf({ schema, data }: Edited): readonly Control[] | undefined {
  const controls = data === undefined || isObject(data) ? controlsOf(schema, data) : []
  return controls.length === 0 ? undefined : controls
}

/** JSON of the record that a form describes. @throws invalid_request */
export function dataIn(edited: Edited, form: Form): string {
  const controls = inputsOf(edited)
  const text = form['data'] ?? ''
  if (controls !== undefined && form['data'] === undefined) return enteredData(controls, edited.data, form)
  const fault = jsonFault(text)
  if (fault !== undefined) throw refusedField('data', fault)
  return text.replace(/[\r\n]+/g, ' ')
}

/** Programs may send forms without the field: the mark stays. */
export const isPrivateIn = ({ isPrivate }: Edited, form: Form): boolean =>
  form['private'] === undefined ? isPrivate : form['private'] === 'yes'

/** Scripts for a record's form. */
const islandsOf = (edited: Edited): string[] => [
  'json-field',
  ...(allControls(inputsOf(edited) ?? []).some(({ isFile }) => isFile) ? ['upload-file'] : []),
]

interface Props {
  readonly edited: Edited
  readonly visit: Visit
  readonly form: Form
  readonly error: Refused
}

/** Page with the form of a record. @param heading names the record or its type */
export function recordFormPage({
  title,
  heading,
  ...props
}: Props & { title: string; heading: ComponentChildren }): View {
  const { seen } = props.edited
  return {
    title: `${title} · ${seen.owner}/${seen.slug}`,
    refused: props.error,
    islands: islandsOf(props.edited),
    body: (
      <CollectionPage seen={seen} tab="records">
        <div class="narrow">
          <h2>{heading}</h2>
          <RecordForm {...props} />
        </div>
      </CollectionPage>
    ),
  }
}

function RecordForm({ edited, visit, form, error }: Props) {
  const { seen, version, type, schema } = edited
  const controls = inputsOf(edited)
  const isNew = edited.data === undefined
  const isJson = controls === undefined || isJsonForm(visit, form)
  const here = visit.url.pathname
  return (
    <>
      <p>
        It becomes version <span class="semver">{seen.next.content}</span>, in which this record alone
        differs.{' '}
        {controls !== undefined &&
          (isJson ? (
            <a href={here}>Edit by a form</a>
          ) : (
            <a href={withQuery(here, { as: 'json' })}>Edit as JSON</a>
          ))}
      </p>
      <Refusal error={inFormWords(error)} />
      <form method="post" class="form">
        <input type="hidden" name="base" value={form['base'] ?? version.semver} />
        {edited.gone !== undefined && <input type="hidden" name="from" value={edited.gone.from} />}
        {isNew && (
          <Field
            name="id"
            label={
              <>
                Id <span class="required">required</span>
              </>
            }
            form={form}
            required
            most={1_024}
            help="Names the record for good, in addresses and references."
          />
        )}
        {isJson ? (
          <Field
            name="data"
            label="Data"
            form={form}
            value={isNew ? '{}' : jsonText(edited.data)}
            lines={18}
            isJson
            required
          />
        ) : (
          <Inputs controls={controls} {...{ seen, version, form }} />
        )}
        {!isJson && <Beyond schema={schema} controls={controls} />}
        {!isJson && <Unplaced form={form} controls={controls} semver={version.semver} />}
        <Privacy edited={edited} form={form} />
        <Confirmations error={error} form={form} />
        <Field name="message" label="Message" form={form} help="What changed, for the list of versions." />
        <div class="save-bar">
          <button type="submit" class="primary">
            {edited.gone === undefined ? 'Save as a new version' : 'Add the record again'}
          </button>
        </div>
      </form>
      {isJson && <Rules schema={schema} type={type} />}
    </>
  )
}

/** True if the data is one JSON text. */
export const isJsonForm = (visit: Visit, form: Form): boolean =>
  form['data'] !== undefined || visit.url.searchParams.get('as') === 'json'

function Beyond({ schema, controls }: { schema: PlainSchema; controls: readonly Control[] }) {
  const rest = Object.keys(schema['properties'] as object).length - controls.length
  return rest === 0 ? null : (
    <p class="note">{counted(rest, 'further column')} can only be edited as JSON, and stay as they are.</p>
  )
}

/** Entries of a form on a former version, for which the latest schema has no input. */
function Unplaced({ form, controls, semver }: { form: Form; controls: readonly Control[]; semver: string }) {
  const known = new Set(allControls(controls).map(({ pointer }) => pointer))
  const rest = Object.entries(form).filter(
    ([name, text]) => name[0] === '/' && text !== '' && !known.has(name),
  )
  if (rest.length === 0) return null
  return (
    <div class="note">
      <p>The schema in {semver} has no place for these entries. They will not be saved:</p>
      <ul>
        {rest.slice(0, controlsMax).map(([name, text]) => (
          <li key={name}>
            <code>{cutText(name, 200)}</code> <bdi>{cutText(text, 2_000)}</bdi>
          </li>
        ))}
      </ul>
    </div>
  )
}

function Privacy({ edited, form }: Pick<Props, 'edited' | 'form'>) {
  if (edited.schema['private'] === true)
    return <p class="help">All records of this type are private: the public does not see them.</p>
  return (
    <>
      <input type="hidden" name="private" value="no" />
      <label class="check">
        <input type="checkbox" name="private" value="yes" checked={isPrivateIn(edited, form)} />
        <span>
          Private: the public does not see it
          <span class="help">
            {' '}
            From the new version on. Versions that exist stay as they are: a record that is public in them
            stays public there. A change of this mark alone makes {edited.seen.next.other}.
          </span>
        </span>
      </label>
    </>
  )
}

const Rules = ({ schema, type }: { schema: PlainSchema; type: string }) => (
  <details>
    <summary>
      What <Name of={type} /> may have
    </summary>
    <ul class="plain">
      {fieldsOf(schema, fieldsMax)
        .slice(0, 200)
        .map(({ name, type: kind, rules, isRequired, isPrivate }) => (
          <li key={name}>
            <code>{cutName(name, 100)}</code> {kind} {isRequired && <span class="required">required</span>}{' '}
            {isPrivate && <Badge tone="private">Private</Badge>} <span class="quiet">{rules.join('; ')}</span>
          </li>
        ))}
    </ul>
  </details>
)
