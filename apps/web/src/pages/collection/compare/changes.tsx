/** List of changed fields: of metadata, or of a record with many changes. */
import { TableHead } from '../../../components/data-table.tsx'
import { Name } from '../../../components/small.tsx'
import { Value } from '../../../components/values/value.tsx'
import type { Change } from '../../../data/changes.ts'
import type { VisitedCollection } from '../../../data/collection.ts'

/** Longer texts of a changed value are cut. Characters. */
const valueCharacters = 400
/** Maximum number of changed fields shown of metadata, or of one record. */
export const changesMax = 200

interface ChangesProps {
  readonly seen: VisitedCollection
  readonly changes: readonly Change[]
  /** Maximum number of changes shown. */
  readonly most?: number
}

const headings = [{ header: 'Column' }, { header: 'Was' }, { header: 'Is' }]

/** Old and new values side by side. */
export const Changes = ({ seen, changes, most = changesMax }: ChangesProps) => (
  <table class="changes">
    <TableHead headings={headings} isHidden />
    <tbody>
      {changes.slice(0, most).map(({ name, was, is }) => (
        <tr key={name}>
          <th scope="row">
            <Name of={name} most={100} />
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
