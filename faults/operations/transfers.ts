/** Transfers collections from the user to the organization and back. Former addresses must redirect. */
import type { CollectionModel } from '../model.ts'
import { bodyOf, type Fate } from '../requests.ts'
import { org, owner } from '../stage.ts'
import type { Turn } from '../turn.ts'

export async function transfer(turn: Turn, collection: CollectionModel): Promise<Fate> {
  const [from, to] = [collection.owner, collection.owner === org ? owner : org]
  collection.owners = [from, to]
  const what = `giving ${collection.path} to ${to}`
  const answer = await turn.ask('POST', `${collection.path}/transfer`, { json: { to } })
  const fate = turn.requests.fateOf(what, answer, [200])
  if (fate === 'done') {
    collection.isOf(to)
    const told = bodyOf(answer)
    if (told['owner'] !== to || told['slug'] !== collection.slug)
      turn.report.violation(`${what} is acknowledged as ${answer.text}`)
  } else if (fate !== 'open') collection.owners = [from]
  return fate
}

/**
 * Looks up the owner if it is unknown. @returns false if no server has answered yet
 */
export async function findOwner(turn: Turn, collection: CollectionModel): Promise<boolean> {
  if (collection.owners.length === 1) return true
  const found: string[] = []
  for (const one of collection.owners) {
    const { status } = await turn.ask('GET', collection.pathUnder(one))
    if (status === 200) found.push(one)
    else if (status !== 308 && status !== 404) return false
  }
  const [only] = found
  if (only === undefined || found.length > 1) {
    turn.report.violation(
      `${collection.slug} is with ${found.join(' and ') || 'no owner'}, not with ${collection.owners.join(' or ')}`,
    )
    collection.owners = [collection.owner]
  } else collection.isOf(only)
  return true
}

/** A former address redirects to the collection until another collection takes it, and is 404 after a deletion. */
export async function checkFormerAddresses(turn: Turn, collection: CollectionModel): Promise<void> {
  for (const one of collection.formerOwners) {
    const former = collection.pathUnder(one)
    const { status, headers } = await turn.ask('GET', former)
    const expected = collection.existence === 'present' ? 308 : 404
    if (status !== expected) turn.report.violation(`${former} is answered ${status}, not ${expected}`)
    const to = headers.get('location')
    if (status === 308 && !to?.endsWith(collection.path))
      turn.report.violation(`${former} leads to ${to}, not to ${collection.path}`)
  }
}
