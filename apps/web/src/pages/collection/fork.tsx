/** `…/fork`: copies the collection to an organization of the visitor. A fork takes no extra space. */
import { CreateFork } from '@ulmus/wire'
import { Choice, Field, Refusal, Select } from '../../components/form.tsx'
import { Empty } from '../../components/small.tsx'
import { seeCollection } from '../../data/collection.ts'
import { checked, type FormState, formPage, typed } from '../../form.ts'
import { withoutUnseen } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { Redirect, type View, type Visit } from '../../page.ts'
import { versionPath } from '../../paths.ts'

export const fork = formPage(async (visit, form) => {
  const path = { owner: visit.params['owner']!, slug: visit.params['slug']! }
  const wanted = {
    targetOrg: form['org'],
    slug: typed(form, 'slug'),
    ...(form['visibility'] === 'private' ? { public: false } : {}),
  }
  const made = await visit.registry.forks.create(visit.who, path, checked(CreateFork, wanted))
  return new Redirect(versionPath({ owner: made.owner, slug: made.slug }))
}, forkPage)

async function forkPage(visit: Visit, { form, error }: FormState): Promise<View> {
  const seen = await seeCollection(visit)
  const title = `Fork ${seen.owner}/${seen.slug}`
  if (seen.latest === null)
    return {
      title,
      body: (
        <CollectionPage seen={seen} tab="overview">
          <Empty title="This collection has no version yet, so there is nothing to fork." />
        </CollectionPage>
      ),
    }
  const orgs = (await visit.registry.members.membershipsOf(visit.who, { limit: 100 })).items
  return {
    title,
    body: (
      <CollectionPage seen={seen} tab="overview">
        <div class="narrow">
          <h2>Fork</h2>
          <p>
            A fork is a collection of its own that begins with version {seen.latest} of this one. Nothing is
            copied, and it remembers where it came from.
            {!seen.isMember && ' Of collections that hold anything private, only members can make forks.'}
          </p>
          <Refusal error={error} />
          {orgs.length === 0 ? (
            <Empty title="Forks belong to organizations, and you are in none.">
              <p>
                <a class="button" href="/new/org">
                  Create an organization
                </a>
              </p>
            </Empty>
          ) : (
            <form method="post" class="form">
              <Select
                name="org"
                label="Into"
                form={form}
                value={orgs[0]!.account.slug}
                options={orgs.map(
                  ({ account }) =>
                    [account.slug, `${account.slug} (${withoutUnseen(account.displayName)})`] as const,
                )}
              />
              <Field name="slug" label="Address" form={form} value={seen.slug} required most={100} />
              {seen.isPublic && (
                <Choice
                  name="visibility"
                  label="Who may read it"
                  form={form}
                  value="public"
                  options={[
                    ['public', 'Public', 'as its source is'],
                    ['private', 'Private', 'members of the organization'],
                  ]}
                />
              )}
              <button type="submit" class="primary">
                Fork
              </button>
            </form>
          )}
        </div>
      </CollectionPage>
    ),
  }
}
