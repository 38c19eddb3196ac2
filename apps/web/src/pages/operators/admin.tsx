/** `/admin`: status of the registry and actions for operators. */
import { bytesIn, type JobsUnderWay, type OperatedAccount, type Usage } from '@ulmus/wire'
import type { ComponentChildren } from 'preact'
import { Field, Refusal } from '../../components/form.tsx'
import { Pager } from '../../components/small.tsx'
import { Again, type FormState, formPage, orNoSuch, refusedField, typed } from '../../form.ts'
import { counted, sizeText } from '../../format.ts'
import type { Form, View, Visit } from '../../page.ts'
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
  noAccount,
  SuspendForm,
  suspend,
} from './admin-people.tsx'
import { ScarceDisks } from './disk.tsx'
import { HiddenCollections, hide, showAgain } from './hidden-collections.tsx'
import { OpenForm, open } from './open-collection.tsx'
import { RefusedNote } from './refused-writes.tsx'
import { closeReport, Reports, reportsOf } from './reports.tsx'

export const admin = formPage(async (visit, form) => {
  const act = acts.get(form['do'])
  if (act === undefined) throw refusedField('do', 'Press a button of the page again: nothing was done.')
  return new Again({ did: act, done: await act(visit, form) })
}, adminPage)

/** Accepts sizes and digits, with or without thousands separators. Empty: the default quota. */
async function setQuota({ registry, who }: Visit, form: Form): Promise<Done> {
  const given = typed(form, 'quotaBytes')
  const quotaBytes = given === undefined ? null : bytesIn(given.replaceAll(/[,_]/g, ''))
  if (quotaBytes !== null && !Number.isSafeInteger(quotaBytes))
    throw refusedField('quotaBytes', 'The quota must be a size, such as 10 GB or 10,000,000,000.')
  const account = typed(form, 'quotaOf') ?? ''
  await orNoSuch('quotaOf', noAccount(account), () => registry.operators.change(who, account, { quotaBytes }))
  const note =
    quotaBytes === null
      ? `${account} has the default quota.`
      : `${account} may store ${sizeText(quotaBytes)}.`
  return { account, note }
}

/** Shortest text that the form takes for exactly these bytes: `5 GB`, `10 GiB`, `5368709121`. */
function quotaText(bytes: number): string {
  const decimal = sizeText(bytes)
  if (bytesIn(decimal) === bytes) return decimal
  const power = [4, 3, 2].find((one) => bytes % 1024 ** one === 0)
  return power === undefined ? String(bytes) : `${bytes / 1024 ** power} ${'KMGT'[power - 1]}iB`
}

async function nameOwner({ registry, who }: Visit, form: Form): Promise<Done> {
  const [account, owner] = [typed(form, 'orphan') ?? '', typed(form, 'owner') ?? '']
  await registry.operators.change(who, account, { owner })
  return { account, note: `${owner} owns ${account} now.` }
}

type Act = (visit: Visit, form: Form) => Promise<Done>

// A map, because a form may name a member that every object has.
const acts = new Map<string | undefined, Act>([
  ['suspend', suspend],
  ['release', suspend],
  ['erase', erase],
  ['link', linkIdentity],
  ['transfer', handOver],
  ['hide', hide],
  ['show', showAgain],
  ['open', open],
  ['dismissed', closeReport],
  ['acted', closeReport],
  ['quota', setQuota],
  ['owner', nameOwner],
])

async function adminPage(
  { registry, who, url, caller }: Visit,
  { form: sent, error, done, did }: FormState<{ done: Done; did: Act }>,
): Promise<View> {
  /** Result, at the part of the page whose forms do one of these. */
  const doneBy = (...here: readonly Act[]) =>
    done !== undefined && did !== undefined && here.includes(did) && <DoneNote done={done} />
  // A link of a row leads to the row and one form.
  const named = did === erase ? null : url.searchParams.get('for')
  const q = (url.searchParams.get('q') ?? named)?.trim() || undefined
  const cursor = url.searchParams.get('cursor') ?? undefined
  const [usage, disks, refused, jobs, hidden, reports, { items, links }] = await Promise.all([
    registry.operators.usage(who),
    registry.operatorState.disks(who),
    registry.operatorState.refusedWrites(who),
    registry.operators.jobs(who),
    registry.moderation.hidden(who),
    reportsOf({ registry, who, url }),
    registry.operators.accounts(who, { limit: 50, q, ...(cursor !== undefined && { cursor }) }),
  ])
  // After an act, its form is not offered again.
  const form = done === undefined ? { ...formsFor(url.searchParams, items), ...sent } : {}
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
        <RefusedNote refused={refused} />
        <Facts usage={usage} openReports={reports.open} />
        <UnderWay jobs={jobs} />
        {refused.every(({ store }) => store !== 'disk') && <ScarceDisks disks={disks} />}
        <p>
          <a href="/admin/state">Jobs, load and disk</a> · <a href="/admin/audit">Every audit log</a> ·{' '}
          <a href="/docs/operations">Operating a registry</a>
        </p>
        <Refusal error={error} />
        <h2 id="accounts">Accounts</h2>
        <form method="get" class="form inline">
          <Field name="q" label="Handle, name or e-mail" form={q === undefined ? {} : { q }} most={200} />
          <button type="submit">Find</button>
        </form>
        <Accounts items={items} own={caller?.accountSlug} done={done} />
        <Pager next={to(links.next)} prev={to(links.prev)} />
        <AccountForms
          form={form}
          error={error}
          only={done === undefined ? url.searchParams.get('form') : null}
          usual={usage.quotaBytes}
        />
        <Reports {...reports} done={doneBy(closeReport)} />
        <HiddenCollections form={form} items={hidden} done={doneBy(hide, showAgain)} />
        <OpenForm form={form} done={doneBy(open)} />
      </div>
    ),
  }
}

