/**
 * Shapes for updating metadata: an update makes a new patch version, at once or as a job that the client polls. docs/design: interface.md
 * "Version metadata"; http-api §5.
 */
import { z } from 'zod'
import { ErrorBody } from './errors.ts'
import { exampleDigest, exampleId, exampleInstant, exampleMetadata } from './examples.ts'
import { AnyObject } from './json.ts'
import { querySwitch } from './lists.ts'
import { DigestText, Id, Instant, SemverText } from './text.ts'

/** `PATCH …/metadata`: its members are merged into the latest version's metadata; a null removes a member. */
export const MetadataPatch = AnyObject.meta({
  ...AnyObject.meta(),
  id: 'MetadataPatch',
  description:
    'Fields to set; a field that is null is removed. `description`, `readme` and `license` are strings or null; other fields are free.',
  examples: [{ readme: '# Cities', license: 'CC-BY-4.0', source: 'https://www.geonames.org' }],
})
export type MetadataPatch = z.infer<typeof MetadataPatch>

/** Query of `PATCH …/metadata`. */
export const MetadataQuery = z.strictObject({
  async: querySwitch('Return a job to poll instead of waiting (default: false).'),
})
export type MetadataQuery = z.infer<typeof MetadataQuery>

/** Answer 200 or 201 to `PATCH …/metadata`, and the result of its job. */
export const MetadataResult = z
  .object({
    semver: SemverText,
    hash: DigestText,
    metadata: AnyObject,
    unchanged: z.literal(true).optional().meta({ description: 'Nothing changed: no version was created.' }),
  })
  .meta({
    id: 'MetadataResult',
    description: 'The version, its digest and the merged metadata.',
    examples: [{ semver: 'v1.0.1', hash: exampleDigest, metadata: exampleMetadata }],
  })
export type MetadataResult = z.infer<typeof MetadataResult>

/** Answer 202 to `?async=true`. */
export const StartedMetadataJob = z
  .object({ job_id: Id, status: z.literal('running'), base_semver: SemverText })
  .meta({
    id: 'StartedMetadataJob',
    description: 'The job, and the version that the update is based on.',
    examples: [{ job_id: exampleId, status: 'running', base_semver: 'v1.0.0' }],
  })
export type StartedMetadataJob = z.infer<typeof StartedMetadataJob>

/** `GET …/metadata/jobs/:job_id` */
export const MetadataJob = z
  .object({
    job_id: Id,
    status: z.enum(['running', 'completed', 'failed']),
    base_semver: SemverText,
    started_at: Instant,
    finished_at: Instant.nullable(),
    result: MetadataResult.optional().meta({
      description: 'If completed: the answer of the synchronous call.',
    }),
    error: ErrorBody.optional().meta({
      description:
        'If failed: the error of the synchronous call; `version_withdrawn` once the new version is withdrawn.',
    }),
  })
  .meta({
    id: 'MetadataJob',
    description: 'A metadata update and its outcome.',
    examples: [
      {
        job_id: exampleId,
        status: 'completed',
        base_semver: 'v1.0.0',
        started_at: exampleInstant,
        finished_at: exampleInstant,
        result: { semver: 'v1.0.1', hash: exampleDigest, metadata: exampleMetadata },
      },
    ],
  })
export type MetadataJob = z.infer<typeof MetadataJob>
