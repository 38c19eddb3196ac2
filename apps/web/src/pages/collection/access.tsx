/** `…/access`: readers of the collection and why they read it; collaborators, who may leave. */
import { RegistryError } from '@ulmus/registry'
import { SetCollaborator } from '@ulmus/wire'
import { Choice, Field, Refusal } from '../../components/form.tsx'
import { InvitationLink, PendingInvitations } from '../../components/people.tsx'
import { Empty } from '../../components/small.tsx'
import { seeCollection, type VisitedCollection } from '../../data/collection.ts'
import { grantOptions, grantWords } from '../../data/readers.ts'
import { Again, checked, type FormAction, type FormState, formPage, typed } from '../../form.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { type Answer, type Form, Redirect, type View, type Visit } from '../../page.ts'
import { apiCollectionPath, collectionPath, versionPath, withQuery } from '../../paths.ts'
import { Collaborators, Leave, Readers } from './access-parts.tsx'

export const access = formPage<Made>(
  (visit, form) => (works.get(form['do']) ?? set)(visit, form),
  (visit, state) => accessPage(visit, state),
)

interface Made {
  readonly made: NonNullable<Awaited<ReturnType<Visit['registry']['collaborators']['set']>>>
}

/** The collaborator that a form names; `@ada` is `ada`. */
const pathIn = ({ params }: Visit, form: Form) => ({
  owner: params['owner']!,
  slug: params['slug']!,
  user: (typed(form, 'user') ?? '').replace(/^@/, ''),
})

const saved = (visit: Visit, done: string) =>
  new Redirect(withQuery(collectionPath(pathIn(visit, {}), 'access'), { saved: done }))

const set: FormAction<Made> = async (visit, form) => {
  const { grant } = checked(SetCollaborator, { grant: form['grant'] })
  const made = await visit.registry.collaborators.set(visit.who, pathIn(visit, form), grant)
  return made === undefined ? saved(visit, 'collaborator-set') : new Again({ made })
}

const remove: FormAction<Made> = async (visit, form) => {
  const path = pathIn(visit, form)
  await visit.registry.collaborators.remove(visit.who, path)
  return path.user === visit.caller?.accountSlug ? afterLeaving(visit) : saved(visit, 'collaborator-removed')
}

const takeBack: FormAction<Made> = async (visit, form) => {
  await visit.registry.collaborators.remove(visit.who, pathIn(visit, form))
  return saved(visit, 'invitation-removed')
}

const leave: FormAction<Made> = (visit) => remove(visit, { user: visit.caller!.accountSlug })

// A map, because a form may name a member that every object has.
const works = new Map<string | undefined, FormAction<Made>>([
  ['remove', remove],
  ['take-back', takeBack],
  ['leave', leave],
])

/** Leads to the collection, or to the home page if the visitor no longer sees it. */
async function afterLeaving(visit: Visit): Promise<Answer> {
  try {
    return new Redirect(withQuery(versionPath(await seeCollection(visit)), { saved: 'left' }))
  } catch (error) {
    if (!(error instanceof RegistryError) || error.kind !== 'missing') throw error
    return new Redirect(withQuery('/', { saved: 'left' }))
  }
}

async function accessPage(visit: Visit, { form, error, made }: FormState<Made>): Promise<View> {
  const seen = await seeCollection(visit)
  const title = `Access · ${seen.owner}/${seen.slug}`
  if (!seen.may('seeAccess')) {
    // A collaborator who may not see the others sees its own grant.
    if (seen.grant === null) seen.demand('seeAccess')
    return { title, body: <OwnPage seen={seen} error={error} /> }
  }
  const found = await visit.registry.collaborators.access(visit.who, seen)
  const { collaborators, invitations } = found
  const mayChange = seen.may('administer')
  return {
    title,
    json: apiCollectionPath(seen, 'access'),
    body: (
      <CollectionPage seen={seen} tab="settings">
        <h2>Access</h2>
        <Refusal error={error} />
        {made !== undefined && (
          <InvitationLink made={made} to={made.user.slug} isAddress={false} origin={visit.origin} />
        )}
        <Readers seen={seen} access={found} />
        <section>
          <h2>Collaborators</h2>
          {collaborators.length === 0 ? (
            <Empty title="There are no collaborators.">
              <p>A collaborator reads or changes this collection alone, and no other of {seen.owner}.</p>
            </Empty>
          ) : (
            <Collaborators items={collaborators} mayChange={mayChange} own={visit.caller?.accountSlug} />
          )}
        </section>
        {invitations.length > 0 && (
          <PendingInvitations
            mayCancel={mayChange}
            pending={invitations.map(({ id, user, grant, expiresAt }) => ({
              ...{ id, to: user.slug, level: `collaborator (${grant})`, expiresAt },
              field: ['user', user.slug] as const,
            }))}
          />
        )}
        <div class="narrow">
          {mayChange && <AddForm form={form} />}
          {seen.mayLeave && <Leave seen={seen} />}
        </div>
      </CollectionPage>
    ),
  }
}

const AddForm = ({ form }: { form: Form }) => (
  <section>
    <h2>Add a collaborator</h2>
    <form method="post" class="form">
      <Field
        name="user"
        label="Handle"
        form={form}
        required
        most={40}
        help="Of a user who has signed in here."
      />
      <Choice name="grant" label="Grant" form={form} value="read" options={grantOptions} />
      <p class="quiet">
        Each grant includes those above it. No grant deletes or transfers the collection, nor withdraws or
        erases versions.
      </p>
      <button type="submit" class="primary">
        Add
      </button>
    </form>
  </section>
)

/** Page of a collaborator who may not see the others. */
const OwnPage = ({ seen, error }: { seen: VisitedCollection } & Pick<FormState, 'error'>) => (
  <CollectionPage seen={seen} tab="settings">
    <div class="narrow">
      <h2>Your access</h2>
      <Refusal error={error} />
      <p>
        You are a collaborator: you may {grantWords[seen.grant!]}. The admins of the collection change this.
      </p>
      {seen.mayLeave && <Leave seen={seen} />}
    </div>
  </CollectionPage>
)
