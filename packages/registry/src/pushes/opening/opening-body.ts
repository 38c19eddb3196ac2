/** Bodies that open push sessions, beside their schemas and metadata. http-api §9. */

/** Of a delta, and what a snapshot has as well. */
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
