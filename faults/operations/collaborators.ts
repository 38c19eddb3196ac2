/** Grants of collaborators: gives, changes and ends them, and acts as a collaborator. */
import { compareAccess, type Grant, grants } from '../grants.ts'
import { type CollectionModel, schemas } from '../model.ts'
import { bodyOf, type Fate, textOf } from '../requests.ts'
import { collaborators } from '../stage.ts'
import type { Turn } from '../turn.ts'
import { delta } from './pushes.ts'

/** The collaborator lost the grant. Private collections are 404 then. */
const withoutGrant = [403, 404]

/** Gives or changes a grant; the same grant again changes nothing. */
export async function giveGrant(turn: Turn, collection: CollectionModel): Promise<Fate> {
  const user = turn.random.pick(collaborators)
  return changeGrant(turn, collection, { user, grant: turn.random.pick(grants) })
}

/** Ends a grant. Sometimes the collaborator leaves. */
export async function endGrant(turn: Turn, collection: CollectionModel): Promise<Fate> {
  const user = turn.random.pick(collection.grants.usersWith('read'))
  const by = turn.random.chance(0.3) ? user : undefined
  return changeGrant(turn, collection, { user, grant: null, ...(by !== undefined && { by }) })
}

/** @param change.by the acting collaborator; absent: a member of the owner, or a collaborator with the grant `admin` */
async function changeGrant(
  turn: Turn,
  collection: CollectionModel,
  { user, grant, by }: { user: string; grant: Grant | null; by?: string },
): Promise<Fate> {
  const admins = collection.grants.usersWith('admin').filter((admin) => admin !== user)
  const actor = by ?? turn.random.pick([undefined, ...admins])
  const what = `setting the grant of ${user} on ${collection.path} to ${grant} by ${actor ?? 'a member'}`
  const path = `${collection.path}/collaborators/${user}`
  const key = actor === undefined ? {} : { key: turn.requests.keyOf(actor) }
  collection.grants.request(user, grant)
  const answer =
    grant === null
      ? await turn.ask('DELETE', path, key)
      : await turn.ask('PUT', path, { ...key, json: { grant } })
  const fate = turn.requests.fateOf(what, answer, [200])
  if (fate !== 'open') collection.grants.changed(user, fate === 'done')
  return fate
}

/** Checks the access of a user, who may have no grant. */
export const useGrant = (turn: Turn, collection: CollectionModel): Promise<Fate> =>
  checkAccess(turn, collection, turn.random.pick(collaborators))

/** Checks that a user reads the collection and opens a push exactly as the grant permits, on any server. */
export async function checkAccess(turn: Turn, collection: CollectionModel, user: string): Promise<Fate> {
  const { path, head, isPublic, grants } = collection
  const where = `${user} at ${path}`
  const key = turn.requests.keyOf(user)
  const read = await turn.ask('GET', path, { key })
  const fate = turn.requests.fateOf(`a read by ${where}`, read, [200, 404])
  if (fate !== 'done') return fate
  const json = { base_version: head?.semver ?? null, ...(head === undefined && { schemas }) }
  const opened = await turn.ask('POST', `${path}/pushes`, { key, json })
  const pushed = turn.requests.fateOf(`a push by ${where}`, opened, [201, ...withoutGrant])
  if (pushed !== 'done') return pushed
  const found = { read: read.status, push: opened.status }
  const wrong = compareAccess(where, { grant: grants.of(user), isPublic }, found)
  for (const sentence of wrong) turn.report.violation(sentence)
  if (wrong.length > 0) return 'wrong'
  return opened.status === 201
    ? endPush(turn, collection, { key, at: `${path}/pushes/${textOf(opened, 'session_id')}` })
    : 'done'
}

async function endPush(
  turn: Turn,
  collection: CollectionModel,
  { key, at }: { key: string; at: string },
): Promise<Fate> {
  const answer = await turn.ask('DELETE', at, { key })
  const fate = turn.requests.fateOf(`ending ${at}`, answer, [204])
  if (fate === 'open' || fate === 'refused') collection.leftOpen.push(at)
  return fate
}

export async function pushAsCollaborator(turn: Turn, collection: CollectionModel): Promise<Fate> {
  const user = turn.random.pick(collection.grants.usersWith('write'))
  return delta(actAs(turn, user), collection, { asJob: turn.random.chance(0.5) })
}

/** Ends or reduces a grant during a push of its user. The push lands first or is refused; later requests of the user are refused. */
export async function raceGrant(turn: Turn, collection: CollectionModel): Promise<Fate> {
  const user = turn.random.pick(collection.grants.usersWith('write'))
  const grant = turn.random.pick([null, 'read'] as const)
  let isEnded = false
  const acting = actAs(turn, user)
  const watched: Turn = {
    ...acting,
    ask: async (method, path, options) => {
      const wasEnded = isEnded
      const answer = await acting.ask(method, path, options)
      if (wasEnded && answer.status >= 200 && answer.status < 300)
        turn.report.violation(
          `${method} ${path} by ${user} was answered ${answer.status} after its grant ended`,
        )
      return answer
    },
  }
  const fates = await Promise.all([
    delta(watched, collection, {
      ...{ asJob: false, mayRefuse: withoutGrant, mayRefuseBatches: withoutGrant },
    }),
    changeGrant(turn, collection, { user, grant }).then((fate) => {
      isEnded = fate === 'done'
      return fate
    }),
  ])
  return fates.includes('open') ? 'open' : fates.includes('done') ? 'done' : 'refused'
}

/** The turn of a worker, with the requests of a collaborator. */
function actAs(turn: Turn, user: string): Turn {
  const { random, requests, report, collections, limitedKeys } = turn
  const key = requests.keyOf(user)
  return {
    ...{ random, requests, report, collections, limitedKeys },
    ask: (method, path, options) => turn.ask(method, path, { ...options, key }),
    own: (collection) => turn.own(collection),
    newCollection: (options) => turn.newCollection(options),
    newNumber: () => turn.newNumber(),
  }
}

/** Compares the list of access with the model, and adopts the outcomes of unanswered changes. */
export async function settleGrants(turn: Turn, collection: CollectionModel): Promise<void> {
  const { path } = collection
  const answer = await turn.ask('GET', `${path}/access`)
  if (turn.requests.fateOf(`the access to ${path}`, answer, [200]) !== 'done')
    return turn.report.violation(`the access to ${path} cannot be read`)
  const access = bodyOf(answer) as unknown as {
    public: boolean
    collaborators: { account: { slug: string }; grant: Grant }[]
  }
  const found = new Map(access.collaborators.map(({ account, grant }) => [account.slug, grant]))
  for (const wrong of collection.grants.settle(path, found)) turn.report.violation(wrong)
  if (access.public !== collection.isPublic)
    turn.report.violation(`${path} is ${access.public ? 'public' : 'private'}, which no worker requested`)
}
