/** Parts of the page of one webhook. */
import { disabledText, resultText, type Webhook, type WebhookSecret, type WebhookTest } from '@ulmus/wire'
import { Field } from '../../components/form.tsx'
import { Time } from '../../components/small.tsx'
import type { Form } from '../../page.ts'
import { accountPath, collectionPath } from '../../paths.ts'
import { Secret, State } from './parts.tsx'
import { Place } from './webhooks.tsx'

export const hostOf = ({ url }: Webhook): string => new URL(url).host

export const NewSecret = ({ made: { secret, formerUntil } }: { made: WebhookSecret }) => (
  <Secret value={secret}>
    {formerUntil !== null && (
      <p>
        Requests are also signed with the former secret, which is valid until{' '}
        <time datetime={formerUntil}>{formerUntil.slice(0, 16).replace('T', ' ')} UTC</time>.
      </p>
    )}
  </Secret>
)

/** Why nothing arrives, and how to change that. */
export function Problem({ item: { enabled, disabledWhy, failingSince } }: { item: Webhook }) {
  if (enabled && failingSince === null) return null
  return (
    <div class={enabled || disabledWhy !== null ? 'note bad' : 'note'}>
      {enabled ? (
        <p>
          Requests fail; the first one failed <Time at={failingSince!} />. After 5 days the registry disables
          the webhook.
        </p>
      ) : (
        <form method="post">
          <p>
            {disabledWhy === null ? (
              'The webhook is disabled: nothing is sent.'
            ) : (
              <>
                <strong>The registry disabled this webhook.</strong> {disabledText(disabledWhy)}
              </>
            )}
          </p>
          <p>Events that you send again wait until you enable it.</p>
          <button type="submit" name="do" value="enable">
            Enable
          </button>
        </form>
      )}
    </div>
  )
}

/** Links to the webhooks of the same collection or account, and to parts of this page. */
export function Links({ item: { account, collection } }: { item: Webhook }) {
  const { owner = null, slug = null } = collection ?? {}
  const ofCollection = owner !== null && slug !== null
  return (
    <p>
      {ofCollection ? (
        <a href={collectionPath({ owner, slug }, 'webhooks')}>
          Webhooks of {owner}/{slug}
        </a>
      ) : (
        <a href={`${accountPath(account)}/-/webhooks`}>Webhooks of {account}</a>
      )}
      {' · '}
      <a href="#settings">Settings</a>
      {' · '}
      <a href="#secret">Secret</a>
    </p>
  )
}

export const Facts = ({ item }: { item: Webhook }) => (
  <dl class="facts-list">
    <dt>Address</dt>
    <dd>
      <code>{item.url}</code>
    </dd>
    <dt>Events of</dt>
    <dd>
      <Place webhook={item} />
    </dd>
    <dt>State</dt>
    <dd>
      <State webhook={item} />
    </dd>
    <dt>Made</dt>
    <dd>
      <Time at={item.createdAt} />
    </dd>
    <dt>With the rights of</dt>
    <dd>
      {item.madeBy === null ? (
        <span class="quiet">an account that is gone</span>
      ) : (
        <a href={accountPath(item.madeBy)}>{item.madeBy}</a>
      )}
    </dd>
  </dl>
)

export const Test = ({ tested }: { tested: WebhookTest | undefined }) => (
  <section>
    {tested !== undefined && (
      <p class={tested.delivered ? 'note' : 'note bad'} role="status">
        <strong>{tested.delivered ? 'The test request arrived.' : 'The test request failed.'}</strong>{' '}
        {resultText(tested)} <span class="quiet">in {tested.milliseconds} ms</span>
      </p>
    )}
    <form method="post" class="form">
      <button type="submit" name="do" value="test">
        Send a test request
      </button>
    </form>
  </section>
)

export const Replay = ({ form }: { form: Form }) => (
  <section>
    <h2>Replay</h2>
    <p>
      Sends all events after a number again, also those that it never got; <code>0</code> sends all that are
      kept. A receiver recognises requests that it has by <code>webhook-id</code>.
    </p>
    <form method="post" class="form inline">
      <Field name="after" label="After the event with the number" form={form} type="number" required />
      <button type="submit" name="do" value="replay">
        Replay
      </button>
    </form>
  </section>
)

export const OtherActions = ({ item }: { item: Webhook }) => (
  <>
    <h2 id="secret">Secret</h2>
    <p>
      The secret signs all requests. It was shown once. After you make a new one, requests are also signed
      with the former one for 24 hours.
    </p>
    <form method="post" class="form">
      <button type="submit" name="do" value="rotate">
        Make a new secret
      </button>
    </form>
    {item.enabled && (
      <>
        <h2>Pause</h2>
        <p>Nothing is sent until you enable it again. Events of that time can be replayed.</p>
        <form method="post" class="form">
          <button type="submit" name="do" value="disable">
            Disable
          </button>
        </form>
      </>
    )}
  </>
)

export const Danger = ({ item, form }: { item: Webhook; form: Form }) => (
  <section class="danger-zone">
    <h2>Delete</h2>
    <p>Deletes the webhook with its deliveries. Nothing further is sent.</p>
    <form method="post" class="form">
      <Field name="confirm" label={`Type “${hostOf(item)}” to confirm`} form={form} required />
      <button type="submit" class="danger" name="do" value="delete">
        Delete this webhook
      </button>
    </form>
  </section>
)
