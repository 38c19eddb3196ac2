/** `…/fork`: copies the collection to the visitor's account or organization. A fork takes no extra space. */
import { MovedError, RegistryError } from '@ulmus/registry'
import { CreateFork } from '@ulmus/wire'
import { Choice, Field, Refusal, Select } from '../../components/form.tsx'
import { Empty } from '../../components/small.tsx'
import { seeCollection, type VisitedCollection } from '../../data/collection.ts'
import { checked, type FormState, formPage, typed } from '../../form.ts'
import { withoutUnseen } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { type Form, Redirect, type View, type Visit } from '../../page.ts'
import { type CollectionName, versionPath } from '../../paths.ts'
import { FamilyFacts } from '../version/family.tsx'

export const fork = formPage(async (visit, form) => {
  const path = { owner: visit.params['owner']!, slug: visit.params['slug']! }
  const wanted = {
    ...(form['org'] !== visit.caller?.accountSlug && { targetOrg: form['org'] }),
    slug: typed(form, 'slug'),
    ...(form['visibility'] === 'private' ? { public: false } : {}),
    ...(form['content'] === 'public' ? { view: 'public' } : {}),
  }
  const made = await visit.registry.forks.create(visit.who, path, checked(CreateFork, wanted))
  return new Redirect(versionPath({ owner: made.owner, slug: made.slug }))
}, forkPage)

/** Sentence that replaces the form if no fork is possible. */
function hindranceOf({ owner, latest, role, isPublic }: VisitedCollection): string | undefined {
  if (latest === null) return 'This collection has no version yet, so there is nothing to fork.'
  return role === null && !isPublic ? `Only members of ${owner} can fork a private collection.` : undefined
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
  const targets = [
    [visit.caller!.accountSlug, 'your account'] as const,
    ...orgs.map(({ account }) => [account.slug, withoutUnseen(account.displayName)] as const),
  ]
  const family = await visit.registry.forks.family(seen.who, seen)
  const target = await freeTarget(
    visit,
    targets.map(([slug]) => slug),
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
          </p>
          {(family.source !== null || family.forks.length > 0) && (
            <dl class="facts-list">
              <FamilyFacts {...{ seen, family }} version={seen.latest!} />
            </dl>
          )}
          <Refusal error={error} />
          <form method="post" class="form">
            <Select
              name="org"
              label="Into"
              form={form}
              value={target.org}
              options={targets.map(([slug, name]) => [slug, `${slug} (${name})`] as const)}
            />
            <Field name="slug" label="Address" form={form} value={target.slug} required most={100} />
            <Content seen={seen} form={form} />
            {seen.isPublic && (
              <Choice
                name="visibility"
                label="Who may read it"
                form={form}
                value="public"
                options={[
                  ['public', 'Public', 'as its source is'],
                  ['private', 'Private', 'you, or the members of the organization'],
                ]}
              />
            )}
            <button type="submit" class="primary">
              Fork
            </button>
          </form>
        </div>
      </CollectionPage>
    ),
  }
}

/** The views that the fork may have. An outsider's fork has the public one, whether there is another or not. */
function Content({ seen, form }: { seen: VisitedCollection; form: Form }) {
  if (seen.role === null)
    return (
      <>
        <input type="hidden" name="content" value="public" />
        {seen.readsAll && <p class="quiet">Your fork has what the public sees of it.</p>}
      </>
    )
  if (seen.difference === undefined) return null
  return (
    <Choice
      name="content"
      label="What it has"
      form={form}
      value="all"
      options={[
        ['all', 'All', 'with private content'],
        ['public', 'The public view', 'without private content'],
      ]}
    />
  )
}

/** Accounts whose addresses are looked up. */
const lookedUpMax = 10

/** An account whose address of the same name is free; else another name in the first one. */
async function freeTarget(visit: Visit, targets: readonly string[], slug: string) {
  for (const org of targets.slice(0, lookedUpMax))
    if (!(await isTaken(visit, { owner: org, slug }))) return { org, slug }
  const [org = ''] = targets
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
