/** `/:owner/-/audit`: who did what, in an organization or as oneself. */
import type { AuditEvent } from '@ulmus/wire'
import { Field, Select } from '../../components/form.tsx'
import { Empty, Pager, Time } from '../../components/small.tsx'
import type { Form, Page } from '../../page.ts'
import { accountPath, withQuery } from '../../paths.ts'
import { ManagedPage } from './managed.tsx'

/** What is said of each action, between who did it and what it was done to. */
const words: Readonly<Record<string, string>> = {
  'account.signed_in': 'signed in',
  'account.renamed': 'renamed the account to',
  'account.deleted': 'deleted the account',
  'account.quota': 'changed what may be stored in the account',
  'account.suspended': 'suspended, or took back the suspension of, the account',
  'account.erased': 'erased the person of the account',
  'session.ended': 'signed a browser out:',
  'key.made': 'made an API key:',
  'key.first_used': 'used for the first time an API key:',
  'key.revoked': 'revoked an API key:',
  'organization.made': 'made the organization',
  'settings.changed': 'changed the settings of',
  'member.invited': 'invited',
  'invitation.declined': 'declined to join as',
  'invitation.removed': 'took back the invitation of',
  'member.set': 'gave a role to',
  'member.removed': 'removed the member',
  'collection.made': 'made the collection',
  'collection.renamed': 'renamed a collection to',
  'collection.transferred': 'gave away the collection, which is now',
  'collection.visibility': 'changed who sees the collection',
  'collection.deleted': 'deleted the collection',
  'version.made': 'made the version',
  'version.withdrawn': 'withdrew the version',
  'version.deprecated': 'warned the readers of the version',
}

const pageRows = 50

export const audit: Page = {
  needsCaller: true,
  async show({ registry, who, params, url }) {
    const slug = params['owner']!
    const said = Object.fromEntries(url.searchParams) as Form
    const wish = (name: string) => said[name]?.trim() || undefined
    const filters = { actor: wish('actor'), action: wish('action') }
    const { type } = await registry.accounts.profile(slug)
    const cursor = wish('cursor')
    const ask = { ...filters, limit: pageRows, ...(cursor !== undefined && { cursor }) }
    const { items, links } = await registry.audit.list(who, slug, ask)
    const path = `${accountPath(slug)}/-/audit`
    const to = (link: string | undefined) =>
      link === undefined
        ? undefined
        : withQuery(path, { ...filters, cursor: new URLSearchParams(link).get('cursor') ?? '' })
    return {
      title: `Audit log · ${slug}`,
      isPublic: false,
      json: `/api/accounts/${slug}/audit`,
      body: (
        <ManagedPage slug={slug} isOrg={type === 'org'} tab="audit">
          <h1>Audit log</h1>
          <p>
            Who did what, the newest first.{' '}
            <a href={`/api/accounts/${slug}/audit.ndjson`}>All of it as NDJSON</a>.
          </p>
          <form method="get" class="form inline">
            <Field name="actor" label="By" form={said} most={39} />
            <Select
              name="action"
              label="Action"
              form={said}
              value=""
              options={[['', 'any'], ...Object.keys(words).map((action) => [action, action] as const)]}
            />
            <button type="submit">Show</button>
          </form>
          {items.length === 0 ? <Empty title="There is nothing here." /> : <List items={items} />}
          <Pager next={to(links.next)} prev={to(links.prev)} />
        </ManagedPage>
      ),
    }
  },
}

const List = ({ items }: { items: readonly AuditEvent[] }) => (
  <div class="table-scroll">
    <table class="data">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">Who</th>
          <th scope="col">What</th>
          <th scope="col">With</th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ id, at, actor, action, target, details }) => (
          <tr key={id}>
            <td>
              <Time at={at} />
            </td>
            <td>
              {actor.account === null ? (
                <span class="quiet">an account that is gone</span>
              ) : (
                <a href={accountPath(actor.account)}>{actor.account}</a>
              )}
            </td>
            <td>
              {words[action] ?? action}{' '}
              <bdi>{typeof details['label'] === 'string' ? details['label'] : target}</bdi>
              <Details details={details} />
            </td>
            <td>
              {actor.key !== undefined && (
                <>
                  the key <bdi>{actor.key.label}</bdi>{' '}
                </>
              )}
              <span class="quiet">{actor.ip}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

const Details = ({ details }: Pick<AuditEvent, 'details'>) => {
  const told = Object.entries(details).filter(([name, value]) => name !== 'label' && value !== null)
  if (told.length === 0) return null
  return (
    <>
      {' '}
      <span class="quiet">
        (<bdi>{told.map(([name, value]) => `${name}: ${value}`).join(', ')}</bdi>)
      </span>
    </>
  )
}
