import type { Client } from '@ulmus/client'
import { usageError } from '../../terminal/failure.ts'

export type VisibilityFlags = { readonly public: boolean; readonly private: boolean }

/**
 * What a request says of the visibility. Without a flag it says nothing: a new collection then gets what its owner's settings say, and one
 * that exists keeps what it has.
 * @throws CommandError (usage) for both flags
 */
export function visibilityIn(flags: VisibilityFlags): { public?: boolean } {
  if (flags.public && flags.private) throw usageError('Take --public or --private.')
  return flags.public ? { public: true } : flags.private ? { public: false } : {}
}

/** The visibility of a new collection. Asks the registry for it unless a flag said it. */
export async function visibilityMade(
  client: Client,
  collection: string,
  wanted: { public?: boolean },
): Promise<'public' | 'private'> {
  const isPublic = wanted.public ?? (await client.collections.get(collection)).public
  return isPublic ? 'public' : 'private'
}
