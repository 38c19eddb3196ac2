/** `/:org/-/members`: members of an organization and their roles. */
import { CreateInvitation, SetMember } from '@ulmus/wire'
import { DataTable } from '../../components/data-table.tsx'
import { Field, Refusal, Select } from '../../components/form.tsx'
import {
  InvitationLink,
  LevelForm,
  PendingInvitations,
  Person,
  RemoveForm,
} from '../../components/people.tsx'
import { Pager, Time } from '../../components/small.tsx'
import { Again, checked, type FormState, formPage, refusedField, typed } from '../../form.ts'
import { type Form, Redirect, type View, type Visit } from '../../page.ts'
import { accountPath, withQuery } from '../../paths.ts'
import { ManagedPage } from './managed.tsx'

const roles = [
  ['member', 'Member'],
  ['admin', 'Admin'],
  ['owner', 'Owner'],
] as const

export const members = formPage(async (visit, form) => {
  const slug = visit.params['owner']!
  const user = typed(form, 'user') ?? ''
  const { members, invitations } = visit.registry
  if (form['do'] === 'remove') await members.remove(visit.who, { slug, user })
  else if (form['do'] === 'take-back') await invitations.remove(visit.who, slug, form['id'] ?? '')
  else {
    const made = await add(visit, slug, form)
    if (made !== undefined) return new Again({ made })
  }
  const isLeaving = form['do'] === 'remove' && user === visit.caller?.accountSlug
  return new Redirect(isLeaving ? accountPath(slug) : `${membersPath(slug)}${visit.url.search}`)
}, membersPage)

const membersPath = (slug: string): string => `${accountPath(slug)}/-/members`

type Made = Awaited<ReturnType<Visit['registry']['invitations']['create']>>

/** Sets a member's role, or creates an invitation: for an e-mail address, or if membership needs consent. */
async function add({ registry, who }: Visit, slug: string, form: Form): Promise<Made | undefined> {
  const user = (typed(form, 'user') ?? '').replace(/^@/, '')
  const { role } = checked(SetMember, { role: form['role'] })
  if (!user.includes('@')) return registry.members.set(who, { slug, user }, role)
  const invitation = CreateInvitation.safeParse({ email: user, role })
  if (!invitation.success)
    throw refusedField(
      'user',
      `${user} looks like an e-mail address, but is not a whole one. Write it like ada@example.org.`,
    )
  return registry.invitations.create(who, slug, invitation.data)
}

/** Members per page. */
const membersAPage = 100

/** Page at the cursor in the address; the first page if the cursor is after the last member. */
async function listOf({ registry, who, url }: Visit, slug: string) {
  const cursor = url.searchParams.get('cursor') || undefined
  const list = (more: { cursor?: string }) =>
    registry.members.list(who, slug, { limit: membersAPage, ...more })
  const page = await list(cursor === undefined ? {} : { cursor })
  return page.items.length === 0 && cursor !== undefined ? list({}) : page
}

async function membersPage(visit: Visit, { form, error, made }: FormState<{ made: Made }>): Promise<View> {
  const slug = visit.params['owner']!
  const [{ items, links }, role] = await Promise.all([
    listOf(visit, slug),
    visit.registry.members.roleOf(visit.who, slug),
  ])
  const to = (link: string | undefined) =>
    link === undefined
      ? undefined
      : withQuery(membersPath(slug), { cursor: new URLSearchParams(link).get('cursor') ?? '' })
  const mayManage = role === 'admin' || role === 'owner'
  const pending = mayManage ? await visit.registry.invitations.list(visit.who, slug) : []
  return {
    title: `Members · ${slug}`,
    json: `/api/accounts/${slug}/members`,
    body: (
      <ManagedPage slug={slug} isOrg tab="members">
        <h1>Members</h1>
        <Refusal error={error} />
        {made !== undefined && (
          <InvitationLink
            made={made}
            to={made.email ?? made.user!.slug}
            isAddress={made.email !== null}
            origin={visit.origin}
          />
        )}
        <People items={items} mayManage={mayManage} own={visit.caller?.accountSlug} />
        <Pager next={to(links.next)} prev={to(links.prev)} />
        {pending.length > 0 && <PendingInvitations mayCancel pending={pending.map(pendingOf)} />}
        {mayManage && (
          <>
            <h2>Add a member</h2>
            <form method="post" class="form">
              <Field
                name="user"
                label="Handle, or e-mail address"
                form={form}
                required
                most={320}
                help="The handle of a user who has signed in here. For an e-mail address you get a link to send."
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

const pendingOf = ({
  id,
  user,
  email,
  role,
  expiresAt,
}: Awaited<ReturnType<Visit['registry']['invitations']['list']>>[number]) => ({
  ...{ id, to: user?.slug ?? email ?? '', level: role, expiresAt },
  field: ['id', id] as const,
})

interface PeopleProps {
  readonly items: Awaited<ReturnType<typeof listOf>>['items']
  readonly mayManage: boolean
  /** Slug of the visitor. */
  readonly own: string | undefined
}

const People = ({ items, mayManage, own }: PeopleProps) => (
  <DataTable
    class="data stacked"
    items={items}
    keyOf={({ account }) => account.id}
    columns={[
      {
        header: 'Person',
        cell: ({ account }) => <Person account={account} />,
      },
      {
        header: 'Role',
        cell: ({ account: { slug }, role }) =>
          mayManage ? (
            <LevelForm user={slug} name="role" label={`Role of ${slug}`} value={role} options={roles} />
          ) : (
            role
          ),
      },
      { label: 'Since', cell: ({ since }) => <Time at={since} /> },
      {
        action: 'Remove',
        cell: ({ account: { slug } }) =>
          (mayManage || slug === own) && <RemoveForm slug={slug} isOwn={slug === own} />,
      },
    ]}
  />
)
