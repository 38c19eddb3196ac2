/** Collections. interface.md "Collection"; http-api §4. */
import { z } from 'zod'
import { AnyObject } from './json.ts'
import { listParameters } from './lists.ts'
import { Count, Description, Id, Instant, line, Name, SemverText } from './text.ts'

/** `GET /api/collections`: public ones, newest `updatedAt` first unless `sort` says otherwise. */
export const BrowseQuery = z.strictObject({
  ...listParameters,
  q: line(200, 0).optional().meta({ description: 'Matches anywhere in the name, in any case.' }),
  search: line(200, 0).optional().meta({
    description:
      'Words: finds collections that have, in slug, name, owner or description, a word that begins like each of them, whatever the case and the accents. Best first; pages are told by `offset`. Words that more than 500 collections have find some of them.',
  }),
  owner: line(200).optional().meta({ description: 'Only collections of this account.' }),
  sort: z
    .enum(['updated', 'created', 'name'])
    .optional()
    .meta({ description: 'Default: the best match first with `search`, else `updated`, newest first.' }),
})
export type BrowseQuery = z.infer<typeof BrowseQuery>

/** An item of `GET /api/collections`. */
export const CollectionItem = z
  .object({
    id: Id,
    slug: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    ownerSlug: z.string(),
    ownerName: z.string(),
    latestVersion: SemverText.nullable(),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'CollectionItem' })
export type CollectionItem = z.infer<typeof CollectionItem>

/** An item of `GET /api/accounts/:owner/collections`. */
export const OwnedCollection = z
  .object({
    id: Id,
    slug: z.string(),
    name: z.string(),
    public: z.boolean(),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'OwnedCollection' })
export type OwnedCollection = z.infer<typeof OwnedCollection>

/** The latest version within a collection's detail. Counts and bytes are those of the view the caller reads. */
export const VersionSummary = z
  .object({
    semver: SemverText,
    recordCount: Count,
    fileCount: Count,
    totalBytes: Count,
    metadata: AnyObject,
    createdAt: Instant,
    message: z.string().nullable().meta({
      description:
        'Null also for who reads the public view of a version in which only private things changed.',
    }),
  })
  .meta({ id: 'VersionSummary' })
export type VersionSummary = z.infer<typeof VersionSummary>

/** Where a fork was made from. */
export const ForkedFrom = z
  .object({ owner: z.string(), slug: z.string(), version: SemverText })
  .meta({ id: 'ForkedFrom' })
export type ForkedFrom = z.infer<typeof ForkedFrom>

/** `GET /api/collections/:owner/:slug` */
export const Collection = z
  .object({
    id: Id,
    slug: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    public: z.boolean(),
    ownerSlug: z.string(),
    ownerName: z.string(),
    createdAt: Instant,
    updatedAt: Instant,
    latestVersion: VersionSummary.nullable(),
    forkedFrom: ForkedFrom.optional().meta({
      description: 'Of a fork, for callers who may see its source now.',
    }),
  })
  .meta({ id: 'Collection' })
export type Collection = z.infer<typeof Collection>

/** `POST /api/accounts/:owner/collections` */
export const CreateCollection = z
  .strictObject({
    slug: z.string(),
    name: Name.optional().meta({ description: 'The slug, if absent.' }),
    public: z.boolean().default(false),
    description: Description.nullish(),
  })
  .meta({ id: 'CreateCollection' })
export type CreateCollection = z.infer<typeof CreateCollection>

export const CreatedCollection = z
  .object({ id: Id, owner: z.string(), slug: z.string(), name: z.string() })
  .meta({ id: 'CreatedCollection' })
export type CreatedCollection = z.infer<typeof CreatedCollection>

/** `PATCH /api/collections/:owner/:slug`: only what is to change; `description: null` removes it. */
export const UpdateCollection = z
  .strictObject({
    slug: z.string().optional(),
    name: Name.optional(),
    public: z.boolean().optional(),
    description: Description.nullish(),
  })
  .meta({ id: 'UpdateCollection' })
export type UpdateCollection = z.infer<typeof UpdateCollection>
