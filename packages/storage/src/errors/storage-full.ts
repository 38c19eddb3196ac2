/** Recognises a full store, of rows or of bytes. HTTP answers 507, and the operator must free space: a retry does not help. */
import { causes } from './causes.ts'

/** There is no space for a write. Nothing of it is stored. */
export class StorageFullError extends Error {
  override name = 'StorageFullError'
}

/** ENOSPC and EDQUOT are from the file system; 53100 is PostgreSQL's `disk_full`. */
const codes = new Set<unknown>(['ENOSPC', 'EDQUOT', '53100'])

/** True if PostgreSQL has no room. */
export function isDatabaseFull(error: unknown): boolean {
  for (const { code } of causes(error)) if (code === '53100') return true
  return false
}

/** True if a write failed because a store's disk or quota is full. */
export function isStorageFull(error: unknown): boolean {
  for (const told of causes(error)) if (told instanceof StorageFullError || codes.has(told.code)) return true
  return false
}
