/**
 * Shapes for versions: list, detail, withdrawal and deprecation. Counts, bytes and digests are those of the caller's view: members see all,
 * other readers the public view. docs/design/http-api.md §7.
 */
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
import { Workload } from './publishing.ts'
import { Count, DigestText, Instant, line, SemverText } from './text.ts'

/** Text that the author of a version gave with it; hidden where it could describe private or withdrawn data. */
const Word = z.string().nullable().meta({
  description:
    'Also null for a withdrawn version, and in the public view of a version that changed only private data.',
})

const Erase = z.boolean().meta({ description: 'Whether its data is or will be erased.' })

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
      description: 'Present if the version is withdrawn: it can no longer be read.',
    }),
    deprecated: z.object({ at: Instant, message: z.string() }).optional().meta({
      description: 'Present if the version is deprecated: its readers are warned.',
    }),
    hash: DigestText,
    publicHash: DigestText.meta({
      description:
        'Digest of the public view, which every reader can verify: the one to cite. Equals `hash` for readers of the public view.',
    }),
    message: Word,
    appId: Word,
    actorId: Word,
    actor: z.object({ slug: z.string(), displayName: z.string() }).nullable().meta({
      description:
        'Account that created the version. Null if the account is deleted, and in the public view of a version that changed only private data.',
    }),
    workload: Workload.optional().meta({
      description:
        'The job that made the version, if a trusted publisher’s: for the readers that it is shown to, and never in the public view of a version that changed only private data.',
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
  schemas: AnyObject.meta({ description: 'JSON Schema of each type.' }),
  typeCounts: z
    .custom<Record<string, number>>((value) => typeof value === 'object' && value !== null)
    .meta({
      type: 'object',
      additionalProperties: { type: 'integer' },
      description: 'Number of records of each type.',
    }),
  typeRoots: z
    .custom<Record<string, string>>((value) => typeof value === 'object' && value !== null)
    .meta({
      type: 'object',
      additionalProperties: { type: 'string' },
      description:
        'Root of the record tree of each type that has records. Equal roots mean equal records ([Verifying](/docs/verifying)).',
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
      description: 'True: delete data that no other version uses at the next sweep (default: false).',
    }),
  })
  .meta({
    id: 'WithdrawVersion',
    description: 'Reason of the withdrawal, and whether to erase the data.',
    examples: [{ reason: 'It names people who did not agree.', erase: true }],
  })
export type WithdrawVersion = z.infer<typeof WithdrawVersion>

/** Answer to a withdrawal. */
export const WithdrawnVersion = z
  .object({
    semver: SemverText,
    withdrawnAt: Instant,
    reason: z.string(),
    erase: Erase,
    latest: SemverText.nullable().meta({ description: 'Newest version that is not withdrawn, or null.' }),
  })
  .meta({
    id: 'WithdrawnVersion',
    description: 'A withdrawn version.',
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
    description: 'Message for readers of the version.',
    examples: [{ message: 'The population of Lagos is wrong. Take v1.1.0.' }],
  })
export type DeprecateVersion = z.infer<typeof DeprecateVersion>
