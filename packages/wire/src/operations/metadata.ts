/** Version metadata. http-api §5. */
import { MetadataJob, MetadataPatch, MetadataQuery, MetadataResult, StartedMetadataJob } from '../metadata.ts'
import { operation } from '../operation.ts'
import { CollectionPath, MetadataJobPath } from '../paths.ts'

export const metadataOperations = {
  'PATCH /api/collections/:owner/:slug/metadata': operation({
    id: 'updateMetadata',
    tag: 'metadata',
    summary: 'Merge into the metadata of the latest version, as a new version',
    description:
      'Merges the members of the body into the metadata of the latest version, which makes its next patch version; a member that is null is removed. It needs the scope `write` and membership, and no records are pushed. The merged metadata may have 1 MiB, the body 2 MiB. A collection takes one update at a time. With `async=true` the answer comes at once: poll `metadata/jobs/{job_id}` until its status is `completed` or `failed`.',
    entrance: { scope: 'write' },
    params: CollectionPath,
    query: MetadataQuery,
    body: MetadataPatch,
    answers: { 200: MetadataResult, 201: MetadataResult, 202: StartedMetadataJob },
    answerWords: {
      200: 'The patch changes nothing: the present version, with `unchanged`.',
      201: 'The new version, with the merged metadata.',
      202: 'With `async=true`: the job that makes the version.',
    },
    refusals: [
      'collection_not_found',
      'not_a_member',
      'key_limited',
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
    summary: 'How a metadata update goes',
    description:
      'Answers the state of a metadata update: `running`, `completed` or `failed`. It needs the scope `read` and membership. `result` is what the call without `async` would have answered, `error` what it would have been refused with. A job outlives a restart of the server, so poll until it has ended.',
    entrance: { scope: 'read' },
    params: MetadataJobPath,
    answers: { 200: MetadataJob },
    refusals: ['collection_not_found', 'job_not_found', 'not_a_member', 'key_limited', 'object_corrupt'],
  }),
}
