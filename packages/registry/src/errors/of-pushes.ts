/** The entries of the catalogue that pushes alone can be refused with. */
import { entry } from './entry.ts'

export const refusalsOfPushes = {
  unexpected_record: entry(
    'invalid',
    (f) =>
      `Line ${f.line}: the record hashes to ${f.hash}, which the manifest lacks. None of this request was stored.`,
  ),
  manifest_conflict: entry(
    'invalid',
    (f) => `The manifest names record \`${f.id}\` of type \`${f.type}\` with two hashes.`,
  ),
  manifest_incomplete: entry(
    'invalid',
    (f) =>
      `The manifest has ${f.manifest_received} entries; ${f.manifest_expected} were announced. Send the rest.`,
  ),
  records_missing: entry(
    'invalid',
    'Some records that the manifest names were not sent; `missing_hashes` lists the first of them. Send them, then commit again.',
  ),
  too_many_pushes: entry(
    'conflict',
    (f) =>
      `An account may have at most ${f.max} open push sessions. Commit or cancel one first; whatever is idle ends by itself.`,
  ),
  push_not_open: entry('conflict', (f) =>
    f.status === 'checking'
      ? 'A dry run of this push session is under way. Wait for its answer, then try again.'
      : `The push session is ${f.status}, not open. Open a new one.`,
  ),
  invalid_schema: entry(
    'unacceptable',
    (f) => `The schema of type \`${f.type}\` is not acceptable: ${f.reason}`,
  ),
  private_field_made_public: entry(
    'unacceptable',
    (f) =>
      `The push would make public what was private: ${f.names}. Keep the mark \`"private": true\`, or name what everybody may read in \`confirm_public\`.`,
  ),
  too_many_types: entry('unacceptable', (f) =>
    f.types === undefined
      ? `The schemas of all types take more than ${f.limitBytes} bytes in canonical form. Make them shorter, or split the collection.`
      : `There are ${f.types} types; a version has at most ${f.limitTypes}. Merge types, or split the collection.`,
  ),
  invalid_records: entry(
    'unacceptable',
    (f) =>
      `${f.totalErrors ?? 'Some'} line(s) were refused; \`validationErrors\` says which and why. None of this request was stored.`,
  ),
  schema_violation: entry('unacceptable', (f) =>
    f.carried !== undefined
      ? `${f.totalErrors} record(s) that the push carries over from the base version do not match the new schemas: ${f.carried}. Push them as the schemas want them, delete them, or loosen the schemas; then commit again.`
      : `${f.totalErrors ?? 'Some'} line(s) or record(s) were refused; \`validationErrors\` says which and why. None of this request was stored.`,
  ),
  files_missing: entry(
    'unacceptable',
    'Some files that the version refers to were not uploaded to this collection; `filesNeeded` lists them. Upload them, then commit again.',
  ),
}
