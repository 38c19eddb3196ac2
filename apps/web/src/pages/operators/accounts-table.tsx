/** On `/admin`: the table of accounts, with links to the forms that name one. */
import type { OperatedAccount } from '@ulmus/wire'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Badge, Empty, Name, Time } from '../../components/small.tsx'
import { sizeText } from '../../format.ts'
import { accountPath, withQuery } from '../../paths.ts'
import { type Done, DoneNote } from './admin-people.tsx'

interface AccountsProps {
  readonly items: readonly OperatedAccount[]
  /** The operator's own account, which it cannot suspend. */
  readonly own: string | undefined
  /** Result of an action on one of them, which its row shows. */
  readonly done: Done | undefined
}

export const Accounts = ({ items, own, done }: AccountsProps) => (
  <>
    {done?.account !== undefined && !items.some(({ slug }) => slug === done.account) && (
      <DoneNote done={done} />
    )}
    {items.length === 0 ? (
      <Empty title="No account is like that." />
    ) : (
      <DataTable
        class="data stacked accounts"
        items={items}
        keyOf={({ id }) => id}
        columns={columnsFor({ own, done })}
      />
    )}
  </>
)

const columnsFor = ({ own, done }: Omit<AccountsProps, 'items'>): readonly Column<OperatedAccount>[] => [
  {
    header: 'Account',
    cell: (account) => (
      <>
        <a href={accountPath(account.slug)}>
          <Name of={account.displayName} />
        </a>{' '}
        <span class="quiet">{account.slug}</span> {account.type === 'org' && <Badge>Organization</Badge>}
        {account.erased ? <Badge>Erased</Badge> : account.suspendedAt !== null && <Suspension of={account} />}
        <Identities of={account} />
        {done?.account === account.slug && <DoneNote done={done} />}
      </>
    ),
  },
  { header: 'E-mail', cell: ({ email }) => email && <bdi>{email}</bdi> },
  { label: 'Collections', cell: ({ collections }) => collections },
  {
    label: 'Stored',
    cell: ({ usedBytes, quotaBytes }) => (
      <>
        {sizeText(usedBytes)}
        {quotaBytes !== null && <span class="quiet"> of {sizeText(quotaBytes)}</span>}
      </>
    ),
  },
  { label: 'Since', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { action: 'Forms', cell: (account) => <RowActions account={account} isOwn={account.slug === own} /> },
]

/** The forms below the table: their labels and the fields that links focus, by their ids without `field-`. */
const formsOf = {
  user: {
    quota: ['Quota', 'quotaBytes'],
    identity: ['Link identity', 'issuer'],
    transfer: ['Transfer', 'receiver'],
    erase: ['Erase', 'confirm'],
  },
  org: { quota: ['Quota', 'quotaBytes'] },
  withoutOwner: { owner: ['Owner', 'owner'] },
} as const

/** Of an erased person only the collections can be given to others. */
function formsFor({ type, erased, suspendedAt, lacksOwner }: OperatedAccount, isOwn: boolean) {
  if (erased) return { transfer: formsOf.user.transfer }
  const canSuspend = type === 'user' && !isOwn && suspendedAt === null
  return {
    ...(canSuspend && { suspend: ['Suspend', 'why'] }),
    ...formsOf[type],
    ...(lacksOwner && formsOf.withoutOwner),
  }
}

const isDanger = (form: string): boolean => form === 'suspend' || form === 'erase'

function Suspension({ of: { suspendedAt, suspendedReason } }: { of: OperatedAccount }) {
  return (
    <>
      <Badge tone="warn">Suspended</Badge>{' '}
      <span class="quiet">
        <Time at={suspendedAt!} />
        {suspendedReason !== null && (
          <>
            : <Name of={suspendedReason} most={200} />
          </>
        )}
      </span>
    </>
  )
}

function RowActions({ account, isOwn }: { account: OperatedAccount; isOwn: boolean }) {
  const { slug, erased, suspendedAt } = account
  return (
    <>
      <ul class="facts">
        {Object.entries(formsFor(account, isOwn)).map(([form, [label, id]]) => (
          <li key={form}>
            <a
              class={isDanger(form) ? 'danger' : undefined}
              href={`${withQuery('/admin', { for: slug, form })}#field-${id}`}
            >
              {label}
              <span class="sr-only">
                {isDanger(form) ? ' ' : ' of '}
                {slug}
              </span>
            </a>
          </li>
        ))}
      </ul>
      {suspendedAt !== null && !erased && (
        <form method="post" action="#done">
          <input type="hidden" name="account" value={slug} />
          <button type="submit" name="do" value="release">
            Take back the suspension<span class="sr-only"> of {slug}</span>
          </button>
        </form>
      )}
    </>
  )
}

/** Values that an operator needs to link an identity to another account. */
const Identities = ({ of: { identities } }: { of: OperatedAccount }) =>
  identities.length === 0 ? null : (
    <details>
      <summary>Signs in as</summary>
      {identities.map(({ issuer, subject }) => (
        <p key={`${issuer} ${subject}`}>
          Issuer <code>{issuer}</code>, subject <code>{subject}</code>
        </p>
      ))}
    </details>
  )
