/** Line of the overview about the readers of a private collection, and about the grant of the visitor. */

import { Icon } from '../components/small.tsx'
import type { VisitedCollection } from '../data/collection.ts'
import { grantWords, type ReaderCounts, readersText } from '../data/readers.ts'
import { collectionPath } from '../paths.ts'

interface Props {
  readonly seen: VisitedCollection
  /** Undefined: the collection is public, or the visitor reads the public view. */
  readonly counts: ReaderCounts
}

export function ReadersLine({ seen, counts }: Props) {
  const isCollaborator = seen.grant !== null && seen.view === 'full'
  if (counts === undefined && !isCollaborator) return null
  return (
    <p class="readers">
      {counts !== undefined && <Readers seen={seen} counts={counts} />}
      {/* A word ends here for screen readers and searches. */}{' '}
      {isCollaborator && (
        <span>
          You are a collaborator: you may {grantWords[seen.grant]}.
          {seen.mayLeave && (
            <>
              {' '}
              <a href={`${collectionPath(seen, 'access')}#leave`}>Leave</a>
            </>
          )}
        </span>
      )}
    </p>
  )
}

function Readers({ seen, counts }: { seen: VisitedCollection; counts: NonNullable<ReaderCounts> }) {
  const isOwn = counts.owner === 'user' && seen.role !== null
  const label = seen.hiddenByOperators === undefined ? 'Private' : 'Hidden'
  const text = `${label}: ${readersText({ owner: seen.owner, counts, isOwn })}`
  return (
    <span>
      <Icon name="lock" />{' '}
      {seen.may('seeAccess') ? <a href={collectionPath(seen, 'access')}>{text}</a> : text}
    </span>
  )
}
