/** `/auth/device`: the user allows or refuses a program in a terminal to act for them. http-api §10. */
import { RegistryError } from '@ulmus/registry'
import type { Scope } from '@ulmus/wire'
import type { ComponentChildren } from 'preact'
import { Field, Refusal, type Refused, Select } from '../../components/form.tsx'
import { Name, Time } from '../../components/small.tsx'
import { formPage, typed } from '../../form.ts'
import type { Answer, Form, Page, Visit } from '../../page.ts'
import { keyEndOf, keyEnds, usualKeyEnd } from './key-ends.ts'
import { keyRights } from './key-rights.ts'

/** Page for the code, which the user types or the address contains. */
export const device: Page = {
  needsCaller: true,
  show: async (visit) => {
    const code = visit.url.searchParams.get('user_code')?.trim() ?? ''
    if (code === '') return askForCode()
    return orAnotherCode(code, () => askToAllow(visit, code))
  },
}

/** Asks again after an invalid code. */
async function orAnotherCode(code: string, answer: () => Promise<Answer>): Promise<Answer> {
  try {
    return await answer()
  } catch (error) {
    if (error instanceof RegistryError && error.code === 'device_code_not_found')
      return askForCode(code, error)
    throw error
  }
}

/** Handles the form of `device`. */
export const deviceAnswer = formPage(
  (visit, form) => decide(visit, form, typed(form, 'code') ?? ''),
  (visit, { form, error }) => {
    const code = typed(form, 'code') ?? ''
    return error === undefined
      ? askForCode()
      : orAnotherCode(code, () => askToAllow(visit, code, form, error))
  },
)

async function decide({ registry, who }: Visit, form: Form, code: string): Promise<Answer> {
  if (form['decision'] !== 'allow') {
    await registry.deviceLogins.refuse(who, code)
    return done('Refused', 'The program gets no key. You may close this page.')
  }
  await registry.deviceLogins.allow(who, code, keyEndOf(form['ends']))
  return done(
    'Allowed',
    'Go back to your terminal: it continues within seconds. The key is among your API keys, where you can revoke it.',
  )
}

const page = (title: string, body: ComponentChildren, refused?: Refused): Answer => ({
  title,
  isPublic: false,
  refused,
  body,
})

const done = (title: string, sentence: string): Answer =>
  page(
    title,
    <div class="wide content narrow-page">
      <h1>{title}</h1>
      <p class="note" role="status">
        {sentence}
      </p>
      <p>
        <a href="/settings/keys">Your API keys</a>
      </p>
    </div>,
  )

const askForCode = (code = '', error?: Refused): Answer =>
  page(
    'Sign in a terminal',
    <div class="wide content narrow-page">
      <h1>Sign in a terminal</h1>
      <Refusal error={error} />
      <p>
        Type the code that your terminal shows. If you did not start this, an attacker may want to act as you:
        leave this page.
      </p>
      <form method="get" action="/auth/device" class="form">
        <Field
          name="user_code"
          label="Code"
          form={{}}
          value={code}
          required
          most={20}
          help="Eight letters, such as WDJB-MJHT."
        />
        <button type="submit" class="primary">
          Go on
        </button>
      </form>
    </div>,
    error,
  )

/** The rights of a key with their weaker ones, which its words build on. */
const rightsUpTo = (scope: Scope) =>
  keyRights.slice(0, keyRights.findIndex((right) => right.scope === scope) + 1)

async function askToAllow(visit: Visit, code: string, form: Form = {}, error?: Refused): Promise<Answer> {
  const { label, scope, collection, userAgent, address, createdAt } = await visit.registry.deviceLogins.find(
    visit.who,
    code,
  )
  return page(
    'Allow a terminal?',
    <div class="wide content narrow-page">
      <h1>
        Allow “<Name of={label} />” to act for you?
      </h1>
      <Refusal error={error} />
      <p>
        A program asks for an API key of your account, <strong>{visit.caller?.accountSlug}</strong>
        {collection !== null && (
          <>
            , for <strong>{collection}</strong> and nothing else
          </>
        )}
        . With it, it may
      </p>
      <ul class="plain">
        {rightsUpTo(scope).map((right) => (
          <li key={right.scope}>
            <strong>{right.label}</strong>: {collection === null ? right.everywhere : right.there}.
          </li>
        ))}
      </ul>
      <dl class="facts-list">
        <dt>Program</dt>
        <dd>{userAgent === '' ? 'It did not say' : userAgent}</dd>
        <dt>Asked from</dt>
        <dd>{address}</dd>
        <dt>Asked</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
        <dt>Code</dt>
        <dd>
          <code>{code}</code>
        </dd>
      </dl>
      <p>Allow it only if you began this just now, and your terminal shows this very code.</p>
      <form method="post" action="/auth/device/answer" class="form">
        <input type="hidden" name="code" value={code} />
        <Select
          name="ends"
          label="The key ends after"
          form={form}
          value={usualKeyEnd}
          options={Object.entries(keyEnds)}
        />
        <p class="actions">
          <button type="submit" class="primary" name="decision" value="allow">
            Allow
          </button>{' '}
          <button type="submit" class="danger" name="decision" value="refuse">
            Refuse
          </button>
        </p>
      </form>
    </div>,
    error,
  )
}
