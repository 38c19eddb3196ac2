/** Fields of a form that choose the columns of a chart. */
import { cutName, withoutUnseen } from '../../format.ts'

/** Columns in a list. */
const listedMax = 200
/** Longer names of columns are cut. Characters. */
const nameMax = 60

export interface Choice {
  /** As the address has it. */
  readonly value: string
  readonly label: string
}

/** Choices below a label; without one they stand alone. */
export interface ChoiceGroup {
  readonly label: string | undefined
  readonly choices: readonly Choice[]
}

/** The parameters `x`, `y` and `by` of an address. */
export interface ChosenAxes {
  readonly x: string | undefined
  readonly y: string | undefined
  readonly by: string | undefined
}

interface Props {
  readonly along: readonly Choice[]
  readonly values: readonly ChoiceGroup[]
  readonly series: readonly Choice[]
  readonly chosen: ChosenAxes
}

export const ChartFields = ({ along, values, series, chosen }: Props) => (
  <>
    <label>
      <span>Along</span>
      <select name="x">
        <Options of={along} chosen={chosen.x} />
      </select>
    </label>
    <label>
      <span>Value</span>
      <select name="y">
        {values.map(({ label, choices }) => {
          const options = <Options of={choices} chosen={chosen.y} />
          return label === undefined ? (
            options
          ) : (
            <optgroup key={label} label={label}>
              {options}
            </optgroup>
          )
        })}
      </select>
    </label>
    <label>
      <span>Series</span>
      <select name="by">
        <option value="">None</option>
        <Options of={series} chosen={chosen.by} />
      </select>
    </label>
  </>
)

const Options = ({ of, chosen }: { of: readonly Choice[]; chosen: string | undefined }) =>
  of.slice(0, listedMax).map(({ value, label }) => (
    <option key={value} value={value} selected={value === chosen}>
      {withoutUnseen(cutName(label, nameMax))}
    </option>
  ))
