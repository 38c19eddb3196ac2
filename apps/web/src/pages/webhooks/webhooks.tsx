/** `/:owner/:slug/webhooks` and `/:owner/-/webhooks`: list and make webhooks of a collection, and of an account. */
import { type CreatedWebhook, CreateWebhook, type Webhook } from '@ulmus/wire'
import type { ComponentChildren } from 'preact'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Refusal } from '../../components/form.tsx'
import { Empty, Name } from '../../components/small.tsx'
import { seeCollection } from '../../data/collection.ts'
import { Again, checked, type FormState, formPage } from '../../form.ts'
import { cutText } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import type { View, Visit } from '../../page.ts'
import { ManagedPage } from '../account/managed.tsx'
import { Place, Secret, State } from './webhook-facts.tsx'
import { demandAdmin, fieldsOf, WebhookForm, webhookPath } from './webhook-form.tsx'

type ListState = FormState<{
  /** The new webhook, with its secret. */
  readonly made: CreatedWebhook
}>

type WebhookPlace = Parameters<Visit['registry']['webhooks']['create']>[1]

const pageOf = (
  placeOf: (visit: Visit) => WebhookPlace,
  show: (visit: Visit, state: ListState) => Promise<View>,
) =>
  formPage(async (visit, form) => {
    demandAdmin(visit)
    const wanted = checked(CreateWebhook, fieldsOf(form))
    const made = await visit.registry.webhooks.create(visit.who, placeOf(visit), wanted)
    return new Again({ made })
  }, show)

const collectionOf = ({ params }: Visit) => ({ owner: params['owner']!, slug: params['slug']! })

export const webhooks = pageOf(
  (visit) => ({ collection: collectionOf(visit) }),
  async (visit, state) => {
    const seen = await seeCollection(visit)
    demandAdmin(visit)
    const items = await visit.registry.webhooks.list(visit.who, { collection: collectionOf(visit) })
    const name = `${seen.owner}/${seen.slug}`
    return {
      title: `Webhooks · ${name}`,
      json: `/api/collections/${name}/webhooks`,
      body: (
        <CollectionPage seen={seen} tab={seen.may('describe') ? 'settings' : 'versions'}>
          <div class="narrow">
            <h2>Webhooks</h2>
            <About place={name}>
              {!seen.readsAll && 'It receives public changes. '}
              {seen.role === null || seen.owner === visit.caller?.accountSlug
                ? 'The webhook belongs to you.'
                : `The webhook belongs to ${seen.owner} if you administer that organization, and to you otherwise.`}
            </About>
            <Body items={items} state={state} withPlace={false} />
          </div>
        </CollectionPage>
      ),
    }
  },
)

export const accountWebhooks = pageOf(
  ({ params }) => ({ account: params['owner']! }),
  async (visit, state) => {
    const slug = visit.params['owner']!
    const items = await visit.registry.webhooks.list(visit.who, { account: slug })
    const { type } = await visit.registry.accounts.profile(slug)
    return {
      title: `Webhooks · ${slug}`,
      json: `/api/accounts/${slug}/webhooks`,
      body: (
        <ManagedPage slug={slug} isOrg={type === 'org'} tab="webhooks">
          <div class="narrow">
            <h1>Webhooks</h1>
            <About place={`the collections of ${slug}`}>
              For a single collection, also of others, make one on its own page.
            </About>
            <Body items={items} state={state} withPlace />
          </div>
        </ManagedPage>
      ),
    }
  },
)

interface BodyProps {
  readonly items: readonly Webhook[]
  readonly state: ListState
  readonly withPlace: boolean
}

/** New versions are preselected: most receivers want them alone. */
const usual = { kinds: ['version.made'], bumps: [] } satisfies Pick<Webhook, 'kinds' | 'bumps'>

const Body = ({ items, state: { form, error, made }, withPlace }: BodyProps) => (
  <>
    {made !== undefined && (
      <Secret value={made.secret}>
        <p>
          Then <a href={webhookPath(made)}>send a test request</a>.
        </p>
      </Secret>
    )}
    {items.length === 0 ? <Empty title="No webhooks yet." /> : <List items={items} withPlace={withPlace} />}
    <h2>New webhook</h2>
    <Refusal error={error} />
    <WebhookForm form={form} value={usual} ofCollection={!withPlace}>
      <button type="submit" class="primary">
        Make webhook
      </button>
    </WebhookForm>
  </>
)

/** Longer addresses are cut in the list. Characters. */
const addressMax = 45

const List = ({ items, withPlace }: Pick<BodyProps, 'items' | 'withPlace'>) => (
  <DataTable
    class="data stacked"
    label="Webhooks"
    items={items}
    keyOf={({ id }) => id}
    columns={[
      {
        header: 'Address',
        class: 'whole',
        cell: (webhook) => (
          <a href={webhookPath(webhook)} title={webhook.url}>
            {cutText(webhook.url, addressMax)}
          </a>
        ),
      },
      { header: 'State', cell: (webhook) => <State webhook={webhook} /> },
      ...(withPlace ? [placeColumn] : []),
      { header: 'Label', cell: ({ label }) => <Name of={label} /> },
    ]}
  />
)

const placeColumn: Column<Webhook> = {
  header: 'Events of',
  cell: (webhook) => <Place webhook={webhook} />,
}

/** @param place “ada/birds”, or “the collections of ada” */
export const About = ({ place, children }: { place: string; children?: ComponentChildren }) => (
  <p>
    When something happens to {place}, the registry sends a signed request to an address of yours. {children}{' '}
    <a href="/docs/webhooks">About webhooks</a>
  </p>
)
