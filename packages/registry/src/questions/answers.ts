/** Answers to saved questions as texts that can be compared: equal texts are the same answer. */
import { jsonOf } from '../answers/json-text.ts'
import type { Principal } from '../principal.ts'
import type { Building, TablePath } from '../tables/find-table.ts'
import type { Tables } from '../tables/tables.ts'
import { readParts } from './question-text.ts'

/** Facts of a question that decide its answer, as its row has them. */
export interface QuestionFacts {
  readonly sql: string | null
  readonly type: string | null
  readonly query: string | null
  readonly form: 'table' | 'chart' | 'map'
}

/** Rows of a statement, and records of a query, that are compared: as many as `…/answer` has. */
const [sqlRowsMax, recordsMax] = [10_000, 1_000]

/** @throws the refusals of the answer */
export async function comparableAnswer(
  tables: Tables,
  who: Principal,
  path: { owner: string; slug: string; v: string },
  { sql, type, query, form }: QuestionFacts,
): Promise<string | Building> {
  if (sql !== null) {
    const answer = await tables.sql(who, path, { sql, limit: sqlRowsMax, format: 'csv', isPublished: true })
    if ('building' in answer) return answer
    // Without an order the engine may give the rows in any.
    return rounded(answer.pieces.join('').split('\n').sort().join('\n'))
  }
  const answer = await queried(tables, who, { ...path, type: type! }, { query: query ?? '', form })
  return 'building' in answer ? answer : rounded(String(jsonOf(answer)))
}

/** The data that the form of a question draws: a chart and a map depend on few columns, but on all rows. */
async function queried(
  tables: Tables,
  who: Principal,
  path: TablePath,
  { query, form }: { query: string; form: QuestionFacts['form'] },
) {
  const { text, x, measure, of, by, coordinates } = readParts(query)
  if (form === 'chart' && x !== undefined) return tables.groups(who, path, { ...text, x, measure, of, by })
  if (form === 'map' && coordinates !== undefined)
    return tables.places(who, path, { ...text, coordinates, title: undefined })
  const answer = await tables.rows(who, path, { ...text, limit: recordsMax })
  return 'building' in answer ? answer : { rows: answer.rows, total: answer.total }
}

/** Sums of the same numbers differ in their last digits, by the order of adding. */
const rounded = (text: string): string =>
  text.replace(/\d+\.\d{6,}(?:e[+-]?\d+)?/gi, (number) => Number(number).toPrecision(12))
