/** `…/schemas/:type/edit` and `…/schemas/new`: edit the schema of a type by its fields. Saving makes a version. */
import { canonicalize, hashText, type Json, type PlainSchema, schemaChanges } from '@ulmus/content'
import { RegistryError } from '@ulmus/registry'
import { Field, type Refused, Suggestions } from '../../components/form.tsx'
import { Empty } from '../../components/small.tsx'
import {
  demandWork,
  type SeenCollection,
  type ShownVersion,
  schemaIn,
  seeVersion,
} from '../../data/collection.ts'
import { refusedField, submitted, typed } from '../../form.ts'
import { cutText } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { type Answer, type Form, type Page, Redirect, type Visit } from '../../page.ts'
import { collectionPath, withQuery } from '../../paths.ts'
import { editedSchema, type SchemaEdit } from './edited-schema.ts'
import { type Checked, CheckedChange, Confirmations, SchemaRefusal } from './schema-check.tsx'
import {
  type Entry,
  entriesMax,
  entriesOf,
  newEntriesMax,
  newEntry,
  rebased,
  submittedEntries,
  submittedNewEntries,
  wordsIn,
} from './schema-entries.ts'
import { PropertyFields, typesList } from './schema-fields.tsx'
import { commitSchema, confirmedIn, trySchema } from './schema-push.ts'

export const editSchema: Page = {
  needsCaller: true,
  show: (visit) => schemaPage(inFullView(visit), {}),
  async act(asked, form) {
    const visit = inFullView(asked)
    if (form['do'] === 'add') return schemaPage(visit, { form })
    return submitted(
      () => checkOrSave(visit, form),
      (error) => schemaPage(visit, { form, error }),
    )
  },
}

export const newSchema: Page = editSchema

/** The visit without `?view=public`: the public view lacks private parts of the schema, which a save would remove. */
const inFullView = (visit: Visit): Visit => ({ ...visit, url: new URL(visit.url.pathname, visit.url) })

/** Schema of a new type before its properties. */
const emptySchema: PlainSchema = { type: 'object', additionalProperties: false }
/** Blank properties in the form of a new type. */
const blankEntries = 3
/** Maximum number of suggested types. */
const typesMax = 1_000

/** The latest version with the submitted changes on top of it. */
interface Draft {
  readonly seen: SeenCollection
  readonly version: ShownVersion | null
  /** Undefined: the type is new. */
  readonly type: string | undefined
  readonly schema: PlainSchema
  readonly edit: SchemaEdit
}

/** @throws collection_not_found, not_a_member, type_not_found */
async function draftOf(visit: Visit, form: Form): Promise<Draft> {
  const { seen, version } = await seeVersion(visit)
  demandWork(seen)
  const { type } = visit.params
  const schema = type === undefined ? emptySchema : version === null ? undefined : schemaIn(version, type)
  if (schema === undefined) {
    const types = Object.keys(version?.schemas ?? {}).slice(0, 20)
    throw new RegistryError('type_not_found', { say: { type, types: types.join(', ') } })
  }
  const edit = await editIn(visit, form, { version, type, schema })
  return { seen, version, type, schema, edit }
}

/** The submitted changes. If they were made on another version, only what differs from it. */
async function editIn(
  visit: Visit,
  form: Form,
  { version, type, schema }: Omit<Draft, 'edit' | 'seen'>,
): Promise<SchemaEdit> {
  const [base, latest, words] = [form['base'], entriesOf(schema), wordsIn(schema)]
  const added = submittedNewEntries(form)
  if (base === undefined) return { ...words, entries: latest, added }
  const typedWords = wordsIn({ ...words, ...form })
  if (type === undefined || base === version?.semver)
    return { ...typedWords, entries: submittedEntries(form, latest), added }
  const before = await schemaAt(visit, base, type)
  // Withdrawn meanwhile: the fields of the form cannot be told apart from those that it had.
  if (before === undefined) return { ...typedWords, entries: latest, added }
  const was = wordsIn(before)
  const entries = entriesOf(before)
  return {
    title: typedWords.title === was.title ? words.title : typedWords.title,
    description: typedWords.description === was.description ? words.description : typedWords.description,
    entries: rebased(latest, entries, submittedEntries(form, entries)),
    added,
  }
}

/** Undefined: there is no such version now, or it has no such type. */
async function schemaAt(visit: Visit, version: string, type: string): Promise<PlainSchema | undefined> {
  try {
    const at = await seeVersion({ ...visit, params: { ...visit.params, version } })
    return schemaIn(at.version!, type)
  } catch (error) {
    if (error instanceof RegistryError && (error.kind === 'missing' || error.kind === 'gone'))
      return undefined
    throw error
  }
}

