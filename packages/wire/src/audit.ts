/** The audit log: who did what, when, and with what. http-api §11. */
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
          'The slug that the account has now. Null when it is gone, or when the registry acted by itself.',
      }),
      key: z.object({ id: Id, label: z.string() }).optional().meta({
        description: 'The API key that was used, by the label that it had then. Absent for browsers.',
      }),
      ip: z
        .string()
        .optional()
        .meta({ description: 'The network address of the request, where there was one.' }),
    }),
    action: z.string().meta({
      description: 'Such as `version.made`. The page “Organizations” of the documentation lists all.',
    }),
    target: z.string().meta({
      description:
        'What it was done to, as it was called then: `owner/slug@v1.0.0`, the slug of an account, the id of a key.',
    }),
    details: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
      .meta({ description: 'What else belongs to the action.' }),
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

const filters = {
  actor: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Only what this account did, by its slug.', examples: ['ada'] }),
  action: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Only this action.', examples: ['version.made'] }),
  after: z.iso
    .datetime({ offset: true })
    .optional()
    .meta({ description: 'Only what was done after this instant.', examples: [exampleInstant] }),
}

/** Newest first. */
export const AuditQuery = z.strictObject({ ...listParameters('audit'), ...filters })
export const AuditStreamQuery = z.strictObject(filters)
