import type { Client } from '@ulmus/client'
import { usageError } from '../../terminal/failure.ts'

export type VisibilityFlags = { readonly public: boolean; readonly private: boolean }

/** As the registry is told it: nothing where no flag says it, which leaves it as it is, or to the settings of the owner. */
export function visibilityIn(flags: VisibilityFlags): { public?: boolean } {
  if (flags.public && flags.private) throw usageError('Take --public or --private.')
  return flags.public ? { public: true } : flags.private ? { public: false } : {}
}

/** Of a collection that was made just now, in a word. Asks the registry where no flag said it. */
export async function visibilityMade(
  client: Client,
  collection: string,
  wanted: { public?: boolean },
): Promise<'public' | 'private'> {
  const isPublic = wanted.public ?? (await client.collections.get(collection)).public
  return isPublic ? 'public' : 'private'
}
