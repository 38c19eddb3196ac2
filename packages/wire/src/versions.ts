/** Versions. http-api §7. Counts, bytes and digests are those of the view the caller reads. */
import type { JsonObject } from '@ulmus/content'
import { z } from 'zod'
import { exampleDigest, exampleInstant, exampleMetadata, exampleSchemas, exampleUser } from './examples.ts'
import { AnyObject } from './json.ts'
import { Count, DigestText, Instant, SemverText } from './text.ts'

/** What the maker of a version says of it. */
const Word = z.string().nullable().meta({
  description: 'Null also for who reads the public view of a version in which only private things changed.',
})

const first = {
  semver: 'v1.0.0',
  hash: exampleDigest,
  message: 'Oslo and its country',
  appId: null,
  actorId: null,
  actor: { slug: exampleUser.slug, displayName: exampleUser.displayName },
  recordCount: 2,
  fileCount: 1,
  totalBytes: 225,
  createdAt: exampleInstant,
}

/** An item of `GET …/versions`, newest first. */
export const VersionItem = z
  .object({
    semver: SemverText,
    hash: DigestText,
    message: Word,
    appId: Word,
    actorId: Word,
    actor: z.object({ slug: z.string(), displayName: z.string() }).nullable().meta({
      description:
        'The account that made it. Null when that account is gone, and for who reads the public view of a version in which only private things changed.',
    }),
    recordCount: Count,
    fileCount: Count,
    totalBytes: Count,
    createdAt: Instant,
  })
  .meta({ id: 'VersionItem', description: 'A version.', examples: [first] })
export type VersionItem = z.infer<typeof VersionItem>

/** JSON Schemas by type. */
export type Schemas = Record<string, JsonObject>

/** `GET …/versions/:v` */
export const Version = VersionItem.extend({
  metadata: AnyObject,
  schemas: AnyObject.meta({ description: 'The JSON Schema of each type.' }),
  typeCounts: z
    .custom<Record<string, number>>((value) => typeof value === 'object' && value !== null)
    .meta({
      type: 'object',
      additionalProperties: { type: 'integer' },
      description: 'How many records each type has.',
    }),
  baseSemver: SemverText.nullable(),
}).meta({
  id: 'Version',
  description: 'A version, with its metadata and schemas.',
  examples: [
    {
      ...first,
      metadata: exampleMetadata,
      schemas: exampleSchemas,
      typeCounts: { City: 1, Country: 1 },
      baseSemver: null,
    },
  ],
})
export type Version = z.infer<typeof Version>
