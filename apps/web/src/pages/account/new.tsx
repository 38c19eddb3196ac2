/** `/new` and `/new/org`: creates a collection or an organization. */
import { CreateCollection, CreateOrg } from '@ulmus/wire'
import { Choice, Field, Refusal, Select } from '../../components/form.tsx'
import { checked, type FormState, formPage, typed } from '../../form.ts'
import { Redirect, type View, type Visit } from '../../page.ts'
import { accountPath, collectionPath, versionPath } from '../../paths.ts'
import { slugFor } from '../../slug.ts'

/** Characters. interface.md */
const slugMax = 100
const handleMax = 39

export const newCollection = formPage(async (visit, form) => {
  const owner = form['owner'] ?? visit.caller!.accountSlug
  const name = typed(form, 'name')
  const wanted = {
    slug: typed(form, 'slug') ?? slugFor(name ?? '', slugMax),
    name,
    description: typed(form, 'description'),
    public: visibilities.get(form['visibility']),
  }
  const made = await visit.registry.collections.create(visit.who, owner, checked(CreateCollection, wanted))
  const place = { owner: made.owner, slug: made.slug }
  return new Redirect(form['next'] === 'push' ? collectionPath(place, 'push') : versionPath(place))
}, collectionForm)

/** Visibility chosen in the form. Other values mean the owner's default. */
const visibilities = new Map<string | undefined, boolean>([
  ['private', false],
  ['public', true],
])

/** Accounts in which the visitor may create collections: the visitor's own, then organizations. */
async function ownersFor({ registry, who, caller }: Visit): Promise<{ slug: string; name: string }[]> {
  const orgs = await registry.members.membershipsOf(who, { limit: 100 })
  return [
    { slug: caller!.accountSlug, name: `${caller!.accountSlug} (you)` },
    ...orgs.items.map(({ account }) => ({
      slug: account.slug,
      name: `${account.slug} (${account.displayName})`,
    })),
  ]
}

/** Default visibility. For users, whose accounts have no such setting, it is private. */
const usualVisibility = [
  'usual',
  'As usual',
  'private, unless the settings of the organization make new collections public',
] as const

async function collectionForm(visit: Visit, { form, error }: FormState): Promise<View> {
  const owners = await ownersFor(visit)
  const isForSelf = owners.length === 1
  return {
    title: 'New collection',
    body: (
      <div class="wide content narrow-page">
        <h1>New collection</h1>
        <p>A collection holds records and files, in versions. You publish the first version afterwards.</p>
        <Refusal error={error} />
        <form method="post" class="form">
          <Select
            name="owner"
            label="Owner"
            form={form}
            value={visit.url.searchParams.get('owner') ?? visit.caller!.accountSlug}
            options={owners.map(({ slug, name }) => [slug, name] as const)}
          />
          <Field name="name" label="Name" form={form} most={200} help="Such as “World cities”." />
          <Field
            name="slug"
            label="Address"
            form={form}
            most={slugMax}
            pattern="[a-z0-9]([a-z0-9\-]*[a-z0-9])?"
            help="Lowercase letters, digits and hyphens, such as “world-cities”. Empty: made from the name."
          />
          <Field
            name="description"
            label="Description"
            form={form}
            most={2_000}
            help="One or two sentences."
          />
          <Choice
            name="visibility"
            label="Who may read it"
            form={form}
            value={isForSelf ? 'private' : 'usual'}
            options={[
              ...(isForSelf ? [] : [usualVisibility]),
              ['private', 'Private', isForSelf ? 'only you' : 'only you, or the members of the organization'],
              ['public', 'Public', 'everyone, except private parts'],
            ]}
          />
          <p class="actions">
            <button type="submit" class="primary" name="next" value="push">
              Create and publish from a file
            </button>
            <button type="submit" name="next" value="page">
              Create it empty
            </button>
          </p>
        </form>
      </div>
    ),
  }
}

export const newOrg = formPage(
  async (visit, form) => {
    const name = typed(form, 'name')
    const slug = typed(form, 'slug') ?? slugFor(name ?? '', handleMax)
    const wanted = checked(CreateOrg, { slug, displayName: name ?? slug })
    const made = await visit.registry.accounts.createOrg(visit.who, wanted)
    return new Redirect(accountPath(made.slug))
  },
  (_, state) => orgForm(state),
)

const orgForm = ({ form, error }: FormState): View => ({
  title: 'New organization',
  body: (
    <div class="wide content narrow-page">
      <h1>New organization</h1>
      <p>It owns collections that several people work on. You are its owner.</p>
      <Refusal error={error} />
      <form method="post" class="form">
        <Field name="name" label="Name" form={form} most={200} help="Such as “City museum”." />
        <Field
          name="slug"
          label="Handle"
          form={form}
          most={handleMax}
          pattern="[a-z0-9]([a-z0-9\-]*[a-z0-9])?"
          help="In addresses: lowercase letters, digits and hyphens. Empty: made from the name."
        />
        <button type="submit" class="primary">
          Create organization
        </button>
      </form>
    </div>
  ),
})
