/** `…/schemas/:type/edit` and `…/schemas/new`: edit the schema of a type by its fields. Saving makes a version. */
import { canonicalize, hashText, type Json, type PlainSchema, parseJson, schemaChanges } from '@ulmus/content'
import { RegistryError } from '@ulmus/registry'
import { Field, type Refused, Suggestions } from '../../components/form.tsx'
import { Empty } from '../../components/small.tsx'
import type { VersionResponse } from '../../data/collection.ts'
import { afterSaving } from '../../data/saved.ts'
import { Again, type FormState, formPage, refusedField, typed } from '../../form.ts'
import { counted, cutName, cutText, shownName } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { type Form, Redirect, type View, type Visit } from '../../page.ts'
import { collectionPath, withQuery } from '../../paths.ts'
import { Confirmations, confirmedIn, inFormWords } from './confirmations.tsx'
import { type Dropped, droppedMax } from './dropped-members.ts'
import { editedSchema } from './edited-schema.ts'
import { type Checked, CheckedChange, SchemaRefusal, unfitProperties } from './schema-check.tsx'
import { canDrop, type Draft, draftOf } from './schema-draft.ts'
import { entriesMax, entriesOf, newEntriesMax, newEntry } from './schema-entries.ts'
import { PropertyFields, typesList } from './schema-fields.tsx'
import { inOrder, isMove, movedBy } from './schema-order.ts'
import { commitSchema, trySchema } from './schema-push.ts'

export const editSchema = formPage<{ checked: Checked }>(
  async (visit, form) =>
    form['do'] === 'add' || isMove(form) ? new Again({ form }) : checkOrSave(inFullView(visit), form),
  (visit, { error, ...state }) => schemaPage(inFullView(visit), { ...state, error: inFormWords(error) }),
)

export const newSchema = editSchema

/** The visit without `?view=public`: the public view lacks private parts of the schema, which a save would remove. */
const inFullView = (visit: Visit): Visit => ({ ...visit, url: new URL(visit.url.pathname, visit.url) })

/** Blank properties in the form of a new type. */
const blankEntries = 3
/** Maximum number of suggested types. */
const typesMax = 1_000

/** Checks the submitted changes, or saves them if they are those that the form has shown as checked. */
async function checkOrSave(visit: Visit, form: Form): Promise<Redirect | Again<{ checked: Checked }>> {
  const draft = await draftOf(visit, form)
  const { seen, version, schema, edit, isNew } = draft
  const from = version?.semver ?? null
  if ((form['base'] ?? '') !== (from ?? ''))
    throw new RegistryError('version_conflict', {
      details: { currentVersion: from },
      say: { baseVersion: form['base'] },
    })
  const fault = faultOf(draft)
  if (fault !== undefined) throw refusedField('', fault)
  const type = draft.type ?? newType(form, version)
  if (isNew && edit.added.length === 0) throw refusedField('n0.name', 'Name at least one property.')
  const after = canonicalize(editedSchema(schema, edit) as Json)
  if (!isNew && after === canonicalize(schema as Json)) throw new RegistryError('no_changes')
  const records = version?.typeCounts[type] ?? 0
  const dropped = droppedIn(draft, type, records)
  const stamp = hashText(JSON.stringify([from, type, after, dropped?.names]))
  const words = isNew ? `Added the type ${shownName(type)}` : `Changed the schema of ${shownName(type)}`
  const push = {
    ...{ seen, version, type, schema: after, confirmed: confirmedIn(form), dropped },
    message: typed(form, 'message') ?? words,
  }
  if (form['do'] === 'save' && form['checked'] === stamp) {
    const made = await commitSchema(visit, push)
    const path = withQuery(collectionPath(seen, 'schemas'), { type })
    return new Redirect(afterSaving(path, isNew ? 'type' : 'schema', made))
  }
  const { dryRun, warnings } = await trySchema(visit, push)
  const before = isNew ? undefined : schema
  const checked: Checked = {
    ...{ type, from, to: dryRun.semver, warnings, stamp },
    sentences: schemaChanges(before, parseJson(after) as PlainSchema),
    records,
    dropped: dropped && { names: dropped.names, records: dryRun.changes.updated },
    isOther: form['do'] === 'save',
  }
  return new Again({ form, checked })
}

