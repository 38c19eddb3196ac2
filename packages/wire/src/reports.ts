/** Shapes of reports about collections, by readers to the operators (operations/reports.ts). docs/design/http-api.md §11. */
import { z } from 'zod'
import { exampleId, exampleInstant } from './examples.ts'
import { listParameters } from './lists.ts'
import { Id, Instant, line, prose } from './text.ts'

/** Reasons of a report, with their labels on pages. The names are public and stored. */
export const reportReasons = {
  illegal: 'It breaks the law',
  personal_data: 'It has data about people that must not be public',
  copyright: 'It infringes a copyright or a licence',
  harmful: 'It harms or threatens people',
  spam: 'It is spam or a deception',
  other: 'Something else',
} as const
export type ReportReason = keyof typeof reportReasons

/** Outcomes of a report. The names are public and stored. */
export const reportOutcomes = ['dismissed', 'acted'] as const

const Reason = z.enum(Object.keys(reportReasons) as [ReportReason, ...ReportReason[]])

/** `POST /api/collections/:owner/:slug/report` */
export const ReportCollection = z
  .strictObject({
    reason: Reason,
    text: prose(2_000)
      .refine((text) => text !== '', 'must not be empty')
      .meta({ description: 'What is wrong, and where: records, columns, files.', minLength: 1 }),
    contact: line(200).optional().meta({
      description: 'How the operators can answer, such as an e-mail address (default: not at all).',
    }),
  })
  .meta({
    id: 'ReportCollection',
    description: 'A report to the operators.',
    examples: [
      {
        reason: 'personal_data',
        text: 'The column `phone` of the type Person has private numbers.',
        contact: 'grace@example.org',
      },
    ],
  })
export type ReportCollection = z.infer<typeof ReportCollection>

/** Answer to `POST /api/collections/:owner/:slug/report`. */
export const ReportedCollection = z
  .object({
    ok: z.literal(true),
    recorded: z.boolean().meta({
      description:
        'False: an earlier report by the same account, or from the same network, is open. It stands, and this one is not kept.',
    }),
  })
  .meta({
    id: 'ReportedCollection',
    description: 'Outcome of a report.',
    examples: [{ ok: true, recorded: true }],
  })
export type ReportedCollection = z.infer<typeof ReportedCollection>

/** `GET /api/admin/reports` */
export const ReportsQuery = z.strictObject(listParameters('reports'))

/** An item of `GET /api/admin/reports`. */
export const Report = z
  .object({
    id: Id,
    collection: z.object({
      ...{ owner: z.string(), slug: z.string(), public: z.boolean() },
      hidden: z.boolean().meta({ description: 'True: operators hide it.' }),
    }),
    reason: Reason,
    text: z.string(),
    contact: z.string().nullable(),
    reporter: z.string().nullable().meta({
      description: 'Slug of the account. Null: the reporter was not signed in, or the account is deleted.',
    }),
    network: z.string().nullable().meta({
      description:
        'Network address of a reporter who was not signed in (of IPv6 the first half), until the report is closed.',
    }),
    createdAt: Instant,
    closed: z
      .object({
        at: Instant,
        by: z.string().nullable().meta({ description: 'Slug of the operator. Null: deleted.' }),
        outcome: z.enum(reportOutcomes),
        note: z.string().nullable(),
      })
      .nullable()
      .meta({ description: 'Null: the report is open.' }),
  })
  .meta({
    id: 'Report',
    description: 'A report about a collection.',
    examples: [
      {
        id: exampleId,
        collection: { owner: 'ada', slug: 'cities', public: true, hidden: false },
        reason: 'personal_data',
        text: 'The column `phone` of the type Person has private numbers.',
        ...{ contact: 'grace@example.org', reporter: null, network: '203.0.113.7' },
        createdAt: exampleInstant,
        closed: null,
      },
    ],
  })
export type Report = z.infer<typeof Report>

/** `POST /api/admin/reports/:id/close` */
export const CloseReport = z
  .strictObject({
    outcome: z.enum(reportOutcomes).meta({
      description: '`acted`: the operators did something about it. `dismissed`: there was no need to.',
    }),
    note: prose(1_000).optional().meta({ description: 'For other operators (default: none).' }),
  })
  .meta({
    id: 'CloseReport',
    description: 'The outcome of a report.',
    examples: [{ outcome: 'acted', note: 'Hidden until the numbers are gone.' }],
  })
export type CloseReport = z.infer<typeof CloseReport>
