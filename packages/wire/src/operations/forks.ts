/** Forks. http-api §6. */
import { CreateFork, Fork } from '../forks.ts'
import { operation } from '../operation.ts'
import { CollectionPath } from '../paths.ts'

export const forkOperations = {
  'POST /api/collections/:owner/:slug/fork': operation({
    id: 'forkCollection',
    tag: 'forks',
    summary: 'Fork the latest version into an organization',
    description:
      'Makes a collection in an organization whose `v1.0.0` is the latest version of this one. It costs the same whatever the size, and takes no storage, since records, schemas and files are referred to. It needs the scope `write`, a key that is not limited, and membership in the target. Only members of the source’s owner can fork a source with private content. The fork is as public as its source, unless `public` is false.',
    entrance: { scope: 'write', unlimited: true },
    params: CollectionPath,
    body: CreateFork,
    answers: { 201: Fork },
    refusals: [
      'collection_not_found',
      'account_not_found',
      'not_a_member',
      'private_content',
      'slug_taken',
      'slug_kept',
      'too_many_collections',
      'quota_exceeded',
      'no_versions',
      'invalid_slug',
      'object_corrupt',
    ],
  }),
}
