/** Numbers of changed cells by column, as on the page that compares versions. Each shows its records. */
import { shownName } from '../../shared/shown-name.ts'
import type { ChangedCell, ColumnCounts } from '../shapes.ts'
import { countText } from '../words.ts'

interface Props {
  readonly columns: readonly ColumnCounts[]
  /** The count whose records are shown. */
  readonly chosen: ChangedCell | undefined
  onFilter(cell: ChangedCell): void
}

const changes = ['filled', 'changed', 'emptied'] as const

export const ChangedCellsView = ({ columns, chosen, onFilter }: Props) =>
  columns.length > 0 && (
    <section class="compared">
      <h4>By column</h4>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard, too */}
      <section class="table-scroll" tabIndex={0} aria-label="Changes by column">
        <table class="data change-counts">
          <thead class="sr-only">
            <tr>
              <th scope="col">Column</th>
              <th scope="col">Filled</th>
              <th scope="col">Changed</th>
              <th scope="col">Emptied</th>
            </tr>
          </thead>
          <tbody>
            {columns.map(({ label, ...counts }) => (
              <tr key={label}>
                <th scope="row">
                  <bdi>{label === '' ? 'the whole record' : shownName(label)}</bdi>
                </th>
                {changes.map((change) => (
                  <td key={change} class={counts[change] > 0 ? change : undefined}>
                    {counts[change] > 0 && (
                      <button
                        type="button"
                        aria-pressed={chosen?.label === label && chosen.change === change}
                        onClick={() => onFilter({ label, change })}
                      >
                        {countText(counts[change])} {change}
                      </button>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  )
