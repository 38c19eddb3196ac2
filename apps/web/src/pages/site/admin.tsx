/** `/admin`: status of the registry and actions for operators. */
import type { JobsUnderWay, OperatedAccount, Usage } from '@ulmus/wire'
import { Field, Refusal, type Refused } from '../../components/form.tsx'
import { Badge, Empty, Name, Pager, Time } from '../../components/small.tsx'
import { refusedField, submitted, typed } from '../../form.ts'
import { bytesText, counted } from '../../format.ts'
import { type Answer, type Form, type Page, Redirect, type Visit } from '../../page.ts'
import { accountPath, withQuery } from '../../paths.ts'
import {
  type Done,
  DoneNote,
  EraseForm,
  erase,
  HandOverForm,
  handOver,
  LinkIdentityForm,
  linkIdentity,
} from './admin-people.tsx'

export const admin: Page = {
  needsCaller: true,
  show: (visit) => adminPage(visit, {}),
  act: (visit, form) =>
    submitted(
      () => (acts.get(form['do']) ?? suspend)(visit, form),
      (error) => adminPage(visit, { form, error }),
    ),
}

async function suspend({ registry, who, url }: Visit, form: Form): Promise<Answer> {
  await registry.operators.change(who, form['account'] ?? '', { suspended: form['do'] === 'suspend' })
  return new Redirect(`/admin${url.search}`)
}

/** Accepts digits, with or without thousands separators. Empty: the default quota. */
async function setQuota({ registry, who, url }: Visit, form: Form): Promise<Answer> {
  const given = typed(form, 'quotaBytes')?.replaceAll(/[,_ ]/g, '')
  if (given !== undefined && !/^\d{1,15}$/.test(given)) {
    throw refusedField('quotaBytes', 'The quota must be a number of bytes, such as 10,000,000,000.')
  }
  const quotaBytes = given === undefined ? null : Number(given)
  await registry.operators.change(who, typed(form, 'quotaOf') ?? '', { quotaBytes })
  return new Redirect(`/admin${url.search}`)
}

async function nameOwner({ registry, who, url }: Visit, form: Form): Promise<Answer> {
  await registry.operators.change(who, typed(form, 'orphan') ?? '', { owner: typed(form, 'owner') ?? '' })
  return new Redirect(`/admin${url.search}`)
}

/** Shows the result of an action on the page. */
const reported =
  (act: (visit: Visit, form: Form) => Promise<Done>) =>
  async (visit: Visit, form: Form): Promise<Answer> =>
    adminPage(visit, { done: await act(visit, form) })

// A map, because a form may name a member that every object has.
const acts = new Map<string | undefined, typeof suspend>([
  ['erase', reported(erase)],
  ['link', reported(linkIdentity)],
  ['transfer', reported(handOver)],
  ['quota', setQuota],
  ['owner', nameOwner],
])

interface Shown {
  readonly form?: Form
  readonly error?: Refused
  readonly done?: Done
}

async function adminPage({ registry, who, url }: Visit, { form = {}, error, done }: Shown): Promise<Answer> {
  const q = url.searchParams.get('q')?.trim() || undefined
  const cursor = url.searchParams.get('cursor') ?? undefined
  const [usage, jobs, { items, links }] = await Promise.all([
    registry.operators.usage(who),
    registry.operators.jobs(who),
    registry.operators.accounts(who, { limit: 50, q, ...(cursor !== undefined && { cursor }) }),
  ])
  const to = (link: string | undefined) =>
    link === undefined
      ? undefined
      : withQuery('/admin', { q, cursor: new URLSearchParams(link).get('cursor') ?? '' })
  return {
    title: 'Operators',
    isPublic: false,
    json: '/api/admin/accounts',
    refused: error,
    body: (
      <div class="wide content managed">
        <h1>This registry</h1>
        <Facts usage={usage} />
        <UnderWay jobs={jobs} />
        <p>
          <a href="/admin/audit">Every audit log</a>. <a href="/docs/operations">Operating a registry</a>
        </p>
        <Refusal error={error} />
        {done !== undefined && <DoneNote done={done} />}
        <h2>Accounts</h2>
        <form method="get" class="form inline">
          <Field name="q" label="Handle, name or e-mail" form={q === undefined ? {} : { q }} most={200} />
          <button type="submit">Find</button>
        </form>
        {items.length === 0 ? <Empty title="No account is like that." /> : <Accounts items={items} />}
        <Pager next={to(links.next)} prev={to(links.prev)} />
        <Quota form={form} usual={usage.quotaBytes} />
        <NameOwner form={form} />
        <LinkIdentityForm form={form} error={error} />
        <HandOverForm form={form} />
        <EraseForm form={form} error={error} />
      </div>
    ),
  }
}

