/** The one test of whether a store, of rows or of bytes, has no room left: what HTTP answers with 507. */
import { causes } from './causes.ts'

/** There is no room for a write. Nothing of it is kept. */
export class StorageFull extends Error {
  override name = 'StorageFull'
}

/** ENOSPC and EDQUOT are the file system's; 53100 is PostgreSQL's `disk_full`. */
const codes = new Set<unknown>(['ENOSPC', 'EDQUOT', '53100'])

/** Whether a write failed because the disk or the quota behind a store is used up. */
export function isStorageFull(error: unknown): boolean {
  for (const told of causes(error)) if (told instanceof StorageFull || codes.has(told.code)) return true
  return false
}
