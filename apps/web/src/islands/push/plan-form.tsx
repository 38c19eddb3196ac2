/** How the rows of a file become records: the type, the id, and of each column its kind and whether it is private. */
import { type Inference, type Kind, kinds, type Plan, type PlannedColumn } from '@ulmus/tabular'

const cellCharacters = 60

interface Props {
  readonly inference: Inference
  readonly plan: Plan
  onChange(plan: Plan): void
}

export function PlanForm({ inference, plan, onChange }: Props) {
  const change = (name: string, to: Partial<PlannedColumn>) =>
    onChange({
      ...plan,
      columns: plan.columns.map((column) => (column.name === name ? { ...column, ...to } : column)),
    })
  const examples = new Map(inference.columns.map((column) => [column.name, column.examples]))
  return (
    <section class="plan" aria-label="How the file is read">
      <div class="filter">
        <label>
          Type
          <input
            value={plan.type}
            onInput={(event) => onChange({ ...plan, type: event.currentTarget.value.trim() })}
          />
        </label>
        <label>
          Id
          <select
            value={plan.id[0] ?? ''}
            onChange={(event) =>
              onChange({ ...plan, id: event.currentTarget.value === '' ? [] : [event.currentTarget.value] })
            }
          >
            <option value="">numbered from 1</option>
            {inference.columns.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <span class="quiet">{inference.rows.toLocaleString('en-US')} rows</span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it, too */}
      <section class="table-scroll" tabIndex={0} aria-label="Columns">
        <table class="data">
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">Kind</th>
              <th scope="col">Required</th>
              <th scope="col">Private</th>
              <th scope="col">First values</th>
            </tr>
          </thead>
          <tbody>
            {plan.columns.map((column) => (
              <tr key={column.name}>
                <th scope="row">{column.name}</th>
                <td>
                  <select
                    aria-label={`Kind of ${column.name}`}
                    value={column.kind}
                    onChange={(event) =>
                      change(column.name, { kind: event.currentTarget.value as Kind, choices: undefined })
                    }
                  >
                    {kinds.map((kind) => (
                      <option key={kind} value={kind}>
                        {kind}
                      </option>
                    ))}
                  </select>
                </td>
                <td>
                  <input
                    type="checkbox"
                    aria-label={`${column.name} is required`}
                    checked={column.isRequired}
                    onChange={(event) => change(column.name, { isRequired: event.currentTarget.checked })}
                  />
                </td>
                <td>
                  <input
                    type="checkbox"
                    aria-label={`${column.name} is private`}
                    checked={column.isPrivate}
                    onChange={(event) => change(column.name, { isPrivate: event.currentTarget.checked })}
                  />
                </td>
                <td class="quiet">{(examples.get(column.name) ?? []).map(shown).join(' · ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  )
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > cellCharacters ? `${text.slice(0, cellCharacters)}…` : text
}
