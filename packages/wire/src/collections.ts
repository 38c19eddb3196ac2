/**
 * Shapes for collections: items of lists, the detail, and bodies that create, change and transfer one (operations/collections.ts).
 * docs/design: interface.md "Collection"; http-api §4.
 */
import { z } from 'zod'
import { HiddenByOperators } from './admin.ts'
import { exampleId, exampleInstant, exampleMetadata } from './examples.ts'
import { AnyObject } from './json.ts'
import { listParameters, querySwitch, repeated, repeatedMeta } from './lists.ts'
import { Count, Description, Id, Instant, line, Name, SemverText } from './text.ts'

/** Filters of public collections. */
const filters = {
  q: line(200, 0)
    .optional()
    .meta({
      description: 'Part of the name; case-insensitive.',
      examples: ['cities'],
    }),
  search: line(200, 0)
    .optional()
    .meta({
      examples: ['world cities'],
      description:
        'Words to search for in slug, name, owner, topics, description and readme, and in the names of types and fields. Matches the beginnings of words, without regard to case or accents; all words must match. Best match first; page by `offset`. A word that occurs in more than 500 collections, or in the names of more than 200 owners, finds only some of them.',
    }),
  similar: querySwitch(
    'If no collection has the words of `search`, search for the nearest words of names, owners and topics instead (default: false).',
  ),
  owner: line(200)
    .optional()
    .meta({
      description: 'Slug of the owner.',
      examples: ['ada'],
    }),
  topic: repeated
    .pipe(z.array(line(200)).max(5))
    .optional()
    .meta(
      repeatedMeta(
        'Topics that the collection must have, at most 5. Case and spaces do not count.',
        'geography',
      ),
    ),
  license: line(100)
    .optional()
    .meta({ description: 'License of the latest version, exactly.', examples: ['CC0-1.0'] }),
  type: repeated
    .pipe(z.array(line(128)).max(5))
    .optional()
    .meta(repeatedMeta('Names of public types that the latest version must have, at most 5.', 'Country')),
  size: z
    .enum(['small', 'medium', 'large'])
    .optional()
    .meta({
      description:
        'Public records of the latest version: at most 1,000 (`small`), at most 100,000 (`medium`), more (`large`).',
      examples: ['small'],
    }),
}

/** `GET /api/collections`: public ones, newest `updatedAt` first unless `sort` is given. */
export const BrowseQuery = z.strictObject({
  ...listParameters('updated'),
  ...filters,
  sort: z
    .enum(['updated', 'created', 'name'])
    .optional()
    .meta({
      description: 'Order (default: `updated`, newest first; with `search`, best match first).',
      examples: ['name'],
    }),
})
export type BrowseQuery = z.infer<typeof BrowseQuery>

/** `GET /api/collections/facets` */
export const CollectionFacetsQuery = z.strictObject(filters)
export type CollectionFacetsQuery = z.infer<typeof CollectionFacetsQuery>

export const CollectionFacets = z
  .object({
    total: Count.meta({ description: 'Number of matching collections, at most 1,000.' }),
    hasMore: z.boolean().meta({ description: 'Whether more collections match than were counted.' }),
    facets: z
      .array(
        z.object({
          filter: z
            .enum(['license', 'size', 'type', 'owner'])
            .meta({ description: 'Parameter that lists the collections with a value.' }),
          values: z
            .array(z.object({ value: z.string(), count: Count }))
            .meta({ description: 'The 10 most frequent values.' }),
        }),
      )
      .meta({ description: 'Frequent values for each filter; always all four filters.' }),
  })
  .meta({
    id: 'CollectionFacets',
    description: 'Frequent values for the filters of a list of public collections.',
    examples: [
      {
        ...{ total: 1, hasMore: false },
        facets: [
          { filter: 'license', values: [{ value: 'CC0-1.0', count: 1 }] },
          { filter: 'size', values: [{ value: 'small', count: 1 }] },
          { filter: 'type', values: [{ value: 'Country', count: 1 }] },
          { filter: 'owner', values: [{ value: 'ada', count: 1 }] },
        ],
      },
    ],
  })
export type CollectionFacets = z.infer<typeof CollectionFacets>

const exampleFacts = {
  ...{ id: exampleId, slug: 'cities', name: 'Cities of the world' },
  ...{ description: exampleMetadata.description, topics: ['geography'], public: true },
  ...{ ownerSlug: 'ada', ownerName: 'Ada Lovelace', createdAt: exampleInstant, updatedAt: exampleInstant },
}

const CollectionSlug = z.string().meta({
  description: 'Lowercase letters, digits and, between them, hyphens; at most 100 characters.',
})

const Topics = z.array(z.string()).meta({
  description:
    '`keywords` of the metadata of the latest version, in lower case: at most 20, of at most 50 characters each.',
})

const IsFork = z.boolean().meta({
  description:
    'Whether it is a fork of a collection that is public now. With `search`, forks come last among equal matches.',
})

/** Members that lists and details share. */
const facts = {
  id: Id,
  slug: z.string(),
  name: z.string(),
  description: z.string().nullable(),
  topics: Topics,
  public: z.boolean(),
  ownerSlug: z.string(),
  ownerName: z.string(),
  createdAt: Instant,
  updatedAt: Instant,
}

