/** Search, filters and order of the records page: the form, and progress of the table that answers. */
import { findColumns, type Operator, operators } from '@ulmus/content'
import type { Building, RegistryError } from '@ulmus/registry'
import { Icon } from '../../../components/small.tsx'
import { counted, countText, cutName, withoutUnseen } from '../../../format.ts'
import { versionPath } from '../../../paths.ts'
import {
  fieldLabel,
  fieldText,
  fieldTextMax,
  keptFields,
  type Query,
  type RecordsAddress,
} from '../../../record-table/address.ts'

/** Longer names and values are cut. Characters. */
export const textsMax = 60
/** Fields in the list of the form. */
const fieldsMax = 500

export const operatorLabels: Readonly<Record<Operator, string>> = {
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

/** Id of the list of frequent values that the form suggests. */
export const valuesList = 'frequent-values'

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
        <details class="menu filter-menu">
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
        list={valuesList}
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
