/** Renders differences in sentences and field by field. */
import type { DiffPage } from '@ulmus/wire'
import { type Change, memberChanges } from '../data/changes.ts'
import type { SeenCollection } from '../data/collection.ts'
import { own } from '../data/own.ts'
import { bytesText, cutText } from '../format.ts'
import { jsonBytes, readJson, type Visit } from '../page.ts'
import { recordPath, type VersionPlace } from '../paths.ts'
import { Value } from './value.tsx'

/** Longer texts of a changed value are cut. Characters. */
const valueCharacters = 400
/** Only the size is shown for larger records. Bytes. */
const recordBytesMax = 131_072
/** Total of the records shown on a page; for the rest only sizes are shown. Bytes. */
const shownBytesMax = 400_000
/** Maximum number of changed fields shown of metadata, or of one record. */
const changesMax = 200
/** Maximum number of changed fields shown of all records of a page, which share it equally. */
const changesOfPage = 2_000

/** A page of a diff as the registry returns it, with unparsed records. */
export type DiffAnswer = Awaited<ReturnType<Visit['registry']['diffs']['page']>>

interface ChangesProps {
  readonly seen: SeenCollection
  readonly changes: readonly Change[]
  /** Maximum number of changes shown. */
  readonly most?: number
}

/** Old and new values side by side. */
export const Changes = ({ seen, changes, most = changesMax }: ChangesProps) => (
  <table class="changes">
    <thead class="sr-only">
      <tr>
        <th scope="col">Field</th>
        <th scope="col">Was</th>
        <th scope="col">Is</th>
      </tr>
    </thead>
    <tbody>
      {changes.slice(0, most).map(({ name, was, is }) => (
        <tr key={name}>
          <th scope="row">
            <bdi>{cutText(name, 100)}</bdi>
          </th>
          <td class={was === undefined ? 'none' : 'was'}>
            {was !== undefined && <Value value={was} seen={seen} most={valueCharacters} />}
          </td>
          <td class={is === undefined ? 'none' : 'is'}>
            {is !== undefined && <Value value={is} seen={seen} most={valueCharacters} />}
          </td>
        </tr>
      ))}
      {changes.length > most && (
        <tr>
          <th scope="row">…</th>
          <td class="quiet" colSpan={2}>
            and {changes.length - most} more
          </td>
        </tr>
      )}
    </tbody>
  </table>
)

interface Difference {
  readonly kind: 'added' | 'updated' | 'removed'
  readonly type: string
  readonly id: string
  /** Undefined if it is too large for a page, or the record was removed. */
  readonly data?:
    | { readonly was: Readonly<Record<string, unknown>>; readonly is: Readonly<Record<string, unknown>> }
    | undefined
  readonly bytes: number
}

/** Merges the three lists of a page, by type and id. */
function differencesIn(page: DiffAnswer): Difference[] {
  let left = shownBytesMax
  const read = (text: DiffAnswer['added'][number], kind: 'added' | 'updated'): Difference => {
    const bytes = jsonBytes(text)
    const { id, type, data, previousData } = readJson<DiffPage['updated'][number]>(text)
    const isShown = bytes <= Math.min(recordBytesMax, left)
    if (isShown) left -= bytes
    const shown = isShown ? { was: (previousData ?? {}) as object, is: data as object } : undefined
    return { kind, type, id, bytes, data: shown as Difference['data'] }
  }
  const all = [
    ...page.added.map((text) => read(text, 'added')),
    ...page.updated.map((text) => read(text, 'updated')),
    ...page.removed.map(({ type, id }): Difference => ({ kind: 'removed', type, id, bytes: 0 })),
  ]
  return all.sort((a, b) => (a.type === b.type ? (a.id < b.id ? -1 : 1) : a.type < b.type ? -1 : 1))
}

interface DifferencesProps {
  readonly seen: SeenCollection
  readonly page: DiffAnswer
  /** Schemas of the newer version. */
  readonly schemas: Readonly<Record<string, unknown>>
  /** Version that contains the removed records. */
  readonly before: VersionPlace
  /** Version that contains the other records. */
  readonly after: VersionPlace
}

/** Records of a page of differences, by type, field by field. */
export function Differences({ seen, page, schemas, before, after }: DifferencesProps) {
  const differences = differencesIn(page)
  const types = [...new Set(differences.map(({ type }) => type))]
  const most = Math.min(changesMax, Math.floor(changesOfPage / Math.max(1, differences.length)))
  return types.map((type) => (
    <section key={type}>
      <h3>
        <bdi>{type}</bdi>
      </h3>
      {differences
        .filter((one) => one.type === type)
        .map(({ kind, id, data, bytes }) => (
          <article key={id} class={`difference ${kind}`}>
            <h4>
              <span class="kind">{kind}</span>{' '}
              <a href={recordPath(kind === 'removed' ? before : after, type, id)}>
                <bdi>{cutText(id, 120)}</bdi>
              </a>
            </h4>
            {data !== undefined && (
              <Changes
                seen={seen}
                changes={memberChanges(data.was, data.is, own(schemas, type))}
                most={most}
              />
            )}
            {data === undefined && kind !== 'removed' && (
              <p class="quiet">A large record: {bytesText(bytes)}</p>
            )}
          </article>
        ))}
    </section>
  ))
}
