/** Input and outcome of `buildContent`. */
import type { Hash, JsonObject, Sidecar, ViewDocument } from '@ulmus/content'
import type { VersionContent } from '../../versions/content.ts'
import type { PushSchema } from '../schemas/push-schema.ts'
import type { EntriesSource } from '../spills/entries.ts'
import type { TemporarySpills } from '../spills/temporary-spills.ts'

export interface BuildInput {
  /** The base version, or an empty one. */
  base: { full: ViewDocument; public: ViewDocument; sidecar: Sidecar }
  /** The next version's schemas by type, and the base's. */
  schemas: ReadonlyMap<string, PushSchema>
  baseSchemas: ReadonlyMap<string, PushSchema>
  /** Of the next version's sidecar. */
  formerlyPrivate: Sidecar['formerlyPrivate']
  /** Starts the merged stream of pushed entries; the build reads it at most three times. */
  entries: EntriesSource
  metadata: JsonObject
  /** What the push confirms to become public: names of fields, and entries for records. */
  confirmed: ReadonlySet<string>
  /** Files that the push declares. */
  declared: readonly Hash[]
  /** True: the declared files replace those of the base. False: they are added. */
  replacesDeclared: boolean
  /** Sizes of `files`. @throws files_missing if the collection may not refer to one. */
  fileSizes: (files: readonly Hash[]) => Promise<ReadonlyMap<Hash, number>>
  /** Spills for data that is too large for memory; the caller removes them. */
  passing: TemporarySpills
  /** Progress: records done, of all pushed. */
  progress: { recordsDone: number; readonly recordsTotal: number }
}

export interface Built {
  content: VersionContent
  /** Records of the full view. */
  changes: { added: number; updated: number; removed: number }
  /** Files of the new views that their bases lack. */
  filesEntered: { full: Hash[]; public: Hash[] }
}
