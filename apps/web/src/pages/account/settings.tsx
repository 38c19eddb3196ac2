/** `/settings`: profile of the user, and the frame of all pages below `/settings`. */
import { mayEnter } from '@ulmus/registry'
import { type OwnAccount, UpdateAccount } from '@ulmus/wire'
import type { ComponentChildren } from 'preact'
import { Choice, Field, Refusal } from '../../components/form.tsx'
import { Storage } from '../../components/usage.tsx'
import { checked, type FormState, formPage, typed } from '../../form.ts'
import { type Form, Redirect, type View, type Visit } from '../../page.ts'
import { accountPath } from '../../paths.ts'

const tabs = {
  profile: ['/settings', 'Profile'],
  keys: ['/settings/keys', 'API keys'],
  sessions: ['/settings/sessions', 'Browsers'],
} as const

/** Frame with the tabs. */
export const SettingsPage = ({ tab, children }: { tab: keyof typeof tabs; children: ComponentChildren }) => (
  <div class="wide content">
    <nav class="tabs" aria-label="Settings">
      {Object.entries(tabs).map(([name, [path, label]]) => (
        <a key={name} href={path} aria-current={tab === name ? 'page' : undefined}>
          {label}
        </a>
      ))}
    </nav>
    <div class="narrow">{children}</div>
  </div>
)

export const settings = formPage(async (visit, form) => {
  const own = visit.caller!.accountSlug
  const changes = {
    ...{ displayName: typed(form, 'displayName'), slug: typed(form, 'slug') },
    ...(form['mail'] !== undefined && { takesMail: form['mail'] === 'on' }),
  }
  await visit.registry.accounts.update(visit.who, own, checked(UpdateAccount, changes))
  return new Redirect('/settings?saved=1')
}, profilePage)

async function profilePage(visit: Visit, { form, error }: FormState): Promise<View> {
  const own = await visit.registry.accounts.own(visit.who)
  // A key limited to one collection sees the profile, but not the usage of other collections.
  const seesUsage = mayEnter(visit.who, { scope: 'any', unlimited: true }) === 'ok'
  const usage = seesUsage ? await visit.registry.accounts.usage(visit.who, own.slug) : undefined
  return {
    title: 'Settings',
    json: '/api/accounts/me',
    body: (
      <SettingsPage tab="profile">
        <h1>Profile</h1>
        {visit.url.searchParams.has('saved') && (
          <p class="note" role="status">
            Saved.
          </p>
        )}
        <Refusal error={error} />
        <form method="post" class="form">
          <Field name="displayName" label="Name" form={form} value={own.displayName} required most={200} />
          <Field
            name="slug"
            label="Handle"
            form={form}
            value={own.slug}
            required
            most={39}
            help="In the address of your collections. The former address leads to the new one. It is kept for you for 90 days, and for good if you published something."
          />
          {visit.registry.sendsMail && <Mail own={own} form={form} />}
          <button type="submit" class="primary">
            Save
          </button>
        </form>
        <dl class="facts-list">
          <dt>E-mail</dt>
          <dd>{own.email === '' ? <span class="quiet">not told</span> : own.email}</dd>
          <dt>Page</dt>
          <dd>
            <a href={accountPath(own.slug)}>{accountPath(own.slug)}</a>
          </dd>
          <dt>Webhooks</dt>
          <dd>
            <a href={`${accountPath(own.slug)}/-/webhooks`}>
              Requests that the registry sends to your servers
            </a>
          </dd>
          <dt>Audit log</dt>
          <dd>
            <a href={`${accountPath(own.slug)}/-/audit`}>What was done with this account</a>
          </dd>
        </dl>
        <p class="quiet">The e-mail comes from where you sign in, and only you see it.</p>
        {usage !== undefined && <Storage owner={own.slug} usage={usage} />}
        {mayEnter(visit.who, { scope: 'admin', unlimited: true }) === 'ok' && <YourData />}
      </SettingsPage>
    ),
  }
}

const YourData = () => (
  <>
    <h2>Your data</h2>
    <p>
      <a class="button" href="/api/accounts/me/export" download>
        Download what is stored about you
      </a>
    </p>
    <p class="quiet">
      A JSON document, without the content of your collections.{' '}
      <a href="/docs/personal-data">What it contains</a>
    </p>
  </>
)

const Mail = ({ own, form }: { own: OwnAccount; form: Form }) => (
  <>
    <Choice
      name="mail"
      label="E-mail of this registry"
      form={form}
      value={own.takesMail ? 'on' : 'off'}
      options={[
        ['on', 'On', 'about invitations, and API keys that expire in 7 days'],
        ['off', 'Off', 'nothing is sent to you'],
      ]}
    />
    {!own.emailVerified && (
      <p class="quiet">
        Nothing is sent to you now: where you sign in, your address is not confirmed. Confirm it there, then
        sign in again.
      </p>
    )}
  </>
)
