/** State machine of the publish page: choose a file, read, plan, compare, publish. Only `Publishing` changes the state. */
import type { Plan, ReadOptions } from '@ulmus/tabular'
import type { PushCalls } from '../push-worker.ts'
import { type Caller, RefusedError } from './calls.ts'
import { marksFor, withEdits } from './edits.ts'
import { type Refusal, refusalOf } from './refusal.ts'
import type { Remedy } from './remedies.ts'
import type {
  ChangedCell,
  CompareAsk,
  Compared,
  Edits,
  OpenedFile,
  PlanAsk,
  Planned,
  RecordTable,
} from './shapes.ts'

/** Part of the page whose button was pressed: progress and refusals are shown beside it. */
export type Step = 'file' | 'reading' | 'type' | 'compare' | 'publish'

/** Everything that the page renders. Only `Publishing` replaces it. */
export interface State {
  /** The version to compare with; null: the collection has none. */
  readonly head: string | null
  readonly file: File | undefined
  readonly options: ReadOptions
  readonly opened: OpenedFile | undefined
  /** Record type, id columns, renames and optional fields that the user chose. Undefined: the defaults of the plan. */
  readonly ask: PlanAsk | undefined
  readonly planned: Planned | undefined
  readonly edits: Edits
  readonly mode: CompareAsk['mode']
  readonly compared: Compared | undefined
  /** Updated records of one count of changed cells, which the user chose. */
  readonly filtered: { readonly cell: ChangedCell; readonly table: RecordTable } | undefined
  readonly message: string
  /** Names of the exposures that the user confirmed. */
  readonly confirmed: readonly string[]
  readonly working: { readonly step: Step; readonly text: string } | undefined
  readonly refused: { readonly step: Step; readonly refusal: Refusal } | undefined
  /** The published version. */
  readonly done: string | undefined
}

const beginning: State = {
  head: null,
  file: undefined,
  options: {},
  opened: undefined,
  ask: undefined,
  planned: undefined,
  edits: {},
  mode: 'changes',
  compared: undefined,
  filtered: undefined,
  message: '',
  confirmed: [],
  working: undefined,
  refused: undefined,
  done: undefined,
}

/** State that a change of the plan invalidates. */
const uncompared = { compared: undefined, filtered: undefined, refused: undefined, confirmed: [] } as const

/** Limit of a file, whose records are in the browser's memory. Bytes. */
const fileBytesMax = 200 * 1024 ** 2

/** The columns that the user made private: they stay private under another type. */
const privateOf = (edits: Edits): Edits =>
  Object.fromEntries(
    Object.entries(edits).flatMap(([column, { isPrivate }]) =>
      isPrivate === true ? [[column, { isPrivate }]] : [],
    ),
  )

/** Edits to keep with a new plan, of the state at its end: the user may edit columns while the worker plans. */
type EditsFor = (planned: Planned, state: State) => Edits

const keepEdits: EditsFor = (_, { edits }) => edits

/** Owner of the state of the page. Components call its methods; every change of the state repaints the page. */
export class Publishing {
  state: State
  readonly #call: Caller<PushCalls>
  readonly #ref: string
  readonly #onChange: () => void
  /** The plan and its choices after the last step that succeeded: a refused one leaves them. */
  #settled: Pick<State, 'planned' | 'ask'> = beginning
  /** Counter of steps: results of earlier steps are ignored. */
  #turn = 0
  /** The last step that reads the file. */
  #reading = 0

  /** @param ref `owner/slug` of the collection */
  constructor(call: Caller<PushCalls>, ref: string, head: string | null, onChange: () => void) {
    this.#call = call
    this.#ref = ref
    this.#onChange = onChange
    this.state = { ...beginning, head }
  }

  /** The plan with the user's edits. Undefined: no file is open. */
  get plan(): Plan | undefined {
    const { planned, edits } = this.state
    return planned && withEdits(planned.plan, edits)
  }

  async choose(file: File | undefined): Promise<void> {
    if (file === undefined) return
    const { head, message } = this.state
    this.#turn++
    this.#set({ ...beginning, head, message, file })
    if (file.size <= fileBytesMax) return this.#open('file', 'Reading the file…')
    const sentence = `${file.name} is over 200 MB, more than a browser should hold. Publish it with the command line: ulmus import.`
    this.#set({ refused: { step: 'file', refusal: refusalOf(sentence) } })
  }

  /** Reads the file again. Keeps the edits of columns with the same names. */
  async read(options: ReadOptions): Promise<void> {
    const { opened } = this.state
    // Show the choice before the file is read, and keep it under the next one.
    const chosen = opened && { ...opened, options: { ...opened.options, ...options } }
    this.#set({ options, opened: chosen, ...uncompared })
    await this.#open(opened === undefined ? 'file' : 'reading', 'Reading it again…')
  }

