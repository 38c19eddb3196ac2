/** Inputs of a record's form: one for each field, and those of nested objects in a fieldset. */
import { Field } from '../../../components/form.tsx'
import { Badge, Name } from '../../../components/small.tsx'
import type { VersionResponse, VisitedCollection } from '../../../data/collection.ts'
import { cutName, cutText } from '../../../format.ts'
import type { Form } from '../../../page.ts'
import { apiCollectionPath, versionPath } from '../../../paths.ts'
import { type Control, initialText } from './controls.ts'

interface Props {
  readonly seen: VisitedCollection
  readonly version: VersionResponse
  readonly form: Form
}

export const Inputs = ({ controls, ...props }: Props & { controls: readonly Control[] }) => (
  <>
    {controls.map((control) =>
      control.kind === 'group' ? (
        <fieldset key={control.pointer} class="group form">
          <legend>
            <Label of={control} />
          </legend>
          {control.field.description !== undefined && (
            <p class="help" dir="auto">
              {cutText(control.field.description, descriptionMax)}
            </p>
          )}
          <Inputs controls={control.members} {...props} />
          {control.isFile && <Upload at={control.pointer} seen={props.seen} />}
        </fieldset>
      ) : (
        <Input key={control.pointer} control={control} {...props} />
      ),
    )}
  </>
)

/** Uploads a file and fills in the reference to it. The island `upload-file` shows it. */
const Upload = ({ at, seen }: { at: string; seen: VisitedCollection }) => (
  <div class="field upload" data-at={at} data-files={apiCollectionPath(seen, 'files')} hidden>
    <label for={`file-${encodeURIComponent(at)}`}>Upload a file</label>
    <input type="file" id={`file-${encodeURIComponent(at)}`} />
    <p class="help" role="status" />
  </div>
)

/** Longer descriptions are cut. Characters. */
const descriptionMax = 500

function Input({ control, form, ...props }: Props & { control: Control }) {
  const { pointer, kind } = control
  const value = initialText(control)
  const options = optionsOf(control)
  const lines = kind === 'long' || kind === 'list' || kind === 'json' ? linesOf(value) : undefined
  return (
    <>
      <Field
        name={pointer}
        label={<Label of={control} />}
        form={form}
        value={value}
        help={helpOf(control, props)}
        isJson={kind === 'json'}
        {...(lines !== undefined && { lines })}
        {...(options !== undefined && { options })}
        {...(kind === 'date' && { type: 'date' })}
        {...(kind === 'number' && { inputMode: 'decimal' })}
      />
      {control.isFile && <Upload at={pointer} seen={props.seen} />}
    </>
  )
}

function optionsOf({ kind, choices }: Control) {
  const none = ['', 'No value'] as const
  if (kind === 'choice') return [none, ...choices]
  return kind === 'boolean' ? [none, ['true', 'Yes'] as const, ['false', 'No'] as const] : undefined
}

const linesOf = (text: string): number => Math.min(12, Math.max(3, text.split('\n', 12).length + 1))

const Label = ({ of: { field } }: { of: Control }) => (
  <>
    <Name of={field.title ?? field.name} most={100} />{' '}
    {field.title !== undefined && <code class="quiet">{cutName(field.name, 100)}</code>}{' '}
    {field.isRequired && <span class="required">required</span>}{' '}
    {field.isPrivate && <Badge tone="private">Private</Badge>}
  </>
)

/** Undefined: there is nothing to say. */
function helpOf({ kind, field }: Control, { seen, version }: Omit<Props, 'form'>) {
  const { description, refersTo, rules } = field
  const type = refersTo !== undefined && Object.hasOwn(version.schemas, refersTo) ? refersTo : undefined
  const rest = kind === 'choice' || kind === 'boolean' ? [] : [hintOf(kind, field.type), ...rules]
  const hints = rest.filter((text) => text !== '').join('; ')
  if (description === undefined && type === undefined && hints === '') return undefined
  return (
    <>
      {description !== undefined && <bdi>{sentenceOf(cutText(description, descriptionMax))} </bdi>}
      {type !== undefined && (
        <>
          {kind === 'list' ? 'Ids of ' : 'The id of a '}
          <a href={versionPath(seen, 'records', type)} target="_blank" rel="noopener">
            <Name of={type} most={100} /> (new tab)
          </a>
          .{' '}
        </>
      )}
      {hints !== '' && sentenceOf(`${hints.charAt(0).toUpperCase()}${hints.slice(1)}`)}
    </>
  )
}

/** Ends a description or a hint, as other sentences do. */
const sentenceOf = (text: string): string => (/[.!?…:;]\s*$/u.test(text) ? text : `${text}.`)

function hintOf(kind: Control['kind'], type: string): string {
  if (kind === 'list') return 'one value a line'
  if (kind === 'json') return type === 'any' ? 'JSON' : `JSON, ${type}`
  if (type === 'date-time') return 'date and time such as 2026-11-26T15:04:05Z'
  return type === 'text' || kind === 'date' ? '' : type
}
