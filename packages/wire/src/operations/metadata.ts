/**
 * Operations that update metadata, which makes a new version without a push, and that poll such an update. docs/design/http-api.md §5.
 */
import { MetadataJob, MetadataPatch, MetadataQuery, MetadataResult, StartedMetadataJob } from '../metadata.ts'
import { operation } from '../operation.ts'
import { CollectionPath, MetadataJobPath } from '../paths.ts'

export const metadataOperations = {
  'PATCH /api/collections/:owner/:slug/metadata': operation({
    id: 'updateMetadata',
    tag: 'metadata',
    summary: 'Update metadata',
    description:
      'Merges the body into the metadata of the latest version and creates the next patch version; a field that is null is removed. Requires the `write` scope, and membership or the grant `write`. The body may have 2 MiB, the merged metadata 1 MiB. A collection accepts one update at a time. With `async=true` the answer is immediate: poll `metadata/jobs/{job_id}` until `status` is `completed` or `failed`.',
    entrance: { scope: 'write' },
    params: CollectionPath,
    query: MetadataQuery,
    body: MetadataPatch,
    answers: { 200: MetadataResult, 201: MetadataResult, 202: StartedMetadataJob },
    answerWords: {
      200: 'Nothing changed: the latest version, with `unchanged`.',
      201: 'The new version, with the merged metadata.',
      202: 'With `async=true`: the job that creates the version.',
    },
    refusals: [
      'publishers_only',
      'metadata_update_in_progress',
      'version_conflict',
      'no_versions',
      'quota_exceeded',
      'too_costly',
      'busy',
      'object_corrupt',
    ],
  }),
  'GET /api/collections/:owner/:slug/metadata/jobs/:job_id': operation({
    id: 'getMetadataJob',
    tag: 'metadata',
    summary: 'Get the status of a metadata update',
    description:
      'Returns the status of a metadata update: `running`, `completed` or `failed`. Requires the `read` scope, and membership or a grant. `result` or `error` is the answer that the call without `async` would have given. A job survives a restart of the server, so poll until it ends.',
    entrance: { scope: 'read' },
    params: MetadataJobPath,
    answers: { 200: MetadataJob },
    refusals: ['job_not_found', 'object_corrupt'],
  }),
}