  async #open(step: Step, text: string, editsFor: EditsFor = keepEdits): Promise<void> {
    const { file, options, head, ask } = this.state
    this.#reading = this.#turn + 1
    await this.#during(step, text, async (report) => {
      const target = { ref: this.#ref, head }
      const opened = await this.#call('open', { file: file!, options, target, ask }, report)
      const { planned } = opened
      return { opened, planned, edits: editsFor(planned, this.state), ...uncompared }
    })
  }

  async chooseType(type: string): Promise<void> {
    const { opened, planned, ask, working } = this.state
    const isTaken = opened?.types.some((one) => one.type === type) === true
    // Rename a new type at once. A wait for the worker would disable the button that the user presses after typing.
    if (planned?.isNew === true && !isTaken && working === undefined) {
      const renamed = { ...planned, plan: { ...planned.plan, type } }
      this.#set({ ask: { ...ask, type }, planned: renamed, ...uncompared })
      this.#settled = this.state
      return
    }
    // Files of another type may be read in another way.
    const own = opened?.types.find((one) => one.type === type)?.isRemembered ? type : undefined
    const editsFor: EditsFor = (next, { edits }) =>
      planned?.isNew === true && next.isNew ? edits : privateOf(edits)
    await this.#plan({ type }, editsFor, own !== opened?.readAs)
  }

  chooseId = (id: readonly string[]): Promise<void> => this.#replan({ id })

  async #replan(change: Partial<PlanAsk>): Promise<void> {
    const { ask, planned } = this.state
    await this.#plan({ ...(ask ?? { type: planned!.plan.type }), ...change })
  }

  /** Shows the choices at once. @param isReadAgain true: reads the file first. A reading under way begins again, for its result would be late. */
  async #plan(ask: PlanAsk, editsFor: EditsFor = keepEdits, isReadAgain = false): Promise<void> {
    const isReading = this.state.working !== undefined && this.#reading === this.#turn
    const chosen = this.#choices(ask)
    this.#set({ ask, planned: chosen })
    if (isReadAgain || isReading) await this.#open('type', 'Reading it again…', editsFor)
    else
      await this.#during('type', this.#readingText, async (report) => {
        const planned = await this.#call('plan', ask, report)
        return { planned, edits: editsFor(planned, this.state), ...uncompared }
      })
    const isRefused = this.state.planned === chosen
    if (isRefused) this.#set({ planned: this.#settled.planned, ask: this.#settled.ask })
  }

  /** The present plan with the chosen type and id, to show before the worker's plan is there. */
  #choices({ type, id }: PlanAsk): Planned {
    const { planned, opened } = this.state
    const { plan } = planned!
    const isNew = opened?.types.some((one) => one.type === type) !== true
    return { ...planned!, isNew, plan: { ...plan, type, id: id ?? plan.id } }
  }

  edit(column: string, set: Edits[string]): void {
    const { edits } = this.state
    this.#set({ edits: { ...edits, [column]: { ...edits[column], ...set } }, ...uncompared })
  }

  setMode(mode: CompareAsk['mode']): void {
    this.#set({ mode, ...uncompared })
  }

  setMessage(message: string): void {
    this.#set({ message })
  }

  confirm(name: string, isConfirmed: boolean): void {
    const others = this.state.confirmed.filter((one) => one !== name)
    this.#set({ confirmed: isConfirmed ? [...others, name] : others })
  }

  async compare(): Promise<void> {
    const { mode } = this.state
    const plan = this.plan!
    this.#set(uncompared)
    await this.#during('compare', 'Checking every row…', async (report) => ({
      compared: await this.#call('compare', { plan, mode }, report),
    }))
  }

  /** Shows only the records of a count; all again if it is the chosen one. */
  async filter(cell: ChangedCell): Promise<void> {
    const { filtered, compared } = this.state
    if (filtered?.cell.label === cell.label && filtered.cell.change === cell.change)
      return this.#set({ filtered: undefined })
    const table = await this.#call('recordsOf', cell, () => {})
    // The plan may have changed meanwhile.
    if (this.state.compared === compared) this.#set({ filtered: { cell, table } })
  }

  async publish(): Promise<void> {
    const { message, confirmed } = this.state
    await this.#during('publish', 'Sending…', async (report) => ({
      done: await this.#call('publish', { message, confirmed }, report),
    }))
  }

  /** Applies a remedy of a refusal, and repeats the comparison. */
  async carryOut(remedy: Remedy): Promise<void> {
    const again = this.state.refused?.step
    await this.#change(remedy)
    const isCompared = again === 'compare' || again === 'publish'
    if (isCompared && this.state.refused === undefined) await this.compare()
  }

  async #change({ change }: Remedy): Promise<void> {
    const { options, ask } = this.state
    switch (change.kind) {
      case 'column':
        return this.edit(change.column, change.set)
      case 'read': {
        const inUse = this.state.opened?.options ?? options
        const missing = [...(inUse.missing ?? []), ...(change.options.missing ?? [])]
        const more = Object.entries(change.options.missingIn ?? {})
        const inThese = more.map(([column, marks]) => [
          column,
          [...marksFor(column, inUse.missingIn), ...marks],
        ])
        const missingIn = { ...options.missingIn, ...Object.fromEntries(inThese) }
        return this.read({ ...options, ...change.options, missing, missingIn })
      }
      case 'id':
        return this.chooseId(change.id)
      case 'rename':
        return this.#replan({ rename: { ...ask?.rename, [change.column]: change.field } })
      case 'absent':
        return this.#replan({ optional: [...(ask?.optional ?? []), change.field] })
      case 'head':
        this.#set({ head: change.head })
        return this.#open('reading', this.#readingText)
    }
  }

  get #readingText(): string {
    return this.state.head === null ? 'Reading the file…' : 'Reading the latest version…'
  }

  async #during(
    step: Step,
    text: string,
    work: (report: (text: string) => void) => Promise<Partial<State>>,
  ): Promise<void> {
    const turn = ++this.#turn
    const isLate = () => turn !== this.#turn
    this.#set({ working: { step, text }, refused: undefined })
    try {
      const made = await work((said) => {
        if (!isLate()) this.#set({ working: { step, text: said } })
      })
      if (isLate()) return
      this.#set({ ...made, working: undefined })
      this.#settled = this.state
    } catch (error) {
      if (isLate()) return
      const refusal = error instanceof RefusedError ? error.refusal : refusalOf((error as Error).message)
      this.#set({ working: undefined, refused: { step, refusal } })
    }
  }

  #set(change: Partial<State>): void {
    this.state = { ...this.state, ...change }
    this.#onChange()
  }
}
