/** Links from a record to those beside it in a result, to those that refer to it, and to the forms that change it. */
import { Icon, Name } from '../../components/small.tsx'
import type { VisitedCollection } from '../../data/collection.ts'
import type { Neighbours, Referrers } from '../../data/neighbours.ts'
import type { PageRecord } from '../../data/records.ts'
import { counted, countText, cutName } from '../../format.ts'
import { collectionPath, recordPath, versionPath, withQuery } from '../../paths.ts'
import type { resultIn } from '../../record-table/address.ts'

interface BesideProps {
  readonly seen: VisitedCollection
  readonly type: string
  readonly neighbours: Neighbours
  readonly result: ReturnType<typeof resultIn>
}

/** Links to the previous and the next record of the result that the visitor came from. */
export function Beside({ seen, type, neighbours: { previous, next, total }, result }: BesideProps) {
  const to = (id: string, step: number) => {
    const query = result && { ...result.query, at: result.place + step }
    return seen.inView(withQuery(recordPath(seen, type, id), query ?? {}))
  }
  const back = result && seen.inView(withQuery(versionPath(seen, 'records', type), result.query))
  return (
    <span class="beside">
      {previous !== undefined && (
        <a rel="prev nofollow" href={to(previous, -1)} title={cutName(previous, 100)}>
          ← Previous
        </a>
      )}
      {back !== undefined && (
        <a href={back} rel="nofollow">
          {countText(result!.place + 1)} of {countText(total ?? 0)}
        </a>
      )}
      {next !== undefined && (
        <a rel="next nofollow" href={to(next, 1)} title={cutName(next, 100)}>
          Next →
        </a>
      )}
    </span>
  )
}

interface ReferredByProps {
  readonly seen: VisitedCollection
  readonly referrers: readonly Referrers[]
}

/** Links to the records that refer to this one. */
export const ReferredBy = ({ seen, referrers }: ReferredByProps) => (
  <section>
    <h2>Referred to by</h2>
    <ul>
      {referrers.map(({ type, label, filter, count }) => (
        <li key={`${type} ${label}`}>
          <a href={seen.inView(withQuery(versionPath(seen, 'records', type), { filter }))} rel="nofollow">
            {counted(count, 'record')} of <Name of={type} most={100} />
          </a>{' '}
          <span class="quiet">
            in <Name of={label} most={100} />
          </span>
        </li>
      ))}
    </ul>
  </section>
)

/** Links for editors. A path cannot contain the ids `.` and `..`. */
export function Work({ seen, record: { type, id, data } }: { seen: VisitedCollection; record: PageRecord }) {
  const at = (...below: string[]) => collectionPath(seen, 'records', type, ...below)
  const isInPath = id !== '.' && id !== '..'
  return (
    <p class="actions">
      {isInPath && data !== undefined && (
        <a class="button" href={at(id, 'edit')}>
          <Icon name="edit" />
          Edit
        </a>
      )}
      {isInPath && (
        <a class="button danger" href={at(id, 'delete')}>
          Delete
        </a>
      )}
      <a class="button" href={at('new')}>
        <Icon name="plus" />
        Add record
      </a>
    </p>
  )
}

/** For callers who may erase versions. */
export const Removal = ({ seen, type, id }: { seen: VisitedCollection; type: string; id: string }) => (
  <p>
    <a href={withQuery(collectionPath(seen, 'erase'), { type, id })}>Remove it from all versions</a>
  </p>
)
