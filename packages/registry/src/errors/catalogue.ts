/**
 * Every refusal Ulmus can give: code → kind → sentence. A kind is the domain's word; `apps/server/src/plugins/answers/errors.ts` alone
 * knows which HTTP status it becomes. Each code has its line in docs/errors.md (a house test compares).
 */
import type { RefusalCode } from '@ulmus/wire'
import { type Entry, entry } from './entry.ts'
import { refusalsOfPushes } from './of-pushes.ts'

export type { Facts, Kind } from './entry.ts'

/** Alternatives, as a sentence has them. */
const listed = (names: readonly string[]): string =>
  names.map((name) => `\`${name}\``).join(names.length > 2 ? ', ' : ' or ')

const hasTypes = (names: string): string => (names === '' ? 'It has none.' : `It has ${names}.`)

export const catalogue = {
  ...refusalsOfPushes,
  invalid_request: entry('invalid', (f) => `${f.reason ?? 'The request is not valid; `issues` says where.'}`),
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
  slow_down: entry('invalid', 'Asked too soon. Wait five seconds more between two questions from now on.'),
  access_denied: entry('invalid', 'It was refused in the browser.'),
  expired_token: entry(
    'invalid',
    'The device code has ended, was used, or never was. Begin again at POST /auth/device.',
  ),

  unauthenticated: entry(
    'unauthenticated',
    (f) => `${f.reason ?? 'Sign in, or send an API key as `Authorization: Bearer ul_…`.'}`,
  ),

  insufficient_scope: entry(
    'forbidden',
    (f) =>
      `This API key's scope does not allow it${f.needed ? `: \`${f.needed}\` is needed` : ''}. Use a key with a wider scope.`,
  ),
  key_limited: entry('forbidden', (f) =>
    f.until === undefined
      ? 'This API key is limited to one collection and cannot do this. Use a key without that limit.'
      : `This API key ends at ${f.until}, and so must what it makes: give an \`expiresAt\` no later, or none at all. A key that lasts longer is made when signed in, or by a key that does.`,
  ),
  account_suspended: entry('forbidden', 'This account is suspended. Ask the operators of this registry why.'),
  not_an_operator: entry('forbidden', 'Only operators of this registry may do this.'),
  not_a_member: entry(
    'forbidden',
    (f) =>
      `You may not do this for ${f.owner ? `\`${f.owner}\`` : 'the owning account'}: it is neither you nor an organization that you are a member of. An admin of an organization can add you.`,
  ),
  insufficient_role: entry(
    'forbidden',
    (f) => `Your role does not allow it: ${f.needed ? `\`${f.needed}\`` : 'a higher role'} is needed.`,
  ),
  private_content: entry(
    'forbidden',
    'The collection holds private records, types or fields; only members of its owner can fork it.',
  ),
  cross_site: entry(
    'forbidden',
    'A request signed in by cookie must come from this site itself. Scripts and other sites use an API key.',
  ),

  development_only: entry(
    'forbidden',
    'The built-in sign-in lets anyone be anyone, so it answers no request that came through a proxy. Set OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET to those of your identity provider, or open the address that the server listens at, on its own machine.',
  ),

  route_not_found: entry(
    'missing',
    (f) =>
      `There is nothing at ${f.path ?? 'this path'}. The API reference is at /docs/api; a \`/\` within an id or a name is written \`%2F\` in a path.`,
  ),
  account_not_found: entry('missing', (f) =>
    f.target === undefined
      ? `There is no account \`${f.slug}\`.`
      : `There is no organization \`${f.target}\`. Forks go into organizations; a user account is none.`,
  ),
  collection_not_found: entry('missing', (f) =>
    f.slug === undefined
      ? 'There is no such collection, or it was deleted meanwhile.'
      : `There is no collection \`${f.owner}/${f.slug}\` that you may see.`,
  ),
  version_not_found: entry('missing', (f) => `The collection has no version \`${f.version}\`.`),
  version_withdrawn: entry(
    'gone',
    (f) =>
      `Version \`${f.version}\` was withdrawn${f.withdrawnAt ? ` on ${String(f.withdrawnAt).slice(0, 10)}` : ''}: ${f.reason ?? 'no reason is given.'}`,
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
    'There is no such code, or it has ended, or it was answered already. Codes last ten minutes: look at the terminal again.',
  ),
  session_not_found: entry('missing', 'You are signed in with no such browser session.'),
  invitation_not_found: entry(
    'missing',
    'There is no such invitation for you: it was answered or taken back, it ended after 14 days, or it is for another account.',
  ),
  member_not_found: entry('missing', (f) => `\`${f.user}\` is not a member of \`${f.org}\`.`),
  job_not_found: entry('missing', 'The collection has no metadata job with this id.'),
  push_not_found: entry('missing', 'The collection has no push session with this id.'),

  method_not_allowed: entry(
    'unsupported_method',
    (f) => `${f.method ?? 'This method'} is not possible here. What is: ${f.allow}.`,
  ),

  slug_taken: entry('conflict', (f) => `The slug \`${f.slug}\` is taken. Choose another.`),
  slug_kept: entry(
    'conflict',
    (f) =>
      `\`${f.slug}\` was given up and is kept for its former owner: for 90 days, and for good if public data was read there. Choose another.`,
  ),
  version_conflict: entry('conflict', (f) =>
    f.currentVersion === null || f.currentVersion === undefined
      ? `The collection has no version yet, so ${f.baseVersion} cannot be the base. Give null.`
      : `The collection has moved on: its current version is ${f.currentVersion}, not ${f.baseVersion ?? 'none'}. Read it and push against it.`,
  ),
  metadata_update_in_progress: entry(
    'conflict',
    'A metadata update of this collection is already in progress; `job_id` says which. Wait for it, then try again.',
  ),
  no_changes: entry('conflict', 'Nothing differs from the base version, so there is no new version to make.'),
  has_collections: entry('conflict', 'The account still owns collections. Delete them first.'),
  has_public_collections: entry(
    'conflict',
    'The account owns public collections, which readers may cite. Transfer them first, or confirm the erasure.',
  ),
  identity_taken: entry(
    'conflict',
    (f) => `The identity signs in as \`${f.account}\` already. Move it if both accounts are of one person.`,
  ),
  has_owner: entry('conflict', (f) => `\`${f.org}\` has an owner who can sign in. Ask that owner.`),
  last_owner: entry('conflict', 'An organization needs an owner. Make someone else owner first.'),
  too_many_keys: entry('conflict', (f) => `An account may have ${f.max} live API keys. Revoke one first.`),
  already_member: entry('conflict', (f) => `\`${f.user}\` is a member of \`${f.org}\` already.`),
  too_many_invitations: entry(
    'conflict',
    (f) => `The organization has ${f.max} open invitations. Revoke some first.`,
  ),
  too_many_organizations: entry(
    'conflict',
    (f) => `A user may own at most ${f.max} organizations. Delete or leave one first.`,
  ),
  too_many_collections: entry(
    'conflict',
    (f) => `\`${f.owner}\` has ${f.max} collections, as many as an account may have. Delete one first.`,
  ),

  too_large: entry('too_large', (f) => `${f.what ?? 'The body'} is over the limit of ${f.limit}.`),
  quota_exceeded: entry('too_large', (f) => {
    const pending = f.receivedBytes ? ` and ${f.receivedBytes} in pushes under way` : ''
    const figures =
      f.quotaBytes === undefined
        ? 'has no room for this'
        : `may have ${f.quotaBytes} bytes stored, and has ${f.usedBytes}${pending}, so this does not fit`
    const shared = f.isShared
      ? ' What an organization stores counts against the quota of the user who made it, until an operator gives it one of its own.'
      : ''
    return `\`${f.owner}\` ${figures}.${shared} Delete a collection, withdraw and erase a version, cancel a push, or ask the operator for a larger quota.`
  }),
  unsupported_media_type: entry('unsupported_media', (f) => {
    if (f.onlyPlain)
      return `A file is stored as the bytes that are sent, so the content encoding \`${f.encoding}\` is not taken here. Send the bytes as they are, without \`Content-Encoding\`.`
    return f.encoding
      ? `The content encoding \`${f.encoding}\` is not known here. Send the body as it is, or as zstd, br or gzip.`
      : `${f.type ? `A body of type \`${f.type}\`` : 'A body without a `Content-Type`'} is not taken here. Send ${listed(f.contentTypes as string[])}.`
  }),

  range_not_satisfiable: entry(
    'unsatisfiable',
    (f) => `The file has ${f.size} bytes; the range asked for lies beyond them.`,
  ),

  invalid_slug: entry(
    'unacceptable',
    (f) =>
      `\`${f.slug}\` is no valid slug: use lowercase letters, digits and, between them, hyphens, at most ${f.max} characters.`,
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
    'To check this against its schemas takes too much time or memory. None of it was stored; simplify the schemas, above all those that refer to themselves in several ways, or send fewer lines at once.',
  ),

  rate_limited: entry('limited', (f) => `Too many requests. Try again in ${f.retryAfter} seconds.`),
  busy: entry(
    'limited',
    'There is no room in memory for so much at the moment. Try again shortly, and send or ask for less, or less at the same time.',
  ),
  sign_in_unavailable: entry(
    'unavailable',
    (f) =>
      `${f.reason ?? 'The identity provider does not answer at the moment.'} Try to sign in again shortly.`,
  ),
  downloads_unavailable: entry(
    'unavailable',
    'This server runs from its sources and could not build its packages. The reason is in its log. Its operator runs `npm ci`; after ten minutes the next request builds them again.',
  ),
  unavailable: entry(
    'unavailable',
    'The database or the object store cannot be reached or written to at the moment. Try again shortly.',
  ),
  storage_full: entry(
    'full',
    'There is no space left to store this: the disk or the quota of the server is full. Nothing was stored. Reading still works; the operator of the server must free space.',
  ),
  object_corrupt: entry('corrupt', (f) => {
    if (f.received !== undefined)
      return `What this push had received is damaged where it was stored (${f.received}). Push it again.`
    const [what, check] =
      f.file === undefined
        ? [`object ${f.hash}`, '`ulmus-server fsck`']
        : [`file ${f.file}`, '`ulmus-server fsck --files`']
    return `Stored ${what} is damaged. The operator of this server must restore it; ${check} shows details.`
  }),
  internal: entry(
    'corrupt',
    'Something went wrong on our side. The request id in `X-Request-Id` finds it in the log.',
  ),
} satisfies Record<RefusalCode, Entry>

export type ErrorCode = keyof typeof catalogue
