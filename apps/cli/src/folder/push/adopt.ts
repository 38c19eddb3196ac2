/** Updates the base of a folder after a push, so that the next comparison starts from the published version. */
import { BaseWriter } from '../base/base-writer.ts'
import { baseOf } from '../base/bring.ts'
import { type BaseVersion, jsonText } from '../base/state.ts'
import type { VersionHead } from '../base/verified-version.ts'
import type { FileIndex, FileStat } from '../files/file-index.ts'
import { baseRecordsPath, paths } from '../files/layout.ts'
import { Staging } from '../files/staging.ts'
import { plannedChanges } from './push-plan.ts'

export interface Adopting {
  readonly root: string
  readonly index: FileIndex
  readonly base: BaseVersion | null
  /** The published version. */
  readonly head: VersionHead
  /** File stats by type, taken before the push read the files, so that edits made meanwhile are detected. Undefined if unknown. */
  readonly stats?: ReadonlyMap<string, readonly FileStat[]>
}

/** Applies the pushed changes to the base's records. */
export function adoptPush({ root, index, base, head, stats }: Adopting): void {
  const staging = new Staging(root)
  const changed = new Set<string>()
  let writer: BaseWriter | undefined
  for (const { type, id, data, private: isPrivate = false } of plannedChanges(root)) {
    if (writer?.type !== type) {
      writer?.finish()
      writer = new BaseWriter(staging, type)
      changed.add(type)
    }
    writer.apply({ id, data, isRemoved: data === undefined, private: isPrivate })
  }
  writer?.finish()
  const next = baseOf(head)
  for (const type of Object.keys(base?.schemas ?? {})) {
    if (!Object.hasOwn(next.schemas, type)) staging.remove(baseRecordsPath(type))
  }
  staging.text(paths.baseVersion, jsonText(next))
  for (const type of changed) index.forgetRecords(type)
  for (const [type, seen] of stats ?? []) index.rememberUnchanged(type, seen)
  staging.commit()
  index.save()
}
