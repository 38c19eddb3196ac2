/** Columns of the chart of an answer: those in the address, else a proposal, and the form that chooses others. */
import type { SqlAnswer } from '@ulmus/wire'
import { useContext } from 'preact/hooks'
import { axesOf, type ChartChoice, columnsOf } from '../../components/chart/axes.ts'
import { ChartFields, type Choice, type ChosenAxes } from '../../components/chart/fields.tsx'
import { type ChartPlan, planChart } from '../../components/chart/plan.ts'
import type { NoChart } from '../../components/chart/source.ts'
import type { VisitedCollection } from '../../data/collection.ts'
import { questionPath } from '../../data/questions.ts'
import { cutName, withoutUnseen } from '../../format.ts'
import { SavedQuestionContext } from '../../layout/saved-question.tsx'
import { versionPath } from '../../paths.ts'
import { HiddenFields } from './records/question.tsx'

/** Columns in each list, and characters of their names; columns with longer ones are in none. */
const choicesMax = 50
const namesMax = 200

export interface AnswerChart {
  readonly plan: ChartPlan | NoChart
  /** Columns of the address. */
  readonly chosen: ChosenAxes
  /** Columns of the chart. */
  readonly used: ChosenAxes
}

export const needsAll: NoChart = { reason: 'it needs all rows. Let the statement count, or add a LIMIT.' }

export function chartAnswer(answer: SqlAnswer, statement: string, parameters: URLSearchParams): AnswerChart {
  const [x, y, by] = ['x', 'y', 'by'].map((name) => parameters.get(name) || undefined)
  const chosen = { x, y, by }
  if (answer.truncated) return { plan: needsAll, chosen, used: chosen }
  const { columns } = answer
  const missing = [x, y, by].find((name) => name !== undefined && placeOf(columns, name) === undefined)
  if (missing !== undefined) {
    const reason = `the answer has no column “${withoutUnseen(cutName(missing, namesMax))}”. Choose another one.`
    return { plan: { reason }, chosen, used: chosen }
  }
  const choice: ChartChoice = {
    x: placeOf(columns, x),
    y: placeOf(columns, y),
    by: placeOf(columns, by),
    order: orderOf(statement, columns),
  }
  const [axes, plan] = [axesOf(answer, choice), planChart(answer, choice)]
  if ('reason' in axes) return { plan, chosen, used: chosen }
  const series = 'reason' in plan ? by : plan.by
  return { plan, chosen, used: { x: axes.x.name, y: axes.y.name, by: series } }
}

function placeOf(columns: SqlAnswer['columns'], name: string | undefined): number | undefined {
  const at = columns.findIndex((column) => column.name === name)
  return at < 0 ? undefined : at
}

/** The column of the last ORDER BY: its name, of several parts the last one, or its number. */
export function orderOf(statement: string, columns: SqlAnswer['columns']): number | undefined {
  const text = statement.replace(/\s+/g, ' ')
  const from = text.toLowerCase().lastIndexOf('order by ')
  if (from < 0) return undefined
  const [first = ''] = text.slice(from + 'order by '.length).split(/[,;]/)
  const [term = ''] = first.split(/ (?:asc|desc|nulls|limit|offset)\b/i)
  const plain = (name: string) => name.trim().replaceAll('"', '').toLowerCase()
  const names = columns.map(({ name }) => plain(name))
  const found = [plain(term), plain(term.split('.').at(-1)!)].map((name) => names.indexOf(name))
  const at = found.find((one) => one >= 0) ?? Number(term) - 1
  return columns[at] === undefined ? undefined : at
}

interface FormProps {
  readonly seen: VisitedCollection
  readonly statement: string
  readonly answer: SqlAnswer
  readonly used: ChosenAxes
}

export function AxesForm({ seen, statement, answer, used }: FormProps) {
  const saved = useContext(SavedQuestionContext)
  const all = columnsOf(answer).filter(({ name, kind }) => kind !== 'other' && name.length <= namesMax)
  const choicesOf = (some: typeof all): Choice[] =>
    [...new Set(some.map(({ name }) => name))]
      .slice(0, choicesMax)
      .map((name) => ({ value: name, label: name }))
  const numbers = choicesOf(all.filter(({ kind }) => kind === 'number'))
  if (numbers.length === 0) return null
  const own = saved === undefined ? ([['sql', statement]] as const) : []
  const isPublicView = seen.readsAll && seen.view === 'public'
  return (
    <form
      class="form inline chart-form"
      action={saved === undefined ? versionPath(seen, 'sql') : questionPath(seen, saved)}
    >
      <ChartFields
        along={choicesOf(all)}
        values={[{ label: undefined, choices: numbers }]}
        series={choicesOf(all)}
        chosen={used}
      />
      <HiddenFields
        of={[...own, ['view', 'chart'], ...(isPublicView ? ([['view', 'public']] as const) : [])]}
      />
      <button type="submit">Draw</button>
    </form>
  )
}
