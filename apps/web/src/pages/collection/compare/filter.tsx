/** Filter of the records of a comparison: `?type=City&change=updated&column=population`, or `?type=City&id=oslo`. */
import type { DiffSummary } from '@ulmus/registry'
import { Select } from '../../../components/form.tsx'
import type { SeenCollection } from '../../../data/collection.ts'
import { own } from '../../../data/own.ts'
import { cutName } from '../../../format.ts'
import { changedColumns, type DiffAnswer, filteredMax } from './records.ts'

const kinds = ['added', 'updated', 'removed'] as const

/** The filter in the query, and the `cursor` of the page. */
export function askedIn(query: URLSearchParams) {
  const [cursor, type, column, id] = ['cursor', 'type', 'column', 'id'].map((name) => query.get(name) ?? '')
  const change = kinds.find((kind) => kind === query.get('change'))
  return {
    ...(cursor && { cursor }),
    ...(type && { type }),
    ...(change && { change }),
    ...(column && { column }),
    ...(id && { id }),
  }
}

interface FilterProps {
  readonly seen: SeenCollection
  readonly types: readonly string[]
  readonly asked: ReturnType<typeof askedIn>
  readonly page: DiffAnswer
  readonly summary: DiffSummary
  /** Schemas of the newer version. */
  readonly schemas: Readonly<Record<string, unknown>>
}

/** Notes when no record matches. */
export function Filter(props: FilterProps) {
  const { seen, types, asked, page } = props
  const isEmpty = page.added.length + page.updated.length + page.removed.length === 0
  if (isEmpty && Object.keys(asked).length === 0) return null
  const hasMore = page.pagination.nextCursor !== null
  const columns = columnsIn(props)
  return (
    <>
      <form class="filter" id="records">
        {seen.isMember && seen.view === 'public' && <input type="hidden" name="view" value="public" />}
        <Select name="type" label="Type" form={asked} value="" options={[['', 'all'], ...named(types)]} />
        <Select name="change" label="Change" form={asked} value="" options={[['', 'all'], ...named(kinds)]} />
        {columns.length > 0 && (
          <Select
            name="column"
            label="Changed in column"
            form={asked}
            value=""
            options={[['', 'any'], ...named(columns)]}
          />
        )}
        <button type="submit">Show</button>
      </form>
      {isEmpty && (
        <p class="quiet">
          {hasMore ? 'None among the first of many: see the next page.' : 'No record differs so.'}
        </p>
      )}
    </>
  )
}

/** Columns that changed in the type, or in any, and the one of the filter. */
function columnsIn({ summary: { types }, schemas, asked: { type, column } }: FilterProps): string[] {
  const some = type === undefined ? types : types.filter((one) => one.type === type)
  const labels = some.flatMap((one) =>
    changedColumns(one.columns, own(schemas, one.type)).map(({ label }) => label),
  )
  const short = labels.filter((label) => label !== '' && label.length <= filteredMax)
  return [...new Set([...short, ...(column === undefined ? [] : [column])])]
}

const named = (names: readonly string[]) => names.map((name) => [name, cutName(name, 60)] as const)
