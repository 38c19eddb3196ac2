/**
 * Everything that the database stores of a user, in sections of one table each, for a person who asks for it. The test beside this file
 * demands a decision about every column of every table. A row names other people and collections by their slugs only, and collections
 * that the user may not see not at all.
 */
import { collaborators } from '../access/collaborators.ts'
import { deviceLogins } from '../access/device-logins.ts'
import { invitations } from '../access/invitations.ts'
import { apiKeys } from '../access/keys.ts'
import { operatorOpenings } from '../access/operator-openings.ts'
import { trustedPublishers } from '../access/trusted-publishers.ts'
import { accounts, identities } from '../accounts/accounts.ts'
import { browserSessions } from '../accounts/browser-sessions.ts'
import { formerAccountSlugs } from '../accounts/former-slugs.ts'
import { members } from '../accounts/members.ts'
import { auditEvents } from '../audit/audit-events.ts'
import { collections } from '../collections/collections.ts'
import { formerCollectionSlugs } from '../collections/former-slugs.ts'
import { reports } from '../collections/reports.ts'
import { savedQuestions } from '../collections/saved-questions.ts'
import { events } from '../events/events.ts'
import { webhooks } from '../events/webhooks.ts'
import { mails } from '../mails/mails.ts'
import { pushes } from '../pushes/pushes.ts'
import { metadataJobs } from '../versions/metadata-jobs.ts'
import { versions } from '../versions/versions.ts'
import { type Section, section } from './account-section.ts'

const withCollection =
  'left join collections c on c.id = t.collection_id left join accounts o on o.id = c.owner_id'
const isMemberOf = (owner: string) =>
  `(${owner} = $1 or exists (select from members m where m.org_id = ${owner} and m.user_id = $1))`
/** Path of the collection; null if the user may not see it now. */
const path = `case when c.public or ${isMemberOf('c.owner_id')}
  or exists (select from collaborators g where g.collection_id = c.id and g.user_id = $1) then o.slug || '/' || c.slug end`
/** The invitation names the collection to the user. */
const pathOfInvitation =
  "(select o.slug || '/' || c.slug from collections c join accounts o on o.id = c.owner_id where c.id = t.collection_id)"
/** Collections of a limited key. */
const ofKey = `from key_collections kc join collections c on c.id = kc.collection_id
  join accounts o on o.id = c.owner_id where kc.key_id = t.id`
const slugOf = (id: string) => `(select a.slug from accounts a where a.id = ${id})`

