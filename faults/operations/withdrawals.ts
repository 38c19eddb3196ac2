/** Withdraws, erases and deprecates versions. */
import { type Change, type CollectionModel, digestOf, type KnownVersion, splitKey } from '../model.ts'
import { bodyOf, type Fate } from '../requests.ts'
import type { Turn } from '../turn.ts'
import { applyEdit } from './edits.ts'
import { delta } from './pushes.ts'

const nothing = { puts: new Map(), deletes: new Set<string>(), metadata: {}, files: new Map() }
const reasonsLike = 'It should not have been'
/** The base version was withdrawn, or another push landed first. */
const conflict = [409]

export const withdrawHead = (turn: Turn, collection: CollectionModel): Promise<Fate> =>
  withdraw(turn, collection, collection.head!, false)

export const withdrawOlder = (turn: Turn, collection: CollectionModel): Promise<Fate> =>
  withdraw(turn, collection, turn.random.pick(collection.standing.slice(0, -1)), false)

/** Erases a version, which may already be withdrawn. */
export const erase = (turn: Turn, collection: CollectionModel): Promise<Fate> =>
  withdraw(turn, collection, turn.random.pick(collection.versions), true)

/** Withdraws a version during a push. The push lands first or is refused; the version is withdrawn either way. */
export async function raceWithdrawal(turn: Turn, collection: CollectionModel): Promise<Fate> {
  const head = collection.head!
  head.marks.wasOvertaken = true
  const fates = await Promise.all([
    delta(turn, collection, { asJob: false, mayRefuse: conflict }),
    withdraw(turn, collection, head, turn.random.chance(0.5)),
  ])
  for (const wrong of await collection.settleAcknowledged()) turn.report.violation(wrong)
  if (collection.pending.length === 0) head.marks.wasOvertaken = false
  return fates.includes('open') ? 'open' : fates.includes('done') ? 'done' : 'refused'
}

async function withdraw(
  turn: Turn,
  collection: CollectionModel,
  { semver, marks, content }: KnownVersion,
  erase: boolean,
): Promise<Fate> {
  const reason = `${reasonsLike}: ${turn.newNumber()}`
  const where = `${collection.path} ${semver}`
  const before = marks.erasure
  marks.askWithdrawal(reason, erase)
  // Files that no other version has are removed with it, and can be uploaded again.
  for (const file of content.files.keys()) collection.uploads.delete(file)
  const path = `${collection.path}/versions/${semver}/withdraw`
  const answer = await turn.ask('POST', path, { json: { reason, erase } })
  const fate = turn.requests.fateOf(`withdrawing ${where}`, answer, [200])
  if (fate === 'done') {
    const told = bodyOf(answer) as unknown as { reason: string; erase: boolean; latest: string | null }
    for (const wrong of marks.withdrawn(where, told)) turn.report.violation(wrong)
    const latest = collection.head?.semver ?? null
    // A concurrent push may have become the latest version.
    if (told.latest !== latest && !marks.wasOvertaken)
      turn.report.violation(`${where} is withdrawn, and ${told.latest} is the latest, not ${latest}`)
  } else if (fate !== 'open') marks.notWithdrawn(before)
  return fate
}

/** Removes a record from all versions: one without it is published, and all that have it are withdrawn and erased. */
export async function removeRecord(turn: Turn, collection: CollectionModel): Promise<Fate> {
  const head = collection.head!
  const key = turn.random.pick([...head.content.records.keys()])
  const [type, id] = splitKey(key)
  const content = applyEdit(head.content, { ...nothing, deletes: new Set([key]) })
  const having = collection.versions.filter(
    (version) => version.marks.erasure !== 'asked' && version.content.records.has(key),
  )
  const reason = `${reasonsLike}: ${turn.newNumber()}`
  const what = `the removal of ${key} from ${collection.path}`
  const change: Change = { what, apply: () => content }
  collection.pending.push(change)
  for (const { marks, content: old } of having) {
    marks.askWithdrawal(reason, true)
    for (const file of old.files.keys()) collection.uploads.delete(file)
  }
  const path = `${collection.path}/records/${type}/${id}/erase`
  const answer = await turn.ask('POST', path, { json: { base_version: head.semver, reason } })
  const fate = turn.requests.fateOf(what, answer, [200])
  // A removal that is refused half-way, such as on a full disk, has published the version. The next look settles both.
  if (fate !== 'done') return fate
  const erasure = bodyOf(answer) as unknown as { versions: string[]; published: string }
  const wanted = having.map(({ semver }) => semver).reverse()
  if (erasure.versions.join() !== wanted.join())
    turn.report.violation(`${what} erased ${erasure.versions.join(', ')}, not ${wanted.join(', ')}`)
  const wrong = having.flatMap(({ semver, marks }) =>
    marks.withdrawn(`${collection.path} ${semver}`, { reason: marks.reason ?? reason, erase: true }),
  )
  wrong.push(
    ...(await collection.acknowledge(change, { semver: erasure.published, hash: await digestOf(content) })),
  )
  for (const one of wrong) turn.report.violation(one)
  return fate
}

/** Sets the deprecation message, and sometimes clears it. Nothing else changes. */
export async function deprecate(turn: Turn, collection: CollectionModel): Promise<Fate> {
  const { semver, marks } = turn.random.pick(collection.standing)
  const message = turn.random.chance(0.3) ? null : `Take another: ${turn.newNumber()}`
  marks.askDeprecation(message)
  const path = `${collection.path}/versions/${semver}/deprecate`
  const answer = await turn.ask('POST', path, { json: { message } })
  const fate = turn.requests.fateOf(`deprecating ${collection.path} ${semver}`, answer, [200])
  if (fate !== 'open') marks.deprecated(fate === 'done')
  return fate
}
