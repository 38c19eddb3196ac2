/** Form for reading the file as a table: the detected format, controls to change it, and the first rows. */

import type { Detected, Note, ReadOptions } from '@ulmus/tabular'
import { shownName } from '../shared/shown-name.ts'
import { Progress } from './beside.tsx'
import type { OpenedFile } from './shapes.ts'
import { counted } from './words.ts'

interface Props {
  readonly opened: OpenedFile
  /** The user's choices; missing options are detected. */
  readonly options: ReadOptions
  /** Progress of reading the file again; undefined: not running. */
  readonly working: string | undefined
  onOptions(options: ReadOptions): void
}

export function ReadingForm({ opened, options, working, onOptions }: Props) {
  const { detected, notes, marks } = opened
  const change = (set: ReadOptions) => onOptions({ ...options, ...set })
  return (
    <section class="reading" aria-label="How the file is read">
      <Notes notes={notes} onOptions={change} />
      {marks.length > 0 && (
        <fieldset class="field marks">
          <legend>Values that mean missing</legend>
          {marks.map(({ mark, count }) => (
            <label key={mark} class="check">
              <input
                type="checkbox"
                checked={options.missing?.includes(mark) ?? false}
                onChange={({ currentTarget: { checked } }) =>
                  change({ missing: toggled(options.missing ?? [], mark, checked) })
                }
              />
              <span>
                <code>{mark === '' ? 'an empty text' : mark}</code>
                {count !== undefined && <span class="help"> {counted(count, 'value')}</span>}
              </span>
            </label>
          ))}
        </fieldset>
      )}
      <details>
        <summary>
          Read it differently <span class="quiet">{summaryOf(detected)}</span>
        </summary>
        <Controls detected={detected} options={options} onChange={change} />
      </details>
      <Progress text={working} />
      <Sample opened={opened} />
    </section>
  )
}

interface NotesProps {
  readonly notes: readonly Note[]
  onOptions(options: ReadOptions): void
}

/** Options with a control below. */
const controlled: readonly Note['option'][] = ['delimiter', 'encoding', 'skip', 'header']

/** Findings about the file. Uncertain findings, and those without a control, offer alternatives. */
const Notes = ({ notes, onOptions }: NotesProps) => (
  <>
    {notes.map(({ option, sentence, isUncertain, choices }) =>
      isUncertain || !controlled.includes(option) ? (
        <div key={sentence} class={isUncertain ? 'note warn' : 'note'}>
          <p dir="auto">{sentence}</p>
          {choices.length > 1 && (
            <p class="inline">
              {choices.slice(1).map((choice) => (
                <button key={choice.label} type="button" onClick={() => onOptions(choice.options)}>
                  {choice.label}
                </button>
              ))}
            </p>
          )}
        </div>
      ) : (
        <p key={sentence} dir="auto">
          {sentence}
        </p>
      ),
    )}
  </>
)

const toggled = (list: readonly string[], one: string, isIn: boolean): string[] =>
  isIn ? [...list, one] : list.filter((other) => other !== one)

const delimiters = [
  [',', 'comma'],
  [';', 'semicolon'],
  ['\t', 'tab'],
  ['|', 'pipe'],
  [' ', 'space'],
] as const

const encodings = [
  ['utf-8', 'UTF-8'],
  ['utf-16le', 'UTF-16'],
  ['windows-1252', 'Windows-1252 (Western Europe)'],
  ['windows-1250', 'Windows-1250 (Central Europe)'],
  ['windows-1251', 'Windows-1251 (Cyrillic)'],
  ['shift_jis', 'Shift JIS (Japanese)'],
  ['gb18030', 'GB 18030 (Chinese)'],
] as const

const isDelimited = ({ format }: Detected): boolean => format === 'csv' || format === 'tsv'

function summaryOf(detected: Detected): string {
  const { format, delimiter, encoding, header, skip = 0 } = detected
  if (!isDelimited(detected)) return format === 'ndjson' ? 'NDJSON' : format === 'json' ? 'JSON' : 'Parquet'
  const named = delimiters.find(([one]) => one === delimiter)?.[1] ?? `“${delimiter}”`
  return [
    `separated by ${named}s`,
    encodings.find(([one]) => one === encoding)?.[1] ?? encoding ?? '',
    header === false ? 'no header' : 'the first line names the columns',
    ...(skip > 0 ? [`${counted(skip, 'line')} skipped`] : []),
  ].join(', ')
}

interface ControlsProps {
  readonly detected: Detected
  readonly options: ReadOptions
  onChange(set: ReadOptions): void
}

function Controls({ detected, options, onChange }: ControlsProps) {
  const { delimiter, encoding, header = true, skip = 0 } = detected
  return (
    <div class="form inline reading-controls">
      {isDelimited(detected) && (
        <>
          <Pick
            label="Between values"
            value={delimiter}
            of={delimiters}
            onPick={(one) => onChange({ delimiter: one })}
          />
          <div class="field">
            <label for="push-skip">Lines to skip</label>
            <input
              id="push-skip"
              type="number"
              min="0"
              max="1000"
              value={skip}
              onChange={({ currentTarget: { valueAsNumber } }) =>
                onChange({ skip: Number.isInteger(valueAsNumber) ? Math.max(0, valueAsNumber) : 0 })
              }
            />
          </div>
          <label class="check">
            <input
              type="checkbox"
              checked={header}
              onChange={({ currentTarget: { checked } }) => onChange({ header: checked })}
            />
            The first line names the columns
          </label>
        </>
      )}
      {detected.format !== 'parquet' && (
        <Pick
          label="Encoding"
          value={encoding}
          of={encodings}
          onPick={(one) => onChange({ encoding: one })}
        />
      )}
      <div class="field">
        <label for="push-missing">Values that mean missing</label>
        <input
          id="push-missing"
          value={(options.missing ?? []).join(', ')}
          placeholder="NA, -"
          spellcheck={false}
          onChange={({ currentTarget: { value } }) => onChange({ missing: marksIn(value) })}
        />
      </div>
    </div>
  )
}

const marksIn = (text: string): string[] =>
  text
    .split(',')
    .map((mark) => mark.trim())
    .filter((mark) => mark !== '')

interface PickProps {
  readonly label: string
  readonly value: string | undefined
  readonly of: readonly (readonly [value: string, label: string])[]
  onPick(value: string): void
}

const Pick = ({ label, value = '', of, onPick }: PickProps) => (
  <label class="field">
    {label}
    <select value={value} onChange={(event) => onPick(event.currentTarget.value)}>
      {!of.some(([one]) => one === value) && <option value={value}>{value === '' ? '–' : value}</option>}
      {of.map(([one, text]) => (
        <option key={one} value={one}>
          {text}
        </option>
      ))}
    </select>
  </label>
)

/** The first rows with the current options. */
const Sample = ({ opened: { sample, rows } }: { opened: OpenedFile }) => (
  <>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard, too */}
    <section class="table-scroll" tabIndex={0} aria-label="First rows">
      <table class="data sample">
        <thead>
          <tr>
            {sample.columns.map((name) => (
              <th key={name} scope="col">
                <bdi>{shownName(name)}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sample.rows.map(({ line, values }) => (
            <tr key={line}>
              {sample.columns.map((name, place) => (
                <td key={name} dir="auto">
                  {values[place] ?? <span class="absent">–</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
    <p class="quiet">
      {rows > sample.rows.length
        ? `The first ${sample.rows.length} of ${counted(rows, 'row')}.`
        : `${counted(rows, 'row')}.`}
    </p>
  </>
)
