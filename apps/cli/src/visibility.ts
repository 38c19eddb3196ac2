import type { Client } from '@ulmus/client'
import { usageError } from './terminal/failure.ts'

/** `--public` and `--private`, shared by the commands that create or change a collection. */
export type VisibilityFlags = { readonly public: boolean; readonly private: boolean }

/**
 * Returns the visibility for a request. Without a flag it is absent: a new collection then gets the default of its owner's settings, an
 * existing one keeps its visibility.
 * @throws CommandError (usage) if both flags are given
 */
export function visibilityIn(flags: VisibilityFlags): { public?: boolean } {
  if (flags.public && flags.private)
    throw usageError('--public and --private exclude each other. Use one of them.')
  return flags.public ? { public: true } : flags.private ? { public: false } : {}
}

/** Visibility of a new collection: from the flags, else from the registry. */
export async function visibilityMade(
  client: Client,
  collection: string,
  wanted: { public?: boolean },
): Promise<'public' | 'private'> {
  const isPublic = wanted.public ?? (await client.collections.get(collection)).public
  return isPublic ? 'public' : 'private'
}
