/** `/:org/-/settings`: name of an organization, rule for public collections, and deletion. */
import { UpdateAccount } from '@ulmus/wire'
import { Choice, Field, Refusal } from '../../components/form.tsx'
import { Storage } from '../../components/usage.tsx'
import { checked, type FormState, formPage, refusedField, typed } from '../../form.ts'
import { type Answer, type Form, Redirect, type View, type Visit } from '../../page.ts'
import { accountPath } from '../../paths.ts'
import { ManagedPage } from './managed.tsx'

export const orgSettings = formPage(
  (visit, form) => (form['do'] === 'delete' ? remove(visit, form) : save(visit, form)),
  settingsPage,
)

async function save({ registry, who, params }: Visit, form: Form): Promise<Answer> {
  const slug = params['owner']!
  const changes =
    form['do'] === 'rules'
      ? {
          settings: {
            membersMayChangeVisibility: form['visibility'] !== 'admins',
            defaultVisibility: form['default'],
          },
        }
      : { displayName: typed(form, 'displayName'), slug: typed(form, 'slug') }
  const wanted = checked(UpdateAccount, changes)
  await registry.accounts.update(who, slug, wanted)
  return new Redirect(`${accountPath(wanted.slug ?? slug)}/-/settings?saved=1`)
}

async function remove({ registry, who, params }: Visit, form: Form): Promise<Answer> {
  const slug = params['owner']!
  if (typed(form, 'confirm') !== slug) {
    const message = `Type ${slug} to confirm. Nothing was deleted.`
    throw refusedField('confirm', message)
  }
  await registry.accounts.remove(who, slug)
  return new Redirect('/')
}

async function settingsPage(
  { registry, who, caller, params, url }: Visit,
  { form, error }: FormState,
): Promise<View> {
  const slug = params['owner']!
  const settings = await registry.accounts.settings(who, slug)
  const usage = await registry.accounts.usage(who, slug)
  const { displayName } = await registry.accounts.profile(slug)
  const role = await registry.members.roleOf(who, slug)
  return {
    title: `Settings · ${slug}`,
    json: `/api/accounts/${slug}/settings`,
    body: (
      <ManagedPage slug={slug} isOrg tab="settings">
        <div class="narrow">
          <h1>Settings</h1>
          {url.searchParams.has('saved') && (
            <p class="note" role="status">
              Saved.
            </p>
          )}
          <Refusal error={error} />
          {role === 'member' ? (
            <p>
              Admins change the name, owners the rest. You are a member, {caller?.accountSlug}: you may look.
            </p>
          ) : (
            <NameForm form={form} slug={slug} displayName={displayName} />
          )}
          <h2>Visibility</h2>
          <form method="post" class="form">
            <Choice
              name="visibility"
              label="A private collection is made public by"
              form={form}
              value={settings.membersMayChangeVisibility ? 'members' : 'admins'}
              options={[
                ['members', 'Members', 'everyone who works on it'],
                ['admins', 'Admins', 'and owners, alone'],
              ]}
            />
            <Choice
              name="default"
              label="A new collection is, unless its maker says otherwise"
              form={form}
              value={settings.defaultVisibility}
              options={[
                ['private', 'Private'],
                ['public', 'Public'],
              ]}
            />
            {role === 'owner' && (
              <button type="submit" class="primary" name="do" value="rules">
                Save
              </button>
            )}
          </form>
          <Storage owner={slug} usage={usage} />
          {role === 'owner' && <Danger slug={slug} form={form} />}
        </div>
      </ManagedPage>
    ),
  }
}

const NameForm = ({ form, slug, displayName }: { form: Form; slug: string; displayName: string }) => (
  <form method="post" class="form">
    <Field name="displayName" label="Name" form={form} value={displayName} required most={200} />
    <Field
      name="slug"
      label="Handle"
      form={form}
      value={slug}
      required
      most={39}
      help="In the address of its collections. The former address leads to the new one. It is kept for its owners for 90 days, and for good if something was published."
    />
    <button type="submit" class="primary">
      Save
    </button>
  </form>
)

const Danger = ({ slug, form }: { slug: string; form: Form }) => (
  <section class="danger-zone">
    <h2>Delete</h2>
    <p>
      Deletes the organization and ends its memberships. It must own no collections: delete or transfer them
      first.
    </p>
    <form method="post" class="form">
      <Field name="confirm" label={`Type “${slug}” to confirm`} form={form} required />
      <button type="submit" class="danger" name="do" value="delete">
        Delete this organization
      </button>
    </form>
  </section>
)
