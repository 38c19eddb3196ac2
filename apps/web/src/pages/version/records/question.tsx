/** Search, filters and order of the records page: the form, the present filters, and the links that change them. */
import { filtersMax, findColumns, type Operator, operators } from '@ulmus/content'
import type { Building, RegistryError } from '@ulmus/registry'
import type { ComponentChildren } from 'preact'
import { Icon } from '../../../components/icon.tsx'
import { Name } from '../../../components/small.tsx'
import { counted, countText, cutName, withoutUnseen } from '../../../format.ts'
import { versionPath } from '../../../paths.ts'
import {
  type Asked,
  fieldLabel,
  fieldText,
  fieldTextMax,
  keptFields,
  noQuestion,
  parsedQuestion,
  pathTo,
} from './url.ts'

/** Longer names and values are cut. Characters. */
const textsMax = 60
/** Fields in the list of the form. */
const fieldsMax = 500

const operatorLabels: Readonly<Record<Operator, string>> = {
  eq: 'is',
  ne: 'is not',
  lt: '<',
  le: '≤',
  gt: '>',
  ge: '≥',
  contains: 'contains',
  starts: 'starts with',
  ends: 'ends with',
  in: 'is one of',
  null: 'has no value',
  notnull: 'has a value',
}

interface Props {
  readonly asked: Asked
  readonly refused: RegistryError | undefined
}

/** Works without JavaScript: the page reads the filter of the form beside the others. */
export const QuestionForm = ({ asked, refused }: Props) => (
  <search aria-label={`Records of type ${withoutUnseen(cutName(asked.type, textsMax))}`}>
    <form class="question" action={versionPath(asked.seen, 'records', asked.type)}>
      <span class="search">
        <Icon name="search" />
        <input
          type="search"
          name="q"
          aria-label="Words in the records"
          placeholder="Search records"
          value={asked.question.q}
          autocomplete="off"
          spellcheck={false}
        />
      </span>
      <FilterFields asked={asked} refused={refused} />
      <HiddenFields of={keptFields(asked, ['filter', 'sort', 'columns'])} />
    </form>
  </search>
)

function FilterFields({ asked: { columns, draft }, refused }: Props) {
  const { field = '', op = 'eq', value = '' } = draft ?? {}
  const fields = findColumns(columns)
    .map((column) => [fieldText(column.names, columns), fieldLabel(column)] as const)
    .filter(([text]) => text.length <= fieldTextMax)
    .slice(0, fieldsMax)
  if (field !== '' && !fields.some(([text]) => text === field)) fields.push([field, field])
  return (
    <fieldset>
      <legend class="sr-only">Add a filter</legend>
      <select name="field" aria-label="Column">
        <option value="">Add a filter…</option>
        {fields.map(([text, label]) => (
          <option key={text} value={text} selected={text === field}>
            {withoutUnseen(cutName(label, textsMax))}
          </option>
        ))}
      </select>
      <select name="op" aria-label="Operator">
        {operators.map((one) => (
          <option key={one} value={one} selected={one === op}>
            {operatorLabels[one]}
          </option>
        ))}
      </select>
      <input
        name="value"
        aria-label="Value"
        placeholder="Value"
        value={value}
        autocomplete="off"
        spellcheck={false}
        {...(refused !== undefined && draft !== undefined
          ? { 'aria-invalid': true, 'aria-describedby': 'question-refusal', autofocus: true }
          : {})}
      />
      <button type="submit">Search</button>
    </fieldset>
  )
}

export const HiddenFields = ({ of }: { of: ReturnType<typeof keptFields> }) => (
  <>
    {of.map(([name, value]) => (
      <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
    ))}
  </>
)

/** The parts of the question as links that remove them. @param total records that match; undefined: not known */
export function Present({ asked, total, all }: { asked: Asked; total: number | undefined; all: number }) {
  const { question, columns } = asked
  const { q, filter, sort } = question
  return (
    <div class="present">
      {total !== undefined && (
        <strong>
          {countText(total)} of {counted(all, 'record')}
        </strong>
      )}
      <ul class="chips" aria-label="Search, filters and order">
        {q !== '' && (
          <Chip what="words" to={pathTo(asked, { q: '' })}>
            “<Text of={q} />”
          </Chip>
        )}
        {filter.slice(0, filtersMax).map((one, index) => (
          <Chip key={one} what="filter" to={pathTo(asked, { filter: filter.toSpliced(index, 1) })}>
            <FilterWords filter={one} columns={columns} />
          </Chip>
        ))}
        {sort !== undefined && (
          <Chip what="order" to={pathTo(asked, { sort: undefined })}>
            <OrderWords asked={asked} />
          </Chip>
        )}
      </ul>
      <a href={pathTo(asked, noQuestion)}>Clear all</a>
    </div>
  )
}

interface ChipProps {
  /** The part that the link removes, for screen readers. */
  readonly what: string
  readonly to: string
  readonly children: ComponentChildren
}

const Chip = ({ what, to, children }: ChipProps) => (
  <li>
    <a class="chip" href={to} rel="nofollow">
      <span class="sr-only">Remove {what} </span>
      {children} <span aria-hidden="true">×</span>
    </a>
  </li>
)

const Text = ({ of }: { of: string }) => <Name of={of} most={textsMax} />

/** A part of the question as it is written. */
const Wrong = ({ text }: { text: string }) => (
  <span class="wrong">
    <Text of={text} />
  </span>
)

/** `population > 1000000` */
function FilterWords({ filter, columns }: { filter: string; columns: Asked['columns'] }) {
  const [found] = parsedQuestion({ filter }, columns)?.filters ?? []
  if (found === undefined) return <Wrong text={filter} />
  return (
    <>
      <Text of={fieldLabel(found.column)} /> {operatorLabels[found.operator]}{' '}
      {found.values.length > 0 && <Text of={found.values.map(String).join(', ')} />}
    </>
  )
}

/** `area ↓, name ↑` */
function OrderWords({ asked: { order, question } }: { asked: Asked }) {
  if (order === undefined) return <Wrong text={question.sort ?? ''} />
  return order.map(({ column, isDescending }, index) => (
    <span key={column.path}>
      {index > 0 && ', '}
      <Text of={fieldLabel(column)} /> {isDescending ? '↓' : '↑'}
    </span>
  ))
}

/** Progress of the table that a question needs. */
export const BuildingNote = ({ building: { rowsDone, rows } }: Building) => (
  <div class="note building" role="status">
    <p>
      The server prepares these records for questions: {countText(rowsDone)} of {counted(rows, 'record')}. The
      page loads itself again and then shows the result.
    </p>
    <progress max={Math.max(1, rows)} value={rowsDone} aria-label="Prepared records" />
  </div>
)
