/** Parts beside the pressed button: its progress and its refusal. */
import { useEffect, useRef } from 'preact/hooks'
import { type FileFault, type Refusal, shownFaults } from './refusal.ts'
import type { Remedy } from './remedies.ts'
import { countText } from './words.ts'

interface ActionProps {
  readonly label: string
  /** Replaces the label while the button's work runs. */
  readonly workingLabel: string
  /** Progress of the work; undefined: it is not running. */
  readonly working: string | undefined
  readonly disabled?: boolean
  /** Id of the text that says why the button is disabled. */
  readonly describedBy?: string | undefined
  onPress(): void
}

/** A button that shows its own progress. */
export const Action = ({ label, workingLabel, working, disabled, describedBy, onPress }: ActionProps) => (
  <div class="action">
    <button
      type="button"
      class="primary"
      disabled={disabled === true || working !== undefined}
      aria-describedby={describedBy}
      onClick={onPress}
    >
      {working === undefined ? label : workingLabel}
    </button>
    <Progress text={working} />
  </div>
)

/** Always rendered, because screen readers announce only changes of an existing region. */
export const Progress = ({ text }: { text: string | undefined }) => (
  <span class={text === undefined ? 'sr-only' : 'progress'} role="status">
    {text !== undefined && <span class="spinner" aria-hidden="true" />}
    {text}
  </span>
)

interface RefusalProps {
  readonly refusal: Refusal
  /** Word for a row: line, item, row. */
  readonly unit: string
  onRemedy(remedy: Remedy): void
}

/** Takes the focus when it appears, so that it is visible and read out at any scroll position. */
export function RefusalNote({ refusal, unit, onRemedy }: RefusalProps) {
  const note = useRef<HTMLDivElement>(null)
  useEffect(() => {
    note.current?.focus({ preventScroll: true })
    note.current?.scrollIntoView({ block: 'nearest' })
  }, [refusal])
  const { sentence, faults, total, ways } = refusal
  return (
    <div class="note bad refused" role="alert" tabIndex={-1} ref={note}>
      <p dir="auto">{sentence}</p>
      {ways.length > 0 && (
        <ul class="ways">
          {ways.map((way) => (
            <li key={way.sentence}>
              <button type="button" onClick={() => onRemedy(way)}>
                {way.label}
              </button>
              <span dir="auto">{way.sentence}</span>
            </li>
          ))}
        </ul>
      )}
      {faults.length > 0 && <Faults faults={faults.slice(0, shownFaults)} total={total} unit={unit} />}
    </div>
  )
}

interface FaultsProps {
  readonly faults: readonly FileFault[]
  readonly total: number
  readonly unit: string
}

function Faults({ faults, total, unit }: FaultsProps) {
  const hasIds = faults.some(({ line }) => line === undefined)
  const name = unit.charAt(0).toUpperCase() + unit.slice(1)
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard, too */}
      <section class="table-scroll" tabIndex={0} aria-label="Places in the file">
        <table class="data faults">
          <thead>
            <tr>
              <th scope="col" class="right">
                {name}
              </th>
              {hasIds && <th scope="col">Record</th>}
              <th scope="col">Column</th>
              <th scope="col">Value</th>
              <th scope="col">Problem</th>
            </tr>
          </thead>
          <tbody>
            {faults.map((fault) => (
              <tr key={`${fault.line} ${fault.id} ${fault.column} ${fault.problem}`}>
                <td class="right number">{fault.line === undefined ? '–' : countText(fault.line)}</td>
                {hasIds && <td dir="auto">{fault.id}</td>}
                <td dir="auto">{fault.column ?? '–'}</td>
                <td>
                  {fault.value === undefined ? <span class="quiet">empty</span> : <code>{fault.value}</code>}
                </td>
                <td dir="auto">{fault.problem}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {total > faults.length && (
        <p class="quiet">
          The first {faults.length} of {countText(total)}.
        </p>
      )}
    </>
  )
}
