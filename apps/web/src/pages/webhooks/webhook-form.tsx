/** The form of a webhook, for new and present ones. */
import { demand, mayEnter } from '@ulmus/registry'
import { type ChangeWebhook, eventKinds, eventLabels, type Webhook } from '@ulmus/wire'
import type { ComponentChildren } from 'preact'
import { Field } from '../../components/form.tsx'
import { typed } from '../../form.ts'
import type { Form, Visit } from '../../page.ts'
import { accountPath } from '../../paths.ts'

type Bump = Webhook['bumps'][number]

const bumpNames: Readonly<Record<Bump, string>> = { major: 'Major', minor: 'Minor', patch: 'Patch' }
const bumps = Object.keys(bumpNames) as Bump[]

/** As the API demands of its callers: addresses of receivers may contain secrets. @throws insufficient_scope, key_limited */
export const demandAdmin = ({ who }: Visit): void =>
  demand(mayEnter(who, { scope: 'admin', unlimited: true }), { needed: 'admin' })

export const webhookPath = ({ account, id }: Pick<Webhook, 'account' | 'id'>): string =>
  `${accountPath(account)}/-/webhooks/${encodeURIComponent(id)}`

/** Values of a sent `WebhookForm`, for the shapes of the API. */
export const fieldsOf = (form: Form) => ({
  url: typed(form, 'url') ?? '',
  label: typed(form, 'label') ?? '',
  kinds: eventKinds.filter((kind) => form[`kind_${kind}`] === 'on'),
  bumps: bumps.filter((bump) => form[`bump_${bump}`] === 'on'),
})

/** True if a box is checked. A form that was sent keeps its boxes, and has no member for an unchecked one. */
const isOn = (form: Form, name: string, value: boolean): boolean =>
  form['url'] === undefined ? value : form[name] === 'on'

interface FormProps {
  readonly form: Form
  /** Present values. */
  readonly value: Pick<Webhook, 'kinds' | 'bumps'> & Pick<ChangeWebhook, 'url' | 'label'>
  /** True for the webhook of one collection: it was made before, so its making is no choice. */
  readonly ofCollection: boolean
  readonly children: ComponentChildren
}

export const WebhookForm = ({ form, value, ofCollection, children }: FormProps) => (
  <form method="post" class="form">
    <Field
      name="url"
      label="Address"
      form={form}
      value={value.url ?? ''}
      required
      most={2_048}
      help={
        <>
          Requests are sent there, such as <code>https://ci.example/ulmus</code>.
        </>
      }
    />
    <Field
      name="label"
      label="Label"
      form={form}
      value={value.label ?? ''}
      most={100}
      help="Its purpose, in your own words."
    />
    <Boxes
      legend="Events"
      help="None chosen: all, also kinds that a later release adds."
      boxes={eventKinds
        .filter((kind) => !ofCollection || kind !== 'collection.made' || value.kinds.includes(kind))
        .map((kind) => [
          `kind_${kind}`,
          eventLabels[kind],
          isOn(form, `kind_${kind}`, value.kinds.includes(kind)),
        ])}
    />
    <Boxes
      legend="Of new versions, only those that raise this part of the number"
      help="None chosen: all."
      boxes={bumps.map((bump) => [
        `bump_${bump}`,
        bumpNames[bump],
        isOn(form, `bump_${bump}`, value.bumps.includes(bump)),
      ])}
    />
    {children}
  </form>
)

interface BoxesProps {
  readonly legend: string
  readonly help: string
  readonly boxes: readonly (readonly [name: string, label: string, checked: boolean])[]
}

const Boxes = ({ legend, help, boxes }: BoxesProps) => (
  <fieldset class="field boxes">
    <legend>{legend}</legend>
    {boxes.map(([name, label, checked]) => (
      <label key={name} class="check">
        <input type="checkbox" name={name} checked={checked} /> <span>{label}</span>
      </label>
    ))}
    <p class="help">{help}</p>
  </fieldset>
)
