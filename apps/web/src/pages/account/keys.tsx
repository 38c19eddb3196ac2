/** `/settings/keys`: creates, lists and revokes API keys. A new key is shown once. */
import { soonDays } from '@ulmus/registry'
import { CreateKey } from '@ulmus/wire'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Choice, Field, Refusal, Select } from '../../components/form.tsx'
import { Badge, Code, Empty, Name, Time } from '../../components/small.tsx'
import { Again, checked, type FormState, formPage, typed } from '../../form.ts'
import type { Form, View, Visit } from '../../page.ts'
import { keyEndOf, keyEnds, usualKeyEnd } from './key-ends.ts'
import { keyRightOf, keyRights } from './key-rights.ts'
import { SettingsPage } from './settings.tsx'

export const keys = formPage(
  (visit, form) => (form['revoke'] === undefined ? make(visit, form) : revoke(visit, form['revoke'])),
  keysPage,
)

async function make(visit: Visit, form: Form): Promise<Again<Results>> {
  const { registry, who } = visit
  const expiresAt = keyEndOf(form['ends'])?.toISOString() ?? null
  const scope = form['scope']
  // A key that publishes acts as a member: the choice *Manage* is for the rest.
  const roleCap = scope === 'admin' ? null : 'member'
  const named = typed(form, 'collections')
  const collections = named === undefined ? {} : { collections: named.split(/[\s,]+/) }
  const wanted = { label: typed(form, 'label') ?? '', scope, roleCap, expiresAt, ...collections }
  const { key } = await registry.keys.create(who, checked(CreateKey, wanted))
  return new Again({ made: key })
}

async function revoke(visit: Visit, id: string): Promise<Again<Results>> {
  await visit.registry.keys.revoke(visit.who, id)
  return new Again({ notice: 'The key is revoked. Programs that use it are refused from now on.' })
}

interface Results {
  /** The new key. */
  readonly made: string
  readonly notice: string
}

async function keysPage(visit: Visit, { form, error, made, notice }: FormState<Results>): Promise<View> {
  const list = await visit.registry.keys.list(visit.who)
  return {
    title: 'API keys',
    json: '/api/accounts/keys',
    body: (
      <SettingsPage tab="keys">
        {made !== undefined && <Made value={made} origin={visit.origin} />}
        {notice !== undefined && (
          <p class="note" role="status">
            {notice}
          </p>
        )}
        <h1>API keys</h1>
        <p>Programs use a key instead of signing in. Choose what it may do.</p>
        {list.length === 0 ? <Empty title="You have no keys." /> : <List items={list} />}
        <h2>New key</h2>
        <Refusal error={error} />
        <MakeForm form={form} collection={visit.url.searchParams.get('collection') ?? ''} />
      </SettingsPage>
    ),
  }
}

/** @param collection preset value, `owner/slug` */
const MakeForm = ({ form, collection }: { form: Form; collection: string }) => (
  <form method="post" class="form">
    <Field
      name="label"
      label="Label"
      form={form}
      required
      most={100}
      help="What it is for, such as “nightly upload”."
    />
    <Choice
      name="scope"
      label="It may"
      form={form}
      value="write"
      options={keyRights.map(({ scope, label, everywhere }) => [scope, label, everywhere])}
    />
    <Field
      name="collections"
      label="Only for these collections"
      form={form}
      value={collection}
      help={
        <>
          As <code>owner/slug</code>, up to 50 with spaces between them. Empty: for all of yours. Such a key
          reads and changes only these, cannot create, fork or transfer, and changes their addresses and who
          may read them, or deletes them, only with the choice Manage. It is revoked when the last of them is
          deleted.
        </>
      }
    />
    <Select
      name="ends"
      label="Ends after"
      form={form}
      value={usualKeyEnd}
      options={Object.entries(keyEnds)}
    />
    <button type="submit" class="primary">
      Create key
    </button>
  </form>
)

const Made = ({ value, origin }: { value: string; origin: string }) => (
  <section class="note made" aria-label="Your new key">
    <p>
      <strong>Your new key.</strong> Copy it now: it is shown only this once.
    </p>
    <Code>{value}</Code>
    <p>Try it:</p>
    <Code>{`curl -s -H 'Authorization: Bearer ${value}' ${origin}/api/accounts/me`}</Code>
  </section>
)

type Key = Awaited<ReturnType<Visit['registry']['keys']['list']>>[number]

const List = ({ items }: { items: readonly Key[] }) => (
  <DataTable class="data stacked" items={items} keyOf={({ id }) => id} columns={columns} />
)

const orNever = (instant: string | null) => (instant === null ? 'never' : <Time at={instant} />)

/** The first collections of a limited key, and the number of the others. */
const Limits = ({ names }: { names: readonly string[] }) => (
  <span class="quiet">
    {'only '}
    {names.length === 0 && 'collections that you no longer see'}
    {names.slice(0, listedMax).map((name, index) => (
      <>
        {index > 0 && ', '}
        <a href={`/${name}`}>{name}</a>
      </>
    ))}
    {names.length > listedMax && ` and ${names.length - listedMax} more`}
  </span>
)
const listedMax = 3

/** Expiry of a key, with a mark if it is near, or past. */
function Ends({ at }: { at: string | null }) {
  if (at === null) return 'never'
  const left = Date.parse(at) - Date.now()
  return (
    <>
      <Time at={at} /> {left < 0 ? <Badge>expired</Badge> : left < soonMs && <Badge>ends soon</Badge>}
    </>
  )
}
const soonMs = soonDays * 86_400_000

const columns: readonly Column<Key>[] = [
  { header: 'Label', cell: ({ label }) => <Name of={label} /> },
  { header: 'Key', cell: ({ start }) => <code>{start}…</code> },
  {
    label: 'May',
    cell: ({ scope, roleCap, limited, collections }) => (
      <>
        {keyRightOf(scope).label}
        {scope === 'write' && roleCap === null && ' and delete'}{' '}
        {limited && <Limits names={collections ?? []} />}
      </>
    ),
  },
  { label: 'Made', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { label: 'Last used', cell: ({ lastUsedAt }) => orNever(lastUsedAt) },
  { label: 'Ends', cell: ({ expiresAt }) => <Ends at={expiresAt} /> },
  {
    action: 'Revoke',
    cell: ({ id, label }) => (
      <form method="post">
        <button type="submit" class="danger" name="revoke" value={id} aria-label={`Revoke ${label}`}>
          Revoke
        </button>
      </form>
    ),
  },
]
