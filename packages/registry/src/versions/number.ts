/** Number of a new version, with regard to withdrawn ones. http-api §11. */
import { compareSemver, nextSemver, parseSemver, type Semver, type VersionChange } from '@ulmus/content'

/**
 * The number after that of `base`, or after that of a withdrawn version if it is newer: numbers that were given stay taken, and later
 * versions have higher ones. Where nothing stands that could be compared with, the content counts as changed through and through.
 * @param newestWithdrawn with its `v`; null: none was
 */
export function numberAfter(
  base: Semver | null,
  newestWithdrawn: string | null,
  change: VersionChange,
): Semver {
  const withdrawn = newestWithdrawn === null ? undefined : parseSemver(newestWithdrawn)
  if (withdrawn === undefined || (base !== null && compareSemver(base, withdrawn) > 0))
    return nextSemver(base, change)
  return nextSemver(withdrawn, change === 'first' ? 'schema' : change)
}
