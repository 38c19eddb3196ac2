/** Shapes of the commit, the dry run and the state of a push session, delta or snapshot. docs/design/http-api.md §9. */
import { z } from 'zod'
import { ErrorBody } from './errors.ts'
import { exampleDigest, exampleFile, exampleId, exampleInstant } from './examples.ts'
import { querySwitch } from './lists.ts'
import { OpenPush, PushWarning } from './pushes.ts'
import { Count, DigestText, FileHash, Id, Instant, RequestedFile, SemverText } from './text.ts'

/** Message of a dry run that is also asynchronous, by the query or by the body. */
export const asyncDryRun =
  'cannot be asked for together with `async`: a dry run is answered when it is done. Leave one of them out.'

export const CommitQuery = z
  .strictObject({
    async: querySwitch('Answer at once, with a session to poll.'),
    dry_run: querySwitch('Tell what the commit would make, without making it.'),
  })
  .refine((query) => !(query.async && query.dry_run), {
    path: ['dry_run'],
    error: asyncDryRun,
  })
export type CommitQuery = z.infer<typeof CommitQuery>

/** Body of a commit, which may be missing. */
export const CommitPush = z
  .strictObject({
    async: z.boolean().optional().meta({ description: 'As in the query.' }),
    confirm_public: OpenPush.shape.confirm_public.meta({
      description:
        'What may become public, beside `confirm_public` of the opening: `Type/id` for a private record sent without its mark, `Type/*` for all of a type, and names of private fields whose values are in ids.',
    }),
  })
  .meta({
    id: 'CommitPush',
    description: 'Confirmations of a commit.',
    examples: [{ confirm_public: ['City/oslo'] }],
  })
export type CommitPush = z.infer<typeof CommitPush>

/** Answer 201 to a commit. */
export const CommittedPush = z
  .object({
    semver: SemverText,
    hash: DigestText.meta({ description: 'Digest of the full view, which members and collaborators read.' }),
    publicHash: DigestText.meta({ description: 'Digest of the public view: the one to cite.' }),
    recordCount: Count,
    fileCount: Count,
    changes: z.object({ added: Count, updated: Count, removed: Count }),
    warnings: z.array(PushWarning).meta({
      description: 'Types that the push removes, and references to missing records and files: the first 100.',
    }),
    totalWarnings: Count,
  })
  .meta({
    id: 'CommittedPush',
    description: 'The new version, with the counts of the full view.',
    examples: [
      {
        semver: 'v1.0.0',
        hash: exampleDigest,
        publicHash: exampleDigest,
        recordCount: 2,
        fileCount: 1,
        changes: { added: 2, updated: 0, removed: 0 },
        warnings: [],
        totalWarnings: 0,
      },
    ],
  })
export type CommittedPush = z.infer<typeof CommittedPush>

/** Answer 200 to a commit with `?dry_run=true`. */
export const DryRun = z
  .object({
    dry_run: z.literal(true),
    ...CommittedPush.shape,
    schemaChanged: z
      .boolean()
      .meta({ description: 'Whether types or schemas differ from those of the base version.' }),
  })
  .meta({
    id: 'DryRun',
    description: 'The version that the commit would create. `hash` is its digest if nothing else changes.',
    examples: [
      {
        dry_run: true,
        semver: 'v1.0.0',
        hash: exampleDigest,
        publicHash: exampleDigest,
        recordCount: 2,
        fileCount: 1,
        changes: { added: 2, updated: 0, removed: 0 },
        warnings: [],
        totalWarnings: 0,
        schemaChanged: true,
      },
    ],
  })
export type DryRun = z.infer<typeof DryRun>

/** Answer 202 to a commit with `?async=true`. */
export const CommittingPush = z.object({ session_id: Id, status: z.literal('committing') }).meta({
  id: 'CommittingPush',
  description: 'The commit is running; the state of the session has its progress.',
  examples: [{ session_id: exampleId, status: 'committing' }],
})
export type CommittingPush = z.infer<typeof CommittingPush>

/** Status of a session: also a column in storage, and the states of packages/registry/src/pushes/state/states.ts. Change all three. */
export const PushStatus = z
  .enum(['open', 'checking', 'committing', 'committed', 'failed', 'cancelled', 'expired'])
  .meta({ description: '`checking`: a dry run is running, after which the session is open again.' })
export type PushStatus = z.infer<typeof PushStatus>

/** Query of `GET …/pushes/:id` */
export const PushStateQuery = z.strictObject({
  files_after: RequestedFile.optional().meta({
    examples: [exampleFile.hash],
    description: 'List needed files after this one: `next_files_after` of the previous answer.',
  }),
})
export type PushStateQuery = z.infer<typeof PushStateQuery>

/** `GET …/pushes/:id` */
export const PushState = z
  .object({
    session_id: Id,
    status: PushStatus,
    base_version: SemverText.nullable(),
    total_records: Count.meta({ description: 'Lines of records received so far.' }),
    needed_records: Count.meta({ description: 'Number of records still to send; 0 in a delta push.' }),
    total_files: Count.meta({ description: 'Number of files that the session declared.' }),
    needed_files: z.array(FileHash).meta({
      description: 'Files that the collection lacks, ascending; the first 1,000.',
    }),
    next_files_after: FileHash.nullable().meta({
      description: 'If not null, pass it as `files_after` to get the next files. A page can be empty.',
    }),
    records_done: Count.meta({ description: 'Progress of the running commit or dry run, in records.' }),
    records_total: Count,
    expires_at: Instant.meta({
      description: 'When the session expires without a further request. Reading its state counts as one.',
    }),
    result: CommittedPush.nullable(),
    error: ErrorBody.nullable(),
  })
  .meta({
    id: 'PushState',
    description: 'State of a session and of its commit.',
    examples: [
      {
        session_id: exampleId,
        status: 'open',
        base_version: null,
        total_records: 2,
        needed_records: 0,
        total_files: 0,
        needed_files: [],
        next_files_after: null,
        records_done: 0,
        records_total: 0,
        expires_at: exampleInstant,
        result: null,
        error: null,
      },
    ],
  })
export type PushState = z.infer<typeof PushState>
