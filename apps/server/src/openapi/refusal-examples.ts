/** Example of each refusal, under `components` of the description: its sentence from the catalogue, with its facts. */
import { catalogue, type ErrorCode } from '@ulmus/registry'
import { exampleFile, exampleId, exampleInstant, exampleNeeded, exampleRecord } from '@ulmus/wire'
import { statusFor } from '../plugins/answers/errors.ts'
import { meanings } from './meanings.ts'

type Facts = Record<string, unknown>

const { id, type, hash } = exampleRecord
const otherFile = `sha256:${hash}`

/** Members of the body other than the sentence, the code and the status. */
const details: Partial<Record<ErrorCode, Facts>> = {
  invalid_request: { issues: [{ path: 'limit', message: 'must be an integer of at least 1' }] },
  unknown_field: { issues: [{ path: 'sort', message: 'There is no field "nmae". Did you mean "name"?' }] },
  hash_mismatch: { expected: exampleFile.hash, actual: otherFile },
  unexpected_record: { line: 1, id, type, hash },
  manifest_conflict: { id, type, hashes: [hash, exampleNeeded[0]] },
  manifest_incomplete: { manifest_received: 2, manifest_expected: 4 },
  records_missing: { missing_hashes: exampleNeeded, totalMissing: exampleNeeded.length },
  version_conflict: { currentVersion: 'v1.1.0' },
  metadata_update_in_progress: { job_id: exampleId },
  invalid_grant: {
    error: 'invalid_grant',
    error_description: 'No trusted publisher of such a collection accepts this token.',
    presented: { iss: 'https://gitlab.example', project_path: 'atlas/cities', ref: 'main' },
  },
  has_owner: { org: 'atlas' },
  last_owner: { org: 'atlas' },
  push_not_open: { status: 'committed' },
  too_large: { limitBytes: 262_144 },
  quota_exceeded: { usedBytes: 10_737_000_000, receivedBytes: 1_000_000, quotaBytes: 10_737_418_240 },
  invalid_schema: { type: 'City', path: '/properties/name/type' },
  private_field_made_public: {
    madePublic: [{ type: 'Grants-2', field: 'Case officer', private_in: ['Grants'] }],
    totalMadePublic: 1,
  },
  private_record_made_public: {
    madePublicRecords: [{ type, id, confirm: `${type}/${id}` }],
    totalMadePublic: 1,
  },
  private_value_in_id: { valuesInIds: [{ type: 'Person', field: 'email', records: 3, of: 3 }] },
  too_many_types: { types: 1_200, limitTypes: 1_000, limitBytes: 4_194_304 },
  invalid_records: {
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
  schema_violation: {
    validationErrors: [
      {
        line: 2,
        id: 'oslo',
        type: 'City',
        code: 'schema_violation',
        message: 'the data does not match the schema of its type',
        errors: [{ path: '/latitude', message: 'must be <= 90' }],
      },
    ],
    totalErrors: 1,
  },
  files_missing: { filesNeeded: [exampleFile.hash] },
  unsupported_media_type: { contentTypes: ['application/json'] },
  has_public_collections: { collections: ['ada/cities'] },
  url_refused: { rule: 'scheme' },
  identity_taken: { account: 'ada-2' },
  object_corrupt: { hash },
  version_withdrawn: { reason: 'It names people who did not agree.', withdrawnAt: exampleInstant },
}

/** Values for the placeholders of the sentences. */
const named: Facts = {
  ...{ owner: 'ada', slug: 'cities', user: 'grace', org: 'atlas' },
  ...{ id, type, hash: exampleFile.hash, version: 'v9.9.9', baseVersion: 'v1.0.0' },
  ...{ max: 100, size: 14, retryAfter: 30, limit: '262144 bytes' },
}
const words: Partial<Record<ErrorCode, Facts>> = {
  account_not_found: { slug: 'missing' },
  unknown_field: { reason: 'There is no field "nmae". Did you mean "name"?' },
  invalid_sql: { reason: 'Send one statement at a time.' },
  query_too_costly: { seconds: 5 },
  tables_unavailable: { reason: 'its optional package @duckdb/node-api is not installed' },
  sql_unavailable: { reason: 'its operator switched it off' },
  delivery_not_found: { seq: 4711 },
  too_many_webhooks: { account: 'ada', max: 20 },
  not_logged: { version: 'v1.0.0' },
  log_behind: { retryAfter: 5 },
  webhooks_unavailable: { reason: 'its operator switched requests to other servers off' },
  issuer_not_trusted: { issuer: 'https://ci.example', issuers: 'https://gitlab.example' },
  too_many_publishers: { max: 20 },
  insufficient_scope: { needed: 'write' },
  insufficient_role: { needed: 'admin' },
  invalid_schema: { reason: 'it is not valid JSON Schema.' },
  invalid_slug: { slug: 'My Cities' },
  not_a_user: { user: 'atlas' },
  not_an_org: { slug: 'ada' },
  private_field_made_public: { names: 'the field `Case officer` of `Grants-2` (private in `Grants`)' },
  reserved_slug: { slug: 'admin' },
  slug_kept: { slug: 'ada' },
  type_not_found: { type: 'Town', types: '`City`, `Country`' },
  unsupported_media_type: { type: 'text/plain' },
}

const place = '#/components/examples/'

/** Examples by code, for answers with several codes. */
export const examplesOf = (codes: readonly ErrorCode[]): Record<string, object> =>
  Object.fromEntries(codes.map((code) => [code, { $ref: `${place}${code}` }]))

/** Examples that a document refers to, by code. */
export function examplesIn(document: unknown): Record<string, object> {
  const text = JSON.stringify(document)
  const used = (Object.keys(catalogue) as ErrorCode[]).filter((code) => text.includes(`"${place}${code}"`))
  return Object.fromEntries(used.map((code) => [code, exampleOf(code)]))
}

function exampleOf(code: ErrorCode): object {
  const error = catalogue[code].say({ ...named, ...details[code], ...words[code] })
  const value = { error, code, statusCode: statusFor(code), ...details[code] }
  return { summary: meanings[code], value }
}
