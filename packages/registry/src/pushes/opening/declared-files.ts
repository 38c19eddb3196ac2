/** Files that a push declares besides those of its records: reads their names, and lists those that are still to be uploaded. */
import type { Hash } from '@ulmus/content'
import { findLackingFiles, type PushStanding } from '@ulmus/storage'
import type { Context } from '../../context.ts'
import { filesNeeded } from '../../files/known-files.ts'
import { requestedFile, requestedFileRule } from '../../files/requested-file.ts'
import { malformed } from './opening.ts'

/** Maximum files in one answer; `next_files_after` leads to the rest. */
const neededFilesMax = 1_000

/** Declared files that a session still lacks, page by page: the public fields of `PushStateAnswer`. @throws invalid_request */
export async function lackingFiles(context: Context, push: PushStanding, filesAfter: string | undefined) {
  const after = filesAfter === undefined ? '' : requestedFile(filesAfter)
  if (after === undefined) throw malformed('files_after', requestedFileRule)
  const page = { after, limit: neededFilesMax + 1 }
  const found = await findLackingFiles(context.database, push.id, page)
  const { total = 0, lacking = [] } = found ?? {}
  const hashes = lacking.slice(0, neededFilesMax) as Hash[]
  const needed = await filesNeeded(context, push.collectionId, hashes)
  return {
    total_files: total,
    needed_files: needed.map((file) => `sha256:${file}`),
    next_files_after: lacking.length > hashes.length ? `sha256:${hashes.at(-1)}` : null,
  }
}

/** Reads the names of an opening body: each file once, ascending, with its name in the request. @throws invalid_request */
export function declaredFiles(names: readonly string[]): Map<Hash, string> {
  const files = new Map<Hash, string>()
  for (const [index, name] of names.entries()) {
    const file = requestedFile(name)
    if (file === undefined) throw malformed(`files.${index}`, requestedFileRule)
    files.set(file, name)
  }
  return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)))
}
