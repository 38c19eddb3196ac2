/** The answer to a statement as a chart or a map above its rows, with links that change the form. */
import type { SavedQuestion, SqlAnswer } from '@ulmus/wire'
import { useContext } from 'preact/hooks'
import { Chart } from '../../components/chart/drawing.tsx'
import type { ChartPlan } from '../../components/chart/plan.ts'
import type { NoChart } from '../../components/chart/source.ts'
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
import { type AnswerChart, AxesForm, chartAnswer, needsAll } from './sql-axes.tsx'

/** Coordinates in the list of the form. Longer names of columns are cut. */
const choicesMax = 50
const nameMax = 60
/** Longer statements are in no link, since URLs are limited. Characters. */
const linkedMax = 4_000

type Form = SavedQuestion['view']

export interface AnswerDrawing {
  readonly form: Form
  readonly chart: AnswerChart | undefined
  readonly map: MapPlan | NoMap | undefined
  /** Coordinates of the address. */
  readonly coordinates: string | undefined
}

export async function drawAnswer(
  answer: SqlAnswer,
  statement: string,
  parameters: URLSearchParams,
): Promise<AnswerDrawing> {
  const form = formIn(parameters) ?? 'table'
  const coordinates = parameters.get('coordinates') ?? undefined
  const chart = form === 'chart' ? chartAnswer(answer, statement, parameters) : undefined
  const map = form !== 'map' ? undefined : answer.truncated ? needsAll : planRows(answer, coordinates)
  if (map !== undefined && 'dots' in map) await prepareOutlines(frameOf(map))
  return { form, chart, map, coordinates }
}

/** Parameters of an address that has the drawing. */
export const drawingParts = ({ form, chart, coordinates }: AnswerDrawing) => ({
  view: form === 'table' ? undefined : form,
  ...chart?.chosen,
  coordinates,
})

interface Props {
  readonly seen: VisitedCollection
  readonly statement: string
  readonly answer: SqlAnswer
  readonly drawing: AnswerDrawing
}

export function Drawing({ seen, statement, answer, drawing }: Props) {
  const isSaved = useContext(SavedQuestionContext) !== undefined
  const isLinked = statement.length <= linkedMax
  const { form, chart, map, coordinates } = drawing
  return (
    <>
      {!isSaved && isLinked && <Forms {...{ seen, statement, form }} />}
      {chart !== undefined && (isSaved || isLinked) && !answer.truncated && (
        <AxesForm {...{ seen, statement, answer }} used={chart.used} />
      )}
      {!isSaved && form === 'map' && <CoordinatesForm {...{ seen, statement, answer, coordinates }} />}
      {chart !== undefined && <DrawnChart plan={chart.plan} />}
      {map !== undefined && <DrawnMap plan={map} />}
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
        href={seen.inView(
          withQuery(versionPath(seen, 'sql'), {
            sql: statement,
            view: view === 'table' ? undefined : view,
          }),
        )}
        rel="nofollow"
        aria-current={view === form ? 'true' : undefined}
      >
        {names[view]}
      </a>
    ))}
  </nav>
)

const DrawnChart = ({ plan }: { plan: ChartPlan | NoChart }) =>
  'reason' in plan ? <NoDrawing what="chart" reason={plan.reason} /> : <Chart plan={plan} />

const DrawnMap = ({ plan }: { plan: MapPlan | NoMap }) =>
  'reason' in plan ? (
    <NoDrawing what="map" reason={plan.reason} />
  ) : (
    <>
      <PlaceMap plan={plan} />
      <MapNumbers plan={plan} />
    </>
  )

const NoDrawing = ({ what, reason }: { what: 'chart' | 'map'; reason: string }) => (
  <p class="quiet no-chart">
    No {what}: {cutText(reason, 300)}
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
      {seen.readsAll && seen.view === 'public' && <input type="hidden" name="view" value="public" />}
      <button type="submit">Draw</button>
    </form>
  )
}
