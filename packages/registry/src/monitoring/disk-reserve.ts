/** Check for free disk space, once at the start of every request that writes. */
import { isStorageFull } from '@ulmus/storage'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'

export type DiskReserve = ReturnType<typeof diskReserveOf>

export function diskReserveOf({ space }: Pick<Context, 'space'>) {
  return {
    /** @param bytes What the request announces. @throws storage_full when that would go into the reserve. */
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