interface AccountFormsProps extends FormState {
  /** Name of the one that a link leads to. Default: all. */
  readonly only: string | null
  readonly usual: number | null
}

/** Fields that name the account of a form. */
const accountFields = ['account', 'quotaOf', 'orphan', 'linkTo', 'leaver'] as const

/** Folded until a row of the table names its account, or a form was sent. */
function AccountForms({ form, error, only, usual }: AccountFormsProps) {
  const forms = new Map<string | null, ComponentChildren>([
    ['suspend', <SuspendForm form={form} />],
    ['quota', <Quota form={form} usual={usual} />],
    ['owner', <NameOwner form={form} />],
    ['identity', <LinkIdentityForm form={form} error={error} />],
    ['transfer', <HandOverForm form={form} />],
    ['erase', <EraseForm form={form} error={error} />],
  ])
  return (
    <details class="account-forms" open={accountFields.some((name) => form[name] !== undefined)}>
      <summary>Forms that name an account</summary>
      {forms.get(only) ?? [...forms.values()]}
    </details>
  )
}

/** Fields that links of rows fill in. */
function formsFor(query: URLSearchParams, items: readonly OperatedAccount[]): Form {
  const [account, hidden, opened] = ['for', 'hide', 'open'].map((name) => query.get(name))
  const quota = items.find(({ slug }) => slug === account)?.quotaBytes
  return {
    ...(account && { quotaOf: account, orphan: account, linkTo: account, leaver: account, account }),
    ...(typeof quota === 'number' && { quotaBytes: quotaText(quota) }),
    ...(hidden && { hidden }),
    ...(opened && { opened }),
  }
}

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

const ended: ReadonlySet<string> = new Set(['completed', 'failed', 'retry', 'cancelled'])

function UnderWay({ jobs: { pushes, queues } }: { jobs: JobsUnderWay }) {
  const work = [
    pushes.open > 0 && counted(pushes.open, 'open push', 'open pushes'),
    pushes.committing > 0 &&
      counted(pushes.committing, 'push being committed or checked', 'pushes being committed or checked'),
    ...queues.filter(({ state }) => !ended.has(state)).map(jobText),
  ].filter((text) => text !== false)
  const failed = queues.filter(({ state }) => state === 'failed' || state === 'retry')
  return (
    <>
      <FactLine title={work.length === 0 ? 'Nothing is under way.' : 'Under way:'} texts={work} />
      {failed.length > 0 && (
        <div class="note bad">
          <FactLine title="Failed in the last day, or wait after a failure:" texts={failed.map(jobText)} />
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
    <h2>Storage quota</h2>
    <p>
      {usual === null
        ? 'Accounts have no limit, unless they have a quota of their own.'
        : `Accounts may store ${sizeText(usual)} each, unless they have a quota of their own.`}
    </p>
    <form method="post" action="#done" class="form">
      <Field name="quotaOf" label="Handle" form={form} required most={39} />
      <Field
        name="quotaBytes"
        label="Quota"
        form={form}
        most={24}
        help="Such as 10 GB. Empty: the default. A quota below the present usage removes nothing."
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
    <form method="post" action="#done" class="form">
      <Field name="orphan" label="Handle of the organization" form={form} required most={39} />
      <Field name="owner" label="Handle of its new owner" form={form} required most={39} />
      <button type="submit" name="do" value="owner">
        Appoint the owner
      </button>
    </form>
  </>
)
