/**
 * Page that publishes a file. Its worker reads, compares and pushes; the user sees the changes and decides. `pages/publish/push.tsx`
 * renders the element `#push` with the data attributes read here: change both together.
 */
import { render } from 'preact'
import { useEffect, useReducer, useState } from 'preact/hooks'
import { Action, Progress, RefusalNote } from './push/beside.tsx'
import { callsOf } from './push/calls.ts'
import { FileChoice } from './push/file-choice.tsx'
import { ModeChoice } from './push/mode-choice.tsx'
import { ColumnsForm } from './push/plan-form.tsx'
import { ComparedView } from './push/preview/compared.tsx'
import { Publishing, type Step } from './push/publishing.ts'
import { ReadingForm } from './push/reading-form.tsx'
import { TypeChoice } from './push/type-choice.tsx'
import type { PushCalls } from './push-worker.ts'

const container = document.getElementById('push')!
const { collection = '', head, worker = '', workbook = '', public: visibility } = container.dataset
const isPublic = visibility === 'true'
const call = callsOf<PushCalls>(worker, workbook)

function Push() {
  const [, repaint] = useReducer((count: number) => count + 1, 0)
  const [publishing] = useState(() => new Publishing(call, collection, head || null, () => repaint(0)))
  const { opened, planned, compared, working, done } = publishing.state
  const isSending = working?.step === 'compare' || working?.step === 'publish'
  useLeaveWarning(working?.step === 'publish')
  useEffect(() => {
    // The page of the collection says so, with the new version at its head.
    if (done !== undefined) location.replace(`/${collection}?saved=file-${done}`)
  }, [done])
  if (done !== undefined) return <Progress text={`Opening ${done}…`} />
  return (
    <>
      {/* Lock the form while working: the comparison must match the shown data. */}
      <fieldset class="while-working" disabled={isSending}>
        <FileChoice opened={opened} isBusy={isSending} onChoose={(file) => void publishing.choose(file)} />
        <Beside step="file" publishing={publishing} />
        {opened !== undefined && planned !== undefined && <Settings publishing={publishing} />}
      </fieldset>
      {opened !== undefined && planned !== undefined && <CompareStep publishing={publishing} />}
      {compared !== undefined && <PublishStep publishing={publishing} />}
    </>
  )
}

interface Props {
  readonly publishing: Publishing
}

/** Progress and refusals of a step without its own button. */
const Beside = ({ step, publishing }: Props & { readonly step: Step }) => (
  <>
    <Progress text={progressOf(step, publishing)} />
    <Refused step={step} publishing={publishing} />
  </>
)

const progressOf = (step: Step, { state: { working } }: Publishing): string | undefined =>
  working?.step === step ? working.text : undefined

function Refused({ step, publishing }: Props & { readonly step: Step }) {
  const { refused, opened } = publishing.state
  if (refused?.step !== step) return null
  return (
    <RefusalNote
      refusal={refused.refusal}
      unit={opened?.unit ?? 'line'}
      onRemedy={(remedy) => void publishing.carryOut(remedy)}
    />
  )
}

function Settings({ publishing }: Props) {
  const { opened, planned, options, working } = publishing.state
  return (
    <>
      <h3>The file</h3>
      <ReadingForm
        opened={opened!}
        options={options}
        working={working?.step === 'reading' ? working.text : undefined}
        onOptions={(next) => void publishing.read(next)}
      />
      <Refused step="reading" publishing={publishing} />
      <h3>Its records</h3>
      <TypeChoice
        types={opened!.types}
        planned={planned!}
        newName={opened!.newName}
        onChoose={(type) => void publishing.chooseType(type)}
      />
      <Beside step="type" publishing={publishing} />
      <ColumnsForm
        planned={planned!}
        columns={publishing.plan!.columns}
        facts={opened!.facts}
        onEdit={(column, set) => publishing.edit(column, set)}
        onIds={(ids) => void publishing.chooseId(ids)}
      />
    </>
  )
}

function CompareStep({ publishing }: Props) {
  const { planned, mode, compared, working } = publishing.state
  return (
    <div class="form">
      {planned!.isNew ? null : (
        <ModeChoice
          type={planned!.plan.type}
          mode={mode}
          isDisabled={working !== undefined}
          onChange={(next) => publishing.setMode(next)}
        />
      )}
      {compared === undefined && (
        <Action
          label="See what would change"
          workingLabel="Comparing…"
          working={progressOf('compare', publishing)}
          disabled={working !== undefined}
          onPress={() => void publishing.compare()}
        />
      )}
      <Refused step="compare" publishing={publishing} />
    </div>
  )
}

const PublishStep = ({ publishing }: Props) => (
  <>
    <ComparedView
      compared={publishing.state.compared!}
      filtered={publishing.state.filtered}
      isPublic={isPublic}
      message={publishing.state.message}
      confirmed={publishing.state.confirmed}
      working={progressOf('publish', publishing)}
      onFilter={(cell) => void publishing.filter(cell)}
      onMessage={(text) => publishing.setMessage(text)}
      onConfirm={(name, isConfirmed) => publishing.confirm(name, isConfirmed)}
      onPublish={() => void publishing.publish()}
    />
    <Refused step="publish" publishing={publishing} />
  </>
)

/** Warns before the user leaves: an unfinished push publishes nothing. */
function useLeaveWarning(isPublishing: boolean) {
  useEffect(() => {
    if (!isPublishing) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isPublishing])
}

render(<Push />, container)
