/** Report of a sweep: the daily one logs it, `ulmus-server sweep` prints it. */
import type { Damage } from '../fsck/damage.ts'
import { noBlobs, type Tally } from './unreferenced.ts'

/** Counts of a sweep. The fields are members of a log event. */
export interface SweepReport {
  versions: number
  /** Objects that versions need. */
  living: number
  /** Objects removed from the index. */
  objectsRemoved: number
  /** Packs without objects in the index. */
  packsEmptied: number
  packsRewritten: number
  /** Size of the rewritten packs. Bytes. */
  bytesWritten: number
  /** Forgotten uploads, which are old and never were in a version; the next sweep sets their bytes aside. */
  uploadsForgotten: Tally
  /** Packs and uploads set aside by this sweep. */
  setAside: Tally
  /** Withdrawn versions of which only the numbers are left. */
  versionsErased: number
  /** Erasures blocked by damage, and the damage. */
  erasuresHeldUp: Damage[]
  /** Removed from the store: erased blobs, blobs set aside long enough, and spills of ended push sessions. */
  removed: Tally
  /** All blobs that are set aside now. */
  aside: Tally
}

export const emptyReport = (): SweepReport => ({
  versions: 0,
  living: 0,
  objectsRemoved: 0,
  packsEmptied: 0,
  packsRewritten: 0,
  bytesWritten: 0,
  uploadsForgotten: noBlobs(),
  setAside: noBlobs(),
  versionsErased: 0,
  erasuresHeldUp: [],
  removed: noBlobs(),
  aside: noBlobs(),
})
