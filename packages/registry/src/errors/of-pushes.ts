/** Part of the catalogue (`catalogue.ts`) for refusals of pushes only. Its sentences name the remedy; docs/errors.md has each code. */
import { entry } from './entry.ts'

export const refusalsOfPushes = {
  unexpected_record: entry(
    'invalid',
    (f) =>
      `Line ${f.line}: the record has hash ${f.hash}, which is not in the manifest. None of this request was stored.`,
  ),
  manifest_conflict: entry(
    'invalid',
    (f) =>
      `The manifest has record \`${f.id}\` of type \`${f.type}\` with two hashes. Send each record once.`,
  ),
  manifest_incomplete: entry(
    'invalid',
    (f) => `The manifest has ${f.manifest_received} of ${f.manifest_expected} entries. Send the rest.`,
  ),
  records_missing: entry('invalid', 'Records of the manifest are missing. Send them, then commit again.'),
  too_many_pushes: entry(
    'conflict',
    (f) =>
      `The account has ${f.max} open push sessions, the maximum. Commit or cancel one first; idle sessions expire.`,
  ),
  push_not_open: entry('conflict', (f) =>
    f.status === 'checking'
      ? 'A dry run of this push session is running. Wait for its answer, then try again.'
      : `The push session is ${f.status}, not open. Open a new one.`,
  ),
  invalid_schema: entry('unacceptable', (f) => `The schema of type \`${f.type}\` is invalid: ${f.reason}`),
  private_field_made_public: entry(
    'unacceptable',
    (f) =>
      `The push would make private data public: ${f.names}. Keep \`"private": true\`, or list the names in \`confirm_public\` to publish them.`,
  ),
  too_many_types: entry('unacceptable', (f) =>
    f.types === undefined
      ? `The schemas together exceed ${f.limitBytes} bytes in canonical form. Shorten them, or split the collection.`
      : `The version would have ${f.types} types; the maximum is ${f.limitTypes}. Merge types, or split the collection.`,
  ),
  invalid_records: entry(
    'unacceptable',
    (f) => `${f.totalErrors ?? 'Some'} line(s) are invalid. None of this request was stored.`,
  ),
  schema_violation: entry('unacceptable', (f) =>
    f.carried !== undefined
      ? `${f.totalErrors} record(s) of the base version do not match the new schemas: ${f.carried}. Correct or delete the records, or change the schemas, then commit again.`
      : `${f.totalErrors ?? 'Some'} record(s) do not match their schemas. None of this request was stored.`,
  ),
  files_missing: entry(
    'unacceptable',
    'Files of the version were not uploaded to this collection. Upload them, then commit again.',
  ),
}