/** Checks the submitted changes, or saves them if they are those that the form has shown as checked. */
async function checkOrSave(visit: Visit, form: Form): Promise<Answer> {
  const draft = await draftOf(visit, form)
  const { seen, version, schema, edit } = draft
  const from = version?.semver ?? null
  if ((form['base'] ?? '') !== (from ?? ''))
    throw new RegistryError('version_conflict', {
      details: { currentVersion: from },
      say: { baseVersion: form['base'] },
    })
  const fault = faultOf(draft)
  if (fault !== undefined) throw refusedField('', fault)
  const type = draft.type ?? newType(form, version)
  if (draft.type === undefined && edit.added.length === 0)
    throw refusedField('n0.name', 'Name at least one property.')
  const after = canonicalize(editedSchema(schema, edit) as Json)
  if (draft.type !== undefined && after === canonicalize(schema as Json))
    throw new RegistryError('no_changes')
  const stamp = hashText(`${from} ${type} ${after}`)
  const words = draft.type === undefined ? `Added the type ${type}` : `Changed the schema of ${type}`
  const push = {
    ...{ seen, version, type, schema: after, confirmed: confirmedIn(form) },
    message: typed(form, 'message') ?? words,
  }
  if (form['do'] === 'save' && form['checked'] === stamp) {
    await commitSchema(visit, push)
    return new Redirect(withQuery(collectionPath(seen, 'schemas'), { type }))
  }
  const { dryRun, warnings } = await trySchema(visit, push)
  const before = draft.type === undefined ? undefined : schema
  const checked: Checked = {
    ...{ type, from, to: dryRun.semver, warnings, stamp },
    sentences: schemaChanges(before, JSON.parse(after) as PlainSchema),
    records: version?.typeCounts[type] ?? 0,
  }
  return schemaPage(visit, { form, checked })
}

/** @throws invalid_request */
function newType(form: Form, version: ShownVersion | null): string {
  const type = typed(form, 'type')
  if (type === undefined) throw refusedField('type', 'Name the type.')
  if (Object.hasOwn(version?.schemas ?? {}, type))
    throw refusedField('type', `There is a type ${cutText(type, 100)} already. Choose another name.`)
  return type
}

interface Shown {
  readonly form?: Form
  readonly error?: Refused
  readonly checked?: Checked
}

async function schemaPage(visit: Visit, { form = {}, error, checked }: Shown): Promise<Answer> {
  const draft = await draftOf(visit, form)
  const { seen, type } = draft
  const fault = faultOf(draft)
  const shownType = type === undefined ? undefined : cutText(type, 100)
  return {
    title: `${type === undefined ? 'New type' : `Edit ${shownType}`} · ${seen.owner}/${seen.slug}`,
    isPublic: false,
    refused: error,
    body: (
      <CollectionPage seen={seen} tab="schemas">
        <div class="schema-page">
          <h2>
            {type === undefined ? (
              'New type'
            ) : (
              <>
                Edit the schema of <bdi>{shownType}</bdi>
              </>
            )}
          </h2>
          {fault === undefined ? (
            <>
              <SchemaRefusal seen={seen} error={error} base={form['base']} />
              <SchemaForm draft={draft} form={form} error={error} checked={checked} />
            </>
          ) : (
            <Empty title={fault}>
              <p>
                Edit its JSON Schema in a working folder or with the API:{' '}
                <a href="/docs/publishing">Publishing</a>.
              </p>
            </Empty>
          )}
        </div>
      </CollectionPage>
    ),
  }
}

/** Reason for which the form cannot edit a schema. */
function faultOf({ schema, edit }: Draft): string | undefined {
  if (typeof schema !== 'object') return `The schema is ${schema}: it has no properties.`
  if (edit.entries.length > entriesMax)
    return `The schema has ${edit.entries.length} properties. This form edits up to ${entriesMax}.`
  return undefined
}

interface FormProps extends Required<Pick<Shown, 'form'>> {
  readonly draft: Draft
  readonly error: Refused
  readonly checked: Checked | undefined
}

function SchemaForm({ draft: { version, type, edit }, form, error, checked }: FormProps) {
  const isFirst = type === undefined && form['base'] === undefined
  const blank = isFirst ? blankEntries : form['do'] === 'add' ? 1 : 0
  const added = [...edit.added, ...new Array<Entry>(blank).fill(newEntry)].slice(0, newEntriesMax)
  const types = Object.keys(version?.schemas ?? {}).slice(0, typesMax)
  return (
    <form method="post" class="form">
      <input type="hidden" name="base" value={version?.semver ?? ''} />
      {type === undefined && (
        <Field
          name="type"
          label="Name"
          form={form}
          required
          help="Such as City. Records name it as their type."
        />
      )}
      <Field name="title" label="Title" form={{}} value={edit.title} />
      <Field name="description" label="Description" form={{}} value={edit.description} lines={2} />
      {edit.entries.map((entry, index) => (
        <PropertyFields key={entry.name} entry={entry} index={index} isNew={false} />
      ))}
      {added.map((entry, index) => (
        <PropertyFields key={index} entry={entry} index={index} isNew />
      ))}
      <Suggestions id={typesList} values={types.map((name) => [name] as const)} />
      <Confirmations error={error} confirmed={confirmedIn(form)} />
      <Field name="message" label="Message" form={form} help="What changed, for the list of versions." />
      <p class="actions">
        <button type="submit" class={checked === undefined ? 'primary' : undefined} name="do" value="check">
          Check
        </button>
        <button type="submit" name="do" value="add">
          Add a property
        </button>
      </p>
      {checked !== undefined && <CheckedChange {...checked} />}
    </form>
  )
}
