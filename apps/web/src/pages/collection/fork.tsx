/** `…/fork`: copies the collection to an organization of the visitor. A fork takes no extra space. */
import { MovedError, RegistryError } from '@ulmus/registry'
import { CreateFork } from '@ulmus/wire'
import { Choice, Field, Refusal, Select } from '../../components/form.tsx'
import { Empty } from '../../components/small.tsx'
import { seeCollection, type VisitedCollection } from '../../data/collection.ts'
import { checked, type FormState, formPage, typed } from '../../form.ts'
import { withoutUnseen } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { Redirect, type View, type Visit } from '../../page.ts'
import { type CollectionName, versionPath } from '../../paths.ts'
import { FamilyFacts } from '../version/family.tsx'

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

/** Sentence that replaces the form if no fork is possible. */
function hindranceOf({ owner, latest, role, isPublic, difference }: VisitedCollection): string | undefined {
  if (latest === null) return 'This collection has no version yet, so there is nothing to fork.'
  if (role !== null) return undefined
  if (!isPublic) return `Only members of ${owner} can fork a private collection.`
  return difference && `Only members of ${owner} can fork it, because it holds something private.`
}

async function forkPage(visit: Visit, { form, error }: FormState): Promise<View> {
  const seen = await seeCollection(visit)
  const title = `Fork ${seen.owner}/${seen.slug}`
  const hindrance = hindranceOf(seen)
  if (hindrance !== undefined)
    return {
      title,
      body: (
        <CollectionPage seen={seen} tab="overview">
          <Empty title={hindrance} />
        </CollectionPage>
      ),
    }
  const orgs = (await visit.registry.members.membershipsOf(visit.who, { limit: 100 })).items
  const family = await visit.registry.forks.family(seen.who, seen)
  const target = await freeTarget(
    visit,
    orgs.map(({ account }) => account.slug),
    seen.slug,
  )
  return {
    title,
    body: (
      <CollectionPage seen={seen} tab="overview">
        <div class="narrow">
          <h2>Fork</h2>
          <p>
            A fork is a collection of its own that begins with version {seen.latest} of this one. Nothing is
            copied, and it remembers where it came from.
            {seen.role === null && ' Of collections that hold anything private, only members can make forks.'}
          </p>
          {(family.source !== null || family.forks.length > 0) && (
            <dl class="facts-list">
              <FamilyFacts {...{ seen, family }} version={seen.latest!} />
            </dl>
          )}
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
                value={target.org}
                options={orgs.map(
                  ({ account }) =>
                    [account.slug, `${account.slug} (${withoutUnseen(account.displayName)})`] as const,
                )}
              />
              <Field name="slug" label="Address" form={form} value={target.slug} required most={100} />
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

/** Organizations whose addresses are looked up. */
const lookedUpMax = 10

/** An organization whose address of the same name is free; else another name in the first one. */
async function freeTarget(visit: Visit, orgs: readonly string[], slug: string) {
  for (const org of orgs.slice(0, lookedUpMax))
    if (!(await isTaken(visit, { owner: org, slug }))) return { org, slug }
  const [org = ''] = orgs
  for (let n = 2; n <= lookedUpMax; n++)
    if (!(await isTaken(visit, { owner: org, slug: `${slug}-${n}` }))) return { org, slug: `${slug}-${n}` }
  return { org, slug: '' }
}

async function isTaken({ registry, who }: Visit, path: CollectionName): Promise<boolean> {
  try {
    await registry.collections.shown(who, { ...path, v: 'latest' }, { asPublic: false, withVersion: false })
    return true
  } catch (error) {
    // Old names of collections lead to them, and are free again.
    if (error instanceof MovedError) return false
    if (!(error instanceof RegistryError)) throw error
    return error.code !== 'collection_not_found'
  }
}
