/** `/invitations/:token`: invitation to an organization, or to a single collection. */
import type { OwnInvitation } from '@ulmus/wire'
import { Refusal } from '../../components/form.tsx'
import { Name, Time } from '../../components/small.tsx'
import { grantWords } from '../../data/readers.ts'
import { type FormState, formPage } from '../../form.ts'
import { Redirect, type View, type Visit } from '../../page.ts'
import { accountPath, versionPath, withQuery } from '../../paths.ts'

export const invitation = formPage(async (visit, form) => {
  const accept = form['do'] === 'accept'
  const { org, collection } = await visit.registry.invitations.answer(
    visit.who,
    visit.params['token']!,
    accept,
  )
  if (!accept) return new Redirect('/')
  const [owner, slug] = collection?.split('/') ?? []
  return new Redirect(
    owner === undefined || slug === undefined
      ? accountPath(org)
      : withQuery(versionPath({ owner, slug }), { saved: 'joined' }),
  )
}, invitationPage)

async function invitationPage({ registry, who, caller, params }: Visit, { error }: FormState): Promise<View> {
  const found = await registry.invitations.find(who, params['token']!)
  const { org, collection, invitedBy, expiresAt } = found
  const name = collection?.name ?? org.displayName
  return {
    title: `Join ${name}`,
    body: (
      <div class="wide content narrow-page">
        <h1>
          Join <Name of={name} />?
        </h1>
        <p>
          {invitedBy === null ? 'You are' : <>{<a href={accountPath(invitedBy)}>{invitedBy}</a>} has</>}{' '}
          invited
          {invitedBy === null ? '' : ' you'} to <Purpose invitation={found} />. You are signed in as{' '}
          <strong>{caller!.accountSlug}</strong>. The invitation ends <Time at={expiresAt} />.
        </p>
        <Refusal error={error} />
        <form method="post" class="form">
          <p class="actions">
            <button type="submit" class="primary" name="do" value="accept">
              Join
            </button>
            <button type="submit" name="do" value="decline">
              Decline
            </button>
          </p>
        </form>
        <p class="quiet">
          {collection === null
            ? 'Members see the private collections of the organization, and each other.'
            : `You get no access to other collections of ${collection.owner}, and can leave at any time.`}
        </p>
      </div>
    ),
  }
}

/** The rights that the invitation gives, after “invited you to”. */
const Purpose = ({ invitation: { org, role, collection } }: { invitation: OwnInvitation }) =>
  collection === null ? (
    <>
      <a href={accountPath(org.slug)}>{org.slug}</a> as <strong>{role}</strong>
    </>
  ) : (
    <>
      the collection{' '}
      <strong>
        {collection.owner}/{collection.slug}
      </strong>
      , to <strong>{grantWords[collection.grant]}</strong>
    </>
  )
