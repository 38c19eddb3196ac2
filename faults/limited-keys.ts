/**
 * API keys that one worker limited to some of its collections. A deleted collection leaves a key, and the last one revokes it. A creation
 * without an answer may have made a key that the worker does not have.
 */
import type { CollectionModel } from './model.ts'

/** Revoked keys that are tried again. */
const endedMax = 5

export interface LimitedKey {
  readonly id: string
  /** The raw key. */
  readonly key: string
  readonly collections: readonly CollectionModel[]
  /** `unsure`: the revocation was requested, but not answered. */
  revocation: 'none' | 'unsure' | 'done'
}

/** A key in the account's list. */
export interface ListedKey {
  readonly id: string
  /** `owner/slug`, sorted. */
  readonly collections: readonly string[]
}

export class LimitedKeys {
  /** Label of these keys in the account's list. */
  readonly label: string
  #keys: LimitedKey[] = []
  /** Number of creations without an answer. */
  #unanswered = 0

  constructor(label: string) {
    this.label = label
  }

  /** Keys whose state is certain, revoked ones too. */
  get sure(): readonly LimitedKey[] {
    return this.#keys.filter(isSure)
  }

  get live(): readonly LimitedKey[] {
    return this.sure.filter(isLive)
  }

  add(key: LimitedKey): void {
    this.#keys.push(key)
  }

  /** Records a creation without an answer. */
  addUnanswered(): void {
    this.#unanswered++
  }

  /**
   * Compares the account's keys of this label with the model, and adopts the outcomes of unanswered requests. Call it while the
   * existence of all collections is certain.
   * @returns violations; `unknown`: ids of keys that unanswered creations made
   */
  settle(listed: readonly ListedKey[]): { wrong: string[]; unknown: string[] } {
    const found = new Map(listed.map((key) => [key.id, key]))
    const wrong = this.#keys.flatMap((key) => settleKey(key, found.get(key.id)))
    const known = new Set(this.#keys.map(({ id }) => id))
    const unknown = [...found.keys()].filter((id) => !known.has(id))
    if (unknown.length > this.#unanswered)
      wrong.push(`${unknown.length} keys "${this.label}" exist that no worker has; ${this.#unanswered} may`)
    this.#unanswered = 0
    const ended = this.#keys.filter((key) => !isLive(key)).slice(-endedMax)
    this.#keys = this.#keys.filter((key) => isLive(key) || ended.includes(key))
    return { wrong, unknown }
  }
}

function settleKey(key: LimitedKey, listed: ListedKey | undefined): string[] {
  const where = `the key ${key.id}`
  const isRevoked = listed === undefined
  if (key.revocation === 'unsure') key.revocation = isRevoked ? 'done' : 'none'
  if (isRevoked) return isLive(key) ? [`${where} is revoked, which no worker requested`] : []
  if (key.revocation === 'done') return [`${where} exists after its revocation`]
  if (!isLive(key)) return [`${where} exists after the deletion of all of its collections`]
  const expected = key.collections.filter(isPresent).map(nameOf).sort()
  return expected.join() === listed.collections.join()
    ? []
    : [`${where} works for ${listed.collections.join(', ')}, not for ${expected.join(', ')}`]
}

/** Certain if the key is sure. */
export const isLive = ({ revocation, collections }: LimitedKey): boolean =>
  revocation === 'none' && collections.some(isPresent)

/** Expected status of a read of a collection with the key. */
export function statusWith(key: LimitedKey, collection: CollectionModel): 200 | 401 | 404 {
  if (!isLive(key)) return 401
  const isVisible = isPresent(collection) && (collection.isPublic || key.collections.includes(collection))
  return isVisible ? 200 : 404
}

const isPresent = ({ existence }: CollectionModel): boolean => existence === 'present'
const isSure = ({ revocation, collections }: LimitedKey): boolean =>
  revocation !== 'unsure' &&
  collections.every(({ existence, owners }) => existence !== 'unsure' && owners.length === 1)
const nameOf = ({ owner, slug }: CollectionModel): string => `${owner}/${slug}`
