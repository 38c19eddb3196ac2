/** Catalogue of refusals: code → kind → sentence. `apps/server/src/plugins/answers/errors.ts` maps kinds to HTTP statuses. */
import type { RefusalCode } from '@ulmus/wire'
import { type CatalogueEntry, entry } from './entry.ts'
import { refusalsOfPublishing } from './of-publishing.ts'
import { refusalsOfPushes } from './of-pushes.ts'
import { refusalsOfVersionLog } from './of-version-log.ts'
import { refusalsOfWebhooks } from './of-webhooks.ts'

export type { Facts, RefusalKind } from './entry.ts'

/** Joins alternatives for a sentence. */
const listed = (names: readonly string[]): string =>
  names.map((name) => `\`${name}\``).join(names.length > 2 ? ', ' : ' or ')

const hasTypes = (names: string): string => (names === '' ? 'It has none.' : `It has ${names}.`)

/** Names the first issue, since many programs show their users the sentence alone. */
function invalidRequest(issues: unknown): string {
  const [first, ...others] = (issues ?? []) as readonly { path: string; message: string }[]
  if (first === undefined) return 'The request is invalid.'
  const fault = `${first.path === '' ? '' : `\`${first.path}\` `}${first.message.replace(/\.$/, '')}`
  const more =
    others.length === 0 ? '' : `, and ${others.length} more ${others.length === 1 ? 'fault' : 'faults'}`
  return `The request is invalid: ${fault}${more}.`
}

export const catalogue = {
  ...refusalsOfPushes,
  ...refusalsOfWebhooks,
  ...refusalsOfVersionLog,
  ...refusalsOfPublishing,
  invalid_request: entry('invalid', (f) => `${f.reason ?? invalidRequest(f.issues)}`),
  unknown_field: entry('invalid', (f) => `${f.reason}`),
  invalid_sql: entry('invalid', (f) => `${f.reason}`),
  hash_mismatch: entry(
    'invalid',
    (f) =>
      `The bytes sent hash to ${f.actual}, not to ${f.expected}. Nothing was stored; send the file again.`,
  ),
  sign_in_failed: entry(
    'invalid',
    (f) => `Signing in failed. ${f.reason ? `${f.reason} ` : ''}Start again at /auth/login.`,
  ),
  authorization_pending: entry('invalid', 'The sign-in is not approved yet. Poll again after the interval.'),
  slow_down: entry('invalid', 'Polled too soon. From now on, wait five seconds longer between requests.'),
  access_denied: entry('invalid', 'The sign-in was denied in the browser. Start again at POST /auth/device.'),
  expired_token: entry(
    'invalid',
    'The device code expired, was used, or never existed. Start again at POST /auth/device.',
  ),

  unauthenticated: entry(
    'unauthenticated',
    (f) => `${f.reason ?? 'Sign in, or send an API key as `Authorization: Bearer ul_…`.'}`,
  ),

  insufficient_scope: entry(
    'forbidden',
    (f) =>
      `The scope of this API key is too narrow. Use a key with ${f.needed ? `the \`${f.needed}\` scope` : 'a wider scope'}.`,
  ),
  key_limited: entry('forbidden', (f) => {
    if (f.webhook)
      return 'This API key expires, and a webhook would outlive it. Use a key without an end, or sign in.'
    return f.until === undefined
      ? 'This API key is limited to one collection and cannot do this. Use a key without that limit or, to change the address or the visibility of its own collection or to delete it, one of scope `admin`.'
      : `This API key expires at ${f.until}, and the keys that it creates cannot expire later. Set \`expiresAt\` no later, or omit it. For a key that lasts longer, sign in or use a key that lasts longer.`
  }),
  account_suspended: entry('forbidden', 'This account is suspended. Ask the operators of this registry why.'),
  not_an_operator: entry(
    'forbidden',
    'Only operators of this registry can do this. Operators are named in the configuration of the server.',
  ),
  not_a_member: entry(
    'forbidden',
    (f) =>
      `You are not a member of ${f.owner ? `\`${f.owner}\`` : 'the owning account'}. If it is an organization, ask one of its admins to add you.`,
  ),
  insufficient_role: entry('forbidden', (f) =>
    f.isAboutKey
      ? 'This API key acts as a `member` at most, and so must the keys that it creates or revokes. Sign in, or use a key of scope `admin`.'
      : `This requires ${f.needed ? `the role \`${f.needed}\`` : 'a higher role'}. Ask an admin or owner of the organization. If you are one, sign in or use a key of scope \`admin\`: other keys may act as a member at most.`,
  ),
  private_content: entry(
    'forbidden',
    'The collection has private records, types or fields, so only members of its owner can fork it. Ask its owner for membership.',
  ),
  cross_site: entry(
    'forbidden',
    'A write with a session cookie must come from a page of this site. From scripts and other sites, use an API key.',
  ),

  development_only: entry(
    'forbidden',
    'The built-in sign-in has no passwords, so it refuses requests that come through a proxy. Set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET to those of your identity provider, or open the address that the server listens on from the same machine.',
  ),

  route_not_found: entry(
    'missing',
    (f) =>
      `There is nothing at ${f.path ?? 'this path'}. See the API reference at /docs/api. In a path, write a \`/\` in an id or a name as \`%2F\`.`,
  ),
  account_not_found: entry('missing', (f) =>
    f.target === undefined
      ? `There is no account \`${f.slug}\`.`
      : `There is no organization \`${f.target}\`. Only organizations can receive forks, not users.`,
  ),
  collection_not_found: entry('missing', (f) =>
    f.slug === undefined
      ? 'There is no such collection, or it was deleted.'
      : `There is no collection \`${f.owner}/${f.slug}\`, or you cannot see it. Check the path; private collections require signing in as a member.`,
  ),
  version_not_found: entry(
    'missing',
    (f) => `The collection has no version \`${f.version}\`. List its versions to see which exist.`,
  ),
  version_withdrawn: entry(
    'gone',
    (f) =>
      `Version \`${f.version}\` was withdrawn${f.withdrawnAt ? ` on ${String(f.withdrawnAt).slice(0, 10)}` : ''}: ${f.reason ?? 'no reason given.'}`,
  ),
  events_gone: entry(
    'gone',
    'These events are no longer kept, or the registry was restored from a backup or moved. Compare versions, then ask with `after=latest`.',
  ),
  type_not_found: entry(
    'missing',
    (f) => `The version has no type \`${f.type}\`. ${hasTypes(f.types as string)}`,
  ),
  record_not_found: entry('missing', (f) =>
    f.types === undefined
      ? `The version has no record \`${f.id}\` of type \`${f.type}\`.`
      : `The version has no type \`${f.type}\`, and so no record \`${f.id}\` of it. ${hasTypes(f.types as string)}`,
  ),
  file_not_found: entry('missing', (f) => `The collection has no file \`${f.hash}\`.`),
  key_not_found: entry('missing', 'You have no API key with this id.'),
  device_code_not_found: entry(
    'missing',
    'This code is wrong, has expired or was already used. Codes expire after ten minutes: check the code in the terminal, or start again there.',
  ),
  session_not_found: entry('missing', 'You have no browser session with this id.'),
  invitation_not_found: entry(
    'missing',
    'There is no such invitation for you: it was answered, revoked, expired after 14 days, or is for another account. Sign in with the invited account, or ask for a new invitation.',
  ),
  member_not_found: entry('missing', (f) => `\`${f.user}\` is not a member of \`${f.org}\`.`),
  job_not_found: entry('missing', 'The collection has no metadata job with this id.'),
  push_not_found: entry('missing', 'The collection has no push session with this id.'),

  method_not_allowed: entry(
    'unsupported_method',
    (f) => `${f.method ?? 'This method'} is not supported here. Use ${f.allow}.`,
  ),

  slug_taken: entry('conflict', (f) => `The slug \`${f.slug}\` is taken. Choose another.`),
  slug_kept: entry('conflict', (f) =>
    f.isOfCollection
      ? `Readers know \`${f.slug}\` as the address of a collection that has another owner now, and it still leads there: for 90 days, or for good if public data was published under it. Choose another slug.`
      : `The slug \`${f.slug}\` is reserved for its former owner: for 90 days, or for good if public data was published under it. Choose another.`,
  ),
  version_conflict: entry('conflict', (f) =>
    f.currentVersion === null || f.currentVersion === undefined
      ? `The collection has no version yet, so ${f.baseVersion} cannot be the base. Set it to null.`
      : `The collection is at ${f.currentVersion}, but the change is based on ${f.baseVersion ?? 'no version'}. Read ${f.currentVersion}, apply the change to it, and push again.`,
  ),
  metadata_update_in_progress: entry(
    'conflict',
    'Another metadata update of this collection is running. Wait for it to end, then try again.',
  ),
  no_changes: entry('conflict', 'Nothing differs from the base version, so no version was created.'),
  has_collections: entry('conflict', 'The account still owns collections. Delete or transfer them first.'),
  has_public_collections: entry(
    'conflict',
    'The account owns public collections, which readers may cite. Transfer them first, or confirm the erasure.',
  ),
  identity_taken: entry(
    'conflict',
    (f) =>
      `The identity already signs in as \`${f.account}\`. If both accounts belong to the same person, move the identity.`,
  ),
  has_owner: entry('conflict', (f) => `\`${f.org}\` has an owner who can sign in. Ask that owner.`),
  last_owner: entry(
    'conflict',
    'An organization needs an owner. Appoint another owner first, or delete the organization.',
  ),
  too_many_keys: entry(
    'conflict',
    (f) => `The account has ${f.max} live API keys, the maximum. Revoke one first.`,
  ),
  already_member: entry('conflict', (f) => `\`${f.user}\` is already a member of \`${f.org}\`.`),
  too_many_invitations: entry(
    'conflict',
    (f) => `The organization has ${f.max} pending invitations, the maximum. Revoke some first.`,
  ),
  too_many_organizations: entry(
    'conflict',
    (f) => `A user can own at most ${f.max} organizations. Delete or leave one first.`,
  ),
  too_many_collections: entry(
    'conflict',
    (f) =>
      `\`${f.owner}\` has ${f.max} collections, the maximum. Delete one first, or ask the operator for more.`,
  ),

  too_large: entry('too_large', (f) => `${f.what ?? 'The body'} is over the limit of ${f.limit}.`),
  quota_exceeded: entry('too_large', (f) => {
    const pending = f.receivedBytes ? ` and ${f.receivedBytes} received by open pushes` : ''
    const figures =
      f.quotaBytes === undefined
        ? 'would exceed its quota'
        : `would exceed its quota of ${f.quotaBytes} bytes: ${f.usedBytes} are stored${pending}`
    const shared = f.isShared
      ? ' Storage of an organization without its own quota counts against the quota of the user who created it.'
      : ''
    return `\`${f.owner}\` ${figures}.${shared} Delete a collection, withdraw and erase a version, cancel a push, or ask the operator for a larger quota.`
  }),
  unsupported_media_type: entry('unsupported_media', (f) => {
    if (f.onlyPlain)
      return `Files cannot be sent with the content encoding \`${f.encoding}\`. Send the bytes without \`Content-Encoding\`.`
    return f.encoding
      ? `The content encoding \`${f.encoding}\` is not supported. Send the body uncompressed, or as zstd, br or gzip.`
      : `${f.type ? `A body of type \`${f.type}\`` : 'A body without a `Content-Type`'} is not supported here. Send ${listed(f.contentTypes as string[])}.`
  }),

  range_not_satisfiable: entry(
    'unsatisfiable',
    (f) => `The requested range is beyond the end of the file, which has ${f.size} bytes.`,
  ),

  invalid_slug: entry(
    'unacceptable',
    (f) =>
      `\`${f.slug}\` is not a valid slug: use lowercase letters, digits and, between them, hyphens, at most ${f.max} characters.`,
  ),
  reserved_slug: entry('unacceptable', (f) => `The slug \`${f.slug}\` is reserved. Choose another.`),
  not_a_user: entry('unacceptable', (f) => `\`${f.user}\` is an organization; only users can be members.`),
  not_an_org: entry(
    'unacceptable',
    (f) => `\`${f.slug}\` is a user account; only organizations have members.`,
  ),
  no_versions: entry('unacceptable', 'The collection has no versions yet. Push one first.'),
  too_costly: entry(
    'unacceptable',
    'Checking this against the schemas takes too much time or memory. Nothing was stored. Simplify the schemas, above all those that refer to themselves in several ways, or send fewer lines at once.',
  ),

  query_too_costly: entry('unacceptable', (f) =>
    f.table
      ? 'The records of this type take more memory or time to make a table than this server allows. Read `records.ndjson` instead.'
      : `The question takes ${f.memory ? 'more memory than is allowed' : `longer than the ${f.seconds} seconds that are allowed`}. Narrow it with filters, or download the table as Parquet and ask there.`,
  ),
  rate_limited: entry('limited', (f) => `Too many requests. Try again in ${f.retryAfter} seconds.`),
  busy: entry('limited', (f) =>
    f.waiting
      ? 'Too many requests wait for events at the moment. Try again shortly, or ask without `wait`.'
      : 'The server has no memory for this request at the moment. Try again shortly, with smaller or fewer simultaneous requests.',
  ),
  tables_unavailable: entry(
    'unsupported',
    (f) =>
      `This server cannot answer questions about tables: ${f.reason}. Download \`records.ndjson\` instead, or ask the operator.`,
  ),
  sql_unavailable: entry(
    'unsupported',
    (f) => `This server does not run SQL: ${f.reason}. Filters, statistics, CSV and Parquet still work.`,
  ),
  sign_in_unavailable: entry(
    'unavailable',
    (f) => `${f.reason ?? 'The identity provider does not answer.'} Try to sign in again shortly.`,
  ),
  downloads_unavailable: entry(
    'unavailable',
    'The server could not build the packages from its sources. The operator finds the reason in the log; usually `npm ci` is missing. After ten minutes the next request builds them again.',
  ),
  unavailable: entry(
    'unavailable',
    'The database or the object store cannot be reached or written to at the moment. Try again shortly.',
  ),
  storage_full: entry(
    'full',
    'The storage of the server is full. Nothing was stored; reading still works. The operator must free space.',
  ),
  object_corrupt: entry('corrupt', (f) => {
    if (f.received !== undefined)
      return `Stored data of this push is damaged (${f.received}). Start the push again.`
    const [what, check] =
      f.file === undefined
        ? [`object ${f.hash}`, '`ulmus-server fsck`']
        : [`file ${f.file}`, '`ulmus-server fsck --files`']
    return `Stored ${what} is damaged. The operator must restore it from a backup; ${check} shows details.`
  }),
  internal: entry('corrupt', 'Internal server error. Report the id in `X-Request-Id`: the log has it.'),
} satisfies Record<RefusalCode, CatalogueEntry>

export type ErrorCode = keyof typeof catalogue
