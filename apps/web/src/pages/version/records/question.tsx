/** Search, filters and order of the records page: the form, the present filters, and the links that change them. */
import { filtersMax, findColumns, type Operator, operators, type TableQuery } from '@ulmus/content'
import type { Building, RegistryError } from '@ulmus/registry'
import type { ComponentChildren } from 'preact'
import { Icon, Name } from '../../../components/small.tsx'
import { oneLine } from '../../../data/citation.ts'
import { areQuantities, counted, countText, cutName, numberText, withoutUnseen } from '../../../format.ts'
import { versionPath } from '../../../paths.ts'
import {
  fieldLabel,
  fieldText,
  fieldTextMax,
  keptFields,
  noQuery,
  parsedQuery,
  pathTo,
  type Query,
  type RecordsAddress,
} from '../../../record-table/address.ts'
import type { PageColumn } from '../../../record-table/columns.ts'

type Filter = TableQuery['filters'][number]

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

/**
 * The question of a visit. Only an address asks: the filter of a sent form becomes part of it first.
 *
 *     none ── form ──► draft ── redirect ──► building ── reload ──► answered
 *                        │                      │                      │
 *                        └── wrong ──► refused ◄┴──── wrong, busy ─────┘
 */
export type Question =
  /** The page shows all records by id, or the one that `?id=` names. */
  | { readonly state: 'none' }
  | { readonly state: 'draft'; readonly query: Query }
  /** The server builds the table that answers. */
  | { readonly state: 'building'; readonly progress: Building }
  | { readonly state: 'answered' }
  | { readonly state: 'refused'; readonly error: RegistryError }

interface Props {
  readonly address: RecordsAddress
  /** False: this server answers no questions, so the form goes to an id. */
  readonly canAsk: boolean
  /** Records of the type. */
  readonly count: number
  /** The id that the visitor looks for; empty: none. */
  readonly id: string
  readonly refused: RegistryError | undefined
}

/** Works without JavaScript: the page reads the filter of the form beside the others. */
export const QuestionForm = ({ address, canAsk, count, id, refused }: Props) => (
  <search aria-label={`Records of type ${withoutUnseen(cutName(address.type, textsMax))}`}>
    <form class="question" action={versionPath(address.seen, 'records', address.type)}>
      <span class="search">
        <Icon name="search" />
        <input
          type="search"
          name={canAsk ? 'q' : 'id'}
          aria-label={canAsk ? 'Words in the records, an id, or a filter' : 'Id of a record'}
          placeholder={canAsk ? searchHint(address, count) : 'Go to id'}
          value={canAsk ? address.query.q : id}
          autocomplete="off"
          spellcheck={false}
          {...(canAsk ? {} : { maxLength: 1_024 })}
        />
      </span>
      {canAsk && (
        <details class="menu filter-menu" open={refused !== undefined && address.draft !== undefined}>
          <summary>
            Filter
            <Icon name="chevron" />
          </summary>
          <div class="float">
            <FilterFields address={address} refused={refused} />
          </div>
        </details>
      )}
      <HiddenFields of={keptFields(address, canAsk ? ['filter', 'sort', 'columns'] : [])} />
    </form>
  </search>
)

/** Names the first column, if it is short: `Search 250 records, go to an id, or filter: country = …` */
function searchHint({ columns }: RecordsAddress, count: number): string {
  const records = `Search ${counted(count, 'record')}`
  const [first] = columns.filter(
    ({ name, type }) => name !== '_id' && type !== 'object' && type !== 'list' && type !== 'json',
  )
  const text = first && fieldText([first.name], columns)
  if (text === undefined || text.length > 20) return `${records}, or go to an id`
  return `${records}, go to an id, or filter: ${withoutUnseen(text)} = …`
}

