/** `…/settings`: name, address, visibility, transfer and deletion. */
import { type OpeningWarning, TransferCollection, UpdateCollection } from '@ulmus/wire'
import { Choice, Field, Refusal, Select } from '../../components/form.tsx'
import { Name, Time } from '../../components/small.tsx'
import { seeCollection, type VisitedCollection } from '../../data/collection.ts'
import { Again, checked, type FormAction, type FormState, formPage, refusedField, typed } from '../../form.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { type Answer, type Form, Redirect, type View, type Visit } from '../../page.ts'
import { accountPath, collectionPath, versionPath, withQuery } from '../../paths.ts'

export const collectionSettings = formPage(
  (visit, form) => (works.get(form['do']) ?? save)(visit, form),
  settingsPage,
)

// A map, because a form may name a member that every object has.
const works = new Map<string | undefined, FormAction<Warned>>([
  ['delete', remove],
  ['transfer', transfer],
])

async function save(visit: Visit, form: Form): Promise<Answer | Again<Warned>> {
  const path = { owner: visit.params['owner']!, slug: visit.params['slug']! }
  const slug = typed(form, 'slug') ?? path.slug
  const isPublic = form['visibility'] === 'public'
  const seen = await seeCollection(visit)
  // Only what differs: a key that may change the name need not be one that may move or open the collection.
  const change = {
    ...(slug !== path.slug && { slug }),
    ...(isPublic !== seen.isPublic && { public: isPublic }),
    name: typed(form, 'name'),
    // The form of a collection with versions lacks this field: its own description is hidden then, and kept.
    ...(form['description'] === undefined ? {} : { description: typed(form, 'description') ?? null }),
  }
  const wanted = checked(UpdateCollection, change)
  if (form['open_older'] !== 'yes') {
    const { warnings } = await visit.registry.collections.patch(visit.who, path, wanted, { dryRun: true })
    if (warnings !== undefined) return new Again({ form, warnings })
  }
  await visit.registry.collections.patch(visit.who, path, wanted)
  return new Redirect(
    withQuery(collectionPath({ owner: path.owner, slug }, 'settings'), { saved: 'settings' }),
  )
}

async function remove(visit: Visit, form: Form): Promise<Answer> {
  const path = { owner: visit.params['owner']!, slug: visit.params['slug']! }
  if (typed(form, 'confirm') !== path.slug) {
    const message = `Type the address ${path.slug} to confirm. Nothing was deleted.`
    throw refusedField('confirm', message)
  }
  await visit.registry.collections.remove(visit.who, path)
  return new Redirect(accountPath(path.owner))
}

async function transfer({ registry, who, params }: Visit, form: Form): Promise<Answer> {
  const path = { owner: params['owner']!, slug: params['slug']! }
  if (typed(form, 'confirm_transfer') !== path.slug)
    throw refusedField(
      'confirm_transfer',
      `Type the address ${path.slug} to confirm. Nothing was transferred.`,
    )
  const { to } = checked(TransferCollection, { to: typed(form, 'to') ?? '' })
  return new Redirect(versionPath(await registry.collections.transfer(who, path, to)))
}

/** Accounts that may receive a collection of `owner` from the visitor: the visitor's own, and organizations administered by the visitor. */
async function receiversFor({ registry, who, caller }: Visit, owner: string): Promise<string[]> {
  const { items } = await registry.members.membershipsOf(who, { limit: 100 })
  const orgs = items.filter(({ role }) => role !== 'member').map(({ account }) => account.slug)
  return [caller!.accountSlug, ...orgs].filter((slug) => slug !== owner)
}

/** Content that would become public with a collection. */
interface Warned {
  readonly warnings: readonly OpeningWarning[]
}

async function settingsPage(visit: Visit, { form, error, warnings }: FormState<Warned>): Promise<View> {
  const seen = await seeCollection(visit)
  seen.demand('describe')
  const keys = (await visit.registry.keys.list(visit.who)).filter(
    ({ collections }) => collections?.includes(`${seen.owner}/${seen.slug}`) === true,
  )
  const receivers = seen.may('delete') ? await receiversFor(visit, seen.owner) : []
  return {
    title: `Settings · ${seen.owner}/${seen.slug}`,
    body: (
      <CollectionPage seen={seen} tab="settings">
        <div class="narrow">
          <h2>Settings</h2>
          <Refusal error={error} />
          <form method="post" class="form">
            <Field name="name" label="Name" form={form} value={seen.name} required most={200} />
            {seen.latest === null ? (
              <Field
                name="description"
                label="Description"
                form={form}
                value={seen.description ?? ''}
                most={2_000}
              />
            ) : (
              <p>
                The description is part of the metadata, which has versions.{' '}
                <a href={collectionPath(seen, 'edit')}>Edit it</a>
              </p>
            )}
            <Field
              name="slug"
              label="Address"
              form={form}
              value={seen.slug}
              required
              most={100}
              help="The former address leads to the new one until another collection takes it."
            />
            <Choice
              name="visibility"
              label="Who may read it"
              form={form}
              value={seen.isPublic ? 'public' : 'private'}
              options={[
                [
                  'private',
                  'Private',
                  seen.owner === visit.caller?.accountSlug
                    ? 'you and collaborators'
                    : 'members and collaborators',
                ],
                ['public', 'Public', 'everyone, in all versions, except private parts'],
              ]}
            />
            {warnings !== undefined && <Older seen={seen} warnings={warnings} />}
            <button type="submit" class="primary">
              Save
            </button>
          </form>
          <Keys seen={seen} keys={keys} />
          {seen.may('seeAccess') && (
            <section>
              <h2>Access</h2>
              <p>
                <a href={collectionPath(seen, 'access')}>See its readers</a>
                {seen.may('administer') ? ', and add collaborators to it alone.' : ' and collaborators.'}
              </p>
            </section>
          )}
          <section>
            <h2>Webhooks</h2>
            <p>
              <a href={collectionPath(seen, 'webhooks')}>Send a request to your server</a> when something
              happens to the collection, such as a new version.
            </p>
          </section>
          {seen.may('administer') && (
            <p>
              <a href={collectionPath(seen, 'publishing')}>Publish from CI</a>, without a stored key.
            </p>
          )}
          {receivers.length > 0 && <Transfer seen={seen} form={form} receivers={receivers} />}
          <Danger seen={seen} form={form} />
        </div>
      </CollectionPage>
    ),
  }
}

