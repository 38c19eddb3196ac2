/** Maps of the records that match. `tables.ts` offers them. */
import { type FoundColumn, findColumns, parseJson, type TableColumn } from '@ulmus/content'
import { countAnswer } from '../../budgets/answer-budget.ts'
import type { Principal } from '../../principal.ts'
import type { TableFinder, TablePath } from '../find-table.ts'
import type { CostlyQuestions } from '../patience.ts'
import { questionName } from '../questions.ts'
import { findCoordinates } from './coordinates.ts'
import { type Places, type PlacesText, placesOf, readPlaces } from './places.ts'

/** @throws unknown_field, invalid_request, busy, query_too_costly, tables_unavailable */
export const mapsOf = (finder: TableFinder, costly: CostlyQuestions) => ({
  /** Where the records that match are, for a map. Computed once for each table if it has all records at usual coordinates. */
  places: (who: Principal, path: TablePath, text: PlacesText) =>
    finder.withTable<Places>(who, path, (columns) => {
      const asked = readPlaces(text, columns)
      return async ({ source, file, ask }) => {
        countAnswer(placesBytesMax)
        const askOnce = () =>
          costly.run(questionName(path, source, 'places', text), () => placesOf(asked, ask))
        const { words, filters } = asked.query
        const name = words.length === 0 && filters.length === 0 ? rememberedName(asked, columns) : undefined
        if (name === undefined) return askOnce()
        const bytes = await finder.installed.files.remember(file, name, async () =>
          Buffer.from(JSON.stringify(await askOnce())),
        )
        return parseJson(Buffer.from(bytes).toString()) as unknown as Places
      }
    }),
})

/** Bytes of places, of 2,000 ids and titles. */
const placesBytesMax = 2_000_000
/** Usual coordinates of a table whose maps are stored. */
const rememberedMax = 20

/** Name of a stored map; undefined: a caller may name any two columns of a table. */
function rememberedName(
  { coordinates, title }: ReturnType<typeof readPlaces>,
  columns: readonly TableColumn[],
): string | undefined {
  const all = findColumns(columns)
  const keyOf = (some: readonly FoundColumn[]) => JSON.stringify(some.map(({ names }) => names))
  const usual = findCoordinates(all).slice(0, rememberedMax)
  const at = usual.findIndex((one) => keyOf(one.columns) === keyOf(coordinates.columns))
  const named = title === undefined ? 0 : 1 + all.findIndex((one) => keyOf([one]) === keyOf([title]))
  return at < 0 ? undefined : `map${named * rememberedMax + at}`
}
