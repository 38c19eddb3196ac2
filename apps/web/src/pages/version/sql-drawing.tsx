/** The answer to a statement as a chart or a map above its rows, with links that change the form. */
import type { SavedQuestion, SqlAnswer } from '@ulmus/wire'
import { useContext } from 'preact/hooks'
import { Chart } from '../../components/chart/drawing.tsx'
import { type ChartPlan, type NoChart, planChart } from '../../components/chart/plan.ts'
import { PlaceMap } from '../../components/map/drawing.tsx'
import { frameOf } from '../../components/map/frame.ts'
import { prepareOutlines } from '../../components/map/land.ts'
import { MapNumbers } from '../../components/map/numbers.tsx'
import type { MapPlan, NoMap } from '../../components/map/plan.ts'
import { coordinatesOfRows, planRows } from '../../components/map/rows.ts'
import type { VisitedCollection } from '../../data/collection.ts'
import { formIn } from '../../data/questions.ts'
import { cutName, cutText, withoutUnseen } from '../../format.ts'
import { SavedQuestionContext } from '../../layout/saved-question.tsx'
import { versionPath, withQuery } from '../../paths.ts'

/** Coordinates in the list of the form. Longer names of columns are cut. */
const choicesMax = 50
const nameMax = 60
/** Longer statements are in no link, since URLs are limited. Characters. */
const linkedMax = 4_000

type Form = SavedQuestion['view']

export interface AnswerDrawing {
  readonly form: Form
  /** False: the page draws a chart if the rows suit. */
  readonly isChosen: boolean
  readonly plan: ChartPlan | NoChart | MapPlan | NoMap | undefined
  /** Coordinates of the address. */
  readonly coordinates: string | undefined
}

export async function drawAnswer(answer: SqlAnswer, parameters: URLSearchParams): Promise<AnswerDrawing> {
  const chosen = formIn(parameters)
  const coordinates = parameters.get('coordinates') ?? undefined
  const plan =
    chosen === 'table'
      ? undefined
      : answer.truncated
        ? { reason: 'it needs all rows. Let the statement count, or add a LIMIT.' }
        : chosen === 'map'
          ? planRows(answer, coordinates)
          : planChart(answer)
  if (plan !== undefined && 'dots' in plan) await prepareOutlines(frameOf(plan))
  const form = chosen ?? (plan !== undefined && 'form' in plan ? 'chart' : 'table')
  return { form, isChosen: chosen !== undefined, plan, coordinates }
}

interface Props {
  readonly seen: VisitedCollection
  readonly statement: string
  readonly answer: SqlAnswer
  readonly drawing: AnswerDrawing
}

export function Drawing({ seen, statement, answer, drawing }: Props) {
  const isSaved = useContext(SavedQuestionContext) !== undefined
  return (
    <>
      {!isSaved && statement.length <= linkedMax && <Forms {...{ seen, statement }} form={drawing.form} />}
      {!isSaved && drawing.form === 'map' && (
        <CoordinatesForm {...{ seen, statement, answer }} coordinates={drawing.coordinates} />
      )}
      <Drawn {...drawing} />
    </>
  )
}

const names: Readonly<Record<Form, string>> = { table: 'Table', chart: 'Chart', map: 'Map' }

const Forms = ({ seen, statement, form }: { seen: VisitedCollection; statement: string; form: Form }) => (
  <nav class="choices" aria-label="Form">
    {(Object.keys(names) as Form[]).map((view) => (
      <a
        key={view}
        class="choice"
        href={seen.inView(withQuery(versionPath(seen, 'sql'), { sql: statement, view }))}
        rel="nofollow"
        aria-current={view === form ? 'true' : undefined}
      >
        {names[view]}
      </a>
    ))}
  </nav>
)

function Drawn({ form, isChosen, plan }: AnswerDrawing) {
  if (plan === undefined) return null
  if ('form' in plan) return <Chart plan={plan} />
  if ('dots' in plan)
    return (
      <>
        <PlaceMap plan={plan} />
        <MapNumbers plan={plan} />
      </>
    )
  return isChosen ? <NoDrawing form={form} reason={plan.reason} /> : null
}

/** Why there is no chart or map. */
export const NoDrawing = ({ form, reason }: { form: Form; reason: string }) => (
  <p class="quiet no-chart">
    No {form === 'map' ? 'map' : 'chart'}: {cutText(reason, 300)}
  </p>
)

interface CoordinatesFormProps extends Omit<Props, 'drawing'> {
  readonly coordinates: string | undefined
}

/** The choice between several coordinates. */
function CoordinatesForm({ seen, statement, answer, coordinates }: CoordinatesFormProps) {
  const choices = [...coordinatesOfRows(answer).keys()].slice(0, choicesMax)
  if (choices.length < 2) return null
  return (
    <form class="form inline chart-form" action={versionPath(seen, 'sql')}>
      <label>
        <span>Coordinates</span>
        <select name="coordinates">
          {choices.map((text) => (
            <option key={text} value={text} selected={text === coordinates}>
              {withoutUnseen(cutName(text.replaceAll(',', ', '), nameMax))}
            </option>
          ))}
        </select>
      </label>
      <input type="hidden" name="sql" value={statement} />
      <input type="hidden" name="view" value="map" />
      {seen.isMember && seen.view === 'public' && <input type="hidden" name="view" value="public" />}
      <button type="submit">Draw</button>
    </form>
  )
}