/** Content that older versions would show, before the collection becomes public. */
const Older = ({ seen, warnings }: { seen: VisitedCollection; warnings: readonly OpeningWarning[] }) => {
  const versions = [...new Set(warnings.flatMap((warning) => warning.versions))]
  return (
    <div class="note bad" role="alert">
      <p>
        <strong>Not saved yet.</strong> Older versions become public, too, and show more than the latest one:
      </p>
      <ul class="plain">
        {warnings.map(({ message }) => (
          <li key={message}>
            <bdi>{message.replaceAll('`', '')}</bdi>
          </li>
        ))}
      </ul>
      {seen.may('withdraw') && versions.length > 0 && (
        <p>
          To keep it private, withdraw these versions first:{' '}
          {versions.map((version, index) => (
            <>
              {index > 0 && ', '}
              <a href={withQuery(collectionPath(seen, 'withdraw'), { version })}>{version}</a>
            </>
          ))}
          .
        </p>
      )}
      <label class="check">
        <input type="checkbox" name="open_older" value="yes" autofocus />
        <span>Make them public as they are</span>
      </label>
    </div>
  )
}

interface KeysProps {
  seen: VisitedCollection
  keys: Awaited<ReturnType<Visit['registry']['keys']['list']>>
}

/** The visitor's own keys that are limited to this collection, or to this and others. Keys of others stay hidden. */
const Keys = ({ seen, keys }: KeysProps) => (
  <section>
    <h2>Your keys for this collection</h2>
    {keys.length > 0 && (
      <ul class="plain">
        {keys.map(({ id, label, start, scope, lastUsedAt }) => (
          <li key={id}>
            <Name of={label} /> <code>{start}…</code> {scope},{' '}
            {lastUsedAt === null ? (
              'never used'
            ) : (
              <>
                last used <Time at={lastUsedAt} />
              </>
            )}
          </li>
        ))}
      </ul>
    )}
    <p>
      {keys.length === 0 && 'You have no key limited to it. '}
      <a href={withQuery('/settings/keys', { collection: `${seen.owner}/${seen.slug}` })}>
        Create a key limited to this collection
      </a>
      {keys.length > 0 && ', or revoke one'}, for a program that publishes to it.
    </p>
  </section>
)

const Transfer = ({
  seen,
  form,
  receivers,
}: {
  seen: VisitedCollection
  form: Form
  receivers: readonly string[]
}) => (
  <section>
    <h2>Transfer</h2>
    <p>
      Gives {seen.owner}/{seen.slug} to another account that you manage, whose members then decide about it.
      This address leads to the new one. Its collaborators stay, and keys limited to it keep working.
    </p>
    <form method="post" class="form">
      <Select
        name="to"
        label="New owner"
        form={form}
        value={receivers[0]!}
        options={receivers.map((slug) => [slug, slug] as const)}
      />
      <Field name="confirm_transfer" label={`Confirm by its address, “${seen.slug}”`} form={form} required />
      <button type="submit" class="danger" name="do" value="transfer">
        Transfer
      </button>
    </form>
  </section>
)

const Danger = ({ seen, form }: { seen: VisitedCollection; form: Form }) => (
  <section class="danger-zone">
    <h2>Delete</h2>
    {seen.may('delete') ? (
      <>
        <p>
          Deletes {seen.owner}/{seen.slug} with all its versions and records. It cannot be undone. Forks of it
          stay.
        </p>
        <form method="post" class="form">
          <Field name="confirm" label={`Type “${seen.slug}” to confirm`} form={form} required />
          <button type="submit" class="danger" name="do" value="delete">
            Delete this collection
          </button>
        </form>
      </>
    ) : (
      <p class="quiet">
        {seen.role === null
          ? `Only ${seen.owner} can delete or transfer it.`
          : 'Admins and owners of the organization can delete it.'}
      </p>
    )}
  </section>
)
