/** Resolves all unanswered requests after a fault, as their senders would. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Change, CollectionModel, Told } from './model.ts'
import { settleGrants } from './operations/collaborators.ts'
import type { JobState } from './operations/metadata.ts'
import type { SessionState } from './operations/pushes.ts'
import { listVersions } from './operations/reads.ts'
import { checkFormerAddresses, findOwner } from './operations/transfers.ts'
import { bodyOf } from './requests.ts'
import type { Turn } from './turn.ts'

/** Time within which all running operations must end by themselves. Milliseconds. */
const settledMillisecondsMax = 30_000
const pollMilliseconds = 100

/** Polls until the answer is not undefined. @returns undefined after the timeout */
async function until<T>(ask: () => Promise<T | undefined>): Promise<T | undefined> {
  const end = performance.now() + settledMillisecondsMax
  for (;;) {
    const found = await ask()
    if (found !== undefined || performance.now() > end) return found
    await sleep(pollMilliseconds)
  }
}

/** Determines the complete state of a collection, and reports violations. */
export async function settle(turn: Turn, collection: CollectionModel): Promise<void> {
  const from = performance.now()
  if ((await until(async () => (await findOwner(turn, collection)) || undefined)) === undefined)
    turn.report.violation(`no server names the owner of ${collection.slug}`)
  for (const change of [...collection.pending]) await settleChange(turn, collection, change)
  if (collection.pending.some(({ at, acknowledged }) => at === undefined && acknowledged === undefined))
    await untilFree(turn, collection)
  for (const at of collection.leftOpen.splice(0)) await endLeft(turn, collection, at)
  await look(turn, collection)
  turn.report.waited('open requests settled', performance.now() - from)
}

const isGone = (collection: CollectionModel, status: number): boolean =>
  status === 404 && collection.existence === 'unsure'

async function settleChange(turn: Turn, collection: CollectionModel, change: Change): Promise<void> {
  if (change.at === undefined || change.acknowledged !== undefined) return
  const { at, what } = change
  const wrong = (sentence: string) => turn.report.violation(`${what}: ${sentence}`)
  const state = await until(async () => {
    const answer = await turn.ask('GET', at)
    if (isGone(collection, answer.status)) return { status: 'gone' }
    if (answer.status !== 200) return undefined
    const told = bodyOf(answer) as unknown as SessionState & JobState
    return ['committing', 'checking', 'running'].includes(told.status) ? undefined : told
  })
  if (state === undefined) return wrong(`${at} is stuck`)
  const { status, result, error } = state as { status: string } & Partial<SessionState>
  if (status === 'committed' || status === 'completed') {
    change.acknowledged = result as Told
  } else if (status === 'open') {
    await commitAgain(turn, collection, change)
  } else {
    if (error?.code === 'internal' || (error?.code === 'version_conflict' && change.mayConflict !== true))
      wrong(`it failed with ${error.code}: ${error.error}`)
    turn.report.operation(`ended as ${status}: ${error?.code ?? 'without an error'}`, 'refused')
    collection.drop(change)
  }
}

/** Commits again after a commit that was not answered and did not happen. */
async function commitAgain(turn: Turn, collection: CollectionModel, change: Change): Promise<void> {
  const mayRefuse = change.mayConflict === true ? [409] : []
  const answer = await turn.ask('POST', `${change.at}/commit`)
  const fate = turn.requests.fateOf(`committing again ${change.what}`, answer, [201], mayRefuse)
  turn.report.operation('commit again', fate === 'wrong' ? 'refused' : fate)
  if (fate === 'done') change.acknowledged = bodyOf(answer) as unknown as Told
  else if (fate !== 'open') collection.drop(change)
}

/** Waits until the collection accepts updates: one whose answer was lost blocks others until it is done. */
async function untilFree(turn: Turn, collection: CollectionModel): Promise<void> {
  if (collection.head === undefined) return
  const freed = await until(async () => {
    const { status } = await turn.ask('PATCH', `${collection.path}/metadata`, { json: {} })
    return status === 200 || isGone(collection, status) ? true : undefined
  })
  if (freed === undefined)
    turn.report.violation(`${collection.path}: its metadata cannot be updated any more`)
}

/** An uncommitted session must be open, or ended. */
async function endLeft(turn: Turn, collection: CollectionModel, at: string): Promise<void> {
  const state = await turn.ask('GET', at)
  if (isGone(collection, state.status) || collection.existence === 'absent') return
  if (turn.requests.fateOf(`the state of ${at}`, state, [200]) !== 'done') return
  const { status } = bodyOf(state) as { status: string }
  if (status === 'open') {
    const ended = await turn.ask('DELETE', at)
    turn.requests.fateOf(`ending ${at}`, ended, [204])
  } else if (!['expired', 'failed', 'cancelled'].includes(status))
    turn.report.violation(`${at}, which was not committed, is ${status}`)
}

/** Checks whether the collection exists, and all of its versions. */
async function look(turn: Turn, collection: CollectionModel): Promise<void> {
  const wasUnsure = collection.existence === 'unsure'
  const answer = await until(async () => {
    const told = await turn.ask('GET', collection.path)
    return [200, 404].includes(told.status) ? told : undefined
  })
  if (answer === undefined) return turn.report.violation(`${collection.path} cannot be read any more`)
  if (wasUnsure) collection.existence = answer.status === 200 ? 'present' : 'absent'
  if ((answer.status === 200) !== (collection.existence === 'present'))
    turn.report.violation(
      `${collection.path} is answered ${answer.status}; it should be ${collection.existence}`,
    )
  if (collection.existence === 'absent' || answer.status === 404) {
    collection.pending = []
    return
  }
  const { name } = bodyOf(answer) as { name: string }
  if (!collection.names.includes(name))
    turn.report.violation(`${collection.path} is named ${name}, not ${collection.names.join(' or ')}`)
  collection.names = [name]
  const told = await listVersions(turn, collection)
  if (told === undefined) return turn.report.violation(`the versions of ${collection.path} cannot be listed`)
  for (const wrong of await collection.reconcile(told)) turn.report.violation(wrong)
  await settleGrants(turn, collection)
  await checkFormerAddresses(turn, collection)
}
