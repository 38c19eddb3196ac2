/** Publishes an earlier version again. */
import type { Change, CollectionModel, Told } from '../model.ts'
import { bodyOf, type Fate } from '../requests.ts'
import type { Turn } from '../turn.ts'

interface Answered extends Told {
  /** The latest version has the same content, so there is no new one. */
  readonly unchanged?: boolean
}

export async function restore(turn: Turn, collection: CollectionModel): Promise<Fate> {
  const { semver, content } = turn.random.pick(collection.standing.slice(0, -1))
  const change: Change = {
    what: `a restore of ${collection.path} ${semver}`,
    apply: (head) => head && content,
  }
  collection.pending.push(change)
  const answer = await turn.ask('POST', `${collection.path}/versions/${semver}/restore`, { json: {} })
  const fate = turn.requests.fateOf(change.what, answer, [201])
  if (fate === 'open') return fate
  const told = fate === 'done' ? (bodyOf(answer) as unknown as Answered) : undefined
  if (told === undefined || told.unchanged === true) collection.drop(change)
  else for (const wrong of await collection.acknowledge(change, told)) turn.report.violation(wrong)
  return fate
}
