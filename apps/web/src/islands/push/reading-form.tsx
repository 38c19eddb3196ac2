/** Form for reading the file as a table: the detected format, controls to change it, and some rows. */

import type { Detected, Note, ReadOptions } from '@ulmus/tabular'
import { encodingNames } from '@ulmus/tabular/encodings'
import { shownName } from '../shared/shown-name.ts'
import { Progress } from './beside.tsx'
import { marksFor } from './edits.ts'
import type { MissingMarker, OpenedFile } from './shapes.ts'
import { counted, countText } from './words.ts'

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
          {marks.map((marker) => (
            <label key={marker.mark} class="check">
              <input
                type="checkbox"
                checked={marker.columns.every(({ column }) => isMissing(opened.options, column, marker.mark))}
                onChange={({ currentTarget: { checked } }) =>
                  change(toggled(opened.options, marker, checked))
                }
              />
              <span dir="auto">
                <code>{marker.mark}</code> in {namesIn(marker)}{' '}
                <span class="help">
                  {counted(
                    marker.columns.reduce((sum, { count }) => sum + count, 0),
                    'value',
                  )}
                </span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      <details>
        <summary>
          Read it differently <span class="quiet">{summaryOf(detected)}</span>
        </summary>
        <Controls detected={{ ...detected, ...options }} options={opened.options} onChange={change} />
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

const isMissing = ({ missing, missingIn }: ReadOptions, column: string, mark: string): boolean =>
  missing?.includes(mark) === true || marksFor(column, missingIn).includes(mark)

/** Columns named beside a mark. */
const namedMax = 10

/** With the number of values of each, if there are several. */
function namesIn({ columns }: MissingMarker): string {
  const named = columns
    .slice(0, namedMax)
    .map(({ column, count }) => (columns.length === 1 ? column : `${column} (${countText(count)})`))
  const more = columns.length > namedMax ? ` and ${columns.length - namedMax} more` : ''
  return named.join(', ') + more
}

/** The mark in its columns, or in none. */
function toggled({ missing = [], missingIn }: ReadOptions, { mark, columns }: MissingMarker, isIn: boolean) {
  const inThese = columns.map(({ column }) => {
    const others = marksFor(column, missingIn).filter((one) => one !== mark)
    return [column, isIn ? [...others, mark] : others] as const
  })
  return {
    missing: isIn ? missing : missing.filter((one) => one !== mark),
    missingIn: { ...missingIn, ...Object.fromEntries(inThese) },
  }
}

const delimiters = [
  [',', 'comma'],
  [';', 'semicolon'],
  ['\t', 'tab'],
  ['|', 'pipe'],
  [' ', 'space'],
] as const

const encodings = [['utf-8', 'UTF-8'], ['utf-16le', 'UTF-16'], ...encodingNames] as const

const isDelimited = ({ format }: Detected): boolean => format === 'csv' || format === 'tsv'

function summaryOf(detected: Detected): string {
  const { format, delimiter, encoding, header, skip = 0 } = detected
  if (!isDelimited(detected)) return format === 'parquet' ? 'Parquet' : format.toUpperCase()
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
        <Pick
          label="Between values"
          value={delimiter}
          of={delimiters}
          onPick={(one) => onChange({ delimiter: one })}
        />
      )}
      {detected.skip !== undefined && (
        <>
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
      {encoding !== undefined && (
        <Pick
          label="Encoding"
          value={encoding}
          of={encodings}
          onPick={(one) => onChange({ encoding: one })}
        />
      )}
      <div class="field">
        <label for="push-missing">Values that mean missing in all columns</label>
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

/** The first and the last rows with the current options. */
const Sample = ({ opened: { sample, rows } }: { opened: OpenedFile }) => (
  <>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keyboard, too */}
    <section class="table-scroll" tabIndex={0} aria-label="Some rows">
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
          {[...sample.rows, ...sample.last].map(({ line, values }) => (
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
      {sample.last.length > 0
        ? `The first ${sample.rows.length} and the last ${sample.last.length} of ${counted(rows, 'row')}.`
        : `${counted(rows, 'row')}.`}
    </p>
  </>
)
