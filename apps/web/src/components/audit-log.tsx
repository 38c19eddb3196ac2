/** Audit log on pages: of an organization, of the user's own account, or, for operators, of all accounts. */
import type { AuditAction } from '@ulmus/registry'
import type { AuditEvent } from '@ulmus/wire'
import { refusedField } from '../form.ts'
import type { Form, Visit } from '../page.ts'
import { accountPath, withQuery } from '../paths.ts'
import { type Column, DataTable } from './data-table.tsx'
import { DayField, Field, Select } from './form.tsx'
import { Empty, Pager, Time } from './small.tsx'

/** Verb by action of the registry, between the actor and the target, as in “ada made the version atlas/cities@v1.0.0”. */
const words: Readonly<Record<AuditAction, string>> = {
  'account.signed_in': 'signed in',
  'account.renamed': 'renamed the account to',
  'account.deleted': 'deleted the account',
  'account.quota': 'changed what may be stored in the account',
  'account.suspended': 'suspended, or took back the suspension of, the account',
  'account.exported': 'exported what is stored of the account',
  'account.erased': 'erased the person of the account',
  'identity.linked': 'linked an identity to the account',
  'session.ended': 'signed a browser out:',
  'key.made': 'made an API key:',
  'key.first_used': 'used for the first time an API key:',
  'key.revoked': 'revoked an API key:',
  'key.exchanged': 'received an API key:',
  'organization.made': 'made the organization',
  'settings.changed': 'changed the settings of',
  'member.invited': 'invited',
  'invitation.declined': 'declined to join as',
  'invitation.removed': 'took back the invitation of',
  'member.set': 'gave a role to',
  'member.removed': 'removed the member',
  'collaborator.invited': 'invited a collaborator to',
  'collaborator.set': 'gave a collaborator a grant on',
  'collaborator.removed': 'removed a collaborator of',
  'collection.made': 'made the collection',
  'collection.renamed': 'renamed a collection to',
  'collection.transferred': 'gave away the collection, which is now',
  'collection.visibility': 'changed who sees the collection',
  'collection.opened': 'opened, to read it for an hour, the collection',
  'collection.reported': 'reported the collection',
  'report.closed': 'closed a report about the collection',
  'collection.hidden': 'hid, or shows again, the collection',
  'collection.publishing': 'changed who publishes to the collection',
  'collection.forked': 'forked the collection',
  'collection.deleted': 'deleted the collection',
  'webhook.made': 'made a webhook of',
  'webhook.changed': 'changed a webhook of',
  'webhook.rotated': 'made a new secret for a webhook of',
  'webhook.removed': 'removed a webhook of',
  'webhook.disabled': 'disabled the webhook to',
  'question.saved': 'saved a question:',
  'question.removed': 'removed a saved question:',
  'publisher.made': 'added a trusted publisher:',
  'publisher.changed': 'changed a trusted publisher:',
  'publisher.removed': 'removed a trusted publisher:',
  'version.made': 'made the version',
  'version.withdrawn': 'withdrew the version',
  'record.erased': 'removed a record from all versions of',
  'version.deprecated': 'warned the readers of the version',
}

/** Entries per page. */
const pageRows = 50

type ReadLog = Visit['registry']['operators']['audit']

/** Filters and page of the log from the query. @throws invalid_request if `after` is not a day */
export function filterIn(url: URL): Parameters<ReadLog>[1] {
  const fields = fieldsIn(url)
  const wish = (name: string) => fields[name]?.trim() || undefined
  const day = wish('after')
  if (day !== undefined && !isDay(day)) throw refusedField('after', 'This must be a day, such as 2026-11-25.')
  const cursor = wish('cursor')
  return {
    ...{ actor: wish('actor'), action: wish('action'), limit: pageRows },
    ...(day !== undefined && { after: `${day}T00:00:00Z` }),
    ...(cursor !== undefined && { cursor }),
  }
}

/** Parameters of the query. The last value of a repeated parameter counts, in the form and in the list. */
const fieldsIn = ({ searchParams }: URL): Form => Object.fromEntries(searchParams)

/** True if the day exists. `Date` alone parses 30 February as 2 March. */
function isDay(text: string): boolean {
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(`${text}T`)
}

/** Filter form and one page of the log. @param path of the page that renders it */
export function AuditLog({
  path,
  url,
  page: { items, links },
}: {
  path: string
  url: URL
  page: Awaited<ReturnType<ReadLog>>
}) {
  const fields = fieldsIn(url)
  const { actor, action, after } = fields
  const to = (link: string | undefined) => {
    const cursor = link && new URLSearchParams(link).get('cursor')
    return cursor ? withQuery(path, { actor, action, after, cursor }) : undefined
  }
  return (
    <>
      <form method="get" class="form inline">
        <Field name="actor" label="By" form={fields} most={39} />
        <Select
          name="action"
          label="Action"
          form={fields}
          value=""
          options={[['', 'any'], ...Object.keys(words).map((action) => [action, action] as const)]}
        />
        <DayField name="after" label="Since (UTC)" form={fields} />
        <button type="submit">Show</button>
      </form>
      {items.length === 0 ? <Empty title="There is nothing here." /> : <List items={items} />}
      <Pager next={to(links.next)} prev={to(links.prev)} />
    </>
  )
}

const List = ({ items }: { items: readonly AuditEvent[] }) => (
  <DataTable
    class="data stacked"
    hasRowHeaders={false}
    items={items}
    keyOf={({ id }) => id}
    columns={columns}
  />
)

/** Actors of actions that need no account. */
const withoutAccount: ReadonlyMap<string, string> = new Map<AuditAction, string>([
  ['account.exported', 'an administrator of the server'],
  ['collection.reported', 'a reader without an account'],
  ['key.exchanged', 'a trusted publisher'],
  ['webhook.disabled', 'the registry'],
])

const columns: readonly Column<AuditEvent>[] = [
  { header: 'When', cell: ({ at }) => <Time at={at} /> },
  {
    header: 'Who',
    cell: ({ action, actor }) =>
      actor.account === null ? (
        <span class="quiet">{withoutAccount.get(action) ?? 'an account that is gone'}</span>
      ) : (
        <a href={accountPath(actor.account)}>{actor.account}</a>
      ),
  },
  {
    header: 'What',
    class: 'whole',
    cell: ({ action, target, details }) => (
      <>
        {words[action as AuditAction] ?? action}{' '}
        <bdi>{typeof details['label'] === 'string' ? details['label'] : target}</bdi>
        <Details details={details} />
      </>
    ),
  },
  {
    header: 'With',
    cell: ({ actor }) => (
      <>
        {actor.key !== undefined && (
          <>
            the key <bdi>{actor.key.label}</bdi>{' '}
          </>
        )}
        <span class="quiet">{actor.ip}</span>
      </>
    ),
  },
]

const Details = ({ details }: Pick<AuditEvent, 'details'>) => {
  const facts = Object.entries(details).filter(([name, value]) => name !== 'label' && value !== null)
  if (facts.length === 0) return null
  return (
    <>
      {' '}
      <span class="quiet">
        (<bdi>{facts.map(([name, value]) => `${name}: ${value}`).join(', ')}</bdi>)
      </span>
    </>
  )
}
