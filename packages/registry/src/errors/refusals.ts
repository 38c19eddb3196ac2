/** What an error means to whoever asked, where it is kept for later instead of thrown at once. */
import { isStorageFull, isUnavailable, ObjectCorrupt } from '@ulmus/storage'
import { RegistryError } from './errors.ts'

/** A refusal as it is; damage and absence of a store by their codes; what nobody foresaw as `internal`. */
export function refusalOf(error: unknown): RegistryError {
  if (error instanceof RegistryError) return error
  if (error instanceof ObjectCorrupt) {
    return new RegistryError('object_corrupt', { details: { hash: error.hash }, cause: error })
  }
  if (isStorageFull(error)) return new RegistryError('storage_full', { cause: error })
  return new RegistryError(isUnavailable(error) ? 'unavailable' : 'internal', { cause: error })
}
