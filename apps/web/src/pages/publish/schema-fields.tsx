/** Fields of the form that edits a schema: a group for each property. */
import { Field, Select } from '../../components/form.tsx'
import { cutText } from '../../format.ts'
import { type Entry, kindOptions, prefixOf } from './schema-entries.ts'

/** Maximum length of a name in a label. Characters. */
const nameMax = 100
/** Fields show their values; entries have the submitted ones. */
const none = {}
/** Id of the `Suggestions` of types, which the page renders once. */
export const typesList = 'schema-types'

/** @param isNew the property has no name yet */
export const PropertyFields = ({ entry, index, isNew }: { entry: Entry; index: number; isNew: boolean }) => {
  const prefix = prefixOf(index, isNew)
  const { name, type, kind, values, order, hasMembers } = entry
  return (
    <fieldset class="property">
      <legend>
        {isNew ? (
          'New property'
        ) : (
          <>
            <code>{cutText(name, nameMax)}</code> <span class="quiet">{cutText(type, nameMax)}</span>
          </>
        )}
      </legend>
      {isNew ? (
        <Field name={`${prefix}name`} label="Name" form={none} value={name} help="The member in the JSON." />
      ) : (
        <input type="hidden" name={`${prefix}name`} value={name} />
      )}
      {hasMembers && <Field name={`${prefix}title`} label="Title" form={none} value={entry.title} />}
      {kind !== undefined && (
        <Select name={`${prefix}kind`} label="Kind" form={none} value={kind} options={kindOptions} />
      )}
      <Field name={`${prefix}order`} label="Position" form={none} value={order} type="number" />
      {kind !== undefined && (
        <Field
          name={`${prefix}refersTo`}
          label="Refers to records of type"
          form={none}
          value={entry.refersTo}
          list={typesList}
        />
      )}
      {hasMembers && (
        <Field
          name={`${prefix}description`}
          label="Description"
          form={none}
          value={entry.description}
          lines={2}
        />
      )}
      {values !== undefined && (
        <Field
          name={`${prefix}values`}
          label="Allowed values, one a line"
          form={none}
          value={values}
          lines={2}
        />
      )}
      <div class="checks">
        <Check name={`${prefix}required`} label="Required" isOn={entry.isRequired} />
        {hasMembers && <Check name={`${prefix}private`} label="Private" isOn={entry.isPrivate} />}
        {name !== '' && <Check name={`${prefix}remove`} label="Remove" isOn={entry.isRemoved} />}
      </div>
      {kind === undefined && (
        <p class="help">
          This form cannot express its kind, and keeps it as it is. Change it in a working folder or by the
          API.
        </p>
      )}
    </fieldset>
  )
}

const Check = ({ name, label, isOn }: { name: string; label: string; isOn: boolean }) => (
  <label class="check">
    <input type="checkbox" name={name} value="on" checked={isOn} />
    <span>{label}</span>
  </label>
)
