/** Section of a page that cites the shown version in several formats, and links the documents that describe it to programs. */
import { Fragment } from 'preact'
import { type CitedVersion, citationsOf } from '../data/citation.ts'
import type { SeenCollection } from '../data/collection.ts'
import { apiVersionPath } from '../paths.ts'
import { Code } from './small.tsx'

export function Cite({
  seen,
  version,
  origin,
}: {
  seen: SeenCollection
  version: CitedVersion
  origin: string
}) {
  const citations = citationsOf(seen, version, origin)
  const files = [
    ...citations.map(({ form, file }) => [form, file] as const),
    ['Croissant', 'croissant.json'],
    ['Data Package', 'datapackage.json'],
  ] as const
  return (
    <section class="use-it">
      <h2>Cite</h2>
      {citations.map(({ form, text }, index) => (
        <details key={form} name="cite" open={index === 0}>
          <summary>{form}</summary>
          <Code>{text}</Code>
        </details>
      ))}
      <p class="quiet">
        As files:
        {files.map(([form, file], index) => (
          <Fragment key={file}>
            {index > 0 && ' ·'}{' '}
            <a href={seen.inView(apiVersionPath({ ...seen, version: version.semver }, file))}>{form}</a>
          </Fragment>
        ))}
      </p>
    </section>
  )
}
