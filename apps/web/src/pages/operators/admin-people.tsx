/** Forms for people on `/admin`: link an identity, hand over collections, erase a person. */
import { HandOver, LinkIdentity, OperateAccount } from '@ulmus/wire'
import { Field, NamedForm } from '../../components/form.tsx'
import { checked, type FormState, orNoSuch, refusedField, typed } from '../../form.ts'
import type { Form, Visit } from '../../page.ts'
import { collectionPath, withQuery } from '../../paths.ts'

/** Result of an action, for the page. */
export interface Done {
  readonly note: string
  /** Account whose row shows the note. Default: the part with the form shows it. */
  readonly account?: string
  /** Paths of collections, `owner/slug`. */
  readonly collections?: readonly string[]
}

export const noAccount = (slug: string): string => `There is no account ${slug}.`

export async function suspend({ registry, who }: Visit, form: Form): Promise<Done> {
  const [slug, suspended, hides] = [form['account'] ?? '', form['do'] === 'suspend', form['keeps'] !== 'on']
  const { reason } = checked(OperateAccount, { reason: typed(form, 'why') })
  await orNoSuch('account', noAccount(slug), () =>
    registry.operators.change(who, slug, { suspended, hideCollections: hides, reason }),
  )
  if (!suspended)
    return {
      account: slug,
      note: `${slug} may sign in again, and its collections are as they were before the suspension.`,
    }
  const outcome = hides ? 'Collections that it made public are hidden' : 'Its public collections stay public'
  return { account: slug, note: `${slug} is suspended: its sessions and keys are refused. ${outcome}.` }
}

export async function linkIdentity({ registry, who }: Visit, form: Form): Promise<Done> {
  const [issuer, subject] = [typed(form, 'issuer'), typed(form, 'subject')]
  const link = checked(LinkIdentity, { issuer, subject, move: form['move'] === 'on' })
  const slug = typed(form, 'linkTo') ?? ''
  const { account, movedFrom } = await orNoSuch('linkTo', noAccount(slug), () =>
    registry.operators.linkIdentity(who, slug, link),
  )
  return {
    account,
    note: `${subject} of ${issuer} signs in as ${account} from now on.${
      movedFrom === null
        ? ''
        : ` It signed in as ${movedFrom} before, whose browsers are signed out: transfer what that account has, then erase it.`
    }`,
  }
}

export async function handOver({ registry, who }: Visit, form: Form): Promise<Done> {
  const one = typed(form, 'handedOver')
  const { to, collections } = checked(HandOver, {
    to: typed(form, 'receiver'),
    ...(one !== undefined && { collections: one.split(/[\s,]+/) }),
  })
  const account = typed(form, 'leaver') ?? ''
  const done = await registry.operators.handOver(who, account, { to, collections })
  if (done.length === 0) return { account, note: 'The account has no collections: nothing was transferred.' }
  const hidden = done.filter((moved) => moved.hidden).length
  const note =
    hidden === 0 ? '' : ` (${hidden} hidden from others, until you show them here under “Hidden collections”)`
  return { account, note: `Transferred to ${to}${note}:`, collections: done.map((moved) => moved.to) }
}

export async function erase({ registry, who }: Visit, form: Form): Promise<Done> {
  const slug = typed(form, 'account') ?? ''
  if (typed(form, 'confirm') !== slug)
    throw refusedField('confirm', `Type the handle ${slug} again to confirm. No account was erased.`)
  const confirmed = form['confirmPublic'] === 'on'
  const { organizationsWithoutOwner: orphans } = await orNoSuch('account', noAccount(slug), () =>
    registry.operators.erase(who, slug, { confirmed }),
  )
  return {
    account: slug,
    note: `The person ${slug} is erased.${orphans.length > 0 ? ` Without an owner now: ${orphans.join(', ')}.` : ''}`,
  }
}

/** The forms post to `#done`, so that the page opens at it. */
export const DoneNote = ({ done: { note, collections = [] } }: { done: Done }) => (
  <div class="note" id="done" role="status" tabIndex={-1}>
    <p>{note}</p>
    <Paths paths={collections} />
  </div>
)

