/** Parts of the pages that list members and collaborators: their forms, and their invitations. */
import type { Account } from '@ulmus/wire'
import { accountPath } from '../paths.ts'
import { Code, Name, Time } from './small.tsx'

export const Person = ({ account }: { account: Pick<Account, 'slug' | 'displayName'> }) => (
  <>
    <a href={accountPath(account.slug)}>
      <Name of={account.displayName} />
    </a>{' '}
    <span class="quiet">{account.slug}</span>
  </>
)

interface LevelFormProps {
  /** Slug of the person. */
  readonly user: string
  /** Name of the field. */
  readonly name: 'role' | 'grant'
  /** For screen readers. */
  readonly label: string
  readonly value: string
  readonly options: readonly (readonly [value: string, label: string, help?: string])[]
}

/** Changes the role or the grant of a person. */
export const LevelForm = ({ user, name, label, value, options }: LevelFormProps) => (
  <form method="post" class="inline">
    <input type="hidden" name="user" value={user} />
    <select name={name} aria-label={label}>
      {options.map(([one, text]) => (
        <option key={one} value={one} selected={one === value}>
          {text}
        </option>
      ))}
    </select>
    <button type="submit">Change</button>
  </form>
)

/** Removes a person. @param isOwn true: the visitor, who leaves */
export const RemoveForm = ({ slug, isOwn }: { slug: string; isOwn: boolean }) => (
  <form method="post">
    <input type="hidden" name="user" value={slug} />
    <button type="submit" class="danger" name="do" value="remove">
      {isOwn ? 'Leave' : 'Remove'}
      <span class="sr-only"> {slug}</span>
    </button>
  </form>
)

interface LinkProps {
  readonly made: { readonly token: string; readonly mailed: boolean; readonly expiresAt: string }
  /** Handle or e-mail address of the invitee. */
  readonly to: string
  readonly isAddress: boolean
  readonly origin: string
}

/** Link of a new invitation, shown once. */
export const InvitationLink = ({ made, to, isAddress, origin }: LinkProps) => (
  <div class="note" role="status">
    <p>
      {made.mailed ? 'This link is also sent by e-mail to ' : 'Send this link to '}
      <bdi>{to}</bdi>
      {made.mailed && !isAddress && ', if the address is confirmed'}. It works once, until{' '}
      <Time at={made.expiresAt} />, and is shown only now.
    </p>
    <Code>{`${origin}/invitations/${made.token}`}</Code>
  </div>
)

/** A pending invitation. */
interface PendingInvitation {
  readonly id: string
  /** Handle or e-mail address of the invitee. */
  readonly to: string
  /** The role or the grant, in words. */
  readonly level: string
  readonly expiresAt: string
  /** Field that names it in the form that takes it back. */
  readonly field: readonly [name: string, value: string]
}

interface PendingProps {
  readonly pending: readonly PendingInvitation[]
  /** True: with a button for each. */
  readonly mayCancel: boolean
}

export const PendingInvitations = ({ pending, mayCancel }: PendingProps) => (
  <section>
    <h2>Invited</h2>
    <ul class="plain">
      {pending.map((one) => (
        <li key={one.id}>{mayCancel ? <CancelForm {...one} /> : <Invited {...one} />}</li>
      ))}
    </ul>
  </section>
)

const Invited = ({ to, level, expiresAt }: PendingInvitation) => (
  <>
    <bdi>{to}</bdi> <span class="quiet">as {level}, until</span> <Time at={expiresAt} />
  </>
)

const CancelForm = (invitation: PendingInvitation) => (
  <form method="post" class="inline">
    <Invited {...invitation} />
    <input type="hidden" name={invitation.field[0]} value={invitation.field[1]} />
    <button type="submit" class="danger" name="do" value="take-back">
      Cancel<span class="sr-only"> the invitation of {invitation.to}</span>
    </button>
  </form>
)
