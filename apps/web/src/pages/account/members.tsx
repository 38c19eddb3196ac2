/** `/:org/-/members`: the people of an organization and their roles. */
import { SetMember } from '@ulmus/wire'
import { Field, Refusal, type Refused, Select } from '../../components/form.tsx'
import { Time } from '../../components/small.tsx'
import { checked, submitted, typed } from '../../form.ts'
import { type Answer, type Form, type Page, Redirect, type Visit } from '../../page.ts'
import { accountPath } from '../../paths.ts'
import { ManagedPage } from './managed.tsx'

const roles = [
  ['member', 'Member'],
  ['admin', 'Admin'],
  ['owner', 'Owner'],
] as const

export const members: Page = {
  needsCaller: true,
  show: (visit) => membersPage(visit, {}),
  act: (visit, form) =>
    submitted(
      async () => {
        const slug = visit.params['owner']!
        const user = typed(form, 'user') ?? ''
        if (form['do'] === 'remove') await visit.registry.members.remove(visit.who, { slug, user })
        else
          await visit.registry.members.set(
            visit.who,
            { slug, user },
            checked(SetMember, { role: form['role'] }).role,
          )
        const isLeaving = form['do'] === 'remove' && user === visit.caller?.accountSlug
        return new Redirect(isLeaving ? accountPath(slug) : `${accountPath(slug)}/-/members`)
      },
      (error) => membersPage(visit, { form, error }),
    ),
}

async function membersPage(
  visit: Visit,
  { form = {}, error }: { form?: Form; error?: Refused },
): Promise<Answer> {
  const slug = visit.params['owner']!
  const { items } = await visit.registry.members.list(visit.who, slug, { limit: 100 })
  const own = items.find(({ account }) => account.slug === visit.caller?.accountSlug)?.role
  const mayManage = own === 'admin' || own === 'owner'
  return {
    title: `Members · ${slug}`,
    isPublic: false,
    json: `/api/accounts/${slug}/members`,
    refused: error,
    body: (
      <ManagedPage slug={slug} isOrg tab="members">
        <h1>Members</h1>
        <Refusal error={error} />
        <div class="table-scroll">
          <table class="data">
            <thead>
              <tr>
                <th scope="col">Person</th>
                <th scope="col">Role</th>
                <th scope="col">Since</th>
                <th scope="col">
                  <span class="sr-only">Remove</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map(({ account, role, since }) => (
                <tr key={account.id}>
                  <th scope="row">
                    <a href={accountPath(account.slug)}>{account.displayName}</a>{' '}
                    <span class="quiet">{account.slug}</span>
                  </th>
                  <td>{mayManage ? <RoleForm user={account.slug} role={role} /> : role}</td>
                  <td>
                    <Time at={since} />
                  </td>
                  <td>
                    {(mayManage || account.slug === visit.caller?.accountSlug) && (
                      <form method="post">
                        <input type="hidden" name="user" value={account.slug} />
                        <button type="submit" class="danger" name="do" value="remove">
                          {account.slug === visit.caller?.accountSlug ? 'Leave' : 'Remove'}
                          <span class="sr-only"> {account.slug}</span>
                        </button>
                      </form>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        {mayManage && (
          <>
            <h2>Add somebody</h2>
            <form method="post" class="form">
              <Field
                name="user"
                label="Handle"
                form={form}
                required
                most={39}
                help="They have signed in here before."
              />
              <Select name="role" label="Role" form={form} value="member" options={roles} />
              <button type="submit" class="primary">
                Add
              </button>
            </form>
          </>
        )}
        <p class="quiet">
          Members read and publish. Admins also delete collections and manage members. Owners also manage
          owners.
        </p>
      </ManagedPage>
    ),
  }
}

const RoleForm = ({ user, role }: { user: string; role: string }) => (
  <form method="post" class="inline">
    <input type="hidden" name="user" value={user} />
    <select name="role" aria-label={`Role of ${user}`}>
      {roles.map(([value, label]) => (
        <option key={value} value={value} selected={value === role}>
          {label}
        </option>
      ))}
    </select>
    <button type="submit">Change</button>
  </form>
)
