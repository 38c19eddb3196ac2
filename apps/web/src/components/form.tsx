/** Form fields. A refused form shows the reason and keeps the entered values. */
import type { RegistryError } from '@ulmus/registry'
import { type ComponentChildren, createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Issue } from '../form.ts'
import { cutText } from '../format.ts'
import type { Form } from '../page.ts'
import { Words } from './small.tsx'

/** Refusal of a form; undefined if it was accepted or not sent. */
export type Refused = RegistryError | undefined

/** Refusal shown by the page. Fields that it names mark themselves as invalid. */
export const RefusedContext = createContext<Refused>(undefined)

/** Name of the form within the page, so that ids stay unique; empty if its fields have names of their own. */
const FormNameContext = createContext('')

interface NamedFormProps {
  readonly name: string
  /** True if the refusal of the page concerns this form. */
  readonly isSent: boolean
  readonly children: ComponentChildren
}

/** Fields of one of several forms on a page whose fields share names. */
export function NamedForm({ name, isSent, children }: NamedFormProps) {
  const error = useContext(RefusedContext)
  return (
    <FormNameContext.Provider value={`${name}-`}>
      <RefusedContext.Provider value={isSent ? error : undefined}>{children}</RefusedContext.Provider>
    </FormNameContext.Provider>
  )
}

/** Names of a record's fields may contain spaces, which ids must not. */
const useFieldId = (name: string): string => `${useContext(FormNameContext)}${encodeURIComponent(name)}`

const issuesOf = (error: Refused): readonly Issue[] =>
  (error?.details['issues'] as readonly Issue[] | undefined) ?? []

/** Labels of fields by their names in the API. */
const labels = new Map([
  ['name', 'Name'],
  ['displayName', 'Name'],
  ['slug', 'Address'],
  ['description', 'Description'],
  ['license', 'Licence'],
  ['label', 'Label'],
  ['reason', 'Why'],
  ['message', 'Message'],
  ['subject', 'Subject'],
  ['issuer', 'Issuer'],
  ['to', 'New owner'],
])

/** Shows why a form was refused, and which fields are invalid. */
export function Refusal({ error }: { error: Refused }) {
  if (error === undefined) return null
  return (
    <div class="note bad" role="alert">
      <Reasons of={error} />
    </div>
  )
}

