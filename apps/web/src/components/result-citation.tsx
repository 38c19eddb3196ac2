/** The citation of a result: which part of which version it is, with an address whose answer never changes. */
import type { Version } from '@ulmus/wire'
import { resultCitationsOf } from '../data/citation.ts'
import type { VersionResponse, VisitedCollection } from '../data/collection.ts'
import { readJson, type Visit } from '../page.ts'
import { toggled } from '../paths.ts'
import { Code } from './small.tsx'

/** True if the visitor asked for the citation of the page's result. */
export const isCited = ({ url }: Visit): boolean => url.searchParams.get('cite') === '1'

interface Props {
  readonly seen: VisitedCollection
  readonly version: VersionResponse
  /** `12 of 250 records where region is Africa` */
  readonly part: string
  /** Path of the question about this version. */
  readonly path: string
  readonly visit: Visit
}

export function ResultCitation({ seen, version, part, path, visit }: Props) {
  if (seen.isPublic && seen.view === 'full' && seen.difference !== undefined)
    return (
      <p class="note">
        Others cannot count what members see. <a href={seen.inOtherView}>Cite what the public sees</a>
      </p>
    )
  const whole = { ...version, metadata: readJson<Version['metadata']>(version.metadata) }
  const citations = resultCitationsOf(seen, whole, { part, url: visit.origin + path, accessed: new Date() })
  return (
    <section class="note cite-result" aria-label="Citation">
      {citations.map(({ form, text }) => (
        <div key={form}>
          <h2>{form}</h2>
          <Code>{text}</Code>
        </div>
      ))}
      <a href={toggled(visit.url, 'cite', undefined)} rel="nofollow">
        Close
      </a>
    </section>
  )
}
