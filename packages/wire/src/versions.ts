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
  ...{ major: 1, minor: 0, patch: 0 },
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
    major: Count.meta({ description: 'First part of `semver`.' }),
    minor: Count.meta({ description: 'Second part of `semver`.' }),
    patch: Count.meta({ description: 'Third part of `semver`.' }),
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

/** `GET …/versions/strip` */
export const Strip = z
  .object({
    columns: z
      .array(
        z.object({
          type: z.string(),
          column: z.string().meta({
            description:
              'Name of the value, such as `name.common`. Empty: the record as a whole, of a type whose schema declares no fields.',
          }),
        }),
      )
      .meta({ description: 'At most 40: those that changed most.' }),
    versions: z
      .array(
        z.object({
          semver: SemverText,
          before: SemverText.nullable().meta({
            description: 'The version that it is compared with. Null for the first one.',
          }),
          records: Count,
          changed: z.array(z.number().min(0).max(1).nullable()).meta({
            description:
              'A share for each of `columns`, of the records that either version has: those whose value in the column differs. Records that were added or removed, or that are larger than a mebibyte, count in every column. Null: neither version has the column, there is no version before, too much differs, or it is not computed yet.',
          }),
        }),
      )
      .meta({ description: 'Readable versions, newest first, at most 200.' }),
    columnCount: Count.meta({ description: 'Number of columns, with those left out.' }),
    versionCount: Count.meta({ description: 'Number of readable versions, with those left out.' }),
  })
  .meta({
    id: 'Strip',
    description: 'The share of changed values by version and column.',
    examples: [
      {
        columns: [
          { type: 'City', column: 'name' },
          { type: 'City', column: 'population' },
        ],
        versions: [
          { semver: 'v1.1.0', before: 'v1.0.0', records: 250, changed: [0, 0.964] },
          { semver: 'v1.0.0', before: null, records: 250, changed: [null, null] },
        ],
        columnCount: 2,
        versionCount: 2,
      },
    ],
  })
export type Strip = z.infer<typeof Strip>

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

/** `POST …/versions/:v/restore` */
export const RestoreVersion = z
  .strictObject({
    base_version: z
      .string()
      .optional()
      .meta({
        description:
          'The latest version, as the caller knows it. If another is the latest by now, the answer is 409 (default: no check).',
        examples: ['v1.1.0'],
      }),
    message: line(2_000).optional().meta({
      description: 'Message of the new version (default: `Restore` and the number).',
    }),
    confirm_public: z.array(z.string()).optional().meta({
      description:
        'Private data that may become public again: names of fields and types, and `Type/id` or `Type/*` for records. Other entries are ignored.',
    }),
  })
  .meta({
    id: 'RestoreVersion',
    description: 'How to publish an earlier version again.',
    examples: [{ base_version: 'v1.1.0' }],
  })
export type RestoreVersion = z.infer<typeof RestoreVersion>

/** Answer to it. */
export const RestoredVersion = z
  .object({
    semver: SemverText,
    restored: SemverText.meta({ description: 'Version whose content it has.' }),
    hash: DigestText,
    publicHash: DigestText,
    recordCount: Count,
    fileCount: Count,
    unchanged: z.literal(true).optional().meta({
      description: 'True if the latest version has this content already; no version was made.',
    }),
  })
  .meta({
    id: 'RestoredVersion',
    description: 'The version that was made.',
    examples: [
      {
        ...{ semver: 'v1.2.0', restored: 'v1.0.0', hash: exampleDigest, publicHash: exampleDigest },
        ...{ recordCount: 2, fileCount: 1 },
      },
    ],
  })
export type RestoredVersion = z.infer<typeof RestoredVersion>

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