/** Sections by their names in the document, in their order there. `account` has one row. */
export const accountSections = {
  account: section(accounts, {
    shown: [
      ...(['id', 'slug', 'type', 'displayName', 'email', 'emailVerified', 'createdAt'] as const),
      ...(['takesMail', 'suspendedAt', 'claimsOperator', 'quotaBytes'] as const),
    ],
    where: 't.id = $1',
    key: ['id'],
  }),
  identities: section(identities, {
    shown: ['issuer', 'subject'],
    used: ['accountId'],
    where: 't.account_id = $1',
    key: ['issuer', 'subject'],
  }),
  formerSlugs: section(formerAccountSlugs, {
    shown: ['slug', 'since', 'keptUntil'],
    used: ['accountId'],
    where: 't.account_id = $1',
    key: ['slugHash'],
  }),
  sessions: section(browserSessions, {
    shown: ['id', 'userAgent', 'createdAt', 'lastUsedAt', 'expiresAt'],
    used: ['accountId'],
    where: 't.account_id = $1',
    key: ['createdAt', 'id'],
  }),
  keys: section(apiKeys, {
    shown: ['id', 'start', 'label', 'scope', 'roleCap', 'createdAt', 'expiresAt', 'lastUsedAt'],
    used: ['accountId', 'limited', 'publisherId'],
    also: {
      // Of a key for one alone.
      collection: `(select min(${path}) ${ofKey} having count(*) = 1)`,
      collections: `case when t.limited then (select coalesce(json_agg(${path} order by o.slug, c.slug), '[]') ${ofKey}) end`,
      ofPublisher: 't.publisher_id is not null',
    },
    where: 't.account_id = $1',
    key: ['createdAt', 'id'],
  }),
  deviceLogins: section(deviceLogins, {
    shown: [
      ...(['label', 'scope', 'collection', 'userAgent', 'address', 'network', 'status'] as const),
      ...(['createdAt', 'polledAt', 'expiresAt', 'keyExpiresAt'] as const),
    ],
    used: ['accountId'],
    where: 't.account_id = $1',
    key: ['deviceHash'],
  }),
  memberships: section(members, {
    shown: ['role', 'since'],
    used: ['orgId', 'userId'],
    also: { organization: slugOf('t.org_id') },
    where: 't.user_id = $1',
    key: ['orgId'],
  }),
  collaborations: section(collaborators, {
    shown: ['grant', 'since'],
    used: ['collectionId', 'userId', 'invitedBy'],
    also: { collection: path, invitedBy: slugOf('t.invited_by') },
    join: withCollection,
    where: 't.user_id = $1',
    key: ['collectionId'],
  }),
  organizationsMade: section(accounts, {
    shown: ['slug', 'createdAt'],
    used: ['madeBy'],
    where: 't.made_by = $1',
    key: ['id'],
  }),
  invitationsReceived: section(invitations, {
    shown: ['id', 'role', 'grant', 'createdAt', 'expiresAt'],
    used: ['orgId', 'collectionId', 'userId', 'email', 'invitedBy'],
    also: {
      organization: slugOf('t.org_id'),
      collection: pathOfInvitation,
      invitedBy: slugOf('t.invited_by'),
    },
    // By an address only if it is the user's for certain.
    where: `(t.user_id = $1 or lower(t.email) = (select lower(a.email) from accounts a where a.id = $1 and a.email_verified))`,
    key: ['createdAt', 'id'],
  }),
  invitationsMade: section(invitations, {
    shown: ['id', 'role', 'grant', 'createdAt', 'expiresAt'],
    used: ['orgId', 'collectionId', 'userId', 'invitedBy'],
    also: { organization: slugOf('t.org_id'), collection: pathOfInvitation, user: slugOf('t.user_id') },
    where: 't.invited_by = $1',
    key: ['createdAt', 'id'],
  }),
  collections: section(collections, {
    shown: [
      ...(['id', 'slug', 'name', 'description', 'public', 'publishersOnly', 'storedBytes'] as const),
      ...(['hiddenAt', 'hiddenReason', 'createdAt', 'updatedAt'] as const),
    ],
    used: ['ownerId', 'headId'],
    also: {
      export: `case when t.head_id is not null then '/api/collections/' || o.slug || '/' || t.slug || '/export' end`,
    },
    join: 'join accounts o on o.id = t.owner_id',
    where: 't.owner_id = $1',
    key: ['slug'],
  }),
  formerCollectionSlugs: section(formerCollectionSlugs, {
    shown: ['slug', 'published', 'keptUntil'],
    used: ['ownerId'],
    where: 't.owner_id = $1',
    key: ['slug'],
  }),
  questions: section(savedQuestions, {
    shown: [
      ...(['slug', 'name', 'sql', 'type', 'query', 'form', 'version', 'public'] as const),
      ...(['createdAt', 'updatedAt'] as const),
    ],
    used: ['collectionId'],
    also: { collection: path },
    join: withCollection,
    where: 'c.owner_id = $1',
    key: ['id'],
  }),
  publishers: section(trustedPublishers, {
    shown: ['id', 'issuer', 'kind', 'scope', 'lifetimeMinutes', 'shows', 'createdAt', 'lastUsedAt'],
    used: ['collectionId', 'madeBy', 'label', 'claims'],
    also: {
      collection: path,
      label: `case when ${isMemberOf('c.owner_id')} then t.label end`,
      claims: `case when ${isMemberOf('c.owner_id')} then t.claims end`,
    },
    join: withCollection,
    where: 't.made_by = $1',
    key: ['id'],
  }),
  webhooks: section(webhooks, {
    shown: ['id', 'kinds', 'bumps', 'enabled', 'disabledWhy', 'failingSince', 'createdAt', 'testedAt'],
    used: ['accountId', 'collectionId', 'madeBy', 'url', 'label'],
    also: {
      account: slugOf('t.account_id'),
      collection: path,
      url: `case when ${isMemberOf('t.account_id')} then t.url end`,
      label: `case when ${isMemberOf('t.account_id')} then t.label end`,
    },
    join: withCollection,
    where: '(t.account_id = $1 or t.made_by = $1)',
    key: ['id'],
  }),
  pushes: section(pushes, {
    shown: ['id', 'kind', 'status', 'baseSemver', 'receivedRecords', 'createdAt', 'expiresAt'],
    used: ['collectionId', 'accountId', 'committerId', 'committerMeans', 'message', 'appId', 'actorId'],
    also: {
      collection: path,
      message: 'case when t.account_id = $1 then t.message end',
      appId: 'case when t.account_id = $1 then t.app_id end',
      actorId: 'case when t.account_id = $1 then t.actor_id end',
      committedBy: 'case when t.committer_id = $1 then t.committer_means end',
    },
    join: withCollection,
    where: '(t.account_id = $1 or t.committer_id = $1)',
    key: ['createdAt', 'id'],
  }),
  metadataUpdates: section(metadataJobs, {
    shown: ['id', 'status', 'baseSemver', 'means', 'startedAt', 'finishedAt'],
    used: ['accountId', 'collectionId'],
    also: { collection: path },
    join: withCollection,
    where: 't.account_id = $1',
    key: ['startedAt', 'id'],
  }),
  versions: section(versions, {
    shown: ['id', 'message', 'appId', 'actorId', 'madeWithKey', 'createdAt'],
    used: ['collectionId', 'madeBy', 'major', 'minor', 'patch'],
    also: { collection: path, semver: `format('v%s.%s.%s', t.major, t.minor, t.patch)` },
    join: withCollection,
    where: 't.made_by = $1',
    key: ['id'],
  }),
  events: section(events, {
    shown: ['seq', 'at', 'kind', 'name', 'public', 'details'],
    used: ['accountId'],
    where: 't.account_id = $1',
    key: ['seq'],
  }),
  mails: section(mails, {
    shown: ['id', 'kind', 'state', 'createdAt', 'attempts', 'error'],
    used: ['accountId'],
    where: 't.account_id = $1',
    key: ['createdAt', 'id'],
  }),
  reports: section(reports, {
    shown: ['id', 'reason', 'text', 'contact', 'createdAt', 'closedAt'],
    used: ['collectionId', 'reporterId'],
    also: { collection: path },
    join: withCollection,
    where: 't.reporter_id = $1',
    key: ['id'],
  }),
  openings: section(operatorOpenings, {
    shown: ['reason', 'until'],
    used: ['collectionId', 'accountId'],
    also: { collection: path },
    join: withCollection,
    where: 't.account_id = $1',
    key: ['collectionId'],
  }),
  acts: section(auditEvents, {
    shown: ['id', 'at', 'action', 'target', 'means'],
    used: ['accountId', 'actorId', 'details'],
    // Details of an act on another person, by an operator or a former admin, are that person's.
    also: {
      account: slugOf('t.account_id'),
      details: `case when ${isMemberOf('t.account_id')} then t.details end`,
    },
    where: 't.actor_id = $1',
    key: ['at', 'id'],
  }),
  actsOfOthers: section(auditEvents, {
    shown: ['id', 'at', 'action', 'target', 'details'],
    used: ['accountId', 'actorId'],
    also: { actor: slugOf('t.actor_id') },
    where: 't.account_id = $1 and t.actor_id is distinct from $1',
    key: ['at', 'id'],
  }),
} satisfies Record<string, Section>

export type SectionName = keyof typeof accountSections
