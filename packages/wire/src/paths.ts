/**
 * Path parameters. Any text is let in: what a slug or a hash may look like is the registry's rule, and what cannot exist is
 * answered as what does not exist.
 */
import { z } from 'zod'

const segment = z.string()

/** `/api/accounts/:slug` */
export const AccountPath = z.object({ slug: segment })
export type AccountPath = z.infer<typeof AccountPath>

/** `/api/accounts/:slug/members/:user` */
export const MemberPath = z.object({ slug: segment, user: segment })
export type MemberPath = z.infer<typeof MemberPath>

/** `/api/accounts/keys/:id` */
export const KeyPath = z.object({ id: segment })
export type KeyPath = z.infer<typeof KeyPath>

/** `/api/accounts/:owner/collections` */
export const OwnerPath = z.object({ owner: segment })
export type OwnerPath = z.infer<typeof OwnerPath>

/** `/api/collections/:owner/:slug` */
export const CollectionPath = z.object({ owner: segment, slug: segment })
export type CollectionPath = z.infer<typeof CollectionPath>

/** `…/metadata/jobs/:job_id` */
export const MetadataJobPath = CollectionPath.extend({ job_id: segment })
export type MetadataJobPath = z.infer<typeof MetadataJobPath>

/** `…/versions/:v`: `latest`, `v1.2.3`, `1.2.3` or a digest. */
export const VersionPath = CollectionPath.extend({ v: segment })
export type VersionPath = z.infer<typeof VersionPath>

/** `…/versions/:v/records/:type/:id` */
export const RecordPath = VersionPath.extend({ type: segment, id: segment })
export type RecordPath = z.infer<typeof RecordPath>

/** `…/files/:hash`: `sha256:` and 64 hex digits. */
export const FilePath = CollectionPath.extend({ hash: segment })
export type FilePath = z.infer<typeof FilePath>

/** `…/pushes/:id` */
export const PushPath = CollectionPath.extend({ id: segment })
export type PushPath = z.infer<typeof PushPath>