function FilterFields({ address: { columns, draft }, refused }: Pick<Props, 'address' | 'refused'>) {
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
        <option value="">Column…</option>
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
      <button type="submit">Add filter</button>
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

interface PresentProps {
  readonly address: RecordsAddress
  readonly all: readonly PageColumn[]
  /** Records that match; undefined: not known. */
  readonly total: number | undefined
  /** Records of the type. */
  readonly count: number
  /** Path of the record whose id the words are. */
  readonly named: string | undefined
}

/** The parts of the question as links that remove them. */
export function Present({ address, all, total, count, named }: PresentProps) {
  const { query, columns } = address
  const { q, filter, sort } = query
  return (
    <div class="present">
      {total !== undefined && (
        <strong>
          {countText(total)} of {counted(count, 'record')}
        </strong>
      )}
      <ul class="chips" aria-label="Search, filters and order">
        {q !== '' && (
          <Chip what="words" to={pathTo(address, { q: '' })}>
            “<Text of={q} />”
          </Chip>
        )}
        {filter.slice(0, filtersMax).map((one, index) => (
          <Chip key={one} what="filter" to={pathTo(address, { filter: filter.toSpliced(index, 1) })}>
            <FilterWords filter={one} columns={columns} all={all} />
          </Chip>
        ))}
        {sort !== undefined && (
          <Chip what="order" to={pathTo(address, { sort: undefined })}>
            <OrderWords address={address} />
          </Chip>
        )}
      </ul>
      <a href={pathTo(address, noQuery)}>Clear all</a>
      {named !== undefined && (
        <a href={named}>
          Go to the record <Text of={q} />
        </a>
      )}
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
function FilterWords({
  filter,
  columns,
  all,
}: { filter: string; columns: RecordsAddress['columns'] } & Pick<PresentProps, 'all'>) {
  const [found] = parsedQuery({ filter }, columns)?.filters ?? []
  if (found === undefined) return <Wrong text={filter} />
  return (
    <>
      <Text of={fieldLabel(found.column)} /> {operatorLabels[found.operator]}{' '}
      {found.values.length > 0 && <Text of={valuesText(found, all)} />}
    </>
  )
}

/** `area ↓, name ↑` */
function OrderWords({ address: { order, query } }: { address: RecordsAddress }) {
  if (order === undefined) return <Wrong text={query.sort ?? ''} />
  if (order.length === 0) return 'best match'
  return order.map(({ column, isDescending }, index) => (
    <span key={column.path}>
      {index > 0 && ', '}
      <Text of={fieldLabel(column)} /> {isDescending ? '↓' : '↑'}
    </span>
  ))
}

/** The question in words for one line of a text: ` with “oslo” where area > 1,000,000, ordered by area ↓`. Empty: none. */
export function questionText(
  { query: { q, filter }, order = [], columns }: RecordsAddress,
  all: readonly PageColumn[],
): string {
  const filters = parsedQuery({ filter }, columns)?.filters ?? []
  const conditions = filters.map((one) =>
    `${fieldLabel(one.column)} ${operatorLabels[one.operator]} ${valuesText(one, all)}`.trim(),
  )
  const orders = order.map(({ column, isDescending }) => `${fieldLabel(column)} ${isDescending ? '↓' : '↑'}`)
  return [
    q === '' ? '' : ` with “${oneLine(q)}”`,
    conditions.length === 0 ? '' : ` where ${oneLine(conditions.join(' and '))}`,
    orders.length === 0 ? '' : `, ordered by ${oneLine(orders.join(', '))}`,
  ].join('')
}

/** Numbers as the column has them. A column that the page does not know has these alone. */
function valuesText({ column, values }: Filter, all: readonly PageColumn[]): string {
  const known = all.find((one) => one.column?.path === column.path)
  const isQuantity = known?.isQuantity ?? areQuantities(fieldLabel(column), values)
  return values
    .map((value) =>
      typeof value === 'number' || typeof value === 'bigint' ? numberText(value, isQuantity) : String(value),
    )
    .join(', ')
}

/** Progress of the table that a question needs. */
export const BuildingNote = ({ building: { rowsDone, rows } }: Building) => (
  <div class="note building" role="status">
    <p>
      The server prepares these records for questions: {countText(rowsDone)} of {counted(rows, 'record')}. The
      result appears here by itself.
    </p>
    <progress max={Math.max(1, rows)} value={rowsDone} aria-label="Prepared records" />
  </div>
)
