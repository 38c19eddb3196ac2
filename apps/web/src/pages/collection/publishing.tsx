/** `…/publishing`: trusted publishers, whose jobs publish without a stored key. */
import { RegistryError } from '@ulmus/registry'
import { ChangePublisher, CreatePublisher, type Publisher, type Publishers } from '@ulmus/wire'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Refusal } from '../../components/form.tsx'
import { Badge, Empty, Time } from '../../components/small.tsx'
import { seeCollection } from '../../data/collection.ts'
import {
  checked,
  type FormAction,
  type FormState,
  formPage,
  type Issue,
  refusedField,
  typed,
} from '../../form.ts'
import { counted, cutText } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { type Form, Redirect, type View, type Visit } from '../../page.ts'
import { apiCollectionPath, collectionPath, withQuery } from '../../paths.ts'
import { hostsOf, PublisherForms, shownTo } from './publisher-forms.tsx'

export const publishing = formPage(
  (visit, form) => (works.get(form['do']) ?? add)(visit, form),
  publishingPage,
)

const nameIn = ({ params }: Visit) => ({ owner: params['owner']!, slug: params['slug']! })
const saved = (visit: Visit, done: string) =>
  new Redirect(withQuery(collectionPath(nameIn(visit), 'publishing'), { saved: done }))

const remove: FormAction = async (visit, form) => {
  await visit.registry.publishing.remove(visit.who, nameIn(visit), form['id'] ?? '')
  return saved(visit, 'publisher-removed')
}

const only: FormAction = async (visit, form) => {
  const publishersOnly = form['only'] === 'on'
  await visit.registry.collections.patch(visit.who, nameIn(visit), { publishersOnly })
  return saved(visit, publishersOnly ? 'publishers-only' : 'publishers-and-members')
}

const add: FormAction = async (visit, form) => {
  const wanted = { ...claimsIn(visit, form), ...optionsIn(form) }
  try {
    await visit.registry.publishing.create(visit.who, nameIn(visit), checked(CreatePublisher, wanted))
  } catch (error) {
    throw form['do'] === 'claims' ? (atClaims(error) ?? error) : error
  }
  return saved(visit, 'publisher-added')
}

/** Refusal of the field in which claims are typed, with the fault of the first wrong one. Undefined if none is wrong. */
function atClaims(error: unknown): RegistryError | undefined {
  if (!(error instanceof RegistryError)) return undefined
  const issues = (error.details['issues'] ?? []) as readonly Issue[]
  const fault = issues.find(({ path }) => path === 'claims' || path.startsWith('claims.'))
  if (fault === undefined) return undefined
  const name = fault.path.slice('claims.'.length)
  const subject = name === '' ? 'The claims' : `\`${cutText(name, 100)}\``
  return refusedField('claims', `${subject} ${fault.message}.`)
}

// A map, because a form may name a member that every object has.
const works = new Map<string | undefined, FormAction>([
  ['remove', remove],
  ['only', only],
])

const optionsIn = (form: Form): Pick<CreatePublisher, 'shows' | 'lifetimeMinutes'> => {
  const minutes = typed(form, 'lifetimeMinutes')
  const chosen = { shows: form['shows'], ...(minutes !== undefined && { lifetimeMinutes: Number(minutes) }) }
  return checked(ChangePublisher, chosen)
}

/** Issuer and claims of the form of one kind of CI. @throws invalid_request, which names the field */
function claimsIn(visit: Visit, form: Form): Pick<CreatePublisher, 'issuer' | 'claims'> {
  if (form['do'] === 'account') {
    const [namespace, account] = [typed(form, 'namespace') ?? '', typed(form, 'account') ?? '']
    return {
      issuer: form['issuer'] ?? '',
      claims: { sub: `system:serviceaccount:${namespace}:${account}` },
    }
  }
  if (form['do'] === 'claims') return { issuer: form['issuer'] ?? '', claims: linesIn(form) }
  const project = visit.registry.publishing.projectAt(typed(form, 'address') ?? '')
  if (project === undefined)
    throw refusedField(
      'address',
      `This is not the address of a repository at a host that this registry trusts: ${hostsOf(visit.registry.publishing.issuers).join(', ')}.`,
    )
  const branch = typed(form, 'branch')
  const more = given('environment', typed(form, 'environment'))
  const { issuer, kind, name } = project
  if (kind === 'github') {
    const ref = branch === undefined ? undefined : `refs/heads/${branch}`
    return { issuer, claims: { repository: name, ...given('ref', ref), ...more } }
  }
  const type = branch === undefined ? undefined : 'branch'
  return {
    issuer,
    claims: { project_path: name, ...given('ref', branch), ...given('ref_type', type), ...more },
  }
}

