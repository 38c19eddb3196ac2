/** Makes the pushed changes of a folder its new base. */
import { BaseWriter } from '../base/base-writer.ts'
import { baseOf } from '../base/bring.ts'
import { type BaseVersion, jsonText } from '../base/state.ts'
import type { VersionHead } from '../base/verified-version.ts'
import type { FileIndex, Look } from '../files/file-index.ts'
import { baseRecordsPath, paths } from '../files/layout.ts'
import { Staging } from '../files/staging.ts'
import { plannedChanges } from './push-plan.ts'

export interface Adopting {
  readonly root: string
  readonly index: FileIndex
  readonly base: BaseVersion | null
  /** The published version. */
  readonly head: VersionHead
  /** File facts of each type from before they were read for the push; undefined if unknown. */
  readonly looks?: ReadonlyMap<string, readonly Look[]>
}

/** Applies the pushed changes to the base's records. */
export function adoptPush({ root, index, base, head, looks }: Adopting): void {
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
  for (const [type, seen] of looks ?? []) index.rememberUnchanged(type, seen)
  staging.commit()
  index.save()
}
