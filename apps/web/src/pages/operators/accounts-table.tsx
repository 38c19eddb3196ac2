/** On `/admin`: the table of accounts, with links to the forms that name one. */
import type { OperatedAccount } from '@ulmus/wire'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Badge, Name, Time } from '../../components/small.tsx'
import { sizeText } from '../../format.ts'
import { accountPath, withQuery } from '../../paths.ts'

interface AccountsProps {
  readonly items: readonly OperatedAccount[]
  /** The operator's own account, which it cannot suspend. */
  readonly own: string | undefined
}

export const Accounts = ({ items, own }: AccountsProps) => (
  <DataTable class="data stacked" items={items} keyOf={({ id }) => id} columns={columnsFor(own)} />
)

const columnsFor = (own: string | undefined): readonly Column<OperatedAccount>[] => [
  {
    header: 'Account',
    cell: (account) => (
      <>
        <a href={accountPath(account.slug)}>
          <Name of={account.displayName} />
        </a>{' '}
        <span class="quiet">{account.slug}</span> <Identities of={account} />
        {account.type === 'org' && <Badge>Organization</Badge>}
        {account.suspendedAt !== null && <Badge tone="warn">Suspended</Badge>}
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
  { action: 'Forms', cell: (account) => <RowActions account={account} /> },
  {
    action: 'Suspend',
    cell: (account) => account.type === 'user' && account.slug !== own && <SuspendForm account={account} />,
  },
]

/** The forms below the table, by their ids. */
const formsOf = {
  user: { quota: 'Quota', identity: 'Identity', transfer: 'Transfer', erase: 'Erase' },
  org: { quota: 'Quota', owner: 'Owner' },
} as const

const RowActions = ({ account: { slug, type } }: { account: OperatedAccount }) => (
  <ul class="facts">
    {Object.entries(formsOf[type]).map(([id, label]) => (
      <li key={id}>
        <a href={`${withQuery('/admin', { for: slug })}#${id}`}>
          {label}
          <span class="sr-only"> of {slug}</span>
        </a>
      </li>
    ))}
  </ul>
)

const SuspendForm = ({ account: { slug, suspendedAt } }: { account: OperatedAccount }) => (
  <form method="post">
    <input type="hidden" name="account" value={slug} />
    {suspendedAt === null ? (
      <details>
        <summary>
          Suspend<span class="sr-only"> {slug}</span>
        </summary>
        <p class="help">
          Its sessions and keys are refused, and its public collections hidden from others, until you take it
          back.
        </p>
        <label class="check">
          <input type="checkbox" name="keeps" /> <span>Public collections stay public</span>
        </label>
        <button type="submit" class="danger" name="do" value="suspend">
          Suspend {slug}
        </button>
      </details>
    ) : (
      <button type="submit" name="do" value="release">
        Take back<span class="sr-only"> the suspension of {slug}</span>
      </button>
    )}
  </form>
)

/** Values that an operator needs to link an identity to another account. */
const Identities = ({ of: { identities } }: { of: OperatedAccount }) =>
  identities.length === 0 ? null : (
    <details>
      <summary>Identity</summary>
      {identities.map(({ issuer, subject }) => (
        <p key={`${issuer} ${subject}`}>
          Issuer <code>{issuer}</code>, subject <code>{subject}</code>
        </p>
      ))}
    </details>
  )
