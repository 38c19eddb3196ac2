import type { Client } from '@ulmus/client'
import { usageError } from '../../terminal/failure.ts'

export type VisibilityFlags = { readonly public: boolean; readonly private: boolean }

/**
 * Returns the visibility for a request. Without a flag it has none: a new collection then gets the visibility of its owner's settings, and
 * an existing one keeps its own.
 * @throws CommandError (usage) for both flags
 */
export function visibilityIn(flags: VisibilityFlags): { public?: boolean } {
  if (flags.public && flags.private)
    throw usageError('--public and --private exclude each other. Use one of them.')
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
