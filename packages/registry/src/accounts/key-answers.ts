/** API keys in answers. Only the answer to a new key has its text. */
import { type KeyRow, type Queries, visibleNames } from '@ulmus/storage'
import type { Key } from '@ulmus/wire'
import { instantText, instantTextOrNull } from '../clock.ts'

/** `owner/slug` by id of the collections of keys that the account may see now. */
export async function namesOf(
  at: Queries,
  accountId: string,
  keys: readonly Pick<KeyRow, 'collectionIds'>[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(keys.flatMap(({ collectionIds }) => collectionIds ?? []))]
  return ids.length === 0 ? new Map() : visibleNames(at, ids, accountId)
}

/** The limits of a key in answers. `collectionId` is for clients that know keys of one collection alone. */
export const limitsOf = (
  { collectionIds }: Pick<KeyRow, 'collectionIds'>,
  names: ReadonlyMap<string, string>,
): Pick<Key, 'collectionId' | 'limited' | 'collections'> => ({
  collectionId: collectionIds?.length === 1 ? collectionIds[0]! : null,
  limited: collectionIds !== null,
  collections: collectionIds?.flatMap((id) => names.get(id) ?? []).sort() ?? null,
})

export const itemOf = (key: KeyRow, names: ReadonlyMap<string, string>): Key => ({
  id: key.id,
  label: key.label,
  scope: key.scope,
  ...limitsOf(key, names),
  roleCap: key.roleCap,
  start: key.start,
  createdAt: instantText(key.createdAt),
  expiresAt: instantTextOrNull(key.expiresAt),
  lastUsedAt: instantTextOrNull(key.lastUsedAt),
})
