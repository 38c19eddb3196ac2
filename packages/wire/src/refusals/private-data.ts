/** Refusals of versions that would publish private data. */
import { recordsToConfirm } from '@ulmus/content'
import type { Refusal } from './refusal.ts'

/** Maximum records, and types, in a sentence. */
const namedMax = 3

function recordNames(listed: readonly { type: string; id: string }[], total: number): string {
  const named = listed.slice(0, namedMax).map(({ type, id }) => `${type} ${JSON.stringify(id)}`)
  const others = total - named.length
  return others > 0 ? `${named.join(', ')} and ${others} more` : named.join(', ')
}

export const privateDataRefusals = {
  private_field_made_public: {
    kind: 'unacceptable',
    sentence: (f) =>
      f.restored !== undefined
        ? `Version ${f.restored} shows data that is private now: ${f.names}. To publish it again, list the names in \`confirm_public\`.`
        : `The push would make private data public: ${f.names}. Keep \`"private": true\`, or list the names in \`confirm_public\` to publish them.`,
    meaning: 'private data would become public; `madePublic` lists the names for `confirm_public`',
    explanation:
      'The schemas of a push, or of a version that is [published again](undo.md), would make a private field or type public. `madePublic: [{type, field, private_in}]` lists the first 1,000, `totalMadePublic` counts them all; `field` is null for a type, `private_in` names the types in which it is or was private.',
    remedy:
      'Usually the `private` mark is missing: set `"private": true`. Or a second file became a new type: push it as records of the existing type. To publish the data, open the push with `confirm_public: ["name", …]` (client: `confirmPublic`, command line: `ulmus push --publish-private`, `ulmus restore --publish-private`). See [publishing](publishing.md#making-private-data-public).',
    members: ({ z }) => ({
      madePublic: z
        .array(
          z.object({
            type: z.string(),
            field: z.string().nullable().meta({ description: 'Null: the type itself.' }),
            private_in: z.array(z.string()).meta({ description: 'The types in which it is or was private.' }),
          }),
        )
        .meta({ description: 'fields and types that would become public, the first 1,000.' }),
      totalMadePublic: z.int().meta({ description: 'number of these fields and types.' }),
    }),
    example: {
      details: {
        madePublic: [{ type: 'Grants-2', field: 'Case officer', private_in: ['Grants'] }],
        totalMadePublic: 1,
      },
      say: { names: 'the field `Case officer` of `Grants-2` (private in `Grants`)' },
    },
  },
  private_record_made_public: {
    kind: 'unacceptable',
    sentence: (f) => {
      const listed = (f.madePublicRecords ?? []) as readonly { type: string; id: string; confirm: string }[]
      const total = Number(f.totalMadePublic)
      const types = (f.types ?? [...new Set(listed.map(({ type }) => type))]) as readonly string[]
      // Few records are confirmed one by one, so that the answer publishes no others.
      const all = total <= namedMax ? listed.map(({ confirm }) => confirm) : types.map(recordsToConfirm)
      const entries = all.slice(0, namedMax).map((entry) => JSON.stringify(entry))
      const more = all.length > namedMax ? ',…' : ''
      const [are, them] = total === 1 ? ['record is', 'it'] : ['records are', 'them']
      if (f.restored !== undefined)
        return `${total} ${are} private now, and version ${f.restored} shows ${them}: ${recordNames(listed, total)}. To publish ${them} again, add \`"confirm_public": [${entries.join(',')}${more}]\`.`
      return `${total} ${are} private in the base version, and the push sends ${them} without the mark: ${recordNames(listed, total)}. Send \`"private": true\` with each to keep it private. To publish ${them}, commit again with the body {"confirm_public":[${entries.join(',')}${more}]}. The session stays open.`
    },
    meaning:
      'records would lose their private mark; `madePublicRecords` lists the entries for `confirm_public`',
    explanation:
      'A push sends records without `"private": true` that are private in its base version. Programs that never send the mark cause this. `madePublicRecords: [{type, id, confirm}]` lists the first 100, `totalMadePublic` counts them all. The session stays open, and nothing has to be sent again. Or a version that is [published again](undo.md) shows records that are private now.',
    remedy:
      'To keep the records private, send them again with `"private": true`; in a snapshot, the manifest needs the mark. To publish them, commit again with the body `{"confirm_public": ["Type/id", …]}`: `confirm` of each record, or `Type/*` for all of a type (client: `confirmPublic`, command line: `ulmus push --publish-private`). See [publishing](publishing.md#making-private-data-public).',
    members: ({ z }) => ({
      madePublicRecords: z
        .array(
          z.object({
            type: z.string(),
            id: z.string(),
            confirm: z.string().meta({ description: 'Entry of `confirm_public` for this record.' }),
          }),
        )
        .meta({ description: 'records that would lose their private mark, the first 100.' }),
      totalMadePublic: z.int().meta({ description: 'number of these records.' }),
    }),
    example: {
      details: {
        madePublicRecords: [{ type: 'Country', id: 'NOR', confirm: 'Country/NOR' }],
        totalMadePublic: 1,
      },
    },
  },
  private_value_in_id: {
    kind: 'unacceptable',
    sentence: (f) => {
      const [first] = (f.valuesInIds ?? []) as readonly Record<string, string | number>[]
      const others = Number(f.total ?? 1) - 1
      const more = others > 0 ? ` The same holds for ${others} more field(s).` : ''
      return `Ids are public, and the private field \`${first?.field}\` of \`${first?.type}\` is the id or a part of it in ${first?.records} of ${first?.of} records.${more} Use another id, or number the records. To publish the values, commit again with the body {"confirm_public":[${JSON.stringify(first?.field)}]}. The session stays open.`
    },
    meaning: 'ids repeat the values of a private field; `valuesInIds` names the fields',
    explanation:
      'Ids are public, and a private field is the id, or a part of it between `~`, in more than half of the public records that the push sends of a type. Then the mark hides nothing. `valuesInIds: [{type, field, records, of}]` lists the fields with both numbers. The session stays open.',
    remedy:
      'Choose another id, or number the records. To publish the values, commit again with the body `{"confirm_public": ["field"]}`. See [publishing](publishing.md#making-private-data-public).',
    members: ({ z }) => ({
      valuesInIds: z
        .array(
          z.object({
            type: z.string(),
            field: z.string(),
            records: z.int().meta({ description: 'Number of public records whose id has the value.' }),
            of: z.int().meta({ description: 'Number of public records examined.' }),
          }),
        )
        .meta({ description: 'the private fields, the first 100.' }),
    }),
    example: { details: { valuesInIds: [{ type: 'Person', field: 'email', records: 3, of: 3 }] } },
  },
} satisfies Readonly<Record<string, Refusal>>
