/** Filter of the records of a comparison: `?type=City&change=updated&column=population`, or `?type=City&id=oslo`. */

import type { DiffSummary } from '@ulmus/registry'
import { Select } from '../../../components/form.tsx'
import type { VisitedCollection } from '../../../data/collection.ts'
import { counted, countText, cutName } from '../../../format.ts'
import { own } from '../../../page.ts'
import { changedColumns, type DiffAnswer, filteredMax } from './records.ts'

const kinds = ['added', 'updated', 'removed'] as const

/** The filter in the query, and the `cursor` of the page. */
export function filterIn(query: URLSearchParams) {
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
  readonly seen: VisitedCollection
  readonly types: readonly string[]
  readonly filter: ReturnType<typeof filterIn>
  readonly page: DiffAnswer
  readonly summary: DiffSummary
  /** Schemas of the newer version. */
  readonly schemas: Readonly<Record<string, unknown>>
  /** Path of the page with another filter. */
  pathTo(filter: { type: string }): string
}

/** Notes when no record matches. */
export function Filter(props: FilterProps) {
  const { seen, types, filter, page } = props
  const isEmpty = page.added.length + page.updated.length + page.removed.length === 0
  if (isEmpty && Object.keys(filter).length === 0) return null
  const hasMore = page.pagination.nextCursor !== null
  const columns = columnsIn(props)
  return (
    <>
      <form class="filter" id="records">
        {seen.readsAll && seen.view === 'public' && <input type="hidden" name="view" value="public" />}
        <Select name="type" label="Type" form={filter} value="" options={[['', 'all'], ...named(types)]} />
        <Select
          name="change"
          label="Change"
          form={filter}
          value=""
          options={[['', 'all'], ...named(kinds)]}
        />
        {columns.length > 0 && (
          <Select
            name="column"
            label="Changed in column"
            form={filter}
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
      <WholeRecords {...props} />
    </>
  )
}

/** Records that came or went, which no filter by a column finds although all their values did. */
function WholeRecords({ filter: { type, column }, summary, pathTo }: FilterProps) {
  const found = summary.types.find((one) => one.type === type)
  if (found === undefined || column === undefined || found.added + found.removed === 0) return null
  return (
    <p class="quiet">
      {counted(found.added, 'record')} added and {countText(found.removed)} removed with all columns.{' '}
      <a href={`${pathTo({ type: found.type })}#records`}>Show all changes</a>
    </p>
  )
}

/** Columns that changed in the type, or in any, and the one of the filter. */
function columnsIn({ summary: { types }, schemas, filter: { type, column } }: FilterProps): string[] {
  const some = type === undefined ? types : types.filter((one) => one.type === type)
  const labels = some.flatMap((one) =>
    changedColumns(one.columns, own(schemas, one.type)).map(({ label }) => label),
  )
  const short = labels.filter((label) => label !== '' && label.length <= filteredMax)
  return [...new Set([...short, ...(column === undefined ? [] : [column])])]
}

const named = (names: readonly string[]) => names.map((name) => [name, cutName(name, 60)] as const)
