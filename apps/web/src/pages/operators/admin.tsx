/** `/admin`: status of the registry and actions for operators. */
import type { JobsUnderWay, Usage } from '@ulmus/wire'
import { Field, Refusal } from '../../components/form.tsx'
import { Empty, Pager } from '../../components/small.tsx'
import { Again, type FormAction, type FormState, formPage, refusedField, typed } from '../../form.ts'
import { counted, sizeText } from '../../format.ts'
import { type Answer, type Form, Redirect, type View, type Visit } from '../../page.ts'
import { withQuery } from '../../paths.ts'
import { Accounts } from './accounts-table.tsx'
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
import { ScarceDisks } from './disk.tsx'
import { HiddenCollections, hide, showAgain } from './hidden-collections.tsx'
import { OpenForm, open } from './open-collection.tsx'
import { closeReport, Reports, reportsOf } from './reports.tsx'

export const admin = formPage(
  (visit, form) => (acts.get(form['do']) ?? reported(suspend))(visit, form),
  adminPage,
)

async function suspend({ registry, who }: Visit, form: Form): Promise<Done> {
  const [slug, suspended, hides] = [form['account'] ?? '', form['do'] === 'suspend', form['keeps'] !== 'on']
  await registry.operators.change(who, slug, { suspended, hideCollections: hides })
  if (!suspended)
    return { note: `${slug} may sign in again, and its collections are as they were before the suspension.` }
  const shown = hides ? 'Its public collections are hidden' : 'Its public collections stay public'
  return { note: `${slug} is suspended: its sessions and keys are refused. ${shown}.` }
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
const reported = (act: (visit: Visit, form: Form) => Promise<Done>) => async (visit: Visit, form: Form) =>
  new Again({ done: await act(visit, form) })

// A map, because a form may name a member that every object has.
const acts = new Map<string | undefined, FormAction<{ done: Done }>>([
  ['erase', reported(erase)],
  ['link', reported(linkIdentity)],
  ['transfer', reported(handOver)],
  ['hide', reported(hide)],
  ['show', reported(showAgain)],
  ['open', reported(open)],
  ['dismissed', reported(closeReport)],
  ['acted', reported(closeReport)],
  ['quota', setQuota],
  ['owner', nameOwner],
])

async function adminPage(
  { registry, who, url, caller }: Visit,
  { form: sent, error, done }: FormState<{ done: Done }>,
): Promise<View> {
  const [hiding, opening] = ['hide', 'open'].map((name) => url.searchParams.get(name))
  const form = {
    ...formsFor(url.searchParams.get('for') ?? ''),
    ...(hiding && { hidden: hiding }),
    ...(opening && { opened: opening }),
    ...sent,
  }
  const q = url.searchParams.get('q')?.trim() || undefined
  const cursor = url.searchParams.get('cursor') ?? undefined
  const [usage, disks, jobs, hidden, reports, { items, links }] = await Promise.all([
    registry.operators.usage(who),
    registry.operatorState.disks(who),
    registry.operators.jobs(who),
    registry.moderation.hidden(who),
    reportsOf({ registry, who, url }),
    registry.operators.accounts(who, { limit: 50, q, ...(cursor !== undefined && { cursor }) }),
  ])
  const to = (link: string | undefined) =>
    link === undefined
      ? undefined
      : withQuery('/admin', { q, cursor: new URLSearchParams(link).get('cursor') ?? '' })
  return {
    title: 'Operators',
    json: '/api/admin/accounts',
    body: (
      <div class="wide content managed">
        <h1>This registry</h1>
        <Facts usage={usage} openReports={reports.open} />
        <UnderWay jobs={jobs} />
        <ScarceDisks disks={disks} />
        <p>
          <a href="/admin/state">Jobs, load and disk</a> · <a href="/admin/audit">Every audit log</a> ·{' '}
          <a href="/docs/operations">Operating a registry</a>
        </p>
        <Refusal error={error} />
        {done !== undefined && <DoneNote done={done} />}
        <h2 id="accounts">Accounts</h2>
        <form method="get" class="form inline">
          <Field name="q" label="Handle, name or e-mail" form={q === undefined ? {} : { q }} most={200} />
          <button type="submit">Find</button>
        </form>
        {items.length === 0 ? (
          <Empty title="No account is like that." />
        ) : (
          <Accounts items={items} own={caller?.accountSlug} />
        )}
        <Pager next={to(links.next)} prev={to(links.prev)} />
        <Reports {...reports} />
        <HiddenCollections form={form} error={error} items={hidden} />
        <OpenForm form={form} />
        {/* Folded until a row of the table names its account, or a form was sent. */}
        <details
          class="account-forms"
          open={Object.keys(form).some((name) => !['hidden', 'opened'].includes(name))}
        >
          <summary>Forms that name an account: quota, owner, identity, transfer, erase</summary>
          <Quota form={form} usual={usage.quotaBytes} />
          <NameOwner form={form} />
          <LinkIdentityForm form={form} error={error} />
          <HandOverForm form={form} />
          <EraseForm form={form} error={error} />
        </details>
      </div>
    ),
  }
}

/** Fields of the forms that name an account, filled in by the links of its row. */
const formsFor = (slug: string): Form =>
  slug === '' ? {} : { quotaOf: slug, orphan: slug, linkTo: slug, leaver: slug, account: slug }

const Facts = ({ usage, openReports }: { usage: Usage; openReports: number }) => (
  <p class="facts">
    {openReports > 0 && (
      <span>
        <a href="#reports">{counted(openReports, 'open report')}</a>
      </span>
    )}
    <span>{counted(usage.users, 'person', 'people')}</span>
    <span>{counted(usage.organizations, 'organization')}</span>
    <span>{counted(usage.collections, 'collection')}</span>
    <span>{usage.publicCollections} of them public</span>
    <span>{counted(usage.versions, 'version')}</span>
    <span>{sizeText(usage.bytes.packs)} of records</span>
    <span>{sizeText(usage.bytes.files)} of files</span>
    {usage.bytes.setAside > 0 && <span>{sizeText(usage.bytes.setAside)} set aside</span>}
  </p>
)

const ended: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'])

function UnderWay({ jobs: { pushes, queues } }: { jobs: JobsUnderWay }) {
  const work = [
    pushes.open > 0 && counted(pushes.open, 'open push', 'open pushes'),
    pushes.committing > 0 &&
      counted(pushes.committing, 'push being committed or checked', 'pushes being committed or checked'),
    ...queues.filter(({ state }) => !ended.has(state)).map(jobText),
  ].filter((text) => text !== false)
  const failed = queues.filter(({ state }) => state === 'failed')
  return (
    <>
      <FactLine title={work.length === 0 ? 'Nothing is under way.' : 'Under way:'} texts={work} />
      {failed.length > 0 && (
        <div class="note bad">
          <FactLine title="In the last day:" texts={failed.map(jobText)} />
          <p>
            <a href="/admin/state#failed">Failed jobs</a> has the reasons, and{' '}
            <a href="/docs/monitoring#alerts">Alerts</a> says what to do about them.
          </p>
        </div>
      )}
    </>
  )
}

const jobText = ({ queue, state, jobs }: JobsUnderWay['queues'][number]) => `${jobs} × ${queue} ${state}`

const FactLine = ({ title, texts }: { title: string; texts: readonly string[] }) => (
  <p class="facts">
    <span>{title}</span>
    {texts.map((text) => (
      <span key={text}>{text}</span>
    ))}
  </p>
)

const Quota = ({ form, usual }: { form: Form; usual: number | null }) => (
  <>
    <h2 id="quota">Storage quota</h2>
    <p>
      {usual === null
        ? 'Accounts have no limit, unless they have a quota of their own.'
        : `Accounts may store ${sizeText(usual)} each, unless they have a quota of their own.`}
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
    <h2 id="owner">Organization without owners</h2>
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
