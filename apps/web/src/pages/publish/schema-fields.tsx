/** Fields of the form that edits a schema: a row for each property. */
import { useContext } from 'preact/hooks'
import { Field, RefusedContext, Select } from '../../components/form.tsx'
import type { Issue } from '../../form.ts'
import { counted, cutName, cutText, shownMarks } from '../../format.ts'
import { type Entry, kindOptions, newEntry, prefixOf } from './schema-entries.ts'
import type { Direction } from './schema-order.ts'

/** Maximum length of a name in a label. Characters. */
const nameMax = 100
/** A longer name has a line of its own on a phone. Characters. */
const lineMax = 12
/** Fields show their values; entries have the submitted ones. */
const none = {}
/** Id of the `Suggestions` of types, which the page renders once. */
export const typesList = 'schema-types'

interface PropertyProps {
  readonly entry: Entry
  readonly index: number
  /** True: the latest version lacks the property, and the form asks for its name. */
  readonly isNew: boolean
  /** True: the field of its name has the focus. */
  readonly isFocused?: boolean
  /** The entry in the latest version. Default: a new one. */
  readonly saved?: Entry | undefined
  /** Directions in which the property can move. */
  readonly moves: Readonly<Record<Direction, boolean>>
  /** Direction in which it was just moved, if it was. */
  readonly moved?: Direction | undefined
  /** True: records do not fit it. Default: false. */
  readonly isUnfit?: boolean
  /** True: the form can remove it from records. Default: false. */
  readonly mayDrop?: boolean
}

/** Id of the row of a property. */
export const rowId = (prefix: string): string => `property-${prefix.slice(0, -1)}`

/** A row, whose details unfold. */
export const PropertyFields = (props: PropertyProps) => {
  const { entry, index, isNew, isFocused, saved = newEntry, moves, moved, isUnfit, mayDrop } = props
  const prefix = prefixOf(index, isNew)
  const { name, type, kind, hasMembers } = entry
  return (
    <fieldset class={isUnfit ? 'property unfit' : 'property'} id={rowId(prefix)}>
      <legend class={isNew ? 'sr-only' : name.length > lineMax ? 'long-name' : undefined}>
        {isNew && 'New property '}
        {name !== '' && <code>{cutName(name, nameMax)}</code>}
      </legend>
      {isNew ? (
        <Field
          name={`${prefix}name`}
          label="Name"
          form={none}
          value={name}
          placeholder="New property"
          autofocus={isFocused}
        />
      ) : (
        <input type="hidden" name={`${prefix}name`} value={name} />
      )}
      {kind === undefined ? (
        <span class="kind quiet">{cutText(type, nameMax)}</span>
      ) : (
        <Select name={`${prefix}kind`} label="Kind" form={none} value={kind} options={kindOptions} />
      )}
      <div class="checks">
        <Check name={`${prefix}required`} label="Required" isOn={entry.isRequired} />
        {hasMembers && <Check name={`${prefix}private`} label="Private" isOn={entry.isPrivate} />}
        <Check name={`${prefix}remove`} label="Remove" isOn={entry.isRemoved} />
        {mayDrop && (
          <Check
            name={`${prefix}drop`}
            label="Remove from the records, too"
            isOn={entry.isDropped}
            class="also-records"
          />
        )}
      </div>
      <Moves {...{ prefix, name, moves, moved }} />
      <Details {...{ entry, prefix, saved }} />
    </fieldset>
  )
}

interface DetailsProps extends Required<Pick<PropertyProps, 'entry'>> {
  readonly prefix: string
  readonly saved: Entry
}

/** Members of an entry that are folded. A move changes the positions of others, too. */
const folded = ['title', 'description', 'refersTo', 'values'] as const

/** Unfolded if it has changes that are not saved, or what the form was refused for. */
function Details({ entry, prefix, saved }: DetailsProps) {
  const error = useContext(RefusedContext)
  const issues = (error?.details['issues'] ?? []) as readonly Issue[]
  const isOpen =
    folded.some((member) => entry[member] !== saved[member]) ||
    issues.some(({ path }) => path.startsWith(prefix) && path !== `${prefix}name`)
  const { name, kind, values, order, hasMembers } = entry
  return (
    <details open={isOpen}>
      <summary>
        Details <span class="sr-only">of {cutName(name, nameMax)}</span>{' '}
        <span class="quiet">{shownMarks(factsOf(entry).join(' · '))}</span>
      </summary>
      <div class="property-details">
        {hasMembers && <Field name={`${prefix}title`} label="Title" form={none} value={entry.title} />}
        <Field name={`${prefix}order`} label="Move to place" form={none} value={order} type="number" />
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
        {kind === undefined && (
          <p class="help">
            This form cannot express its kind, and keeps it as it is. Change it in a working folder or by the
            API.
          </p>
        )}
      </div>
    </details>
  )
}

/** Longer words are cut in the line of folded details. Characters. */
const factMax = 40

/** Contents of the folded details. */
function factsOf({ title, description, refersTo, values = '' }: Entry): string[] {
  const count = values === '' ? 0 : values.split('\n').length
  return [
    title === '' ? '' : cutText(title, factMax),
    refersTo === '' ? '' : `→ ${cutName(refersTo, factMax)}`,
    count === 0 ? '' : counted(count, 'value'),
    description === '' ? '' : cutText(description, factMax),
  ].filter((fact) => fact !== '')
}

interface MovesProps extends Pick<PropertyProps, 'moved'> {
  readonly prefix: string
  readonly name: string
  readonly moves: Readonly<Record<Direction, boolean>>
}

/** Buttons that move a property by one place. The focus stays on it. */
function Moves({ prefix, name, moves, moved }: MovesProps) {
  const focused = moved !== undefined && !moves[moved] ? (moved === 'up' ? 'down' : 'up') : moved
  return (
    <span class="moves">
      {(['up', 'down'] as const).map((direction) => (
        <button
          key={direction}
          type="submit"
          name="do"
          value={`${direction}.${prefix.slice(0, -1)}`}
          disabled={!moves[direction]}
          autofocus={direction === focused}
          formNoValidate
        >
          <span aria-hidden="true">{direction === 'up' ? '↑' : '↓'}</span>
          <span class="sr-only">
            Move {cutName(name, nameMax)} {direction}
          </span>
        </button>
      ))}
    </span>
  )
}

interface CheckProps {
  readonly name: string
  readonly label: string
  readonly isOn: boolean
  readonly class?: string
}

const Check = ({ name, label, isOn, class: kind = '' }: CheckProps) => (
  <label class={`check ${kind}`.trim()}>
    <input type="checkbox" name={name} value="on" checked={isOn} />
    <span>{label}</span>
  </label>
)
