/** Part of the catalogue (`catalogue.ts`) for refusals of pushes only. Its sentences name the remedy; docs/errors.md has each code. */
import { recordsToConfirm } from '@ulmus/content'
import { entry } from './entry.ts'

/** Maximum records, and types, in a sentence. */
const namedMax = 3

function recordNames(listed: readonly { type: string; id: string }[], total: number): string {
  const named = listed.slice(0, namedMax).map(({ type, id }) => `${type} ${JSON.stringify(id)}`)
  const others = total - named.length
  return others > 0 ? `${named.join(', ')} and ${others} more` : named.join(', ')
}

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
  private_record_made_public: entry('unacceptable', (f) => {
    const listed = (f.madePublicRecords ?? []) as readonly { type: string; id: string; confirm: string }[]
    const total = Number(f.totalMadePublic)
    const types = (f.types ?? [...new Set(listed.map(({ type }) => type))]) as readonly string[]
    // Few records are confirmed one by one, so that the answer publishes no others.
    const all = total <= namedMax ? listed.map(({ confirm }) => confirm) : types.map(recordsToConfirm)
    const entries = all.slice(0, namedMax).map((entry) => JSON.stringify(entry))
    const more = all.length > namedMax ? ',…' : ''
    const [are, them] = total === 1 ? ['record is', 'it'] : ['records are', 'them']
    return `${total} ${are} private in the base version, and the push sends ${them} without the mark: ${recordNames(listed, total)}. Send \`"private": true\` with each to keep it private. To publish ${them}, commit again with the body {"confirm_public":[${entries.join(',')}${more}]}. The session stays open.`
  }),
  private_value_in_id: entry('unacceptable', (f) => {
    const [first] = (f.valuesInIds ?? []) as readonly Record<string, string | number>[]
    const others = Number(f.total ?? 1) - 1
    const more = others > 0 ? ` The same holds for ${others} more field(s).` : ''
    return `Ids are public, and the private field \`${first?.field}\` of \`${first?.type}\` is the id or a part of it in ${first?.records} of ${first?.of} records.${more} Use another id, or number the records. To publish the values, commit again with the body {"confirm_public":[${JSON.stringify(first?.field)}]}. The session stays open.`
  }),
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
