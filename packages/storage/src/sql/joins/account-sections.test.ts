/** Every column of every table is exported to the user it is about, or has a reason why not. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases } from '../../testing/databases.ts'
import type { Section } from './account-section.ts'
import { accountSections } from './account-sections.ts'

const work = 'state of background work'
const content = 'content of collections, which `collections[].export` has'
const ofRegistry = 'about the registry'
const ofOrganizations = 'settings of organizations'
const words = 'an index of names and texts that are exported'
const identifier = 'an id; the section names what it refers to'
const secret = 'a secret, or its hash'

/** Tables, or columns of exported tables, that the document leaves out. */
const leftOut: Readonly<Record<string, string | Readonly<Record<string, string>>>> = {
  accounts: {
    members_may_change_visibility: ofOrganizations,
    default_visibility: ofOrganizations,
  },
  former_account_slugs: { slug_hash: 'the hash of `slug`', heirs: 'hashes of identities and ids of owners' },
  browser_sessions: { token_hash: secret },
  api_keys: { hash: secret, workload: 'about the job of a trusted publisher, and the people who started it' },
  key_collections: 'in `keys[].collections`',
  device_logins: { device_hash: secret, user_hash: secret, collection_id: identifier },
  invitations: { token_hash: secret },
  mails: {
    invitation_id: identifier,
    key_id: identifier,
    report_id: identifier,
    made_by: 'the audit log has the act',
    recipient: 'the account, or the hash of an address',
    token: secret,
    next_at: work,
    lease_until: work,
  },
  collections: {
    folded_name: words,
    head_description: content,
    topics: content,
    forked_from_id: 'may be a collection of others',
    forked_from_semver: 'may be a collection of others',
    ancestors: 'may be collections of others',
    newest_withdrawn: content,
    public_once_shown: work,
  },
  former_collection_slugs: { collection_id: identifier, given: work },
  saved_questions: {
    ...{ id: identifier, changes: work, compared: work, answered_from: work, answer_hash: work },
    ...{ answer_since: work, compared_at: work, attempts: work, lease_until: work },
  },
  trusted_publishers: { pinned: 'ids in tokens of others', refused: 'ids in tokens of others' },
  webhooks: {
    ...{ host: 'part of `url`', secret, former_secrets: secret, proven: work, hears_after: work },
  },
  pushes: {
    ...{ base_id: identifier, schemas_hash: content, schemas: content, metadata: content, files: content },
    ...{ confirm_public: content, strip_unknown_fields: work, manifest_expected: work, result: content },
    ...{ error: content, records_done: work, records_total: work, lease_holder: work, lease_until: work },
  },
  metadata_jobs: {
    ...{ base_id: identifier, patch: content, result_version_id: identifier, unchanged: work },
    ...{ error: content, lease_until: work },
  },
  versions: {
    ...{ base_semver: content, full_digest: content, public_digest: content, sidecar: content },
    ...{ full_records: content, full_files: content, full_bytes: content, public_records: content },
    ...{ public_files: content, public_bytes: content, public_changed: content, stored_bytes: content },
    ...{ license: content, listed_types: content },
    workload: 'about the job of a trusted publisher, and the people who started it',
    withdrawn_at: 'an act, which the audit log of its actor has',
    withdrawn_reason: 'an act, which the audit log of its actor has',
    erasure: 'an act, which the audit log of its actor has',
    deprecated_at: 'an act, which the audit log of its actor has',
    deprecation: 'an act, which the audit log of its actor has',
  },
  events: { collection_id: identifier, version_id: identifier },
  reports: {
    network: 'of reporters who were not signed in',
    outcome: 'what operators decided about a collection of others',
    note: 'what operators decided about a collection of others',
    closed_by: 'the audit log has the act',
  },
  operator_openings: { owner_id: identifier },
  outbox: 'becomes rows of `events` within seconds',
  log_queue: 'becomes the signed log within seconds',
  log_heads: 'the signed log, which names versions',
  log_leaves: 'the signed log, which names versions',
  request_counts: 'counts of two minutes by the hash of a caller',
  webhook_requests: 'counts of some minutes, to limit requests',
  deliveries: 'requests to the webhooks that are exported, for some days',
  owner_words: words,
  collection_words: words,
  withdrawn_names: content,
  version_strips: content,
  rendered_readmes: content,
  collection_files: content,
  files: content,
  inline_packs: content,
  objects: content,
  packs: content,
  blobs_set_aside: content,
  push_spills: content,
  deletions: work,
  fan_out: work,
  event_numbers: work,
  periodic_tasks: work,
  used_tokens: secret,
  installation: ofRegistry,
  last_backup: ofRegistry,
  servers: ofRegistry,
  log_keys: ofRegistry,
  log_state: ofRegistry,
  log_tiles: ofRegistry,
  log_witnessed: ofRegistry,
}

const reasonOf = (table: string, column: string): string | undefined => {
  const reason = leftOut[table]
  return typeof reason === 'string' ? reason : reason?.[column]
}

describe.each(databases)('the export of an account on $name', ({ open }) => {
  let columns: { table: string; column: string }[]
  let dispose: () => Promise<void>
  beforeAll(async () => {
    const opened = await open()
    dispose = opened.dispose
    const found = await opened.database.query<{ table: string; column: string }>(
      `select relname as table, attname as column from pg_attribute a join pg_class c on c.oid = attrelid
       where relkind = 'r' and relnamespace = 'public'::regnamespace and attnum > 0 and not attisdropped`,
    )
    columns = found.rows
  })
  afterAll(() => dispose())

  test('decides about each column', () => {
    const sections: Section[] = Object.values(accountSections)
    const exported = new Set(
      sections.flatMap(({ table, columns }) => columns.map((name) => `${table}.${name}`)),
    )
    const names = columns.map(({ table, column }) => [`${table}.${column}`, reasonOf(table, column)] as const)
    expect(names.length).toBeGreaterThan(300)
    const undecided = names.filter(([name, reason]) => !exported.has(name) && reason === undefined)
    expect(
      undecided.map(([name]) => name),
      'Export it in account-sections.ts, or give a reason in this file.',
    ).toEqual([])
    const both = names.filter(([name, reason]) => exported.has(name) && reason !== undefined)
    expect(both.map(([name]) => name)).toEqual([])
    const present = new Set(names.map(([name]) => name.split('.')[0]))
    expect(Object.keys(leftOut).filter((table) => !present.has(table))).toEqual([])
  })
})
