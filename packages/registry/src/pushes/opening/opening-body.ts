/** Bodies that open push sessions, without schemas and metadata. http-api §9. */

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

export interface SnapshotOpening extends PushOpening {
  /** Number of entries that the manifest will have, if the body does not contain it. */
  manifest_expected?: number
}
