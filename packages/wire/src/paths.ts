/**
 * Shapes of path parameters, named as in the paths of operations/. Any text is accepted here: the registry checks the form of slugs and
 * hashes, and answers impossible ones as absent.
 */
import { z } from 'zod'
import { exampleFile, exampleId } from './examples.ts'

const segment = (example: string, description: string) =>
  z.string().meta({ description, examples: [example] })

const owner = segment('ada', 'Slug of the account that owns the collection.')
const slug = segment('cities', 'Slug of the collection.')
const type = segment('Country', 'Type of the record, percent-encoded.')
const id = segment('NOR', 'Id of the record, percent-encoded (`/` as `%2F`).')
const org = segment('atlas', 'Slug of the organization.')

/** `/api/accounts/:slug` */
export const AccountPath = z.object({ slug: segment('ada', 'Slug of a user or an organization.') })
export type AccountPath = z.infer<typeof AccountPath>

/** `/api/accounts/:slug`, usually of an organization. */
export const OrgPath = z.object({ slug: org })
export type OrgPath = z.infer<typeof OrgPath>

/** `/api/accounts/:slug/members/:user` */
export const MemberPath = z.object({ slug: org, user: segment('grace', 'Slug of a user.') })
export type MemberPath = z.infer<typeof MemberPath>

/** `/api/collections/:owner/:slug/collaborators/:user` */
export const CollaboratorPath = z.object({ owner, slug, user: segment('grace', 'Slug of a user.') })
export type CollaboratorPath = z.infer<typeof CollaboratorPath>

/** `/api/accounts/:slug/invitations/:id` */
export const InvitationPath = z.object({
  slug: org,
  id: segment(exampleId, 'Id of the invitation, from the list of invitations.'),
})
export type InvitationPath = z.infer<typeof InvitationPath>

/** `/api/invitations/:token` */
export const InvitationTokenPath = z.object({
  token: segment(
    'x3u0pYb9V1m5sQyq8Jt2cKfLwRzE7aHdNoGiXeTvU4k',
    'Token of the link, or id of an invitation that names the caller.',
  ),
})
export type InvitationTokenPath = z.infer<typeof InvitationTokenPath>

/** `/api/accounts/keys/:id` */
export const KeyPath = z.object({ id: segment(exampleId, 'Id of the key, from the list of keys.') })
export type KeyPath = z.infer<typeof KeyPath>

/** `/api/admin/reports/:id` */
export const ReportPath = z.object({ id: segment(exampleId, 'Id of the report, from the list of reports.') })
export type ReportPath = z.infer<typeof ReportPath>

/** `/api/webhooks/:id` */
export const WebhookPath = z.object({
  id: segment(exampleId, 'Id of the webhook, from a list of webhooks.'),
})
export type WebhookPath = z.infer<typeof WebhookPath>

/** `/api/webhooks/:id/deliveries/:seq` */
export const DeliveryPath = WebhookPath.extend({
  seq: segment('4711', '`seq` of the delivery, from the list of deliveries.'),
})
export type DeliveryPath = z.infer<typeof DeliveryPath>

/** `/api/accounts/me/sessions/:id` */
export const SessionPath = z.object({
  id: segment(exampleId, 'Id of the session, from the list of sessions.'),
})
export type SessionPath = z.infer<typeof SessionPath>

/** `/api/accounts/:owner/collections` */
export const OwnerPath = z.object({ owner: segment('ada', 'Slug of a user or an organization.') })
export type OwnerPath = z.infer<typeof OwnerPath>

/** `/api/collections/:owner/:slug` */
export const CollectionPath = z.object({ owner, slug })
export type CollectionPath = z.infer<typeof CollectionPath>

/** `…/metadata/jobs/:job_id` */
export const MetadataJobPath = CollectionPath.extend({
  job_id: segment(exampleId, '`job_id` from the answer that started the job, or from a 409.'),
})
export type MetadataJobPath = z.infer<typeof MetadataJobPath>

/** `…/versions/:v`: `latest`, `v1.2.3`, `1.2.3` or a digest. */
export const VersionPath = CollectionPath.extend({
  v: segment(
    'latest',
    '`latest`, a number such as `v1.2.3` or `1.2.3`, or a digest such as `public:` and 64 hex digits.',
  ),
})
export type VersionPath = z.infer<typeof VersionPath>

/** `…/versions/:v/records/:type/:id` */
export const RecordPath = VersionPath.extend({ type, id })
export type RecordPath = z.infer<typeof RecordPath>

/** `…/versions/:v/tables/:type` */
export const TablePath = VersionPath.extend({
  type: segment('Country', 'Type of the records, percent-encoded.'),
})
export type TablePath = z.infer<typeof TablePath>

/** `…/records/:type/:id/history` */
export const HistoryPath = CollectionPath.extend({ type, id })
export type HistoryPath = z.infer<typeof HistoryPath>

/** `…/files/:hash`: 64 hex digits, usually after `sha256:`. */
export const FilePath = CollectionPath.extend({
  hash: segment(
    exampleFile.hash,
    'The SHA-256 of the file as 64 lowercase hex digits, with or without `sha256:` before them.',
  ),
})
export type FilePath = z.infer<typeof FilePath>

/** `…/publishers/:id` */
export const PublisherPath = CollectionPath.extend({
  id: segment(exampleId, 'Id of the trusted publisher, from the list of them.'),
})
export type PublisherPath = z.infer<typeof PublisherPath>

/** `…/pushes/:id` */
export const PushPath = CollectionPath.extend({
  id: segment(exampleId, '`session_id` from the answer that opened the session.'),
})
export type PushPath = z.infer<typeof PushPath>
