/** Refusals that stand for errors which are stored for later instead of thrown. */
import { isStorageFull, isUnavailable, ObjectCorrupt } from '@ulmus/storage'
import { RegistryError } from './errors.ts'

/** Keeps a refusal; maps damage and an unreachable store to their codes, and unexpected errors to `internal`. */
export function refusalOf(error: unknown): RegistryError {
  if (error instanceof RegistryError) return error
  if (error instanceof ObjectCorrupt) {
    return new RegistryError('object_corrupt', { details: { hash: error.hash }, cause: error })
  }
  if (isStorageFull(error)) return new RegistryError('storage_full', { cause: error })
  return new RegistryError(isUnavailable(error) ? 'unavailable' : 'internal', { cause: error })
}
