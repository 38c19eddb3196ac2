/** Section of a page that cites the shown version in several formats. `data/citation.ts` writes the texts. */
import type { Version } from '@ulmus/wire'
import { citationsOf } from '../data/citation.ts'
import type { SeenCollection } from '../data/collection.ts'
import { Code } from './small.tsx'

export const Cite = ({
  seen,
  version,
  origin,
}: {
  seen: SeenCollection
  version: Omit<Version, 'schemas'>
  origin: string
}) => (
  <section class="use-it">
    <h2>Cite</h2>
    {citationsOf(seen, version, origin).map(({ form, text }, index) => (
      <details key={form} name="cite" open={index === 0}>
        <summary>{form}</summary>
        <Code>{text}</Code>
      </details>
    ))}
  </section>
)
