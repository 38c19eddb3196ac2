/** API keys limited to two collections, some of which are deleted later. */
import { parseJson } from '@ulmus/content'
import { isLive, type LimitedKey, type ListedKey, statusWith } from '../limited-keys.ts'
import type { CollectionModel } from '../model.ts'
import { type Fate, textOf } from '../requests.ts'
import type { Turn } from '../turn.ts'

/** Maximum number per worker: an account has at most 100. */
const keysMax = 3
const path = '/api/accounts/keys'

/** Makes a key for the collection and another one, or revokes a key if the worker has enough. */
export async function limitKey(turn: Turn, collection: CollectionModel): Promise<Fate> {
  const { live, label } = turn.limitedKeys
  if (live.length >= keysMax) return revokeKey(turn, turn.random.pick(live))
  const others = sureOf(turn).filter((one) => one !== collection)
  const limits = [collection, ...(others.length === 0 ? [] : [turn.random.pick(others)])]
  const names = limits.map(({ owner, slug }) => `${owner}/${slug}`)
  const json = { label, scope: 'read', collections: names }
  const answer = await turn.ask('POST', path, { json })
  const fate = turn.requests.fateOf(`a key for ${names.join(' and ')}`, answer, [201])
  if (fate === 'open') turn.limitedKeys.addUnanswered()
  if (fate === 'done') {
    const [id, key] = [textOf(answer, 'id'), textOf(answer, 'key')]
    turn.limitedKeys.add({ id, key, collections: limits, revocation: 'none' })
  }
  return fate
}

async function revokeKey(turn: Turn, key: LimitedKey): Promise<Fate> {
  key.revocation = 'unsure'
  const answer = await turn.ask('DELETE', `${path}/${key.id}`)
  const fate = turn.requests.fateOf(`revoking the key ${key.id}`, answer, [200])
  if (fate !== 'open') key.revocation = fate === 'done' ? 'done' : 'none'
  return fate
}

/** Reads the collection with a key, which may be limited to others or revoked. */
export async function useLimitedKey(turn: Turn, collection: CollectionModel): Promise<Fate> {
  const { sure } = turn.limitedKeys
  return sure.length === 0 ? limitKey(turn, collection) : readWith(turn, turn.random.pick(sure), collection)
}

async function readWith(turn: Turn, key: LimitedKey, collection: CollectionModel): Promise<Fate> {
  const expected = statusWith(key, collection)
  const answer = await turn.ask('GET', collection.path, { key: key.key })
  const what = `reading ${collection.path} with the ${isLive(key) ? 'limited' : 'revoked'} key ${key.id}`
  const fate = turn.requests.fateOf(what, answer, [200, 401, 404])
  if (fate !== 'done' || answer.status === expected) return fate
  turn.report.violation(`${what} is answered ${answer.status}, not ${expected}`)
  return 'wrong'
}

/** Compares the worker's keys with the model. Call it while the existence of all its collections is certain. */
export async function checkLimitedKeys(turn: Turn): Promise<void> {
  const { limitedKeys } = turn
  const answer = await turn.ask('GET', path)
  if (turn.requests.fateOf('the list of keys', answer, [200]) !== 'done')
    return turn.report.violation('the keys cannot be listed')
  const all = parseJson(answer.text) as (ListedKey & { label: string })[]
  const { wrong, unknown } = limitedKeys.settle(all.filter(({ label }) => label === limitedKeys.label))
  for (const sentence of wrong) turn.report.violation(sentence)
  // Or they would add up to the maximum of an account.
  for (const id of unknown)
    turn.requests.fateOf(`revoking the key ${id}`, await turn.ask('DELETE', `${path}/${id}`), [200])
  for (const key of limitedKeys.sure)
    for (const collection of new Set([...key.collections, ...sureOf(turn)]))
      await readWith(turn, key, collection)
}

const sureOf = ({ collections }: Turn): CollectionModel[] =>
  collections.filter(({ existence, isSure }) => existence === 'present' && isSure)
