/** Publishing from a file: read and inferred here, shown, compared with what is there, and pushed as any program does. */
import { createClient, type DryRunResult } from '@ulmus/client'
import {
  type Inference,
  inferTable,
  openTable,
  type Plan,
  planOf,
  sourceOf,
  type Table,
  typeNameOf,
} from '@ulmus/tabular'
import { render } from 'preact'
import { useState } from 'preact/hooks'
import { type Comparison, changesIn, compareWith, publish, tryOut } from './push/compare.ts'
import { PlanForm } from './push/plan-form.tsx'

const container = document.getElementById('push')!
const target = { ref: container.dataset['collection']!, head: container.dataset['head'] || null }
const client = createClient({ baseUrl: location.origin })

/** A browser holds the records. Bytes of the file. */
const fileBytesMax = 200 * 1024 ** 2

interface OpenedTable {
  readonly table: Table
  readonly inference: Inference
}

interface Compared extends Comparison {
  /** What the registry would make of it; undefined: nothing changes. */
  readonly next: DryRunResult | undefined
}

type Mode = 'changes' | 'everything'

function Push() {
  const [opened, setOpened] = useState<OpenedTable>()
  const [plan, setPlan] = useState<Plan>()
  const [mode, setMode] = useState<Mode>('changes')
  const [message, setMessage] = useState('')
  const [comparison, setComparison] = useState<Compared>()
  const [state, setState] = useState<{ working?: string; wrong?: string; done?: string }>({})

  const during = async (working: string, work: (say: (text: string) => void) => Promise<void>) => {
    setState({ working })
    try {
      await work((text) => setState({ working: text }))
    } catch (error) {
      setState({ wrong: (error as Error).message })
    }
  }
  const open = (file: File | undefined) =>
    during('Reading the file…', async () => {
      if (file === undefined) return setState({})
      if (file.size > fileBytesMax) throw new Error('The file is over 200 MB. Push it from a program.')
      const table = await openTable(sourceOf(file))
      const inference = await inferTable(table)
      if (inference.rows === 0) throw new Error('The file has no rows.')
      setOpened({ table, inference })
      setPlan(planOf(inference, { type: typeNameOf(file.name) }))
      setComparison(undefined)
      setState({})
    })
  const compare = () =>
    during('Comparing…', async (say) => {
      const found = await compareWith(client, target, { table: opened!.table, plan: plan!, mode }, say)
      const next = changesIn(found) === 0 ? undefined : await tryOut(client, target, found, say)
      setComparison({ ...found, next })
      setState({})
    })
  const send = () =>
    during('Publishing…', async (say) => {
      const made = await publish(client, target, comparison!, message, say)
      setState({ done: made })
    })

  if (state.done !== undefined) return <Done version={state.done} />
  return (
    <>
      <FileChoice isBusy={state.working !== undefined} onChoose={(file) => void open(file)} />
      {state.wrong !== undefined && (
        <p class="note bad" role="alert">
          {state.wrong}
        </p>
      )}
      {state.working !== undefined && (
        <p class="note" role="status">
          {state.working}
        </p>
      )}
      {/* What is compared is what is shown: nothing is changed meanwhile. */}
      <fieldset class="while-working" disabled={state.working !== undefined}>
        {opened !== undefined && plan !== undefined && (
          <PlanForm
            inference={opened.inference}
            plan={plan}
            onChange={(next) => {
              setPlan(next)
              setComparison(undefined)
            }}
          />
        )}
        {plan !== undefined && comparison === undefined && (
          <div class="form">
            <ModeChoice mode={mode} onChange={setMode} />
            <button type="button" class="primary" onClick={() => void compare()}>
              See what would change
            </button>
          </div>
        )}
      </fieldset>
      {comparison !== undefined && (
        <Preview
          comparison={comparison}
          message={message}
          onMessage={setMessage}
          isBusy={state.working !== undefined}
          onSend={() => void send()}
        />
      )}
    </>
  )
}

interface FileChoiceProps {
  isBusy: boolean
  onChoose(file: File | undefined): void
}

const FileChoice = ({ isBusy, onChoose }: FileChoiceProps) => (
  <label
    class="drop"
    onDragOver={(event) => event.preventDefault()}
    onDrop={(event) => {
      event.preventDefault()
      if (!isBusy) onChoose(event.dataTransfer?.files[0])
    }}
  >
    <span>
      <strong>Choose a file</strong> or drop it here: CSV, TSV, JSON, NDJSON or Parquet
    </span>
    <input
      type="file"
      disabled={isBusy}
      accept=".csv,.tsv,.txt,.json,.ndjson,.jsonl,.parquet"
      onChange={(event) => onChoose(event.currentTarget.files?.[0])}
    />
  </label>
)

const modes = [
  ['changes', 'These changes', 'records that it does not name stay'],
  ['everything', 'Everything of its type', 'records that it does not name go'],
] as const

const ModeChoice = ({ mode, onChange }: { mode: Mode; onChange(mode: Mode): void }) => (
  <fieldset class="field">
    <legend>The file has</legend>
    {modes.map(([value, label, help]) => (
      <label key={value} class="check">
        <input type="radio" name="mode" checked={mode === value} onChange={() => onChange(value)} />
        <span>
          {label} <span class="help">{help}</span>
        </span>
      </label>
    ))}
  </fieldset>
)

interface PreviewProps {
  comparison: Compared
  message: string
  onMessage(text: string): void
  isBusy: boolean
  onSend(): void
}

const count = (value: number) => value.toLocaleString('en-US')

function Preview({ comparison, message, onMessage, isBusy, onSend }: PreviewProps) {
  const { added, updated, removed, unchanged, schemaChanges, next } = comparison
  return (
    <section class="preview" aria-label="What would change">
      <h3>What would change</h3>
      <p class="totals">
        <span class="added">{count(added.length)} added</span>
        <span class="updated">{count(updated.length)} updated</span>
        <span class="removed">{count(removed.length)} removed</span>
        <span class="quiet">{count(unchanged)} as they are</span>
      </p>
      {schemaChanges.map((change) => (
        <p key={change}>{change}</p>
      ))}
      {next !== undefined && <Warnings of={next} />}
      {next === undefined ? (
        <p class="note">Nothing: the latest version has all of it already.</p>
      ) : (
        <div class="form">
          <p>
            That makes <strong>{next.semver}</strong>.
          </p>
          <div class="field">
            <label for="push-message">Message</label>
            <input
              id="push-message"
              value={message}
              maxLength={1000}
              onInput={(event) => onMessage(event.currentTarget.value)}
            />
            <p class="help">What changed, for the list of versions.</p>
          </div>
          <button type="button" class="primary" disabled={isBusy} onClick={onSend}>
            Publish
          </button>
        </div>
      )}
    </section>
  )
}

/** Warnings that are shown. */
const shownWarnings = 10

const Warnings = ({ of: { warnings, totalWarnings } }: { of: DryRunResult }) =>
  totalWarnings === 0 ? null : (
    <div class="note">
      <p>{totalWarnings === 1 ? 'One warning:' : `${count(totalWarnings)} warnings, such as:`}</p>
      <ul>
        {warnings.slice(0, shownWarnings).map(({ type, id, path, message }) => (
          <li key={`${type}/${id}${path}`}>
            {type} {id} {path}: {message}
          </li>
        ))}
      </ul>
    </div>
  )

const Done = ({ version }: { version: string }) => (
  <p class="note" role="status">
    <strong>{version} is published.</strong> <a href={`/${target.ref}`}>Look at it</a>
  </p>
)

render(<Push />, container)
