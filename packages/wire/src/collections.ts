/** Collections. interface.md "Collection"; http-api §4. */
import { z } from 'zod'
import { exampleId, exampleInstant, exampleMetadata } from './examples.ts'
import { AnyObject } from './json.ts'
import { listParameters } from './lists.ts'
import { Count, Description, Id, Instant, line, Name, SemverText } from './text.ts'

/** `GET /api/collections`: public ones, newest `updatedAt` first unless `sort` says otherwise. */
export const BrowseQuery = z.strictObject({
  ...listParameters('updated'),
  q: line(200, 0)
    .optional()
    .meta({
      description: 'Matches anywhere in the name, in any case.',
      examples: ['cities'],
    }),
  search: line(200, 0)
    .optional()
    .meta({
      examples: ['world cities'],
      description:
        'Words: finds collections that have, in slug, name, owner or description, a word that begins like each of them, whatever the case and the accents. Best first; pages are selected by `offset`. A word that more than 500 collections have finds only some of them.',
    }),
  owner: line(200)
    .optional()
    .meta({
      description: 'Only collections of this account.',
      examples: ['ada'],
    }),
  sort: z
    .enum(['updated', 'created', 'name'])
    .optional()
    .meta({
      description: 'Default: the best match first with `search`, else `updated`, newest first.',
      examples: ['name'],
    }),
})
export type BrowseQuery = z.infer<typeof BrowseQuery>

const named = { id: exampleId, slug: 'cities', name: 'Cities of the world' }
const instants = { createdAt: exampleInstant, updatedAt: exampleInstant }
const shown = { ...named, description: exampleMetadata.description }
const figures = {
  ...{ latestVersion: 'v1.0.0', recordCount: 2, totalBytes: 225, license: exampleMetadata.license },
}
const owner = { ownerSlug: 'ada', ownerName: 'Ada Lovelace' }

const CollectionSlug = z.string().meta({
  description: 'Lowercase letters, digits and, between them, hyphens; at most 100 characters.',
})

const IsFork = z.boolean().meta({
  description:
    'Whether it is a fork of a collection that is public now. With `search`, of equal matches forks come last.',
})

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
    recordCount: Count.nullable().meta({
      description: 'Of the latest version, as everyone reads it; in lists of your own, as members do.',
    }),
    totalBytes: Count.nullable().meta({ description: 'Sizes of its records and files, likewise.' }),
    license: z
      .string()
      .nullable()
      .meta({ description: '`license` of its metadata, at most 200 characters.' }),
    fork: IsFork,
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({
    id: 'CollectionItem',
    description: 'A public collection, as browsing lists it.',
    examples: [{ ...shown, ...owner, ...figures, fork: false, ...instants }],
  })
export type CollectionItem = z.infer<typeof CollectionItem>

/** An item of `GET /api/accounts/me/collections`. */
export const MyCollection = CollectionItem.extend({ public: z.boolean() }).meta({
  id: 'MyCollection',
  description: 'A collection that the caller owns, or a member of whose owner it is.',
  examples: [{ ...shown, ...owner, ...figures, fork: false, ...instants, public: true }],
})
export type MyCollection = z.infer<typeof MyCollection>

/** An item of `GET /api/accounts/:owner/collections`. */
export const OwnedCollection = z
  .object({
    id: Id,
    slug: z.string(),
    name: z.string(),
    public: z.boolean(),
    fork: IsFork,
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({
    id: 'OwnedCollection',
    description: 'A collection, as the list of its owner has it.',
    examples: [{ ...named, public: true, fork: false, ...instants }],
  })
export type OwnedCollection = z.infer<typeof OwnedCollection>

/** The latest version within a collection's detail. Counts and bytes are those of the view the caller reads. */
const exampleSummary = {
  semver: 'v1.0.0',
  recordCount: 2,
  fileCount: 1,
  totalBytes: 225,
  metadata: exampleMetadata,
  createdAt: exampleInstant,
  message: 'Oslo and its country',
}

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
  .meta({
    id: 'VersionSummary',
    description: 'A version, with the counts of the view that the caller reads.',
    examples: [exampleSummary],
  })
export type VersionSummary = z.infer<typeof VersionSummary>

/** Source of a fork. */
export const ForkedFrom = z
  .object({ owner: z.string(), slug: z.string(), version: SemverText })
  .meta({ id: 'ForkedFrom', description: 'The collection and the version that a fork was made of.' })
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
  .meta({
    id: 'Collection',
    description: 'A collection, with its latest version.',
    examples: [{ ...shown, public: true, ...owner, ...instants, latestVersion: exampleSummary }],
  })
export type Collection = z.infer<typeof Collection>

/** `POST /api/accounts/:owner/collections` */
export const CreateCollection = z
  .strictObject({
    slug: CollectionSlug,
    name: Name.optional().meta({ description: 'The slug, if absent.' }),
    public: z.boolean().optional().meta({
      description:
        'Whether anyone may read it. Default: false, or what the settings of the organization say.',
    }),
    description: Description.nullish().meta({
      description: 'Shown while the metadata of the latest version has no `description`.',
    }),
  })
  .meta({
    id: 'CreateCollection',
    description: 'A collection to make.',
    examples: [{ slug: 'cities', name: 'Cities of the world', public: true }],
  })
export type CreateCollection = z.infer<typeof CreateCollection>

export const CreatedCollection = z
  .object({ id: Id, owner: z.string(), slug: z.string(), name: z.string() })
  .meta({
    id: 'CreatedCollection',
    description: 'The new collection, which has no version yet.',
    examples: [{ id: exampleId, owner: 'ada', slug: 'cities', name: 'Cities of the world' }],
  })
export type CreatedCollection = z.infer<typeof CreatedCollection>

/** `PATCH /api/collections/:owner/:slug`: only the fields to change; `description: null` removes it. */
export const UpdateCollection = z
  .strictObject({
    slug: CollectionSlug.optional(),
    name: Name.optional(),
    public: z.boolean().optional(),
    description: Description.nullish(),
  })
  .meta({
    id: 'UpdateCollection',
    description: 'What is to change of a collection.',
    examples: [{ name: 'Cities and countries', public: true }],
  })
export type UpdateCollection = z.infer<typeof UpdateCollection>

/** `POST /api/collections/:owner/:slug/transfer` */
export const TransferCollection = z
  .strictObject({ to: line(39).meta({ description: 'Slug of the account that is to own it.' }) })
  .meta({
    id: 'TransferCollection',
    description: 'Who is to own a collection.',
    examples: [{ to: 'atlas' }],
  })
export type TransferCollection = z.infer<typeof TransferCollection>

export const TransferredCollection = z.object({ owner: z.string(), slug: z.string() }).meta({
  id: 'TransferredCollection',
  description: 'Where the collection is now.',
  examples: [{ owner: 'atlas', slug: 'cities' }],
})
export type TransferredCollection = z.infer<typeof TransferredCollection>