const Facts = ({ usage }: { usage: Usage }) => (
  <p class="facts">
    <span>{counted(usage.users, 'person', 'people')}</span>
    <span>{counted(usage.organizations, 'organization')}</span>
    <span>{counted(usage.collections, 'collection')}</span>
    <span>{usage.publicCollections} of them public</span>
    <span>{counted(usage.versions, 'version')}</span>
    <span>{bytesText(usage.bytes.packs)} of records</span>
    <span>{bytesText(usage.bytes.files)} of files</span>
    {usage.bytes.setAside > 0 && <span>{bytesText(usage.bytes.setAside)} set aside</span>}
  </p>
)

const ended: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'])

function UnderWay({ jobs: { pushes, queues } }: { jobs: JobsUnderWay }) {
  const told = [
    pushes.open > 0 && counted(pushes.open, 'open push', 'open pushes'),
    pushes.committing > 0 &&
      counted(pushes.committing, 'push being committed or checked', 'pushes being committed or checked'),
    ...queues.filter(({ state }) => !ended.has(state)).map(jobText),
  ].filter((text) => text !== false)
  const failed = queues.filter(({ state }) => state === 'failed')
  return (
    <>
      <Told title={told.length === 0 ? 'Nothing is under way.' : 'Under way:'} texts={told} />
      {failed.length > 0 && <Told title="In the last day:" texts={failed.map(jobText)} />}
    </>
  )
}

const jobText = ({ queue, state, jobs }: JobsUnderWay['queues'][number]) => `${jobs} × ${queue} ${state}`

const Told = ({ title, texts }: { title: string; texts: readonly string[] }) => (
  <p class="facts">
    <span>{title}</span>
    {texts.map((text) => (
      <span key={text}>{text}</span>
    ))}
  </p>
)

const Accounts = ({ items }: { items: readonly OperatedAccount[] }) => (
  <div class="table-scroll">
    <table class="data stacked">
      <thead>
        <tr>
          <th scope="col">Account</th>
          <th scope="col">E-mail</th>
          <th scope="col">Collections</th>
          <th scope="col">Stored</th>
          <th scope="col">Since</th>
          <th scope="col">
            <span class="sr-only">Suspend</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map((account) => (
          <tr key={account.id}>
            <th scope="row">
              <a href={accountPath(account.slug)}>
                <Name of={account.displayName} />
              </a>{' '}
              <span class="quiet">{account.slug}</span> <Identities of={account} />
              {account.type === 'org' && <Badge>Organization</Badge>}
              {account.suspendedAt !== null && <Badge tone="warn">Suspended</Badge>}
            </th>
            <td>{account.email && <bdi>{account.email}</bdi>}</td>
            <td data-label="Collections">{account.collections}</td>
            <td data-label="Stored">
              {bytesText(account.usedBytes)}
              {account.quotaBytes !== null && <span class="quiet"> of {bytesText(account.quotaBytes)}</span>}
            </td>
            <td data-label="Since">
              <Time at={account.createdAt} />
            </td>
            <td>
              {account.type === 'user' && (
                <form method="post">
                  <input type="hidden" name="account" value={account.slug} />
                  {account.suspendedAt === null ? (
                    <button type="submit" class="danger" name="do" value="suspend">
                      Suspend<span class="sr-only"> {account.slug}</span>
                    </button>
                  ) : (
                    <button type="submit" name="do" value="release">
                      Take back<span class="sr-only"> the suspension of {account.slug}</span>
                    </button>
                  )}
                </form>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

/** Values that an operator needs to link an identity to another account. */
const Identities = ({ of: { identities } }: { of: OperatedAccount }) =>
  identities.length === 0 ? null : (
    <details>
      <summary>Identity</summary>
      {identities.map(({ issuer, subject }) => (
        <p key={`${issuer} ${subject}`}>
          Issuer <code>{issuer}</code>, subject <code>{subject}</code>
        </p>
      ))}
    </details>
  )

const Quota = ({ form, usual }: { form: Form; usual: number | null }) => (
  <>
    <h2>Storage quota</h2>
    <p>
      {usual === null
        ? 'Accounts have no limit, unless they have a quota of their own.'
        : `Accounts may store ${bytesText(usual)} each, unless they have a quota of their own.`}
    </p>
    <form method="post" class="form">
      <Field name="quotaOf" label="Handle" form={form} required most={39} />
      <Field
        name="quotaBytes"
        label="Bytes"
        form={form}
        most={24}
        help="Such as 10,000,000,000 for 10 GB. Empty: the default. A quota below the present usage removes nothing."
      />
      <button type="submit" name="do" value="quota">
        Set the quota
      </button>
    </form>
  </>
)

const NameOwner = ({ form }: { form: Form }) => (
  <>
    <h2>Organization without owners</h2>
    <p>All owners were erased or suspended. Appoint a new owner, and tell them: no message is sent.</p>
    <form method="post" class="form">
      <Field name="orphan" label="Handle of the organization" form={form} required most={39} />
      <Field name="owner" label="Handle of its new owner" form={form} required most={39} />
      <button type="submit" name="do" value="owner">
        Appoint the owner
      </button>
    </form>
  </>
)
