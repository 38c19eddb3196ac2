/** The job of a trusted publisher that made a version, as on the pages: `atlas/birds @ 714a629, main (protected)`. */
import type { Workload } from '@ulmus/wire'

/** Texts come from tokens of others. Characters. */
const textMax = 200
const commitCharacters = 7

/** Empty without a job. */
export function jobText(workload: Workload | undefined): string {
  if (workload === undefined) return ''
  const { claims, subject } = workload
  const { sha, ref, environment } = claims
  const project = (claims['repository'] ?? claims['project_path'] ?? subject).slice(0, textMax)
  const isProtected = claims['ref_protected'] === 'true'
  return [
    sha === undefined ? project : `${project} @ ${sha.slice(0, commitCharacters)}`,
    ref &&
      `${ref.replace(/^refs\/(?:heads|tags)\//, '').slice(0, textMax)}${isProtected ? ' (protected)' : ''}`,
    environment && `environment ${environment.slice(0, textMax)}`,
  ]
    .filter((part) => part !== undefined && part !== '')
    .join(', ')
}
