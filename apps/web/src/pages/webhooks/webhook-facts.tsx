/** Facts of a webhook on pages: its address, place and state, and secrets, which are shown once. */
import { disabledText, type Webhook, type WebhookSecret } from '@ulmus/wire'
import type { ComponentChildren } from 'preact'
import { Badge, Code, Time } from '../../components/small.tsx'
import { instantText } from '../../format.ts'
import { accountPath, collectionPath } from '../../paths.ts'

export const hostOf = ({ url }: Webhook): string => new URL(url).host

export const State = ({ webhook: { enabled, disabledWhy, failingSince } }: { webhook: Webhook }) => {
  if (!enabled)
    return <Badge tone="warn">{disabledWhy === null ? 'disabled' : 'disabled by the registry'}</Badge>
  return failingSince === null ? <Badge>enabled</Badge> : <Badge tone="warn">failing</Badge>
}

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

/** A secret that only this answer contains. */
export const Secret = ({ value, children }: { value: string; children?: ComponentChildren }) => (
  <section class="note made" aria-label="The new secret">
    <p>
      <strong>The secret of the webhook.</strong> Copy it to the receiver now: it is shown only this once.
    </p>
    <Code>{value}</Code>
    {children}
  </section>
)

export const NewSecret = ({ made: { secret, formerUntil } }: { made: WebhookSecret }) => (
  <Secret value={secret}>
    {formerUntil !== null && (
      <p>
        Requests are also signed with the former secret, which is valid until{' '}
        <time datetime={formerUntil}>{instantText(formerUntil)}</time>.
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
