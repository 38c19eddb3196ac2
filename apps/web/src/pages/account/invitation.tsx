/** `/invitations/:token`: invitation to an organization. */
import { Refusal } from '../../components/form.tsx'
import { Name, Time } from '../../components/small.tsx'
import { type FormState, formPage } from '../../form.ts'
import { Redirect, type View, type Visit } from '../../page.ts'
import { accountPath } from '../../paths.ts'

export const invitation = formPage(async (visit, form) => {
  const accept = form['do'] === 'accept'
  const { org } = await visit.registry.invitations.answer(visit.who, visit.params['token']!, accept)
  return new Redirect(accept ? accountPath(org) : '/')
}, invitationPage)

async function invitationPage({ registry, who, caller, params }: Visit, { error }: FormState): Promise<View> {
  const { org, role, invitedBy, expiresAt } = await registry.invitations.find(who, params['token']!)
  return {
    title: `Join ${org.displayName}`,
    body: (
      <div class="wide content narrow-page">
        <h1>
          Join <Name of={org.displayName} />?
        </h1>
        <p>
          {invitedBy === null ? 'You are' : <>{<a href={accountPath(invitedBy)}>{invitedBy}</a>} has</>}{' '}
          invited
          {invitedBy === null ? '' : ' you'} to <a href={accountPath(org.slug)}>{org.slug}</a> as{' '}
          <strong>{role}</strong>. You are signed in as <strong>{caller!.accountSlug}</strong>. The invitation
          ends <Time at={expiresAt} />.
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
        <p class="quiet">Members see the private collections of the organization, and each other.</p>
      </div>
    ),
  }
}
