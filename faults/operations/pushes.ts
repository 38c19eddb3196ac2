/** Pushes of both kinds, committed synchronously or as a job. Retries each unanswered step a few times. */
import { setTimeout as sleep } from 'node:timers/promises'
import { recordOf } from '@ulmus/content'
import {
  type Change,
  type CollectionModel,
  type Content,
  emptyContent,
  schemas,
  splitKey,
  type Told,
} from '../model.ts'
import { type Answer, bodyOf, type Fate, textOf } from '../requests.ts'
import type { Turn } from '../turn.ts'
import { applyEdit, deleteLineOf, type Edit, lineOf, makeEdit } from './edits.ts'

const batchLines = 1_500
const triesMax = 3
const retryMilliseconds = 300
const pollMilliseconds = 50
/** Time that a worker waits for an asynchronous commit; a longer one is checked after the fault. Milliseconds. */
const pollMillisecondsMax = 10_000

export const pushDelta = (turn: Turn, collection: CollectionModel): Promise<Fate> =>
  delta(turn, collection, { asJob: false })
export const pushDeltaAsJob = (turn: Turn, collection: CollectionModel): Promise<Fate> =>
  delta(turn, collection, { asJob: true })
export const pushSnapshot = (turn: Turn, collection: CollectionModel): Promise<Fate> =>
  snapshot(turn, collection, false)
export const pushSnapshotAsJob = (turn: Turn, collection: CollectionModel): Promise<Fate> =>
  snapshot(turn, collection, true)

/**
 * Variant of a push. `mayRefuse`: expected statuses of a refusal of its opening or commit, `mayRefuseBatches` of its batches; absent:
 * none.
 */
export interface Manner {
  readonly asJob: boolean
  readonly mayRefuse?: readonly number[]
  readonly mayRefuseBatches?: readonly number[]
}

interface Step {
  readonly what: string
  readonly wanted: readonly number[]
  readonly mayRefuse?: readonly number[]
}

/** Sends a step until it is answered, a few times at most. */
async function persist(
  turn: Turn,
  step: Step,
  send: () => Promise<Answer>,
): Promise<{ fate: Fate; answer: Answer }> {
  let isOpen = false
  for (let tries = 1; ; tries++) {
    const answer = await send()
    const last = turn.requests.fateOf(step.what, answer, step.wanted, step.mayRefuse)
    // An earlier try without an answer may have succeeded.
    const fate = last === 'refused' && isOpen ? 'open' : last
    if (last === 'done' || last === 'wrong' || tries === triesMax) return { fate, answer }
    if (last === 'refused' && answer.status !== 0) return { fate, answer }
    isOpen ||= last === 'open'
    await sleep(retryMilliseconds)
  }
}

export async function delta(turn: Turn, collection: CollectionModel, manner: Manner): Promise<Fate> {
  const base = collection.head
  const edit = makeEdit(turn, base?.content ?? emptyContent, collection.uploads)
  const { metadata, files, puts, deletes } = edit
  const json = {
    ...{ base_version: base?.semver ?? null, metadata, files: [...files.keys()] },
    ...(base === undefined && { schemas }),
  }
  const what = `a push to ${collection.path}`
  const opened = await persist(turn, { what, wanted: [201], mayRefuse: manner.mayRefuse }, () =>
    turn.ask('POST', `${collection.path}/pushes`, { json }),
  )
  if (opened.fate !== 'done') return opened.fate
  const at = `${collection.path}/pushes/${textOf(opened.answer, 'session_id')}`
  const batches = [
    ...chunksOf([...puts].map(lineOf)).map((lines) => ({ to: `${at}/records`, lines })),
    ...chunksOf([...deletes].map(deleteLineOf)).map((lines) => ({ to: `${at}/deletes`, lines })),
  ]
  for (const { to, lines } of batches) {
    const step = { what, wanted: [200], mayRefuse: manner.mayRefuseBatches }
    const sent = await persist(turn, step, () => turn.ask('POST', to, { lines }))
    if (sent.fate !== 'done') return leave(collection, at, sent.fate)
  }
  return commit(turn, collection, manner, { ...changeOf(what, base?.semver, edit), at })
}

