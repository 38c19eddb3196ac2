/** Refusals of pushes of both kinds. */
import { exampleFile } from '../examples.ts'
import type { Refusal, Shapes } from './refusal.ts'

/** Members of a refusal of lines or records. */
const refusedLines = ({ z, ValidationError }: Shapes) => ({
  validationErrors: z.array(ValidationError).meta({ description: 'the first 100.' }),
  totalErrors: z.int().meta({ description: 'number of invalid lines or records.' }),
})

export const pushRefusals = {
  push_not_found: {
    kind: 'missing',
    sentence: 'The collection has no push session with this id.',
    meaning: 'the collection has no such push session',
    remedy: 'Open one.',
  },
  no_changes: {
    kind: 'conflict',
    sentence:
      'Nothing differs from the base version, so no version was created. Marks of records in a private type are stored only together with another change.',
    meaning: 'nothing differs from the base version',
    explanation:
      'The push equals the base version: both digests would stay. That includes a push that only marks records of a private type as private, or declares files that records refer to anyway; neither is stored.',
    remedy:
      'Nothing. Send marks of records in a private type together with another change, at the latest with the one that makes the type public. The session stays open until you cancel it or it expires.',
  },
  too_many_pushes: {
    kind: 'conflict',
    sentence: (f) =>
      `The account has ${f.max} open push sessions, the maximum. Commit or cancel one first; idle sessions expire.`,
    meaning: 'the account has the maximum number of open sessions',
    explanation:
      "The account has the maximum of open push sessions: 100, or the operator's `MAX_OPEN_PUSHES`.",
    remedy:
      'Commit or cancel one. Unused sessions expire, by default after an hour. A script that pushes repeatedly should cancel abandoned sessions.',
    example: { say: { max: 100 } },
  },
  push_not_open: {
    kind: 'conflict',
    sentence: (f) =>
      f.status === 'checking'
        ? 'A dry run of this push session is running. Wait for its answer, then try again.'
        : `The push session is ${f.status}, not open. Open a new one.`,
    meaning: 'the push session has ended, is being committed, or has a running dry run; `status` says which',
    remedy:
      '`GET` the session to see its state and result. If `status` is `checking`, a dry run, send the request again later; otherwise open a new session.',
    members: ({ z }) => ({ status: z.string().meta({ description: 'the status of the session.' }) }),
    example: { details: { status: 'committed' } },
  },
  invalid_schema: {
    kind: 'unacceptable',
    sentence: (f) => `The schema of type \`${f.type}\` is invalid: ${f.reason}`,
    meaning: 'a schema is invalid; `type` and `path` locate the fault',
    explanation:
      'A schema is invalid; the message names the type and the reason. With `type`, and `path`, a JSON pointer into the schema, if the fault has a place.',
    remedy:
      'Correct the schema. `"private"` is true or false, at the root (the type) or in a member of the root\'s `properties` (a field). Anywhere else it has no effect and is refused: mark the field of the root that contains the value. Keywords that differ from `private` only in case, separators or a prefix `x` (`Private`, `x-private`, `xPrivate`, `pri_vate`) are refused too, also below unknown keywords: rename the annotation. A schema with private fields cannot refer to its root or into such a field: move the shared part to `$defs`.',
    members: ({ z }) => ({
      type: z.string().meta({ description: 'the type.' }),
      path: z.string().meta({ description: 'JSON pointer into the schema.' }),
    }),
    example: {
      details: { type: 'City', path: '/properties/name/type' },
      say: { reason: 'it is not valid JSON Schema.' },
    },
  },
  too_many_types: {
    kind: 'unacceptable',
    sentence: (f) =>
      f.types === undefined
        ? `The schemas together exceed ${f.limitBytes} bytes in canonical form. Shorten them, or split the collection.`
        : `The version would have ${f.types} types; the maximum is ${f.limitTypes}. Merge types, or split the collection.`,
    meaning: 'more than 1,000 types, or schemas of more than 4 MiB',
    explanation:
      'A push has more than 1,000 types, or schemas of more than 4 MiB in canonical form. `limitTypes` and `limitBytes` are the limits; `types`, if present, is the number of types.',
    remedy: 'Merge types with the same schema, shorten the schemas, or split the collection.',
    members: ({ z }) => ({
      types: z.int().meta({ description: 'number of types in the push.' }),
      limitTypes: z.int().meta({ description: 'the limit.' }),
      limitBytes: z.int().meta({ description: 'the limit.' }),
    }),
    example: { details: { types: 1_200, limitTypes: 1_000, limitBytes: 4_194_304 } },
  },
  invalid_records: {
    kind: 'unacceptable',
    sentence: (f) => `${f.totalErrors ?? 'Some'} line(s) are invalid. None of this request was stored.`,
    meaning: 'lines break a rule; `validationErrors` lists them with the reason',
    explanation: [
      'Some lines of an NDJSON request are invalid; none of them was stored. `validationErrors: [{line, id, type, code, errors?}]`, the first 100, and `totalErrors`.',
      'Codes of lines:',
      [
        '| code | the line |',
        '|---|---|',
        '| `syntax` | is not JSON, or not UTF-8 |',
        '| `duplicate_key`, `unsafe_integer`, `too_many_digits`, `number_out_of_range`, `lone_surrogate`, `too_deep` | breaks a rule of [records](concepts.md#records) |',
        '| `bad_envelope` | is not an object with `id`, `type` and `data`, or its `private` is misspelt or not a boolean |',
        '| `bad_id`, `bad_type` | has an invalid id or type, or a new one with a control character: U+0000–001F, U+007F–009F, U+061C, U+200E, U+200F, U+2028–202E, U+2066–2069. A terminal or a page could execute these or display another name. Existing records with such an id can be read, changed and deleted |',
        '| `record_too_large` | has more than 8 MiB in canonical form |',
        '| `unknown_type` | names a type without a schema in the push |',
        '| `unknown_fields` | has top-level members that are not in its schema |',
        '| `schema_violation` | does not match its schema; `errors: [{path, message}]` says where |',
      ].join('\n'),
    ],
    remedy: 'Correct the lines and send the request again.',
    members: refusedLines,
    example: {
      details: {
        validationErrors: [
          {
            line: 2,
            id: 'oslo',
            type: 'Town',
            code: 'unknown_type',
            message: 'there is no schema for type "Town"',
          },
        ],
        totalErrors: 1,
      },
    },
  },
  schema_violation: {
    kind: 'unacceptable',
    sentence: (f) =>
      f.carried !== undefined
        ? `${f.totalErrors} record(s) of the base version do not match the new schemas: ${f.carried}. Correct or delete the records, or change the schemas, then commit again.`
        : `${f.totalErrors ?? 'Some'} record(s) do not match their schemas. None of this request was stored.`,
    meaning: 'records do not match their schema; `validationErrors` lists them with the reason',
    explanation: [
      'Records do not match their schema. Nothing of the request was stored. `validationErrors` and `totalErrors` are those of `invalid_records`.',
      'A commit answers it for records of the base whose type has a new schema: the message counts them and names some. The session stays open.',
    ],
    remedy: 'Correct the records or the schema.',
    members: refusedLines,
    example: {
      details: {
        validationErrors: [
          {
            line: 2,
            id: 'oslo',
            type: 'City',
            code: 'schema_violation',
            message: 'the data does not match the schema of its type: /latitude must be <= 90',
            errors: [{ path: '/latitude', message: 'must be <= 90' }],
          },
        ],
        totalErrors: 1,
      },
    },
  },
  too_costly: {
    kind: 'unacceptable',
    sentence:
      'Checking this against the schemas takes too much time or memory. Nothing was stored. Simplify the schemas, above all those that refer to themselves in several ways, or send fewer lines at once.',
    meaning: 'checking it takes too much time or memory',
    explanation:
      'Checking the records or schemas exceeds the [limits](limits.md#pushes) of CPU time or memory. If other accounts wait, a second task of an account is cancelled as soon as it exceeds the time for its size by a second. Nothing was stored. For a minute the same schemas are refused to the same account at once, and for five minutes its tasks run one at a time.',
    remedy:
      'Simplify the schema: one that refers to itself in several ways can take unlimited time for a short record. Or, after a minute, send fewer lines at once.',
  },
  files_missing: {
    kind: 'unacceptable',
    sentence: 'Files of the version were not uploaded to this collection. Upload them, then commit again.',
    meaning: 'files were not uploaded; `filesNeeded` lists them',
    explanation:
      'Records refer to files that were not uploaded to this collection; `filesNeeded` lists them. The session stays open.',
    remedy: 'Upload the files, then commit again.',
    members: ({ z }) => ({
      filesNeeded: z
        .array(z.string())
        .meta({ description: 'the files to upload.', examples: [[exampleFile.hash]] }),
    }),
    example: { details: { filesNeeded: [exampleFile.hash] } },
  },
} satisfies Readonly<Record<string, Refusal>>
