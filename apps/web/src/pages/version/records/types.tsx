/** Links to the types of a version, above the table of records. */
import { Name } from '../../../components/small.tsx'
import type { SeenCollection, ShownVersion } from '../../../data/collection.ts'
import { countText } from '../../../format.ts'
import { versionPath } from '../../../paths.ts'

/** Number of types in the line; further types are in a collapsed list. */
const typesInLine = 12

export function Types({
  seen,
  version,
  type,
}: {
  seen: SeenCollection
  version: ShownVersion
  type: string
}) {
  const types = Object.keys(version.schemas)
  if (types.length === 1) return null
  const link = (name: string) => (
    <a
      key={name}
      class="choice"
      href={seen.inView(versionPath(seen, 'records', name))}
      aria-current={name === type ? 'true' : undefined}
    >
      <Name of={name} /> <span class="quiet number">{countText(version.typeCounts[name] ?? 0)}</span>
    </a>
  )
  const first = types.slice(0, typesInLine)
  if (!first.includes(type)) first[first.length - 1] = type
  const rest = types.filter((name) => !first.includes(name))
  return (
    <nav class="choices" aria-label="Types">
      {first.map(link)}
      {rest.length > 0 && (
        <details class="more">
          <summary>{rest.length} more</summary>
          {rest.map(link)}
        </details>
      )}
    </nav>
  )
}
