/** Parts of the page of access: the readers, the collaborators, and the form to leave. */
import type { Access, Collaborator } from '@ulmus/wire'
import { DataTable } from '../../components/data-table.tsx'
import { LevelForm, Person, RemoveForm } from '../../components/people.tsx'
import { Time } from '../../components/small.tsx'
import type { VisitedCollection } from '../../data/collection.ts'
import { grantOptions } from '../../data/readers.ts'
import { counted } from '../../format.ts'
import { accountPath, collectionPath } from '../../paths.ts'

interface ReadersProps {
  readonly seen: VisitedCollection
  readonly access: Access
}

/** Everybody who reads the collection without being a collaborator, and why. */
export const Readers = ({ seen, access }: ReadersProps) => (
  <dl class="facts-list sentences">
    <dt>The public</dt>
    <dd>
      <PublicReads seen={seen} />
    </dd>
    <dt>{access.owner.type === 'org' ? 'Members' : 'Owner'}</dt>
    <dd>
      {access.owner.type === 'org' ? (
        <Members seen={seen} access={access} />
      ) : (
        <>
          <a href={accountPath(access.owner.slug)}>{access.owner.slug}</a> reads and changes all of it
        </>
      )}
    </dd>
    {!seen.isPublic && (
      <>
        <dt>Operators</dt>
        <dd>
          can read all of it for an hour, for a reason that the audit log of {access.owner.slug} records
        </dd>
      </>
    )}
  </dl>
)

function PublicReads({ seen }: { seen: VisitedCollection }) {
  if (seen.hiddenByOperators !== undefined) return <>reads nothing: the operators hid the collection</>
  return (
    <>
      {seen.isPublic
        ? 'reads all versions, except what is private'
        : 'reads nothing: the collection is private'}
      {seen.may('move') && (
        <>
          . <a href={collectionPath(seen, 'settings')}>Change this</a>
        </>
      )}
    </>
  )
}

/** Members named on the page; the page of members has all of them. */
const namedMax = 12

function Members({ seen, access: { owner, memberCount, members } }: ReadersProps) {
  const named = members.slice(0, namedMax)
  return (
    <>
      {/* Collaborators may not open the page of members. */}
      {seen.role === null ? (
        `${counted(memberCount, 'member')} of ${owner.slug}`
      ) : (
        <a href={`${accountPath(owner.slug)}/-/members`}>
          {counted(memberCount, 'member')} of {owner.slug}
        </a>
      )}{' '}
      {memberCount === 1 ? 'reads' : 'read'} and {memberCount === 1 ? 'changes' : 'change'} all of it:{' '}
      {named.map(({ account: { slug }, role }, index) => (
        <>
          {index > 0 && ', '}
          <a href={accountPath(slug)}>{slug}</a>
          {role !== 'member' && <span class="quiet"> ({role})</span>}
        </>
      ))}
      {memberCount > named.length && ` and ${memberCount - named.length} more`}
    </>
  )
}

interface CollaboratorsProps {
  readonly items: readonly Collaborator[]
  readonly mayChange: boolean
  /** Slug of the visitor. */
  readonly own: string | undefined
}

export const Collaborators = ({ items, mayChange, own }: CollaboratorsProps) => (
  <DataTable
    class="data stacked"
    items={items}
    keyOf={({ account }) => account.id}
    columns={[
      { header: 'Person', cell: ({ account }) => <Person account={account} /> },
      {
        header: 'Grant',
        cell: ({ account: { slug }, grant }) =>
          mayChange ? (
            <LevelForm
              user={slug}
              name="grant"
              label={`Grant of ${slug}`}
              value={grant}
              options={grantOptions}
            />
          ) : (
            grant
          ),
      },
      { label: 'Since', cell: ({ since }) => <Time at={since} /> },
      {
        label: 'Invited by',
        cell: ({ invitedBy }) =>
          invitedBy === null ? (
            <span class="quiet">an account that is gone</span>
          ) : (
            <a href={accountPath(invitedBy)}>{invitedBy}</a>
          ),
      },
      ...(mayChange
        ? [
            {
              action: 'Remove',
              // The visitor leaves by the form below, which names the loss.
              cell: ({ account: { slug } }: Collaborator) =>
                slug !== own && <RemoveForm slug={slug} isOwn={false} />,
            },
          ]
        : []),
    ]}
  />
)

/** Form of a collaborator who leaves, and its consequences. */
export const Leave = ({ seen }: { seen: VisitedCollection }) => (
  <section id="leave">
    <h2>Leave</h2>
    <p>
      {seen.isPublic
        ? `You keep what the public reads of ${seen.owner}/${seen.slug}.`
        : `You no longer see ${seen.owner}/${seen.slug} then.`}{' '}
      Only its admins can add you again.
    </p>
    <form method="post">
      <button type="submit" class="danger" name="do" value="leave">
        Leave this collection
      </button>
    </form>
  </section>
)
