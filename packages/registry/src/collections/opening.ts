/** Warnings before a private collection becomes public: what its older versions would show. Computed in `versions/opened.ts`. */
import type { OpeningWarning } from '@ulmus/wire'
import type { Opened, OpenedPart } from '../versions/opened.ts'

/** Versions named in a sentence; the warning lists more. */
const namedMax = 5

/** One warning per part, and one for what was not compared. Empty: older versions show nothing else than the latest. */
export function openingWarnings({ parts, more, notCompared }: Opened): OpeningWarning[] {
  const warnings: OpeningWarning[] = parts.map(({ ids, ...part }) => ({
    code: 'public_before',
    message: `${subjectOf({ ids, ...part })} now, and ${(part.records ?? 1) === 1 ? 'was' : 'were'} public in ${namesOf(part)}.`,
    ...part,
    ...(ids && { ids: [...ids] }),
    versions: [...part.versions],
  }))
  if (more > 0)
    warnings.push({
      ...{ code: 'public_before', versions: [], versionCount: 0 },
      message: `${more} more types, columns or groups of records were public before.`,
    })
  if (notCompared > 0)
    warnings.push({
      ...{ code: 'not_compared', versions: [], versionCount: notCompared },
      message: `${notCompared} older ${notCompared === 1 ? 'version was' : 'versions were'} not compared: they differ too much from newer ones, or are damaged. They may show more.`,
    })
  return warnings
}

function subjectOf({ type, field, records, ids = [] }: OpenedPart): string {
  if (field !== undefined) return `The column \`${field}\` of \`${type}\` is private or gone`
  if (records === undefined) return `The type \`${type}\` is private or gone`
  const named = ids.map((id) => `\`${id}\``).join(', ')
  const count = `${records} ${records === 1 ? 'record' : 'records'} of \`${type}\``
  return `${count} (${named}${records > ids.length ? ', …' : ''}) ${records === 1 ? 'is' : 'are'} private or gone`
}

function namesOf({ versions, versionCount }: OpenedPart): string {
  const named = versions.slice(0, namedMax).join(', ')
  const rest = versionCount - Math.min(versions.length, namedMax)
  return rest > 0 ? `${named} and ${rest} older versions` : named
}
