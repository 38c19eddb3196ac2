/** `/settings/sessions`: lists the browser sessions of the user, and signs them out. */
import Bowser from 'bowser'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Refusal } from '../../components/form.tsx'
import { Badge, Time } from '../../components/small.tsx'
import { type FormState, formPage } from '../../form.ts'
import { type Answer, type Form, Redirect, type View, type Visit } from '../../page.ts'
import { SettingsPage } from './settings.tsx'

export const sessions = formPage((visit, form) => end(visit, form['end']), sessionsPage)

/** @param which id of a session; undefined: all except this one */
async function end(visit: Visit, which: Form[string] | undefined): Promise<Answer> {
  const { registry, who } = visit
  if (which === undefined) await registry.sessions.endOthers(who)
  else await registry.sessions.endOne(who, which)
  return new Redirect('/settings/sessions?ended=1')
}

async function sessionsPage(visit: Visit, { error }: FormState): Promise<View> {
  const list = await visit.registry.sessions.list(visit.who)
  return {
    title: 'Browsers',
    json: '/api/accounts/me/sessions',
    body: (
      <SettingsPage tab="sessions">
        <h1>Browsers that are signed in</h1>
        <Refusal error={error} />
        {error === undefined && visit.url.searchParams.has('ended') && (
          <p class="note" role="status">
            Signed out. What such a browser had under way is refused from now on.
          </p>
        )}
        <p>
          A browser stays signed in until it is not used for some weeks, or you sign it out. Programs have{' '}
          <a href="/settings/keys">API keys</a> instead.
        </p>
        <List items={list} />
        {list.length > 1 && (
          <form method="post" class="form">
            <button type="submit" class="danger">
              Sign all other browsers out
            </button>
          </form>
        )}
      </SettingsPage>
    ),
  }
}

type Session = Awaited<ReturnType<Visit['registry']['sessions']['list']>>[number]

const List = ({ items }: { items: readonly Session[] }) => (
  <DataTable
    class="data stacked"
    label="Browsers that are signed in"
    items={items}
    keyOf={({ id }) => id}
    columns={columns}
  />
)

const columns: readonly Column<Session>[] = [
  {
    header: 'Browser',
    cell: ({ userAgent, current }) => (
      <>
        <span title={userAgent}>{browserName(userAgent)}</span> {current && <Badge>this one</Badge>}
      </>
    ),
  },
  { label: 'Signed in', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { label: 'Last used', cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
  {
    action: 'Sign out',
    cell: ({ id, userAgent, current }) =>
      !current && (
        <form method="post">
          <button
            type="submit"
            class="danger"
            name="end"
            value={id}
            aria-label={`Sign out ${browserName(userAgent)}`}
          >
            Sign out
          </button>
        </form>
      ),
  },
]

/** `Firefox on Linux`. @param userAgent empty if the browser sent none */
function browserName(userAgent: string): string {
  if (userAgent === '') return 'Unknown browser'
  const { browser, os } = Bowser.parse(userAgent)
  const name = browser.name || userAgent.slice(0, 40)
  return os.name === undefined || os.name === '' ? name : `${name} on ${os.name}`
}
