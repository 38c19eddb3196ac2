/** Answers to questions about a table: rows, facets and statistics. `tables.ts` offers them; `engine/` has the statements. */
import { findColumns, type QueryText, type TableColumn, type TableQuery } from '@ulmus/content'
import { JsonText } from '../answers/json-text.ts'
import { countAnswer, readerOf } from '../budgets/answer-budget.ts'
import type { Context } from '../context.ts'
import type { Principal } from '../principal.ts'
import { countOf } from './cells.ts'
import { countStatement, facetStatement, pageStatement } from './engine/query-sql.ts'
import { type OpenTable, patience, type TableFinder, type TablePath, within } from './find-table.ts'
import { type CostlyQuestions, deadlineOf, largeTable } from './patience.ts'
import { asChosen, demandFacets, facetOf, facetsBytes, questionName, readQuery } from './questions.ts'
import { rowsOf } from './rows.ts'
import { type Ask, statisticsBytes, writeStatistics } from './statistics.ts'

/** @throws unknown_field, invalid_request, busy, query_too_costly, tables_unavailable */
export const questionsOf = (context: Context, finder: TableFinder, costly: CostlyQuestions) => ({
  /** A page of the records that match, as they are in the version. */
  rows: (who: Principal, path: TablePath, text: QueryText) =>
    finder.withTable(who, path, (columns) => {
      const query = readQuery(text, columns)
      return async ({ source, ask }) => {
        countAnswer(Math.min(query.limit, source.tree.count) * idBytesMax)
        const [found, counts] = await costly.run(questionName(path, source, 'rows', text), () =>
          ask([pageStatement(query), countStatement(query)]),
        )
        const ids = found!.map(([id]) => String(id))
        const rows = await rowsOf(context, source.tree, {
          type: path.type,
          ids,
          query,
          reader: readerOf(who),
        })
        const total = countOf(counts![0]![0])
        const end = query.offset + rows.length
        const next = end < total && rows.length > 0 ? end : null
        return { columns: query.columns?.map(asChosen) ?? columns, rows, total, next }
      }
    }),

  /** The most frequent values of some columns, under the filters of a question: each facet as JSON. */
  facets: (who: Principal, path: TablePath, text: QueryText & { facet: readonly string[] }) =>
    finder.withTable(who, path, (columns) => {
      const query = readQuery(text, columns)
      demandFacets(query.facet)
      return async ({ source, file, ask }) => {
        countAnswer(facetsBytes(query.facet))
        const askOnce: Ask = (statements) =>
          costly.run(questionName(path, source, 'facets', statements), () => ask(statements))
        if (query.words.length === 0 && query.filters.length === 0) {
          const facets = await wholeFacets(finder, { columns, query, file, ask: askOnce })
          return { total: source.tree.count, facets }
        }
        const statements = query.facet.map((column) => facetStatement(query, column))
        const [counts, ...facets] = await askOnce([countStatement(query), ...statements])
        return {
          total: countOf(counts![0]![0]),
          facets: facets.map((rows, index) => new JsonText(facetOf(query.facet[index]!, rows))),
        }
      }
    }),

  /** `TableStatistics` of all columns, over all rows, as JSON: computed once for each table. Their progress if that takes longer. */
  statistics: (who: Principal, path: TablePath) =>
    finder.withTable<JsonText>(who, path, (columns) => async (table) => {
      const { source, file } = table
      countAnswer(statisticsBytes(columns))
      const { engine, files } = finder.installed
      const milliseconds = deadlineOf('statistics', source.tree)
      const patiently: Ask = async (statements) =>
        engine.askPatiently(readerOf(who), file.path, statements, {
          scratch: await files.scratch(),
          milliseconds,
        })
      const ask = source.tree.count > largeTable ? patiently : table.ask
      const found = costly.run(questionName(path, source, 'statistics', ''), () =>
        files.remember(file, 'statistics', () => writeStatistics(columns, file.misfits, ask)),
      )
      const { count } = source.tree
      const bytes = await within(found, patience.question)
      return bytes === undefined ? { building: { rowsDone: count, rows: count } } : new JsonText(bytes)
    }),
})

/** Bytes of an id and the characters around it. */
const idBytesMax = 1_100

interface WholeFacetsAsk extends Pick<OpenTable, 'file' | 'ask'> {
  readonly columns: readonly TableColumn[]
  readonly query: TableQuery
}

/** Facets over all rows, each computed once for each table. */
async function wholeFacets(finder: TableFinder, { columns, query, file, ask }: WholeFacetsAsk) {
  const keys = findColumns(columns).map(({ names }) => JSON.stringify(names))
  const facets: JsonText[] = []
  // One at a time: an account may have few questions under way.
  for (const column of query.facet) {
    const name = `facet${keys.indexOf(JSON.stringify(column.names))}`
    const facet = await finder.installed.files.remember(file, name, async () => {
      const [rows] = await ask([facetStatement(query, column)])
      return facetOf(column, rows!)
    })
    facets.push(new JsonText(facet))
  }
  return facets
}
