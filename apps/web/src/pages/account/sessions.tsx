/** `/settings/sessions`: lists the browser sessions of the user, and signs them out. */
import Bowser from 'bowser'
import { Refusal, type Refused } from '../../components/form.tsx'
import { Badge, TableScroll, Time } from '../../components/small.tsx'
import { submitted } from '../../form.ts'
import { type Answer, type Form, type Page, Redirect, type Visit } from '../../page.ts'
import { SettingsPage } from './settings.tsx'

export const sessions: Page = {
  needsCaller: true,
  show: (visit) => sessionsPage(visit, {}),
  act: (visit, form) =>
    submitted(
      () => end(visit, form['end']),
      (error) => sessionsPage(visit, { error }),
    ),
}

/** @param which id of a session; undefined: all except this one */
async function end(visit: Visit, which: Form[string] | undefined): Promise<Answer> {
  const { registry, who } = visit
  if (which === undefined) await registry.sessions.endOthers(who)
  else await registry.sessions.endOne(who, which)
  return new Redirect('/settings/sessions?ended=1')
}

async function sessionsPage(visit: Visit, { error }: { error?: Refused }): Promise<Answer> {
  const list = await visit.registry.sessions.list(visit.who)
  return {
    title: 'Browsers',
    isPublic: false,
    json: '/api/accounts/me/sessions',
    refused: error,
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

const List = ({ items }: { items: Awaited<ReturnType<Visit['registry']['sessions']['list']>> }) => (
  <TableScroll label="Browsers that are signed in">
    <table class="data stacked">
      <thead>
        <tr>
          <th scope="col">Browser</th>
          <th scope="col">Signed in</th>
          <th scope="col">Last used</th>
          <th scope="col">
            <span class="sr-only">Sign out</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ id, userAgent, createdAt, lastUsedAt, current }) => (
          <tr key={id}>
            <th scope="row">
              <span title={userAgent}>{browserName(userAgent)}</span> {current && <Badge>this one</Badge>}
            </th>
            <td data-label="Signed in">
              <Time at={createdAt} />
            </td>
            <td data-label="Last used">
              <Time at={lastUsedAt} />
            </td>
            <td>
              {!current && (
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
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </TableScroll>
)

/** `Firefox on Linux`. @param userAgent empty if the browser sent none */
function browserName(userAgent: string): string {
  if (userAgent === '') return 'Unknown browser'
  const { browser, os } = Bowser.parse(userAgent)
  const name = browser.name || userAgent.slice(0, 40)
  return os.name === undefined || os.name === '' ? name : `${name} on ${os.name}`
}
