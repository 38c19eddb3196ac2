/** `/:owner/-/webhooks/:id`: one webhook: state, test request, new secret, changes, deliveries, deletion. */
import { RegistryError } from '@ulmus/registry'
import { ChangeWebhook, ReplayWebhook, type Webhook, type WebhookSecret, type WebhookTest } from '@ulmus/wire'
import { Refusal } from '../../components/form.tsx'
import { Again, checked, type FormAction, type FormState, formPage, refusedField, typed } from '../../form.ts'
import { counted } from '../../format.ts'
import { type Answer, type Form, Redirect, type Visit } from '../../page.ts'
import { accountPath, withQuery } from '../../paths.ts'
import { ManagedPage } from '../account/managed.tsx'
import { Deliveries, filterIn } from './deliveries.tsx'
import { Danger, OtherActions, Replay, Test } from './webhook-actions.tsx'
import { Facts, hostOf, Links, NewSecret, Problem } from './webhook-facts.tsx'
import { fieldsOf, WebhookForm, webhookPath } from './webhook-form.tsx'

export const webhook = formPage(
  (visit, form) => (works.get(form['do']) ?? (form['retry'] === undefined ? save : retry))(visit, form),
  webhookPage,
)

// A map, because a form may name a member that every object has.
const works = new Map<string | undefined, FormAction<Results>>([
  ['test', test],
  ['rotate', rotate],
  ['enable', (visit) => change(visit, { enabled: true }, 'enabled')],
  ['disable', (visit) => change(visit, { enabled: false }, 'disabled')],
  ['replay', replay],
  ['delete', remove],
])

/** Confirmations after a redirect. The query only selects one of them. */
const done: Readonly<Record<string, string>> = {
  saved: 'Saved.',
  enabled: 'The webhook is enabled. Events from now on are sent; replay those that it missed.',
  disabled: 'The webhook is disabled. Nothing is sent.',
  again: 'The event is sent again.',
  later: 'The event will be sent again when the webhook is enabled.',
}

const backTo = (item: Webhook, to: keyof typeof done) =>
  new Redirect(withQuery(webhookPath(item), { done: to }))

async function change({ registry, who, params }: Visit, changes: ChangeWebhook, to: keyof typeof done) {
  return backTo(await registry.webhooks.change(who, params['id']!, changes), to)
}

async function save(visit: Visit, form: Form): Promise<Answer> {
  const { url, ...rest } = checked(ChangeWebhook, fieldsOf(form))
  const before = await visit.registry.webhooks.find(visit.who, visit.params['id']!)
  // A new address makes the visitor the maker, so an unchanged one is not sent.
  return change(visit, url === before.url ? rest : { ...rest, url }, 'saved')
}

async function test(visit: Visit): Promise<Again<Results>> {
  try {
    return new Again({ tested: await visit.registry.webhooks.test(visit.who, visit.params['id']!) })
  } catch (error) {
    // Show the limit of tests here, not as a page of its own.
    if (!(error instanceof RegistryError) || error.code !== 'rate_limited') throw error
    return new Again({ error })
  }
}

async function rotate(visit: Visit): Promise<Again<Results>> {
  return new Again({ made: await visit.registry.webhooks.rotate(visit.who, visit.params['id']!) })
}

async function retry({ registry, who, params }: Visit, form: Form): Promise<Answer> {
  const id = params['id']!
  await registry.webhooks.retry(who, id, Number(form['retry']))
  const item = await registry.webhooks.find(who, id)
  return backTo(item, item.enabled ? 'again' : 'later')
}

async function replay(visit: Visit, form: Form): Promise<Again<Results>> {
  const text = typed(form, 'after') ?? ''
  if (!/^\d{1,15}$/.test(text)) throw refusedField('after', 'This must be the number of an event.')
  const { events, next } = await visit.registry.webhooks.replay(
    visit.who,
    visit.params['id']!,
    checked(ReplayWebhook, { after: Number(text) }),
  )
  const { enabled } = await visit.registry.webhooks.find(visit.who, visit.params['id']!)
  const [now, later] = [events === 1 ? 'is sent' : 'are sent', 'will be sent']
  const notice = `${counted(events, 'event')} ${enabled ? `${now} again` : `${later} again when the webhook is enabled`}.`
  if (next === null) return new Again({ notice })
  return new Again({
    notice: `${notice} There may be more: when these are sent, replay again after ${next}.`,
    form: { after: String(next) },
  })
}

async function remove({ registry, who, params }: Visit, form: Form): Promise<Answer> {
  const id = params['id']!
  const item = await registry.webhooks.find(who, id)
  const name = hostOf(item)
  if (typed(form, 'confirm') !== name)
    throw refusedField('confirm', `Type ${name} to confirm. Nothing was deleted.`)
  await registry.webhooks.remove(who, id)
  return new Redirect(`${accountPath(item.account)}/-/webhooks`)
}

interface Results {
  readonly notice: string
  readonly tested: WebhookTest
  readonly made: WebhookSecret
}

async function webhookPage(visit: Visit, state: FormState<Results>): Promise<Answer> {
  const { registry, who, params, url } = visit
  const item = await registry.webhooks.find(who, params['id']!)
  // Its account may have another name than in the path by now.
  if (item.account !== params['owner']) return new Redirect(`${webhookPath(item)}${url.search}`, 302)
  const { type } = await registry.accounts.profile(item.account)
  const filter = filterIn(url)
  const items = await registry.webhooks.deliveries(who, item.id, filter)
  const { form, error, made } = state
  const notice = state.notice ?? (error === undefined ? done[url.searchParams.get('done') ?? ''] : undefined)
  return {
    title: `Webhook to ${hostOf(item)} · ${item.account}`,
    json: `/api/webhooks/${item.id}`,
    body: (
      <ManagedPage slug={item.account} isOrg={type === 'org'} tab="webhooks">
        {made !== undefined && <NewSecret made={made} />}
        <h1>Webhook to {hostOf(item)}</h1>
        <Links item={item} />
        {notice !== undefined && (
          <p class="note" role="status">
            {notice}
          </p>
        )}
        <Refusal error={error} />
        <Problem item={item} />
        <Facts item={item} />
        <Test tested={state.tested} />
        <Deliveries webhook={item} items={items} filter={filter} />
        <div class="narrow">
          <Replay form={form} />
          <h2 id="settings">Settings</h2>
          <WebhookForm form={form} value={item} ofCollection={item.collection !== null}>
            <button type="submit" class="primary">
              Save
            </button>
          </WebhookForm>
          <OtherActions item={item} />
          <Danger item={item} form={form} />
        </div>
      </ManagedPage>
    ),
  }
}
