/**
 * Shapes for reading an audit log: its entries and filters. Entries are written in packages/registry/src/audit; their actions are listed in
 * docs/organizations.md. docs/design/http-api.md §11.
 */
import { z } from 'zod'
import { exampleId, exampleInstant } from './examples.ts'
import { listParameters } from './lists.ts'
import { Id, Instant } from './text.ts'

/** An item of `GET /api/accounts/:slug/audit`. */
export const AuditEvent = z
  .object({
    id: Id,
    at: Instant,
    actor: z.object({
      account: z.string().nullable().meta({
        description:
          'Current slug of the account. Null if the account is deleted, if the registry or an administrator of its server acted, or a reader without an account.',
      }),
      key: z.object({ id: Id, label: z.string() }).optional().meta({
        description: 'API key of the request, with its label at the time. Absent for browsers.',
      }),
      ip: z.string().optional().meta({ description: 'Network address of the request, if there was one.' }),
    }),
    action: z.string().meta({
      description: 'Action, such as `version.made`. [Organizations](/docs/organizations) lists all.',
    }),
    target: z.string().meta({
      description:
        'Object of the action, with its name at the time: `owner/slug@v1.0.0`, the slug of an account, or the id of a key.',
    }),
    details: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .meta({ description: 'Further facts about the action.' }),
  })
  .meta({
    id: 'AuditEvent',
    description: 'An action of a user or an operator.',
    examples: [
      {
        id: exampleId,
        at: exampleInstant,
        actor: { account: 'ada', key: { id: exampleId, label: 'nightly push' }, ip: '203.0.113.7' },
        action: 'version.made',
        target: 'ada/cities@v1.0.0',
        details: {},
      },
    ],
  })
export type AuditEvent = z.infer<typeof AuditEvent>

/** Filters that the list and the stream share. */
const filters = {
  actor: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Slug of the account that acted.', examples: ['ada'] }),
  action: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Name of the action.', examples: ['version.made'] }),
  after: z.iso
    .datetime({ offset: true })
    .optional()
    .meta({ description: 'Only events after this time.', examples: [exampleInstant] }),
}

/** `GET /api/accounts/:slug/audit`: pages, newest first. */
export const AuditQuery = z.strictObject({ ...listParameters('audit'), ...filters })
/** `GET /api/accounts/:slug/audit.ndjson`: the whole log as one stream, so without paging. */
export const AuditStreamQuery = z.strictObject(filters)
