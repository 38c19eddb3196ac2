/** Files that a push declares besides those of its records: reads their names, and lists those that are still to be uploaded. */
import { type Hash, parseFileReference } from '@ulmus/content'
import { findLackingFiles, type PushStanding } from '@ulmus/storage'
import type { Context } from '../../context.ts'
import { filesNeeded } from '../../files/known-files.ts'
import { fileNameRule } from './check-opening.ts'
import { malformed } from './opening.ts'

/** Maximum files in one answer; `next_files_after` leads to the rest. */
const neededFilesMax = 1_000

/** Declared files that a session still lacks, page by page: the public fields of `PushStateAnswer`. @throws invalid_request */
export async function lackingFiles(context: Context, push: PushStanding, filesAfter: string | undefined) {
  const after = filesAfter === undefined ? '' : parseFileReference(filesAfter)
  if (after === undefined) throw malformed('files_after', fileNameRule)
  const page = { after, limit: neededFilesMax + 1 }
  const found = await findLackingFiles(context.database, push.id, page)
  const { total = 0, lacking = [] } = found ?? {}
  const hashes = lacking.slice(0, neededFilesMax) as Hash[]
  return {
    total_files: total,
    needed_files: await filesNeeded(context, push.collectionId, hashes),
    next_files_after: lacking.length > hashes.length ? `sha256:${hashes.at(-1)}` : null,
  }
}

/** Reads the names of an opening body: each file once, ascending. @throws invalid_request */
export function declaredFiles(names: readonly string[]): Hash[] {
  const files = new Set<Hash>()
  for (const [index, name] of names.entries()) {
    const file = parseFileReference(name)
    if (file === undefined) {
      throw malformed(`files.${index}`, fileNameRule)
    }
    files.add(file)
  }
  return [...files].sort()
}
