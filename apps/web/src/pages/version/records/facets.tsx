/** Frequent values of some columns among the records that match, beside the table. */
import type { Facets } from '@ulmus/wire'
import { Name } from '../../../components/small.tsx'
import { countText } from '../../../format.ts'
import type { PageColumn } from './columns.ts'
import { ValueLink } from './profile.tsx'
import type { Asked } from './url.ts'

/** Values that are listed at once; more are folded. */
const valuesUsual = 8
/** Longer values are cut. Characters. */
const valueMax = 40

interface Props {
  readonly asked: Asked
  readonly facets: readonly { readonly column: PageColumn; readonly facet: Facets['facets'][number] }[]
  /** Labels of referenced records, by `type/id`. */
  readonly labels: ReadonlyMap<string, string>
}

export const FacetPanel = ({ asked, facets, labels }: Props) => (
  <aside class="facets" aria-label="Frequent values">
    {facets.map(({ column, facet: { values, others } }) => {
      const items = values.map(({ value, count }) => (
        <li key={String(value)}>
          <ValueLink
            asked={asked}
            column={column}
            value={value}
            most={valueMax}
            label={labels.get(`${column.refersTo}/${value}`)}
          />
          <span class="quiet number">{countText(count)}</span>
        </li>
      ))
      const rest = items.slice(valuesUsual)
      return (
        <section key={column.text}>
          <h2>
            <Name of={column.label} most={valueMax} />
          </h2>
          <ul>{items.slice(0, valuesUsual)}</ul>
          {rest.length > 0 && (
            <details>
              <summary>{rest.length} more</summary>
              <ul>{rest}</ul>
            </details>
          )}
          {others > 0 && <p class="quiet">and {countText(others)} rarer values</p>}
          {items.length === 0 && <p class="quiet">no values</p>}
        </section>
      )
    })}
  </aside>
)