const given = (name: string, text: string | undefined): Record<string, string> =>
  text === undefined ? {} : { [name]: text }

/** `name=text`, one a line. */
function linesIn(form: Form): Record<string, string> {
  const lines = (typed(form, 'claims') ?? '').split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0) throw refusedField('claims', 'Write at least one claim, as name=text.')
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, text] = /^\s*([^=\s]+)\s*=\s*(.+?)\s*$/.exec(line) ?? []
      if (name !== undefined && text !== undefined) return [name, text]
      throw refusedField('claims', `Write each line as name=text: ${cutText(line, 100)}`)
    }),
  )
}

async function publishingPage(visit: Visit, { form, error }: FormState): Promise<View> {
  const seen = await seeCollection(visit)
  const { issuers, publishers, publishersOnly } = await visit.registry.publishing.list(visit.who, seen)
  return {
    title: `Publish from CI · ${seen.owner}/${seen.slug}`,
    json: apiCollectionPath(seen, 'publishers'),
    body: (
      <CollectionPage seen={seen} tab="settings">
        <h2>Publish from CI</h2>
        <p>
          Jobs of the projects below publish without a stored key.{' '}
          <a href="/docs/publish-from-ci">How a job publishes</a>
        </p>
        <Refusal error={error} />
        {publishers.length === 0 ? (
          <Empty title="No project may publish yet." />
        ) : (
          <List items={publishers} />
        )}
        <div class="narrow">
          <Only publishersOnly={publishersOnly} hasNone={publishers.length === 0} />
          <PublisherForms form={form} issuers={issuers} />
          <p>
            <a href={collectionPath(seen, 'settings')}>Back to the settings</a>
          </p>
        </div>
      </CollectionPage>
    ),
  }
}

const Only = ({ publishersOnly, hasNone }: { publishersOnly: boolean; hasNone: boolean }) => (
  <section>
    <h2>Other ways to publish</h2>
    <form method="post" class="form">
      <label class="check">
        <input type="checkbox" name="only" checked={publishersOnly} />
        <span>
          Only trusted publishers make versions
          <span class="help">
            {' '}
            pushes and edits by people and their keys are refused
            {hasNone && '; as there is no publisher, nothing can be published then'}
          </span>
        </span>
      </label>
      <button type="submit" name="do" value="only">
        Save
      </button>
    </form>
  </section>
)

const List = ({ items }: { items: Publishers['publishers'] }) => (
  <DataTable class="data stacked publishers" items={items} keyOf={({ id }) => id} columns={columns} />
)

const columns: readonly Column<Publisher>[] = [
  {
    header: 'Label',
    cell: ({ label, kind }) => (
      <>
        <bdi>{label}</bdi> {kind === null && <Badge>the operator no longer trusts its issuer</Badge>}
      </>
    ),
  },
  {
    label: 'Claims',
    class: 'whole',
    cell: ({ issuer, claims }) => <Claims claims={{ iss: issuer, ...claims }} />,
  },
  {
    label: 'Ids',
    class: 'whole',
    cell: ({ pinned, refused }) => (
      <div>
        {pinned === null ? <span class="quiet">none pinned</span> : <Claims claims={pinned} />}
        {refused !== null && (
          <>
            <p>
              Refused <Time at={refused.at} />: a project of that name, but another.
            </p>
            <Claims claims={refused.claims} />
          </>
        )}
      </div>
    ),
  },
  {
    label: 'Key',
    cell: ({ scope, lifetimeMinutes }) => `${scope}, ${counted(lifetimeMinutes, 'minute')}`,
  },
  { label: 'Job shown to', cell: ({ shows }) => shownTo[shows] },
  {
    label: 'Last used',
    cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : <Time at={lastUsedAt} />),
  },
  {
    action: 'Remove',
    cell: ({ id, label }) => (
      <details>
        <summary aria-label={`Remove ${label}`}>Remove…</summary>
        <form method="post">
          <p>Its jobs can publish no more, and their keys end at once.</p>
          <input type="hidden" name="id" value={id} />
          <button type="submit" class="danger" name="do" value="remove">
            Remove this publisher
          </button>
        </form>
      </details>
    ),
  },
]

/** Longest claim that is shown. Characters. */
const claimMax = 200

/** In one element, because the cells of a narrow table put their children beside each other. */
const Claims = ({ claims }: { claims: Publisher['claims'] }) => (
  <ul class="plain">
    {Object.entries(claims).map(([name, value]) => (
      <li key={name}>
        <code>{cutText(`${name}=${typeof value === 'string' ? value : value.join(' or ')}`, claimMax)}</code>
      </li>
    ))}
  </ul>
)
