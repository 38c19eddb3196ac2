/** Metadata updates, answered at once or as a job. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Change, type CollectionModel, mergeMetadata, type Told } from '../model.ts'
import { bodyOf, type Fate, textOf } from '../requests.ts'
import type { Turn } from '../turn.ts'

const keysMax = 6
const pollMilliseconds = 50
/** Time that a worker waits for a job; a longer one is checked after the fault. Milliseconds. */
const pollMillisecondsMax = 10_000

function newChange(turn: Turn, collection: CollectionModel, mayRefuse: readonly number[]) {
  const key = `key-${turn.random.between(1, keysMax)}`
  const json = { [key]: turn.newNumber() }
  const change: Change = {
    what: `an update of ${collection.path}`,
    mayConflict: mayRefuse.length > 0,
    apply: (head) => head && { ...head.content, metadata: mergeMetadata(head.content.metadata, json) },
  }
  collection.pending.push(change)
  return { json, change }
}

export async function updateMetadata(
  turn: Turn,
  collection: CollectionModel,
  mayRefuse: readonly number[] = [],
): Promise<Fate> {
  const { json, change } = newChange(turn, collection, mayRefuse)
  const answer = await turn.ask('PATCH', `${collection.path}/metadata`, { json })
  const fate = turn.requests.fateOf(change.what, answer, [201], mayRefuse)
  if (fate === 'done') return landed(turn, collection, change, bodyOf(answer) as unknown as Told)
  if (fate !== 'open') collection.drop(change)
  return fate
}

export async function updateAsJob(
  turn: Turn,
  collection: CollectionModel,
  mayRefuse: readonly number[] = [],
): Promise<Fate> {
  const { json, change } = newChange(turn, collection, mayRefuse)
  const answer = await turn.ask('PATCH', `${collection.path}/metadata?async=true`, { json })
  const fate = turn.requests.fateOf(change.what, answer, [202], mayRefuse)
  if (fate !== 'done') {
    if (fate !== 'open') collection.drop(change)
    return fate
  }
  change.at = `${collection.path}/metadata/jobs/${textOf(answer, 'job_id')}`
  return awaitJob(turn, collection, change, mayRefuse)
}

async function awaitJob(
  turn: Turn,
  collection: CollectionModel,
  change: Change,
  mayRefuse: readonly number[],
): Promise<Fate> {
  const until = performance.now() + pollMillisecondsMax
  while (performance.now() < until) {
    const answer = await turn.ask('GET', change.at!)
    if (turn.requests.fateOf(`the job of ${change.what}`, answer, [200]) !== 'done') return 'open'
    const { status, result, error } = bodyOf(answer) as unknown as JobState
    if (status === 'completed') return landed(turn, collection, change, result!)
    if (status === 'failed' && mayRefuse.includes(error?.statusCode ?? 0)) {
      collection.drop(change)
      return 'refused'
    }
    if (status !== 'running') return 'open'
    await sleep(pollMilliseconds)
  }
  return 'open'
}

async function landed(turn: Turn, collection: CollectionModel, change: Change, told: Told): Promise<Fate> {
  for (const wrong of await collection.acknowledge(change, told)) turn.report.violation(wrong)
  return 'done'
}

export interface JobState {
  readonly status: string
  readonly result?: Told
  readonly error?: { readonly code: string; readonly error: string; readonly statusCode: number }
}
