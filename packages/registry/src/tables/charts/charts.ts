/** Charts of the records that match. `tables.ts` offers them. */
import { countAnswer } from '../../budgets/answer-budget.ts'
import type { Principal } from '../../principal.ts'
import type { TableFinder, TablePath } from '../find-table.ts'
import type { CostlyQuestions } from '../patience.ts'
import { questionName } from '../questions.ts'
import { type Groups, type GroupsText, groupsOf, readGrouping } from './groups.ts'

/** Bytes of groups, of 5,000 places with their names. */
const groupsBytesMax = 1_000_000

/** @throws unknown_field, invalid_request, busy, query_too_costly, tables_unavailable */
export const chartsOf = (finder: TableFinder, costly: CostlyQuestions) => ({
  /** A value for each place along an axis, and each series, of the records that match: `Groups`, for a chart. */
  groups: (who: Principal, path: TablePath, text: GroupsText) =>
    finder.withTable<Groups>(who, path, (columns) => {
      const { query, grouping } = readGrouping(text, columns)
      return async ({ source, ask }) => {
        countAnswer(groupsBytesMax)
        return costly.run(questionName(path, source, 'groups', text), () => groupsOf(query, grouping, ask))
      }
    }),
})