const Paths = ({ paths }: { paths: readonly string[] }) =>
  paths.length === 0 ? null : (
    <ul>
      {paths.map((path) => {
        const [owner = '', slug = ''] = path.split('/')
        return (
          <li key={path}>
            <a href={collectionPath({ owner, slug })}>{path}</a>
          </li>
        )
      })}
    </ul>
  )

const Tick = ({ name, form, children }: { name: string; form: Form; children: string }) => (
  <label class="check">
    <input type="checkbox" name={name} checked={form[name] === 'on'} /> <span>{children}</span>
  </label>
)

export const SuspendForm = ({ form }: { form: Form }) => (
  <>
    <h2>Suspend a person</h2>
    <p>
      Its sessions and keys are refused, and its public collections hidden from others, until you take it
      back.
    </p>
    <form method="post" action="#done" class="form">
      {/* Another form has this field, too. */}
      <NamedForm name="suspend" isSent={form['do'] === 'suspend'}>
        <Field name="account" label="Handle" form={form} required most={39} />
      </NamedForm>
      <Field
        name="why"
        label="Reason"
        form={form}
        most={1_000}
        help="May be empty. The person reads it at the sign-in, and it is in the audit log."
      />
      <Tick name="keeps" form={form}>
        Public collections stay public
      </Tick>
      <button type="submit" class="danger" name="do" value="suspend">
        Suspend
      </button>
    </form>
  </>
)

export const LinkIdentityForm = ({ form, error }: FormState) => (
  <>
    <h2>A person with another identity</h2>
    <p>
      After the built-in sign-in was replaced, or one identity provider by another, a person signs in as a new
      account, such as ada-2. Link the identity of the new account, which the list above shows, to the account
      that the person had before.
    </p>
    <form method="post" action="#done" class="form">
      <Field name="linkTo" label="Handle of the account to sign in as" form={form} required most={39} />
      <Field name="issuer" label="Issuer" form={form} required most={2000} help="As in OIDC_ISSUER." />
      <Field name="subject" label="Subject" form={form} required most={255} />
      {error?.code === 'identity_taken' && (
        <Tick name="move" form={form}>
          {`Take it from ${String(error.details['account'])}`}
        </Tick>
      )}
      <button type="submit" name="do" value="link">
        Link the identity
      </button>
    </form>
  </>
)

export const HandOverForm = ({ form }: { form: Form }) => (
  <>
    <h2>Collections of a person who leaves</h2>
    <p>
      An organization or another person becomes their owner, of private ones too. The former addresses lead to
      the new ones.
    </p>
    <form method="post" action="#done" class="form">
      <Field name="leaver" label="Handle of the person" form={form} required most={39} />
      <Field name="receiver" label="Handle of the new owner" form={form} required most={39} />
      <Field
        name="handedOver"
        label="Collections"
        form={form}
        most={2000}
        help="Their slugs, with commas. Empty: all of them."
      />
      <button type="submit" name="do" value="transfer">
        Transfer
      </button>
    </form>
  </>
)

export const EraseForm = ({ form, error }: FormState) => (
  <section class="danger-zone narrow">
    <h2>Erase a person</h2>
    <p>
      Name, e-mail address, identities, memberships and keys go, and what audit logs say of them. What the
      person published stays, under a name that says nothing. It cannot be undone.
    </p>
    {error?.code === 'has_public_collections' && (
      <div class="note bad" id="done" tabIndex={-1}>
        <p>
          Readers may cite these collections, which are public or hidden by operators.{' '}
          <a
            href={`${withQuery('/admin', { for: typed(form, 'account'), form: 'transfer' })}#field-receiver`}
          >
            Transfer them first
          </a>
          . Otherwise their addresses will lead to an account without a name:
        </p>
        <Paths paths={error.details['collections'] as string[]} />
      </div>
    )}
    <form method="post" action="#done" class="form">
      <Field name="account" label="Handle" form={form} required most={39} />
      <Field name="confirm" label="The handle again, to confirm" form={form} required most={39} />
      {error?.code === 'has_public_collections' && (
        <Tick name="confirmPublic" form={form}>
          Erase the person all the same
        </Tick>
      )}
      <button type="submit" class="danger" name="do" value="erase">
        Erase this person
      </button>
    </form>
  </section>
)
