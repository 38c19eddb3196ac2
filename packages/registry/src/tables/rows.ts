/** Records on a page of rows. */
import { canonicalize, type FoundColumn, type Json, type TableQuery, type Tree } from '@ulmus/content'
import { JsonText } from '../answers/json-text.ts'
import { PageBudget } from '../answers/places.ts'
import { countAnswer } from '../budgets/answer-budget.ts'
import type { Context } from '../context.ts'
import { findRecord } from '../records/lookup.ts'
import { canonicalOf } from '../stored-leaves/canonical-forms.ts'
import { fieldOf } from './cells.ts'

/** Records that are read at the same time. */
const recordsAtOnce = 8

interface RowsAsk {
  readonly type: string
  readonly ids: readonly string[]
  readonly query: TableQuery
  readonly reader: string
}

/** Records as they are in the version, or the chosen columns of them, as many as fit on a page. */
export async function rowsOf(
  context: Context,
  tree: Tree,
  { type, ids, query, reader }: RowsAsk,
): Promise<{ id: string; data: JsonText }[]> {
  const rows: { id: string; data: JsonText }[] = []
  const budget = new PageBudget(query.limit)
  for (let at = 0; at < ids.length; at += recordsAtOnce) {
    const some = ids.slice(at, at + recordsAtOnce)
    const found = await Promise.all(some.map((id) => findRecord(context, tree, id, reader)))
    for (const [index, record] of found.entries()) {
      const id = some[index]!
      if (record === undefined)
        throw new Error(`The table has a record ${JSON.stringify(id)} that its tree lacks.`)
      if (!budget.take(record.size)) return rows
      countAnswer(record.size)
      const data = dataIn(await canonicalOf(context.objects, record.line), id, type)
      rows.push({
        id,
        data: query.columns === undefined ? new JsonText(data) : chosenOf(data, id, query.columns),
      })
    }
  }
  return rows
}

/** The bytes of `data` in a canonical form, which ends with them: `{"id":…,"type":…,"data":…}`. They are not parsed. */
function dataIn(canonical: Uint8Array, id: string, type: string): Uint8Array {
  const start = Buffer.byteLength(`{"id":${canonicalize(id)},"type":${canonicalize(type)},"data":`)
  return canonical.subarray(start, -1)
}

function chosenOf(data: Uint8Array, id: string, columns: readonly FoundColumn[]): JsonText {
  const parsed = JSON.parse(Buffer.from(data).toString()) as Json
  const chosen = columns.map((column): [string, Json] => [
    fieldOf(column),
    column.name === '_id' && column.names.length === 1 ? id : valueAt(parsed, column.path),
  ])
  return new JsonText(JSON.stringify(Object.fromEntries(chosen)))
}

function valueAt(data: Json, pointer: string): Json {
  let at: Json | undefined = data
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~')
    at =
      typeof at === 'object' && at !== null && !Array.isArray(at) && Object.hasOwn(at, name)
        ? at[name]
        : undefined
  }
  return at ?? null
}
