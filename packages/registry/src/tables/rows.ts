/** Records on a page of rows. */
import { canonicalize, type FoundColumn, idColumn, type TableQuery, type Tree } from '@ulmus/content'
import { giveWay } from '@ulmus/storage'
import { JsonText } from '../answers/json-text.ts'
import { PageBudget } from '../answers/places.ts'
import { countAnswer } from '../budgets/answer-budget.ts'
import type { Context } from '../context.ts'
import { findRecord } from '../records/lookup.ts'
import { canonicalOf } from '../stored-leaves/canonical-forms.ts'
import { fieldOf } from './cells.ts'
import { chooseFields } from './choose-fields.ts'

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
  const fields = query.columns?.map((column) => ({
    name: fieldOf(column),
    path: isId(column) ? undefined : column.path,
  }))
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
      if (fields === undefined) {
        rows.push({ id, data: new JsonText(data) })
        continue
      }
      // Each record in its own turn of the event loop.
      await giveWay()
      rows.push({
        id,
        data: new JsonText(await context.work.run(chooseFields, { data, id, fields }, { owner: reader })),
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

const isId = ({ names }: FoundColumn): boolean => names.length === 1 && names[0] === idColumn.name
