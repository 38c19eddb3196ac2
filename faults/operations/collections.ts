/** Creates, renames, forks and deletes collections. */
import type { CollectionModel } from '../model.ts'
import { bodyOf, type Fate } from '../requests.ts'
import { org } from '../stage.ts'
import type { Turn } from '../turn.ts'

/** Records the outcome of a creation or deletion. */
function decide(collection: CollectionModel, fate: Fate, done: 'present' | 'absent'): Fate {
  const before = done === 'present' ? 'absent' : 'present'
  collection.existence = fate === 'done' ? done : fate === 'open' ? 'unsure' : before
  return fate
}

export async function createCollection(turn: Turn, collection: CollectionModel): Promise<Fate> {
  turn.own(collection)
  collection.existence = 'unsure'
  collection.isPublic = turn.random.chance(0.5)
  const { owner, slug, names, isPublic } = collection
  const json = { slug, name: names[0], public: isPublic }
  const answer = await turn.ask('POST', `/api/accounts/${owner}/collections`, { json })
  return decide(collection, turn.requests.fateOf(`making ${collection.path}`, answer, [201]), 'present')
}

export async function deleteCollection(turn: Turn, collection: CollectionModel): Promise<Fate> {
  collection.existence = 'unsure'
  const answer = await turn.ask('DELETE', collection.path)
  return decide(collection, turn.requests.fateOf(`deleting ${collection.path}`, answer, [200]), 'absent')
}

/** Forks a collection. The fork must start with its source's head, or not exist. */
export async function fork(turn: Turn, source: CollectionModel): Promise<Fate> {
  const head = source.head!
  const collection = turn.newCollection({ isFork: true, like: source })
  turn.own(collection)
  collection.existence = 'unsure'
  collection.isPublic = source.isPublic
  const change = { what: `a fork of ${source.path}`, apply: () => head.content }
  collection.pending.push(change)
  const json = { targetOrg: org, slug: collection.slug }
  const answer = await turn.ask('POST', `${source.path}/fork`, { json })
  const fate = decide(collection, turn.requests.fateOf(change.what, answer, [201]), 'present')
  if (fate === 'done') {
    const { version } = bodyOf(answer) as { version: { semver: string } }
    const told = { semver: version.semver, hash: head.hash }
    for (const wrong of await collection.acknowledge(change, told)) turn.report.violation(wrong)
  } else if (fate !== 'open') collection.drop(change)
  return fate
}

export async function rename(turn: Turn, collection: CollectionModel): Promise<Fate> {
  const name = `Name ${turn.newNumber()}`
  const before = collection.names
  collection.names = [...before, name]
  const answer = await turn.ask('PATCH', collection.path, { json: { name } })
  const fate = turn.requests.fateOf(`renaming ${collection.path}`, answer, [200])
  if (fate === 'done') collection.names = [name]
  else if (fate !== 'open') collection.names = before
  return fate
}
