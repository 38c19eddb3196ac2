/** Note at the top of pages of operators while a store refuses writes: which one, since when, and the way out. */
import type { RefusedWrites } from '@ulmus/registry'
import { Time } from '../../components/small.tsx'
import { cutText, withoutUnseen } from '../../format.ts'

/** Longest error of a store on the page. Characters. */
const errorMax = 300

const causes = {
  disk: 'less than DISK_RESERVE_BYTES is free on the disk of this server',
  database: 'the disk of the PostgreSQL server is full',
  full: 'the object store is full',
  objects: 'the object store takes none',
}

export const RefusedNote = ({ refused }: { refused: readonly RefusedWrites[] }) => (
  <>
    {refused.map(({ store, isFull, since, why }) => (
      <p key={store} class="note bad" role="status">
        <strong>Nothing can be published.</strong> Writes get {isFull ? 507 : 503}, since{' '}
        <Time at={since.toISOString()} />: {causes[isFull && store === 'objects' ? 'full' : store]}
        {why === undefined ? '' : ` (${withoutUnseen(cutText(why, errorMax))})`}. Reads go on.{' '}
        <a href="/docs/maintenance#a-full-disk">{isFull ? 'A full disk' : 'Stores that refuse writes'}</a>{' '}
        says what to do.
      </p>
    ))}
  </>
)
