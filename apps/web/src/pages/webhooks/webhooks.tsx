/** `/:owner/:slug/webhooks` and `/:owner/-/webhooks`: list and make webhooks of a collection, and of an account. */
import { type CreatedWebhook, CreateWebhook, type Webhook } from '@ulmus/wire'
import { Refusal, type Refused } from '../../components/form.tsx'
import { Empty, Name, TableScroll } from '../../components/small.tsx'
import { seeCollection } from '../../data/collection.ts'
import { checked, submitted } from '../../form.ts'
import { cutText } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import type { Answer, Form, Page, View, Visit } from '../../page.ts'
import { collectionPath } from '../../paths.ts'
import { ManagedPage } from '../account/managed.tsx'
import { About, demandAdmin, fieldsOf, Secret, State, WebhookForm, webhookPath } from './parts.tsx'

interface Shown {
  readonly form?: Form
  readonly error?: Refused
  /** The new webhook, with its secret. */
  readonly made?: CreatedWebhook
}

type Place = Parameters<Visit['registry']['webhooks']['create']>[1]
type Show = (visit: Visit, shown: Shown) => Promise<View>

const pageOf = (placeOf: (visit: Visit) => Place, show: Show): Page => ({
  needsCaller: true,
  show: (visit) => show(visit, {}),
  act: (visit, form): Promise<Answer> =>
    submitted(
      async () => {
        demandAdmin(visit)
        const wanted = checked(CreateWebhook, fieldsOf(form))
        const made = await visit.registry.webhooks.create(visit.who, placeOf(visit), wanted)
        return show(visit, { made })
      },
      (error) => show(visit, { form, error }),
    ),
})

const collectionOf = ({ params }: Visit) => ({ owner: params['owner']!, slug: params['slug']! })

export const webhooks = pageOf(
  (visit) => ({ collection: collectionOf(visit) }),
  async (visit, shown) => {
    const seen = await seeCollection(visit)
    demandAdmin(visit)
    const items = await visit.registry.webhooks.list(visit.who, { collection: collectionOf(visit) })
    const name = `${seen.owner}/${seen.slug}`
    return {
      title: `Webhooks · ${name}`,
      isPublic: false,
      json: `/api/collections/${name}/webhooks`,
      refused: shown.error,
      body: (
        <CollectionPage seen={seen} tab={seen.mayWork ? 'settings' : 'versions'}>
          <div class="narrow">
            <h2>Webhooks</h2>
            <About place={name}>
              {!seen.isMember && 'It hears of public changes. '}
              {!seen.isMember || seen.owner === visit.caller?.accountSlug
                ? 'The webhook belongs to you.'
                : `The webhook belongs to ${seen.owner} if you administer that organization, and to you otherwise.`}
            </About>
            <Body items={items} shown={shown} withPlace={false} />
          </div>
        </CollectionPage>
      ),
    }
  },
)

export const accountWebhooks = pageOf(
  ({ params }) => ({ account: params['owner']! }),
  async (visit, shown) => {
    const slug = visit.params['owner']!
    const items = await visit.registry.webhooks.list(visit.who, { account: slug })
    const { type } = await visit.registry.accounts.profile(slug)
    return {
      title: `Webhooks · ${slug}`,
      isPublic: false,
      json: `/api/accounts/${slug}/webhooks`,
      refused: shown.error,
      body: (
        <ManagedPage slug={slug} isOrg={type === 'org'} tab="webhooks">
          <div class="narrow">
            <h1>Webhooks</h1>
            <About place={`the collections of ${slug}`}>
              For a single collection, also of others, make one on its own page.
            </About>
            <Body items={items} shown={shown} withPlace />
          </div>
        </ManagedPage>
      ),
    }
  },
)

interface BodyProps {
  readonly items: readonly Webhook[]
  readonly shown: Shown
  readonly withPlace: boolean
}

/** New versions are preselected: most receivers want them alone. */
const usual = { kinds: ['version.made'], bumps: [] } satisfies Pick<Webhook, 'kinds' | 'bumps'>

const Body = ({ items, shown: { form = {}, error, made }, withPlace }: BodyProps) => (
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
  <TableScroll label="Webhooks">
    <table class="data stacked">
      <thead>
        <tr>
          <th scope="col">Address</th>
          <th scope="col">State</th>
          {withPlace && <th scope="col">Events of</th>}
          <th scope="col">Label</th>
        </tr>
      </thead>
      <tbody>
        {items.map((webhook) => (
          <tr key={webhook.id}>
            <th scope="row" class="whole">
              <a href={webhookPath(webhook)} title={webhook.url}>
                {cutText(webhook.url, addressMax)}
              </a>
            </th>
            <td>
              <State webhook={webhook} />
            </td>
            {withPlace && (
              <td>
                <Place webhook={webhook} />
              </td>
            )}
            <td>
              <Name of={webhook.label} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </TableScroll>
)

/** Link to the collection, or words for all collections of the account, and for one that the reader may not see. */
export function Place({ webhook: { account, collection } }: { webhook: Webhook }) {
  if (collection === null) return <>all of {account}</>
  const { owner, slug } = collection
  if (owner === null || slug === null) return <span class="quiet">a collection that is private or gone</span>
  return (
    <a href={collectionPath({ owner, slug })}>
      {owner}/{slug}
    </a>
  )
}
