/** Form for the columns: kind, privacy and values of each, and the columns of the id. */

import type { Kind, PlannedColumn } from '@ulmus/tabular'
import { shownName } from '../shared/shown-name.ts'
import { readingOf } from './edits.ts'
import type { ColumnFacts, Edits, Planned } from './shapes.ts'
import { counted, kindLabels, privateIdText } from './words.ts'

interface Props {
  readonly planned: Planned
  /** Columns of the plan with the user's edits. */
  readonly columns: readonly PlannedColumn[]
  readonly facts: readonly ColumnFacts[]
  onEdit(column: string, set: Edits[string]): void
  onIds(ids: readonly string[]): void
}

export function ColumnsForm({ planned, columns, facts, onEdit, onIds }: Props) {
  const ids = planned.plan.id
  const refused = privateIdText({ ...planned.plan, columns })
  const byName = new Map(columns.map((column) => [column.name, column]))
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard, too */}
      <section class="table-scroll" tabIndex={0} aria-label="Columns">
        <table class="data stacked field-table">
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">Id</th>
              <th scope="col">Kind</th>
              <th scope="col">Required</th>
              <th scope="col">Private</th>
              <th scope="col">Values</th>
            </tr>
          </thead>
          <tbody>
            {facts.map((one) => (
              <tr key={one.name}>
                <th scope="row">
                  <bdi>{shownName(one.name)}</bdi>
                  <ColumnState name={one.name} column={byName.get(one.name)} planned={planned} />
                </th>
                <td data-label="Id">
                  <input
                    type="checkbox"
                    aria-label={`${one.name} is the id, or part of it`}
                    checked={ids.includes(one.name)}
                    onChange={({ currentTarget: { checked } }) =>
                      onIds(checked ? [...ids, one.name] : ids.filter((id) => id !== one.name))
                    }
                  />
                </td>
                <FieldCells
                  facts={one}
                  column={byName.get(one.name)}
                  before={planned.plan.columns.find(({ name }) => name === one.name)}
                  onEdit={(set) => onEdit(one.name, set)}
                />
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p class="help" dir="auto">
        {planned.idText}
      </p>
      {refused !== undefined && (
        <p class="note warn" role="status" dir="auto">
          {refused}
        </p>
      )}
    </>
  )
}

interface StateProps {
  readonly name: string
  readonly column: PlannedColumn | undefined
  readonly planned: Planned
}

/** State of the column relative to the schema of the latest version. */
function ColumnState({ name, column, planned: { plan, isNew, guarded } }: StateProps) {
  const before = plan.columns.find((one) => one.name === name)
  const { field = name, isKnown = false } = column ?? {}
  const words = [
    ...(field === name ? [] : [`becomes ${field}`]),
    ...(isNew || column === undefined || isKnown ? [] : ['new field']),
    ...(isKnown && column !== undefined && before !== undefined ? changesOf(before, column) : []),
    ...(guarded.has(name) ? [guarded.get(name)!] : []),
  ]
  return words.length === 0 ? null : <span class="help">{words.join(' · ')}</span>
}

/** The user's changes to an existing field. */
const changesOf = (before: PlannedColumn, now: PlannedColumn): string[] => [
  ...(before.kind === now.kind ? [] : [`was ${kindLabels[before.kind]}`]),
  ...(before.isRequired === now.isRequired ? [] : [before.isRequired ? 'was required' : 'was optional']),
  ...(before.isPrivate === now.isPrivate ? [] : [before.isPrivate ? 'was private' : 'was public']),
]

interface CellsProps {
  readonly facts: ColumnFacts
  /** The edited column. Undefined: it becomes no field. */
  readonly column: PlannedColumn | undefined
  /** The column in the schema or the file. */
  readonly before: PlannedColumn | undefined
  onEdit(set: Edits[string]): void
}

function pathText([first, ...inner]: readonly string[]): string {
  if (first === undefined) return 'The whole record.'
  return inner.length === 0 ? `The field ${first}.` : 'A member of an object, by its name.'
}

function FieldCells({ facts, column, before, onEdit }: CellsProps) {
  const { name } = facts
  const choices = column?.choices ?? before?.choices ?? facts.choices
  if (column === undefined || before === undefined)
    return (
      <td class="quiet" colSpan={4}>
        {facts.isEmpty
          ? 'No row has a value: it makes no field.'
          : 'It is the id alone, and no field beside.'}
      </td>
    )
  if (column.path !== undefined)
    return (
      <>
        <td class="quiet" colSpan={3}>
          {pathText(column.path)}
        </td>
        <td>
          <span class="quiet examples">{facts.examples.join(' · ')}</span>
        </td>
      </>
    )
  return (
    <>
      <td data-label="Kind">
        <select
          aria-label={`Kind of ${name}`}
          value={column.kind}
          onChange={({ currentTarget: { value } }) => onEdit({ kind: value as Kind, choices: undefined })}
        >
          {Object.entries(kindLabels).map(([kind, label]) => (
            <option key={kind} value={kind}>
              {label}
            </option>
          ))}
        </select>
      </td>
      <td data-label="Required">
        <input
          type="checkbox"
          aria-label={`${name} is required`}
          checked={column.isRequired}
          onChange={({ currentTarget: { checked } }) => onEdit({ isRequired: checked })}
        />
      </td>
      <td data-label="Private">
        <input
          type="checkbox"
          aria-label={`${name} is private`}
          checked={column.isPrivate}
          onChange={({ currentTarget: { checked } }) => onEdit({ isPrivate: checked })}
        />
      </td>
      <td>
        <span class="quiet examples">{facts.examples.join(' · ')}</span>
        {facts.codes !== undefined && <span class="help">{facts.codes}</span>}
        {facts.readings.map(({ label, values, set }) => (
          <Tick
            key={label}
            label={label}
            values={values}
            checked={column.conversion === set.conversion}
            onTick={(isOn) =>
              onEdit(isOn ? readingOf(set, before) : { conversion: undefined, kind: before.kind })
            }
          />
        ))}
        {choices !== undefined && column.kind === 'string' && (
          <Tick
            label={`only these ${choices.length} values: ${listed(choices)}`}
            checked={column.choices !== undefined}
            onTick={(isOn) => onEdit({ choices: isOn ? choices : undefined })}
          />
        )}
      </td>
    </>
  )
}

interface TickProps {
  readonly label: string
  /** Number of values that it changes. */
  readonly values?: number
  readonly checked: boolean
  onTick(isOn: boolean): void
}

const Tick = ({ label, values, checked, onTick }: TickProps) => (
  <label class="check offer">
    <input type="checkbox" checked={checked} onChange={(event) => onTick(event.currentTarget.checked)} />
    <span dir="auto">
      {label}
      {values !== undefined && <span class="help"> {counted(values, 'value')}</span>}
    </span>
  </label>
)

/** Maximum length of a closed list in a label. Characters. */
const listCharacters = 120

function listed(choices: readonly string[]): string {
  const text = choices.map((value) => JSON.stringify(value)).join(', ')
  return text.length > listCharacters ? `${text.slice(0, listCharacters)}…` : text
}
