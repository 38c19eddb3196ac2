/** Work of the worker: reads one file, plans, compares it with the latest version, and pushes it. */
import { createPushClient, type DryRunResult, type PushClient, UlmusError } from '@ulmus/client'
import {
  type Inference,
  inferTable,
  isNumbered,
  joinedIds,
  keyOfTwo,
  openAsBefore,
  openTable,
  type Plan,
  PrivateIdError,
  planFor,
  planOf,
  proposeId,
  sourceOf,
  type Table,
  TableError,
  typeNameOf,
} from '@ulmus/tabular'
import { type Exposure, refusedExposures } from '../../shared/exposures.ts'
import { audienceOf } from '../audience.ts'
import { RefusedError, type Report } from '../calls.ts'
import { askFor } from '../edits.ts'
import { type Refusal, refusalOf } from '../refusal.ts'
import type {
  ChangedCell,
  CompareAsk,
  Compared,
  OpenAsk,
  OpenedFile,
  PlanAsk,
  Planned,
  PublishAsk,
  RecordTable,
  Target,
} from '../shapes.ts'
import {
  type Comparison,
  cautionOf,
  compareRecords,
  hasChanges,
  progressOf,
  pushOf,
} from './comparison/compare.ts'
import { distinctExposures, exposuresOf, repeatExposures } from './exposures.ts'
import { factsOf, idText, marksOf, sampleOf } from './facts.ts'
import { FaultList, privateColumnsOf } from './fault-list.ts'
import type { RepeatedIds } from './file-faults.ts'
import { guardedPlan } from './guarded-plan.ts'
import { LatestVersion } from './latest.ts'
import { freeName, isMajor, typesLike } from './likeness.ts'
import { recordsWithLines } from './lines.ts'
import { changesOf } from './schema-changes.ts'
import { WorkbookWorker } from './workbook-worker.ts'

const refusals = () => import('./refusals.ts')
const samples = () => import('./comparison/record-samples.ts')

/** The open file, and the latest version for comparison. */
interface Opened {
  readonly target: Target
  readonly latest: LatestVersion
  readonly table: Table
  readonly inference: Inference
  /** Two columns that together form an id, once searched for, by the names of private columns. */
  readonly pairs: Map<string, ReturnType<typeof keyOfTwo>>
}

/** Keeps the open file between the calls of the page. Each call needs the one before: `open`, `plan`, `compare`, `publish`. */
export class FilePublisher {
  readonly #client: PushClient
  readonly #workbookScript: string
  #opened: Opened | undefined
  #planned: Planned | undefined
  #comparison: Comparison | undefined

  /** @param workbookScript path of the worker that reads workbooks */
  constructor(origin: string, workbookScript: string) {
    this.#client = createPushClient({ baseUrl: origin })
    this.#workbookScript = workbookScript
  }