/** An item of every list of collections. */
export const CollectionItem = z
  .object({
    ...facts,
    latestVersion: SemverText.nullable(),
    recordCount: Count.nullable().meta({
      description:
        'Records of the latest version: of the full view for members and collaborators, else of the public view. Lists of all public collections have the public view.',
    }),
    fileCount: Count.nullable().meta({ description: 'Files of the same view.' }),
    totalBytes: Count.nullable().meta({ description: 'Bytes of the records and files of the same view.' }),
    types: z
      .array(z.string())
      .meta({ description: 'Types of the same view: the first 6 by name. Empty before the first version.' }),
    license: z
      .string()
      .nullable()
      .meta({ description: '`license` of the metadata, cut off after 200 characters.' }),
    fork: IsFork,
    hiddenByOperators: HiddenByOperators.optional(),
  })
  .meta({
    id: 'CollectionItem',
    description: 'A collection in a list.',
    examples: [
      {
        ...exampleFacts,
        ...{ latestVersion: 'v1.0.0', recordCount: 2, fileCount: 1, totalBytes: 225 },
        ...{ types: ['City', 'Country'], license: exampleMetadata.license, fork: false },
      },
    ],
  })
export type CollectionItem = z.infer<typeof CollectionItem>

const exampleSummary = {
  semver: 'v1.0.0',
  recordCount: 2,
  fileCount: 1,
  totalBytes: 225,
  metadata: exampleMetadata,
  createdAt: exampleInstant,
  message: 'Oslo and its country',
}

/** Latest version within a collection's detail. Counts and bytes are those of the caller's view. */
export const VersionSummary = z
  .object({
    semver: SemverText,
    recordCount: Count,
    fileCount: Count,
    totalBytes: Count,
    metadata: AnyObject,
    createdAt: Instant,
    message: z.string().nullable().meta({
      description: 'Also null in the public view of a version that changed only private data.',
    }),
  })
  .meta({
    id: 'VersionSummary',
    description: 'A version, with the counts of the caller’s view.',
    examples: [exampleSummary],
  })
export type VersionSummary = z.infer<typeof VersionSummary>

/** Source of a fork. */
export const ForkedFrom = z
  .object({ owner: z.string(), slug: z.string(), version: SemverText })
  .meta({ id: 'ForkedFrom', description: 'Source collection and version of a fork.' })
export type ForkedFrom = z.infer<typeof ForkedFrom>

/** `GET /api/collections/:owner/:slug` */
export const Collection = z
  .object({
    ...facts,
    latestVersion: VersionSummary.nullable(),
    hiddenByOperators: HiddenByOperators.optional(),
    publishersOnly: z.boolean().meta({ description: 'Whether only trusted publishers make versions.' }),
    forkedFrom: ForkedFrom.optional().meta({
      description: 'Source of a fork, if the caller can see it.',
    }),
  })
  .meta({
    id: 'Collection',
    description: 'A collection, with its latest version.',
    examples: [{ ...exampleFacts, publishersOnly: false, latestVersion: exampleSummary }],
  })
export type Collection = z.infer<typeof Collection>

/** `POST /api/accounts/:owner/collections` */
export const CreateCollection = z
  .strictObject({
    slug: CollectionSlug,
    name: Name.optional().meta({ description: 'Name (default: the slug).' }),
    public: z.boolean().optional().meta({
      description: 'Whether anyone can read it (default: false, or the setting of the organization).',
    }),
    description: Description.nullish().meta({
      description: 'Shown while the metadata of the latest version has no `description`.',
    }),
  })
  .meta({
    id: 'CreateCollection',
    description: 'A new collection.',
    examples: [{ slug: 'cities', name: 'Cities of the world', public: true }],
  })
export type CreateCollection = z.infer<typeof CreateCollection>

/** Answer to creating a collection. */
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
    publishersOnly: z.boolean().optional().meta({
      description:
        'True: only trusted publishers make versions. Requires the `admin` scope and, in an organization, the role admin or owner; or the grant `admin`.',
    }),
  })
  .meta({
    id: 'UpdateCollection',
    description: 'Fields to change.',
    examples: [{ name: 'Cities and countries', public: true }],
  })
export type UpdateCollection = z.infer<typeof UpdateCollection>

/** `POST /api/collections/:owner/:slug/transfer` */
export const TransferCollection = z
  .strictObject({ to: line(39).meta({ description: 'Slug of the new owner.' }) })
  .meta({
    id: 'TransferCollection',
    description: 'New owner of the collection.',
    examples: [{ to: 'atlas' }],
  })
export type TransferCollection = z.infer<typeof TransferCollection>

/** Answer to a transfer. */
export const TransferredCollection = z.object({ owner: z.string(), slug: z.string() }).meta({
  id: 'TransferredCollection',
  description: 'New path of the collection.',
  examples: [{ owner: 'atlas', slug: 'cities' }],
})
export type TransferredCollection = z.infer<typeof TransferredCollection>
