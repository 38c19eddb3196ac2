/**
 * Check for free disk space, made by the server at the start of every writing request (`apps/server/src/routes/index.ts`). The
 * reserve keeps room for deletions, which free space, and for the database.
 */
import { isStorageFull } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'

export type DiskReserve = ReturnType<typeof diskReserveOf>

export function diskReserveOf({ space }: Pick<Context, 'space'>) {
  return {
    /** @param bytes announced by the request. @throws storage_full if they would use up the reserve. */
    async demand(bytes?: number): Promise<void> {
      try {
        await space.demand(bytes)
      } catch (error) {
        if (!isStorageFull(error)) throw error
        throw new RegistryError('storage_full', { cause: error })
      }
    },
  }
}