/** Sentence of a refusal, and a list of the invalid fields. */
export function Reasons({ of: error }: { of: RegistryError }) {
  const summary = error.message
  const issues = issuesOf(error).filter(({ message }) => message !== summary)
  return (
    <>
      <p>
        <Words text={summary} />
      </p>
      {issues.length > 0 && (
        <ul>
          {issues.slice(0, 20).map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <PathName path={path} /> {message}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

const PathName = ({ path }: { path: string }) => {
  if (path === '') return null
  const name = labels.get(path) ?? fieldName(path)
  return name === undefined ? <code>{cutText(path, 200)}</code> : <bdi>{cutText(name, 200)}:</bdi>
}

/** Name of a record's field by its JSON pointer, as in the headings of tables: `place.lat`. */
const fieldName = (path: string): string | undefined =>
  path[0] === '/'
    ? path
        .slice(1)
        .split('/')
        .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
        .join('.')
    : undefined

interface FieldProps {
  readonly name: string
  readonly label: ComponentChildren
  /** Submitted values. */
  readonly form: Form
  /** Initial value. Default: empty. */
  readonly value?: string
  readonly help?: ComponentChildren
  readonly required?: boolean
  readonly most?: number
  readonly pattern?: string
  /** Example in an empty field. */
  readonly placeholder?: string
  /** Number of lines. Default: one. */
  readonly lines?: number
  /** True if the field contains JSON, which the island `json-field` checks. Default: false. */
  readonly isJson?: boolean
  /** Kind of a field of one line. Default: text. */
  readonly type?: 'date' | 'number'
  /** Keyboard of a phone for a field of one line. Default: letters. */
  readonly inputMode?: 'decimal'
  /** Makes it a choice from a list. Default: any text. */
  readonly options?: readonly (readonly [value: string, label: string])[]
  /** Id of the `Suggestions` for a field of one line. */
  readonly list?: string
  /** True: it has the focus when the page opens. */
  readonly autofocus?: boolean | undefined
}

/** A field with a label. It has the name that the API uses, so that a refusal can mark it. */
export function Field(props: FieldProps) {
  const { name, label, form, value = '', help, required, most, placeholder } = props
  const issues = issuesOf(useContext(RefusedContext))
  const fault = issues.find(({ path }) => path === name)
  const id = useFieldId(name)
  const notes = [
    ...(fault === undefined ? [] : [`fault-${id}`]),
    ...(help === undefined ? [] : [`help-${id}`]),
  ]
  const common = {
    id: `field-${id}`,
    name,
    required,
    maxLength: most,
    placeholder,
    ...(notes.length === 0 ? {} : { 'aria-describedby': notes.join(' ') }),
    ...(fault === undefined
      ? { autofocus: props.autofocus }
      : { 'aria-invalid': true, autofocus: fault === issues[0] }),
  }
  return (
    <div class="field">
      <label for={`field-${id}`}>{label}</label>
      <Input common={common} typed={form[name] ?? value} {...props} />
      {fault !== undefined && (
        <p class="fault" id={`fault-${id}`}>
          <Words text={fault.message} />
        </p>
      )}
      {help !== undefined && (
        <p class="help" id={`help-${id}`}>
          {help}
        </p>
      )}
    </div>
  )
}

interface InputProps
  extends Pick<FieldProps, 'pattern' | 'lines' | 'isJson' | 'type' | 'inputMode' | 'options' | 'list'> {
  /** Attributes of any kind of input. */
  readonly common: object
  readonly typed: string
}

function Input({ common, typed, pattern, lines, isJson, type, inputMode, options, list }: InputProps) {
  if (options !== undefined)
    return (
      <select {...common}>
        {options.map(([value, label]) => (
          <option key={value} value={value} selected={typed === value}>
            {label}
          </option>
        ))}
      </select>
    )
  if (lines !== undefined)
    return (
      <textarea
        {...common}
        rows={lines}
        value={typed}
        {...(isJson ? { class: 'json', spellcheck: false, autocomplete: 'off' } : {})}
      />
    )
  return (
    <input
      {...common}
      {...(type === undefined ? { type: 'text' } : { type })}
      inputMode={inputMode}
      list={list}
      value={typed}
      pattern={pattern}
      autocomplete="off"
      spellcheck={false}
    />
  )
}

interface SuggestionsProps {
  readonly id: string
  readonly values: readonly (readonly [value: string, title?: string])[]
}

/** Suggested values for fields. Browsers propose them while the user types. */
export const Suggestions = ({ id, values }: SuggestionsProps) => (
  <datalist id={id}>
    {values.map(([value, title]) => (
      <option key={value} value={value}>
        {title}
      </option>
    ))}
  </datalist>
)

/** A calendar day, such as 2026-11-25. */
export const DayField = ({ name, label, form }: Pick<FieldProps, 'name' | 'label' | 'form'>) => (
  <div class="field">
    <label for={`field-${name}`}>{label}</label>
    <input type="date" id={`field-${name}`} name={name} value={form[name] ?? ''} />
  </div>
)

interface ChoiceProps {
  readonly name: string
  readonly label: string
  readonly form: Form
  readonly value: string
  readonly options: readonly (readonly [value: string, label: string, help?: string])[]
}

/** Choice of a few visible options. */
export function Choice({ name, label, form, value, options }: ChoiceProps) {
  const fault = issuesOf(useContext(RefusedContext)).find(({ path }) => path === name)
  return (
    <fieldset class="field">
      <legend>{label}</legend>
      {options.map(([one, text, help], index) => (
        <label key={one} class="check">
          <input
            type="radio"
            name={name}
            value={one}
            checked={(form[name] ?? value) === one}
            required
            autofocus={fault !== undefined && index === 0}
          />
          <span>
            {text}
            {help !== undefined && <span class="help"> {help}</span>}
          </span>
        </label>
      ))}
      {fault !== undefined && (
        <p class="fault">
          <Words text={fault.message} />
        </p>
      )}
    </fieldset>
  )
}

/** Choice from a long list. */
export function Select({ name, label, form, value, options }: ChoiceProps) {
  const id = `field-${useFieldId(name)}`
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} name={name}>
        {options.map(([one, text]) => (
          <option key={one} value={one} selected={(form[name] ?? value) === one}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}