async function snapshot(turn: Turn, collection: CollectionModel, asJob: boolean): Promise<Fate> {
  const base = collection.head
  const edit = makeEdit(turn, base?.content ?? emptyContent, collection.uploads)
  const whole = applyEdit(base?.content, edit)
  const byHash = new Map<string, ReturnType<typeof lineOf>>()
  const manifest = [...whole.records].map(([key, data]) => {
    const [type, id] = splitKey(key)
    const { hash } = recordOf(id, type, data)
    byHash.set(hash, { id, type, data })
    return { id, type, hash }
  })
  const json = {
    ...{ base_version: base?.semver ?? null, schemas, manifest },
    ...{ metadata: edit.metadata, files: [...whole.files.keys()] },
  }
  const what = `a snapshot of ${collection.path}`
  const opened = await persist(turn, { what, wanted: [200] }, () =>
    turn.ask('POST', `${collection.path}/versions/negotiate`, { json }),
  )
  if (opened.fate !== 'done') return opened.fate
  const { session_id, needed_records } = bodyOf(opened.answer) as {
    session_id: string
    needed_records: string[]
  }
  const at = `${collection.path}/versions/negotiate/${session_id}`
  const needed = needed_records.map((hash) => byHash.get(hash))
  for (const lines of chunksOf(needed)) {
    const sent = await persist(turn, { what, wanted: [200] }, () =>
      turn.ask('POST', `${at}/records`, { lines }),
    )
    if (sent.fate !== 'done') return leave(collection, at, sent.fate)
  }
  return commit(turn, collection, { asJob }, { ...changeOf(what, base?.semver, edit), at })
}

/** A push applies only to its base. */
const changeOf = (what: string, base: string | undefined, edit: Edit): Change => ({
  what: `${what} from ${base ?? 'nothing'}`,
  apply: (head): Content | undefined => (head?.semver === base ? applyEdit(head?.content, edit) : undefined),
})

/** Leaves a session uncommitted, to be checked after the fault. */
function leave(collection: CollectionModel, at: string, fate: Fate): Fate {
  if (fate !== 'wrong') collection.leftOpen.push(at)
  return fate
}

async function commit(
  turn: Turn,
  collection: CollectionModel,
  { asJob, mayRefuse }: Manner,
  change: Change,
): Promise<Fate> {
  change.mayConflict = mayRefuse !== undefined
  collection.pending.push(change)
  const wanted = asJob ? [202, 201] : [201]
  const { fate, answer } = await persist(turn, { what: change.what, wanted, mayRefuse }, () =>
    turn.ask('POST', `${change.at}/commit${asJob ? '?async=true' : ''}`),
  )
  // An earlier try may have succeeded even if the last one was not received.
  if (fate === 'refused' && answer.status === 0) return 'open'
  if (fate !== 'done') {
    if (fate !== 'open') collection.drop(change)
    if (fate === 'refused' && answer.status !== 409) collection.leftOpen.push(change.at!)
    return fate
  }
  return answer.status === 201
    ? landed(turn, collection, change, bodyOf(answer) as unknown as Told)
    : awaitJob(turn, collection, { asJob, mayRefuse }, change)
}

async function landed(turn: Turn, collection: CollectionModel, change: Change, told: Told): Promise<Fate> {
  for (const wrong of await collection.acknowledge(change, told)) turn.report.violation(wrong)
  return 'done'
}

/** Polls an asynchronous commit; its session contains the outcome. */
async function awaitJob(
  turn: Turn,
  collection: CollectionModel,
  { mayRefuse }: Manner,
  change: Change,
): Promise<Fate> {
  const until = performance.now() + pollMillisecondsMax
  while (performance.now() < until) {
    const answer = await turn.ask('GET', change.at!)
    if (turn.requests.fateOf(`the state of ${change.what}`, answer, [200]) !== 'done') return 'open'
    const { status, result, error } = bodyOf(answer) as unknown as SessionState
    if (status === 'committed') return landed(turn, collection, change, result!)
    if (status === 'failed' && mayRefuse?.includes(error?.statusCode ?? 0)) {
      collection.drop(change)
      return 'refused'
    }
    if (status !== 'committing') return 'open'
    await sleep(pollMilliseconds)
  }
  return 'open'
}

export interface SessionState {
  readonly status: string
  readonly result?: Told | null
  readonly error?: { readonly code: string; readonly error: string; readonly statusCode: number } | null
}

function chunksOf<T>(lines: readonly T[]): T[][] {
  const chunks: T[][] = []
  for (let at = 0; at < lines.length; at += batchLines) chunks.push(lines.slice(at, at + batchLines))
  return chunks
}