  async open({ file, options, target, ask }: OpenAsk, report: Report): Promise<OpenedFile> {
    if (target.head !== null) report('Reading the latest version…')
    const latest = await this.#latestOf(target)
    const all = Object.entries(latest.schemas).map(([type, schema]) => ({ type, schema }))
    // Of a chosen type, or a new one, no other type says how to read the file.
    const types = ask === undefined ? all : all.filter(({ type }) => type === ask.type)
    const source = sourceOf(file)
    const startWorkbook = () => new WorkbookWorker(this.#workbookScript, file)
    const { table, type, notes } = await openAsBefore(
      (each) => openTable(source, each, { startWorkbook }),
      options,
      types,
    )
    report('Reading the file…')
    const inference = await inferTable(table)
    if (inference.rows === 0) throw new RefusedError(refusalOf('The file has no rows.'))
    await this.#opened?.table.close()
    this.#opened = { target, latest, table, inference, pairs: new Map() }
    const newName = freeName(typeNameOf(table.detected.table ?? file.name), latest.schemas)
    const likely = await typesLike(table, inference, latest, report)
    const proposed = likely.find(({ isLikely }) => isLikely)?.type ?? newName
    return {
      name: file.name,
      rows: inference.rows,
      unit: table.unit,
      detected: table.detected,
      options: inference.options,
      notes: [...notes, ...table.notes, ...inference.hints],
      marks: marksOf(inference),
      sample: await sampleOf(table, inference),
      facts: inference.columns.map(factsOf),
      readAs: type,
      types: likely,
      newName,
      planned: await this.plan(ask === undefined ? { type: proposed } : askFor(table, ask), report),
    }
  }

  async #latestOf(target: Target): Promise<LatestVersion> {
    const { target: before, latest } = this.#opened ?? {}
    const isSame = before?.ref === target.ref && before.head === target.head
    return isSame && latest !== undefined ? latest : LatestVersion.read(this.#client, target)
  }

  async plan({ type, ...wishes }: PlanAsk, report: Report): Promise<Planned> {
    const { latest, table, inference } = this.#opened!
    const isNew = !Object.hasOwn(latest.schemas, type)
    const known = isNew ? undefined : await latest.known(type, report)
    const planWith = (id: PlanAsk['id']) => {
      const wanted = { type, ...wishes, id }
      const plan = known === undefined ? planOf(inference, wanted) : planFor(inference, known, wanted)
      return guardedPlan(this.#opened!, plan, known, report)
    }
    let { plan, guarded } = await planWith(wishes.id)
    const hidden = privateColumnsOf(plan)
    // A new type gets an id without private columns. Records of an existing type keep theirs, and `compare` refuses it.
    const isExposed = isNew && plan.id.some((name) => hidden.includes(name))
    const lacksId = plan.id.length === 0 && (known === undefined || !isNumbered(known))
    if (wishes.id === undefined && (lacksId || isExposed)) {
      const other = isExposed ? proposeId(inference, hidden)?.columns : undefined
      const id = other ?? (await this.#keyOfTwo(hidden)) ?? []
      if (isExposed || id.length > 0) ({ plan, guarded } = await planWith(id))
    }
    const areUnique = plan.id.length > 1 && (await joinedIds(table, inference, plan.id)).isUnique
    this.#planned = { plan, idText: idText(plan, inference, areUnique, table.unit), isNew, guarded }
    return this.#planned
  }

  /** Two columns that together form an id. Reads the file once more for each set of private columns. */
  #keyOfTwo(hidden: readonly string[]): ReturnType<typeof keyOfTwo> {
    const { pairs, table, inference } = this.#opened!
    const key = JSON.stringify(hidden)
    const pair = pairs.get(key) ?? keyOfTwo(table, inference, hidden)
    pairs.set(key, pair)
    return pair
  }

  async compare({ plan, mode }: CompareAsk, report: Report): Promise<Compared> {
    const { latest, table, target } = this.#opened!
    const { after, isChanged, sentences } = changesOf(plan, latest.schemas)
    const held = await latest.heldOf(plan.type, report)
    const faults = new FaultList()
    const records = recordsWithLines(table, plan, faults.add)
    const schemas = isChanged ? after : undefined
    const dataOf = (ids: readonly string[]) => latest.dataOf(plan.type, ids)
    const sides = { table, records, held, plan, mode, schemas, dataOf }
    const comparison = await this.#refusing(plan, compareRecords(sides, report))
    await this.#refuseFaults(faults, plan)
    this.#comparison = comparison
    const { next, exposures } = hasChanges(comparison)
      ? await this.#tryOut(
          comparison,
          [...exposuresOf(latest.schemas, after), ...repeatExposures(plan)],
          report,
        )
      : { next: undefined, exposures: [] }
    report('Reading the records that change…')
    const { changedRecordsOf } = await samples()
    const shown = await changedRecordsOf(this.#client, target, comparison, after[plan.type]!)
    const privateRecords = comparison.changed.filter((record) => record.private === true).length
    return {
      added: comparison.added.length,
      updated: comparison.updated.length,
      removed: comparison.removed.length,
      unchanged: comparison.unchanged,
      records: shown,
      columns: comparison.cells.counts,
      sentences,
      caution: cautionOf(comparison),
      audience: audienceOf(plan, after[plan.type]!, privateRecords),
      exposures,
      next: next && { ...next, isMajor: isMajor(target.head, next.semver) },
    }
  }

  /** The first updated records with such a cell. */
  async recordsOf(cell: ChangedCell): Promise<RecordTable> {
    const { target, latest } = this.#opened!
    const comparison = this.#comparison!
    const schema = (comparison.schemas ?? latest.schemas)[comparison.plan.type]!
    const total = comparison.cells.counts.find(({ label }) => label === cell.label)?.[cell.change] ?? 0
    const { updatesTable } = await samples()
    return updatesTable(target, comparison, schema, comparison.cells.updatesOf(cell), total)
  }

  /** Awaits the comparison. @throws RefusedError for private columns in ids */
  async #refusing(plan: Plan, comparing: Promise<Comparison>): Promise<Comparison> {
    try {
      return await comparing
    } catch (error) {
      if (!(error instanceof PrivateIdError)) throw error
      const hidden = privateColumnsOf(plan)
      const hasOther = proposeId(this.#opened!.inference, hidden) !== undefined
      const pair = hasOther ? undefined : await this.#keyOfTwo(hidden)
      const { privateIdRefusal } = await refusals()
      throw new RefusedError(privateIdRefusal(error, plan, this.#opened!.inference, pair))
    }
  }

  /** @throws RefusedError */
  async #refuseFaults(faults: FaultList, plan: Plan): Promise<void> {
    const { table, inference } = this.#opened!
    const isGone = plan.gone?.some(({ isAccepted }) => !isAccepted) === true
    if (faults.total === 0 && !isGone) return
    const { absentRefusal, checkTable, fileRefusal } = await refusals()
    const { misfits } = await checkTable(table, inference, plan)
    const gone = misfits.filter(({ why }) => why === 'gone')
    if (faults.total > 0) {
      const repeated = await this.#repeatedIds(faults, plan)
      throw new RefusedError(fileRefusal(faults, misfits, plan, inference, repeated))
    }
    if (gone.length > 0) throw new RefusedError(absentRefusal(gone, plan, inference))
  }

  async #repeatedIds({ first }: FaultList, plan: Plan): Promise<RepeatedIds> {
    const { table, inference } = this.#opened!
    const ids = new Set(first.flatMap(({ repeatedId }) => (repeatedId === undefined ? [] : [repeatedId])))
    if (ids.size === 0) return { lines: new Map(), unit: table.unit, pair: undefined }
    const { firstLines } = await refusals()
    const lines = await firstLines(table, inference, plan.id, ids)
    return { lines, unit: table.unit, pair: await this.#keyOfTwo(privateColumnsOf(plan)) }
  }

  /** Dry run. Confirms all exposures, because it publishes nothing. */
  async #tryOut(
    comparison: Comparison,
    exposures: readonly Exposure[],
    report: Report,
  ): Promise<Pick<Compared, 'exposures'> & { readonly next: DryRunResult }> {
    const { target } = this.#opened!
    const attempt = (some: readonly Exposure[]) => {
      const push = pushOf(target, comparison, { confirmPublic: some.map(({ name }) => name) })
      return this.#client.dryRun.push(target.ref, push, progressOf(comparison, report))
    }
    try {
      return { next: await attempt(exposures), exposures: distinctExposures(exposures) }
    } catch (error) {
      const refused = error instanceof UlmusError ? refusedExposures(error.body) : []
      const known = new Set(exposures.map(({ name }) => name))
      if (refused.every(({ name }) => known.has(name))) throw error
      // The registry names one kind at a time.
      return this.#tryOut(comparison, distinctExposures([...exposures, ...refused]), report)
    }
  }

  /** Publishes. @returns the new version */
  async publish({ message, confirmed }: PublishAsk, report: Report): Promise<string> {
    const { target } = this.#opened!
    const comparison = this.#comparison!
    const said = message.trim() === '' ? {} : { message: message.trim() }
    const push = pushOf(target, comparison, { ...said, confirmPublic: confirmed })
    const { semver } = await this.#client.push(target.ref, push, progressOf(comparison, report))
    return semver
  }

  async refusalOf(error: unknown): Promise<Refusal> {
    if (error instanceof RefusedError) return error.refusal
    if (error instanceof TableError) return (await refusals()).readingRefusal(error)
    if (!(error instanceof UlmusError)) return refusalOf((error as Error).message)
    const { plan, changed } = this.#comparison ?? {}
    if (plan === undefined || changed === undefined) return refusalOf(error.message)
    const planned = this.#planned
    const known =
      planned?.isNew === false ? new Map(planned.plan.columns.map((one) => [one.name, one])) : undefined
    const { serverRefusal } = await refusals()
    return serverRefusal(error, { plan, changed, known, head: this.#opened!.target.head })
  }
}
