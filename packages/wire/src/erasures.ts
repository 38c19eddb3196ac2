/** Shapes for the removal of a record from all versions. docs/design/http-api.md §11. */
import { z } from 'zod'
import { exampleInstant } from './examples.ts'
import { Count, Instant, line, SemverText } from './text.ts'

const record = {
  type: z.string(),
  id: z.string(),
}

const Forks = Count.meta({
  description:
    'Number of public forks of the collection, direct and indirect. Forks, also private ones, keep what they have of the record.',
})

/** `GET …/records/:type/:id/erasure` */
export const RecordErasure = z
  .object({
    ...record,
    latest: SemverText.nullable().meta({ description: 'Latest version; pass it as `base_version`.' }),
    publishes: SemverText.nullable().meta({
      description:
        'Version that would be published without the record. Null if the latest version does not have it.',
    }),
    versions: z
      .array(
        z.object({
          semver: SemverText,
          withdrawn: z.boolean().meta({ description: 'Withdrawn already, but still stored.' }),
        }),
      )
      .meta({
        description: 'Versions that have the record, newest first. All would be withdrawn and erased.',
      }),
    stays: Count.meta({ description: 'Number of other versions that stay readable.' }),
    forks: Forks,
  })
  .meta({
    id: 'RecordErasure',
    description: 'What the removal of a record from all versions would do.',
    examples: [
      {
        ...{ type: 'Person', id: 'p-17', latest: 'v1.2.0', publishes: 'v1.3.0' },
        versions: [
          { semver: 'v1.2.0', withdrawn: false },
          { semver: 'v1.1.0', withdrawn: false },
        ],
        ...{ stays: 1, forks: 0 },
      },
    ],
  })
export type RecordErasure = z.infer<typeof RecordErasure>

/** `POST …/records/:type/:id/erase` */
export const EraseRecord = z
  .strictObject({
    base_version: z
      .string()
      .nullable()
      .meta({
        description: '`latest` of the preview. If another version is the latest by now, the answer is 409.',
        examples: ['v1.2.0'],
      }),
    reason: line(1_000).optional().meta({
      description:
        'Shown to readers who request an erased version: do not repeat the data (default: `A record was removed from all versions.`).',
    }),
  })
  .meta({
    id: 'EraseRecord',
    description: 'Confirmation of the removal of a record from all versions.',
    examples: [{ base_version: 'v1.2.0' }],
  })
export type EraseRecord = z.infer<typeof EraseRecord>

/** Answer to it. */
export const ErasedRecord = z
  .object({
    ...record,
    erasedAt: Instant,
    reason: z.string(),
    versions: z.array(SemverText).meta({ description: 'Versions withdrawn and erased, newest first.' }),
    published: SemverText.nullable().meta({
      description: 'Version published without the record. Null if the latest version did not have it.',
    }),
    latest: SemverText.nullable().meta({ description: 'Latest version now.' }),
    forks: Forks,
  })
  .meta({
    id: 'ErasedRecord',
    description: 'Receipt for a removed record. The registry does not keep it: save it.',
    examples: [
      {
        ...{ type: 'Person', id: 'p-17', erasedAt: exampleInstant },
        reason: 'A record was removed from all versions.',
        ...{ versions: ['v1.2.0', 'v1.1.0'], published: 'v1.3.0', latest: 'v1.3.0', forks: 0 },
      },
    ],
  })
export type ErasedRecord = z.infer<typeof ErasedRecord>
