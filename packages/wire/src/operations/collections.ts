/** Collections. http-api §4. */
import { z } from 'zod'
import {
  BrowseQuery,
  Collection,
  CollectionItem,
  CreateCollection,
  CreatedCollection,
  MyCollection,
  OwnedCollection,
  TransferCollection,
  TransferredCollection,
  UpdateCollection,
} from '../collections.ts'
import { CollectionListQuery } from '../lists.ts'
import { operation } from '../operation.ts'
import { CollectionPath, OwnerPath } from '../paths.ts'
import { Done } from '../text.ts'

export const collectionOperations = {
  'GET /api/collections': operation({
    id: 'browseCollections',
    tag: 'collections',
    summary: 'Browse public collections',
    description:
      'Lists public collections, the latest change first; the caller does not matter. `q` finds a text in names; `search` finds words in slugs, names, owners and descriptions, the best match first. A page has 50 collections unless `limit` says otherwise, and 100 at most. With `search`, page by `offset`; `cursor` is refused.',
    query: BrowseQuery,
    answers: { 200: z.array(CollectionItem) },
    answerWords: { 200: 'A page of public collections. It is empty where nothing matches.' },
  }),
  'GET /api/accounts/me/collections': operation({
    id: 'listMyCollections',
    tag: 'collections',
    summary: 'Collections of the caller, and of its organizations',
    description:
      'Lists the collections of the caller and of every organization that it is a member of, private ones too, the latest change first. Any scope works; a key that is limited to a collection is refused. A page has 50 collections unless `limit` says otherwise, and 100 at most.',
    entrance: { scope: 'any', unlimited: true },
    query: CollectionListQuery,
    answers: { 200: z.array(MyCollection) },
    answerWords: { 200: 'A page of collections.' },
  }),
  'GET /api/accounts/:owner/collections': operation({
    id: 'listCollections',
    tag: 'collections',
    summary: 'Collections of an account',
    description:
      'Lists the collections of a user or an organization, the latest change first. Members see all of them, others the public ones. A key that is limited to a private collection sees that one, too. A page has 50 collections unless `limit` says otherwise, and 100 at most.',
    params: OwnerPath,
    query: CollectionListQuery,
    answers: { 200: z.array(OwnedCollection) },
    answerWords: { 200: 'A page of collections.' },
    refusals: ['account_not_found'],
  }),
  'POST /api/accounts/:owner/collections': operation({
    id: 'createCollection',
    tag: 'collections',
    summary: 'Create a collection',
    description:
      'Creates a collection without a version. It needs the scope `write`, and membership where the owner is an organization. `name` is the slug if it is left out, and the collection is private unless `public` is true or the settings of the organization say so. Where they leave it to admins to make collections public, members are refused `public: true`. An account may have 10,000 collections unless the operator set another number. Next, push its first version: `POST /api/collections/{owner}/{slug}/pushes`.',
    entrance: { scope: 'write', unlimited: true },
    params: OwnerPath,
    body: CreateCollection,
    answers: { 201: CreatedCollection },
    refusals: [
      'account_not_found',
      'not_a_member',
      'insufficient_role',
      'slug_taken',
      'slug_kept',
      'too_many_collections',
      'invalid_slug',
    ],
  }),
  'GET /api/collections/:owner/:slug': operation({
    id: 'getCollection',
    tag: 'collections',
    summary: 'A collection and its latest version',
    description:
      'Answers a collection with a summary of its latest version. A public collection needs no credential, a private one that of a member. `latestVersion` is null before the first version, and its counts are those of what the caller may read. `forkedFrom` is there for a fork, if the caller may see its source.',
    params: CollectionPath,
    answers: { 200: Collection },
    refusals: ['collection_not_found', 'object_corrupt'],
  }),
  'PATCH /api/collections/:owner/:slug': operation({
    id: 'updateCollection',
    tag: 'collections',
    summary: 'Change a collection',
    description:
      'Changes the name, the slug, the description or the visibility of a collection; what the body leaves out stays, and `description: null` removes the description. It needs the scope `write` and membership. After a change of the slug the former one answers 308, until another collection takes it. No version is made: metadata of versions is changed by `PATCH …/metadata`. Where the settings of the organization leave it to admins to make collections public, members are refused `public: true`.',
    entrance: { scope: 'write' },
    params: CollectionPath,
    body: UpdateCollection,
    answers: { 200: Done },
    refusals: [
      'collection_not_found',
      'not_a_member',
      'key_limited',
      'insufficient_role',
      'slug_taken',
      'slug_kept',
      'invalid_slug',
    ],
  }),
  'DELETE /api/collections/:owner/:slug': operation({
    id: 'deleteCollection',
    tag: 'collections',
    summary: 'Delete a collection with its versions',
    description:
      'Deletes a collection with all its versions, records and references to files. It needs the scope `write` and, in an organization, the role admin or owner. Files stay, since other collections may refer to them, and forks stay whole. This cannot be undone.',
    entrance: { scope: 'write' },
    params: CollectionPath,
    answers: { 200: Done },
    refusals: ['collection_not_found', 'not_a_member', 'key_limited', 'insufficient_role'],
  }),
  'POST /api/collections/:owner/:slug/transfer': operation({
    id: 'transferCollection',
    tag: 'collections',
    summary: 'Transfer a collection to another account',
    description:
      'Makes another account the owner of a collection: an organization that the caller is an admin of, or the caller itself. It needs a session or a key with the scope `admin`, and the role admin or owner in the present owner. The former address answers 308, and no other collection can be made there. The collection keeps its id, versions, forks and limited keys. A key acts for its own account, so those of people who are no members of the new owner read only what is public.',
    entrance: { scope: 'admin', unlimited: true },
    params: CollectionPath,
    body: TransferCollection,
    answers: { 200: TransferredCollection },
    answerWords: { 200: 'Where the collection is now.' },
    refusals: [
      'collection_not_found',
      'account_not_found',
      'not_a_member',
      'insufficient_role',
      'slug_taken',
      'slug_kept',
      'too_many_collections',
      'quota_exceeded',
    ],
  }),
}
