/** Versions. http-api §7. Counts, bytes and digests are those of the view the caller reads. */
import type { JsonObject } from '@ulmus/content'
import { z } from 'zod'
import {
  exampleDigest,
  exampleInstant,
  exampleMetadata,
  exampleRecord,
  exampleSchemas,
  exampleUser,
} from './examples.ts'
import { AnyObject } from './json.ts'
import { Count, DigestText, Instant, line, SemverText } from './text.ts'

/** Text about a version by its maker. */
const Word = z.string().nullable().meta({
  description:
    'Null also for who reads the public view of a version in which only private things changed, and of a version that is withdrawn.',
})

const Erase = z.boolean().meta({ description: 'Whether it is, or will be, erased.' })

const first = {
  semver: 'v1.0.0',
  hash: exampleDigest,
  publicHash: exampleDigest,
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
    withdrawn: z.object({ at: Instant, reason: z.string(), erase: Erase }).optional().meta({
      description: 'Present if the version is withdrawn: it cannot be read any more.',
    }),
    deprecated: z.object({ at: Instant, message: z.string() }).optional().meta({
      description: 'Its readers are warned. Absent where they are not.',
    }),
    hash: DigestText,
    publicHash: DigestText.meta({
      description:
        'The digest of the public view, which every reader can verify: the one to cite. Same as `hash` for readers of the public view.',
    }),
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
  typeRoots: z
    .custom<Record<string, string>>((value) => typeof value === 'object' && value !== null)
    .meta({
      type: 'object',
      additionalProperties: { type: 'string' },
      description:
        'The root of the record tree of each type that has records. Equal roots hold equal records ([Verifying](/docs/verifying)).',
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
      typeRoots: { City: exampleRecord.hash, Country: exampleRecord.hash },
      baseSemver: null,
    },
  ],
})
export type Version = z.infer<typeof Version>

/** `POST …/versions/:v/withdraw` */
export const WithdrawVersion = z
  .strictObject({
    reason: line(1_000).meta({ description: 'Shown to readers who request the version.' }),
    erase: z.boolean().optional().meta({
      description: 'True: what no other version has goes from the stores at the next sweep. Default: false.',
    }),
  })
  .meta({
    id: 'WithdrawVersion',
    description: 'Why a version is withdrawn, and whether it is erased.',
    examples: [{ reason: 'It names people who did not agree.', erase: true }],
  })
export type WithdrawVersion = z.infer<typeof WithdrawVersion>

export const WithdrawnVersion = z
  .object({
    semver: SemverText,
    withdrawnAt: Instant,
    reason: z.string(),
    erase: Erase,
    latest: SemverText.nullable().meta({ description: 'The newest version that stands; null: none does.' }),
  })
  .meta({
    id: 'WithdrawnVersion',
    description: 'A version that cannot be read any more.',
    examples: [
      {
        semver: 'v1.1.0',
        withdrawnAt: exampleInstant,
        reason: 'It names people who did not agree.',
        erase: true,
        latest: 'v1.0.0',
      },
    ],
  })
export type WithdrawnVersion = z.infer<typeof WithdrawnVersion>

/** `POST …/versions/:v/deprecate` */
export const DeprecateVersion = z
  .strictObject({
    message: line(1_000).nullable().meta({ description: 'Warning for readers; null removes it.' }),
  })
  .meta({
    id: 'DeprecateVersion',
    description: 'What the readers of a version are warned of.',
    examples: [{ message: 'The population of Lagos is wrong. Take v1.1.0.' }],
  })
export type DeprecateVersion = z.infer<typeof DeprecateVersion>
