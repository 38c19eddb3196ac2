/** Preview: the changes of a push, the new version, and the public part of it. */
import type { DryRunResult } from '@ulmus/client'
import { useEffect, useId, useRef } from 'preact/hooks'
import { ExposureTicks } from '../../shared/ticks.tsx'
import { audienceText } from '../audience.ts'
import { Action } from '../beside.tsx'
import type { State } from '../publishing.ts'
import type { ChangedCell, Compared } from '../shapes.ts'
import { counted, countText } from '../words.ts'
import { ChangedCellsView } from './changed-cells.tsx'
import { ChangedRecordsView } from './changed-records.tsx'

interface Props {
  readonly compared: Compared
  readonly filtered: State['filtered']
  readonly isPublic: boolean
  readonly message: string
  /** Keys of the exposures that the user confirmed. */
  readonly confirmed: readonly string[]
  /** Progress of publishing; undefined: it is not running. */
  readonly working: string | undefined
  onFilter(cell: ChangedCell): void
  onMessage(text: string): void
  onConfirm(key: string, isConfirmed: boolean): void
  onPublish(): void
}

export function ComparedView(props: Props) {
  const { compared, filtered, isPublic, message, confirmed, working } = props
  const { added, updated, removed, unchanged, sentences, next } = compared
  const open = compared.exposures.filter(({ name }) => !confirmed.includes(name))
  const [field, why] = [useId(), useId()]
  const heading = useRef<HTMLHeadingElement>(null)
  // The pressed button is gone, so move the focus to its result.
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
    heading.current?.scrollIntoView()
  }, [])
  return (
    <section class="preview" aria-labelledby="push-changes">
      <h3 id="push-changes" tabIndex={-1} ref={heading}>
        What would change
      </h3>
      <p class="totals">
        <span class={added > 0 ? 'added' : 'quiet'}>{countText(added)} added</span>
        <span class={updated > 0 ? 'updated' : 'quiet'}>{countText(updated)} updated</span>
        <span class={removed > 0 ? 'removed' : 'quiet'}>{countText(removed)} removed</span>
        <span class="quiet">{countText(unchanged)} unchanged</span>
      </p>
      {compared.caution !== undefined && <p class="note warn">{compared.caution}</p>}
      {sentences.length > 0 && (
        <ul class="sentences">
          {sentences.map((sentence) => (
            <li key={sentence} dir="auto">
              {sentence}
            </li>
          ))}
        </ul>
      )}
      <ChangedCellsView columns={compared.columns} chosen={filtered?.cell} onFilter={props.onFilter} />
      <ChangedRecordsView
        records={filtered === undefined ? compared.records : { ...noRecords, updated: filtered.table }}
      />
      {next === undefined ? (
        <p class="note">Nothing changes: the latest version has all of it already.</p>
      ) : (
        <>
          <p>
            That makes <strong>{next.semver}</strong>
            {next.isMajor ? ', a major version, because the schema changes.' : '.'}
          </p>
          <Warnings of={next} />
          <p class="audience">{audienceText(compared.audience, isPublic)}</p>
          {compared.exposures.length > 0 && (
            <ExposureTicks exposures={compared.exposures} confirmed={confirmed} onConfirm={props.onConfirm} />
          )}
          <div class="form">
            <div class="field">
              <label for={field}>Message</label>
              <input
                id={field}
                value={message}
                maxLength={1000}
                onInput={({ currentTarget: { value } }) => props.onMessage(value)}
              />
              <p class="help">What changed, for the list of versions.</p>
            </div>
            <Action
              label="Publish"
              workingLabel="Publishing…"
              working={working}
              disabled={open.length > 0}
              describedBy={open.length > 0 ? why : undefined}
              onPress={props.onPublish}
            />
            {open.length > 0 && (
              <p class="help" id={why}>
                Confirm first that {open.map(({ name, label = name }) => label).join(', ')} may become public,
                or mark {open.length === 1 ? 'it' : 'them'} private above.
              </p>
            )}
          </div>
        </>
      )}
    </section>
  )
}

const none = { columns: [], moreColumns: 0, rows: [], total: 0 }
const noRecords = { updated: none, added: none, removed: none }

/** Maximum number of warnings listed. */
const shownWarnings = 10

const Warnings = ({ of }: { of: Pick<DryRunResult, 'warnings' | 'totalWarnings'> }) =>
  of.totalWarnings === 0 ? null : (
    <details class="note">
      <summary>{counted(of.totalWarnings, 'warning')}</summary>
      <ul>
        {of.warnings.slice(0, shownWarnings).map(({ type, id, path, message }) => (
          <li key={`${type}/${id}${path}`} dir="auto">
            {[type, id, path].filter((part) => part).join(' ')}: {message}
          </li>
        ))}
      </ul>
    </details>
  )
