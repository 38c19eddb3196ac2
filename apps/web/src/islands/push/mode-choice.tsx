/** Choice to keep or remove records of the type that the file lacks. Only existing types offer it; the default keeps them. */
import type { CompareAsk } from './shapes.ts'

type Mode = CompareAsk['mode']

interface Props {
  readonly type: string
  readonly mode: Mode
  readonly isDisabled: boolean
  onChange(mode: Mode): void
}

export const ModeChoice = ({ type, mode, isDisabled, onChange }: Props) => (
  <fieldset class="field" disabled={isDisabled}>
    <legend>Records of {type} that the file does not have</legend>
    {(
      [
        ['changes', 'stay', 'the file holds additions and changes'],
        ['everything', 'are removed', 'the file holds everything'],
      ] as const
    ).map(([value, label, help]) => (
      <label key={value} class="check">
        <input type="radio" name="mode" checked={mode === value} onChange={() => onChange(value)} />
        <span>
          {label} <span class="help">{help}</span>
        </span>
      </label>
    ))}
  </fieldset>
)