/** Properties that the form removes from the records, too. @throws invalid_request */
function droppedIn({ version, edit }: Draft, type: string, records: number): Dropped | undefined {
  const names = edit.entries.flatMap(({ name, isRemoved, isDropped }) =>
    isRemoved && isDropped ? [name] : [],
  )
  if (version === null || records === 0 || names.length === 0) return undefined
  if (records > droppedMax)
    throw refusedField(
      '',
      `The type has ${counted(records, 'record')}: this form changes up to ${droppedMax}.`,
    )
  return { type, names, from: version.semver }
}

/** @throws invalid_request */
function newType(form: Form, version: VersionResponse | null): string {
  const type = typed(form, 'type')
  if (type === undefined) throw refusedField('type', 'Name the type.')
  if (Object.hasOwn(version?.schemas ?? {}, type))
    throw refusedField('type', `There is a type ${cutText(type, 100)} already. Choose another name.`)
  return type
}

async function schemaPage(
  visit: Visit,
  { form, error, checked }: FormState<{ checked: Checked }>,
): Promise<View> {
  const draft = await draftOf(visit, form)
  const { seen, type } = draft
  const fault = faultOf(draft)
  const shownType = type === undefined ? undefined : cutName(type, 100)
  return {
    title: `${type === undefined ? 'New type' : `Edit ${shownType}`} · ${seen.owner}/${seen.slug}`,
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
              <SchemaRefusal draft={draft} error={error} />
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

interface FormProps extends Pick<FormState, 'form'> {
  readonly draft: Draft
  readonly error: Refused
  readonly checked: Checked | undefined
}

function SchemaForm({ draft, form, error, checked }: FormProps) {
  const { version, type, edit } = draft
  const isFirst = type === undefined && form['base'] === undefined
  const isEmpty = type === undefined && edit.added.length === 0
  const blank = isFirst || isEmpty ? blankEntries : form['do'] === 'add' ? 1 : 0
  // The indexes of a form on another version are those of other properties.
  const { order, moved } = draft.moved === undefined ? movedBy(form, edit) : { order: inOrder(edit) }
  const types = Object.keys(version?.schemas ?? {}).slice(0, typesMax)
  const saved = entriesOf(draft.schema)
  const mayDrop = canDrop(draft)
  const unfit = unfitProperties(error)
  return (
    <form method="post" action="#result" class="form">
      {/* Enter in a field presses the first button of a form. */}
      <button type="submit" class="sr-only" name="do" value="check" tabIndex={-1} aria-hidden="true">
        Check
      </button>
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
      {order.map(({ entry, index, isNew }, at) => (
        <PropertyFields
          key={`${isNew} ${index}`}
          {...{ entry, index, isNew }}
          saved={isNew ? undefined : saved[index]}
          moves={{ up: at > 0, down: at < order.length - 1 }}
          moved={moved?.name === entry.name ? moved.direction : undefined}
          isUnfit={unfit.has(entry.name)}
          mayDrop={!isNew && mayDrop}
        />
      ))}
      {Array.from({ length: Math.min(blank, newEntriesMax - edit.added.length) }, (_, index) => (
        <PropertyFields
          key={index}
          entry={newEntry}
          index={edit.added.length + index}
          isNew
          moves={{ up: order.length > 0, down: false }}
          isFocused={form['do'] === 'add'}
        />
      ))}
      <p>
        <button type="submit" name="do" value="add">
          Add a property
        </button>
      </p>
      <Suggestions id={typesList} values={types.map((name) => [name] as const)} />
      <Confirmations error={error} form={form} />
      <Field name="message" label="Message" form={form} help="What changed, for the list of versions." />
      <div class="save-bar">
        <button type="submit" class={checked === undefined ? 'primary' : undefined} name="do" value="check">
          Check
        </button>
      </div>
      {checked !== undefined && <CheckedChange {...checked} />}
    </form>
  )
}
