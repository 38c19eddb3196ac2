/**
 * Operations on collections: lists, search, creation, changes, transfer and deletion. A hidden collection is answered like an absent one.
 * docs/design/http-api.md §4.
 */
import { z } from 'zod'
import {
  BrowseQuery,
  Collection,
  CollectionFacets,
  CollectionFacetsQuery,
  CollectionItem,
  CreateCollection,
  CreatedCollection,
  TransferCollection,
  TransferredCollection,
  UpdateCollection,
} from '../collections.ts'
import { CollectionListQuery } from '../lists.ts'
import { UpdateCollectionQuery, UpdatedCollection } from '../opening.ts'
import { operation } from '../operation.ts'
import { CollectionPath, OwnerPath } from '../paths.ts'
import { Done } from '../text.ts'

export const collectionOperations = {
  'GET /api/collections': operation({
    id: 'browseCollections',
    tag: 'collections',
    summary: 'List public collections',
    description:
      'Lists public collections, most recently updated first; the answer is the same for all callers. `q` matches part of a name; `search` matches words in slugs, names, owners, topics, descriptions, readmes and the names of types and fields, best match first, and with `similar` forgives typing errors; `topic` lists collections with a topic, or with several; `license`, `type` and `size` those whose latest version has them. With `search`, page by `offset`: `cursor` is refused.',
    query: BrowseQuery,
    answers: { 200: z.array(CollectionItem) },
    answerWords: { 200: 'A page of public collections; empty if nothing matches.' },
  }),
  'GET /api/collections/facets': operation({
    id: 'countCollections',
    tag: 'collections',
    summary: 'Count public collections by license, size, type and owner',
    description:
      'Counts the public collections that `GET /api/collections` lists with the same filters, and returns the 10 most frequent values for each of the filters `license`, `size`, `type` and `owner`; the answer is the same for all callers. If more than 1,000 collections match, the counts are of 1,000 of them.',
    query: CollectionFacetsQuery,
    answers: { 200: CollectionFacets },
  }),
  'GET /api/accounts/me/collections': operation({
    id: 'listMyCollections',
    tag: 'collections',
    summary: 'List collections of the authenticated account',
    description:
      'Lists collections of the caller and of the caller’s organizations, and those that the caller has a grant on, private ones included, most recently updated first. Requires any scope and a key that is not limited to a collection.',
    entrance: { scope: 'any', unlimited: true },
    query: CollectionListQuery,
    answers: { 200: z.array(CollectionItem) },
    answerWords: { 200: 'A page of collections.' },
  }),
  'GET /api/accounts/:owner/collections': operation({
    id: 'listCollections',
    tag: 'collections',
    summary: 'List collections of an account',
    description:
      'Lists collections of a user or an organization, most recently updated first. Members see all of them, other callers the public ones and those that they have a grant on. A key limited to a private collection also sees that one.',
    params: OwnerPath,
    query: CollectionListQuery,
    answers: { 200: z.array(CollectionItem) },
    answerWords: { 200: 'A page of collections.' },
  }),
  'POST /api/accounts/:owner/collections': operation({
    id: 'createCollection',
    tag: 'collections',
    summary: 'Create a collection',
    description:
      'Creates a collection without versions. Requires the `write` scope and, for an organization, membership. `name` defaults to the slug; `public` defaults to false or to the setting of the organization. If only admins of the organization can make collections public, `public: true` from a member is refused. An account can own 10,000 collections by default. Next, push the first version: `POST /api/collections/{owner}/{slug}/pushes`.',
    entrance: { scope: 'write', unlimited: true },
    params: OwnerPath,
    body: CreateCollection,
    answers: { 201: CreatedCollection },
    refusals: ['insufficient_role', 'slug_taken', 'slug_kept', 'too_many_collections', 'invalid_slug'],
  }),
  'GET /api/collections/:owner/:slug': operation({
    id: 'getCollection',
    tag: 'collections',
    summary: 'Get a collection',
    description:
      'Returns a collection with a summary of its latest version. A private collection requires a credential of a member or collaborator. `latestVersion` is null before the first version; its counts cover the records and files that the caller can read. `forkedFrom` is present for a fork if the caller can see its source.',
    params: CollectionPath,
    answers: { 200: Collection },
    refusals: ['object_corrupt'],
  }),
  'PATCH /api/collections/:owner/:slug': operation({
    id: 'updateCollection',
    tag: 'collections',
    summary: 'Update a collection',
    description:
      'Changes the name, slug, description, visibility or publishing of a collection; omitted fields stay as they are, and `description: null` removes the description. Requires the `write` scope, and membership or the grant `admin`; a key limited to the collection changes `slug` and `public` only with the `admin` scope. After a change of the slug, the former slug answers 308 until another collection takes it. No version is created: change the metadata of versions with `PATCH …/metadata`. Where only admins can make collections public, `public: true` from a member or collaborator is refused. Making a private collection public opens its older versions, too: `warnings`, also of a `dry_run`, lists what they show and the latest version does not.',
    entrance: { scope: 'write' },
    params: CollectionPath,
    query: UpdateCollectionQuery,
    body: UpdateCollection,
    answers: { 200: UpdatedCollection },
    answerWords: { 200: 'Changed, or with `dry_run=true` checked.' },
    refusals: [
      'publisher_key',
      'insufficient_role',
      'slug_taken',
      'slug_kept',
      'invalid_slug',
      'hidden_by_operators',
    ],
  }),
  'DELETE /api/collections/:owner/:slug': operation({
    id: 'deleteCollection',
    tag: 'collections',
    summary: 'Delete a collection',
    description:
      'Deletes a collection with all versions, records and references to files. Requires the `write` scope and, in an organization, the role admin or owner; of a key limited to the collection, the `admin` scope. A key capped at the role `member` deletes nothing. Files stay because other collections may refer to them, and forks keep their data. This cannot be undone.',
    entrance: { scope: 'write' },
    params: CollectionPath,
    answers: { 200: Done },
    refusals: ['insufficient_role'],
  }),
  'POST /api/collections/:owner/:slug/transfer': operation({
    id: 'transferCollection',
    tag: 'collections',
    summary: 'Transfer a collection',
    description:
      'Makes another account the owner of a collection: an organization that the caller is an admin of, or the caller’s own account. Requires a session or a key with the `admin` scope and, in an organization that owns the collection now, the role admin or owner. The former address answers 308 and cannot be reused. Id, versions, forks, collaborators and limited keys stay; pending invitations to the collection end. Keys of people who are neither members of the new owner nor collaborators can then read only public data.',
    entrance: { scope: 'admin', unlimited: true },
    params: CollectionPath,
    body: TransferCollection,
    answers: { 200: TransferredCollection },
    answerWords: { 200: 'The new path of the collection.' },
    refusals: ['account_not_found', 'slug_taken', 'slug_kept', 'too_many_collections', 'quota_exceeded'],
  }),
}
