/**
 * Bodies that open push sessions, without schemas and metadata, which `check-opening.ts` reads as text. http-api §9. The names are
 * public: change them together with packages/wire/src/pushes.ts and snapshots.ts there, which check the shape.
 */

/** Members for a delta, which a snapshot has, too. */
export interface PushOpening {
  base_version: string | null
  files?: readonly string[]
  message?: string | null
  app_id?: string | null
  actor_id?: string | null
  strip_unknown_fields?: boolean
  confirm_public?: readonly string[]
}

/** Members for a snapshot. */
export interface SnapshotOpening extends PushOpening {
  /** Number of entries that the manifest will have, if the body does not contain it. */
  manifest_expected?: number
}
