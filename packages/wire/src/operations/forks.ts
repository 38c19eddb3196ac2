/** Operation that forks a collection. docs/design/http-api.md §6. */
import { CreateFork, Family, Fork } from '../forks.ts'
import { NoQuery } from '../lists.ts'
import { operation } from '../operation.ts'
import { CollectionPath } from '../paths.ts'

export const forkOperations = {
  'POST /api/collections/:owner/:slug/fork': operation({
    id: 'forkCollection',
    tag: 'forks',
    summary: 'Fork a collection',
    description:
      'Creates a collection in an organization, or in the account of the caller, whose `v1.0.0` is the latest version of this one. A fork shares records, schemas and files with its source, so its cost does not depend on their size and it takes no storage. Requires the `write` scope, a key that is not limited to a collection, and membership of the target. A source with private content can be forked whole only by members of its owner, and its public view, if it is public, by everybody (`view: "public"`). The fork has the visibility of its source unless `public` is false.',
    entrance: { scope: 'write', unlimited: true },
    params: CollectionPath,
    body: CreateFork,
    answers: { 201: Fork },
    refusals: [
      'account_not_found',
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
  'GET /api/collections/:owner/:slug/family': operation({
    id: 'getFamily',
    tag: 'forks',
    summary: 'Get the source and the forks of a collection',
    description:
      'Returns the source of a fork and the forks of a collection, with the number of versions that each fork is behind its source. `GET …/versions/{v}/diff` of the source shows what it lacks.',
    params: CollectionPath,
    query: NoQuery,
    answers: { 200: Family },
  }),
}
