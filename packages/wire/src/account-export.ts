/**
 * Shape of everything that is stored of a user, for the user. Each array is a section of packages/storage/src/sql/joins/account-sections.ts.
 * docs/personal-data.md describes the document.
 */
import { z } from 'zod'
import { exampleId, exampleInstant, exampleUser } from './examples.ts'
import { RoleCap, Scope } from './keys.ts'
import { Count, Id, Instant, SemverText } from './text.ts'

const text = z.string()
const maybe = z.string().nullable()
const moment = Instant.nullable()
const seen = maybe.meta({
  description: '`owner/slug` now. Null if the collection is gone, or if the caller may not see it.',
})
const details = z.record(z.string(), z.unknown())
const made = { createdAt: Instant, expiresAt: Instant }
const invited = { role: text, collection: maybe, grant: maybe }
const apps = { message: maybe, appId: maybe, actorId: maybe }
const act = { id: Id, at: Instant, action: text, target: text }

/** `GET /api/accounts/me/export` */
export const AccountExport = z
  .object({
    exportedAt: Instant,
    account: z.object({
      ...{ id: Id, slug: text, type: z.enum(['user', 'org']), displayName: text, email: maybe },
      ...{ emailVerified: z.boolean(), takesMail: z.boolean() },
      ...{ createdAt: Instant, suspendedAt: moment, claimsOperator: z.boolean() },
      quotaBytes: Count.nullable(),
    }),
    identities: z.array(z.object({ issuer: text, subject: text })),
    formerSlugs: z.array(z.object({ slug: maybe, since: Instant, keptUntil: moment })),
    sessions: z.array(z.object({ id: Id, userAgent: text, ...made, lastUsedAt: Instant })),
    keys: z
      .array(
        z.object({
          ...{ id: Id, start: text, label: text, scope: Scope, roleCap: RoleCap.nullable() },
          ...{ createdAt: Instant, expiresAt: moment, lastUsedAt: moment },
          ...{ collection: seen, collections: z.array(seen).nullable(), ofPublisher: z.boolean() },
        }),
      )
      .meta({
        description: 'API keys without their secrets. `ofPublisher`: for a job of a trusted publisher.',
      }),
    deviceLogins: z.array(
      z.object({
        ...{ label: text, scope: Scope, collection: maybe, userAgent: text, address: text, network: text },
        ...{ status: text, ...made, polledAt: moment, keyExpiresAt: moment },
      }),
    ),
    memberships: z.array(z.object({ organization: text, role: text, since: Instant })),
    collaborations: z
      .array(z.object({ collection: seen, grant: text, since: Instant, invitedBy: maybe }))
      .meta({ description: 'Grants of the user on single collections of others.' }),
    organizationsMade: z
      .array(z.object({ slug: text, createdAt: Instant }))
      .meta({ description: 'Organizations whose data counts against the quota of the user.' }),
    invitationsReceived: z
      .array(z.object({ id: Id, organization: text, ...invited, ...made, invitedBy: maybe }))
      .meta({ description: 'Pending ones. `collection` and `grant`: to a collection of `organization`.' }),
    invitationsMade: z
      .array(z.object({ id: Id, organization: text, ...invited, ...made, user: maybe }))
      .meta({ description: 'Pending ones. `user` is null if the invitation was for an address.' }),
    collections: z.array(
      z.object({
        ...{ id: Id, slug: text, name: text, description: maybe, public: z.boolean() },
        ...{ publishersOnly: z.boolean(), storedBytes: Count, hiddenAt: moment, hiddenReason: maybe },
        ...{ createdAt: Instant, updatedAt: Instant },
        export: maybe.meta({
          description: 'Path that exports the latest version with its records and files. Null: no version.',
        }),
      }),
    ),
    formerCollectionSlugs: z.array(z.object({ slug: text, published: z.boolean(), keptUntil: moment })),
    questions: z
      .array(
        z.object({
          ...{ collection: seen, slug: text, name: text, sql: maybe, type: maybe, query: maybe, form: text },
          ...{ version: maybe, public: z.boolean(), createdAt: Instant, updatedAt: Instant },
        }),
      )
      .meta({ description: 'Saved questions of the collections of the user.' }),
    publishers: z
      .array(
        z.object({
          ...{ id: Id, collection: seen, issuer: text, kind: text, scope: Scope, lifetimeMinutes: Count },
          ...{ shows: text, label: maybe, claims: details.nullable() },
          ...{ createdAt: Instant, lastUsedAt: moment },
        }),
      )
      .meta({ description: 'Trusted publishers that the user made.' }),
    webhooks: z
      .array(
        z.object({
          ...{ id: Id, account: text, collection: seen, url: maybe, label: maybe, kinds: z.array(text) },
          ...{ bumps: z.array(text), enabled: z.boolean(), disabledWhy: maybe, failingSince: moment },
          ...{ createdAt: Instant, testedAt: moment },
        }),
      )
      .meta({
        description:
          'Webhooks of the account, and those that it made for organizations; their URL and label only while the user is a member.',
      }),
    pushes: z
      .array(
        z.object({
          ...{ id: Id, collection: seen, kind: text, status: text, baseSemver: maybe, ...apps },
          ...{ receivedRecords: Count, ...made, committedBy: details.nullable() },
        }),
      )
      .meta({
        description: 'Pushes that the user opened or committed; ended ones are kept for some days.',
      }),
    metadataUpdates: z.array(
      z.object({
        ...{ id: Id, collection: seen, status: text, baseSemver: text, means: details },
        ...{ startedAt: Instant, finishedAt: moment },
      }),
    ),
    versions: z
      .array(
        z.object({
          ...{ id: Id, collection: seen, semver: SemverText, ...apps },
          ...{ madeWithKey: details.nullable(), createdAt: Instant },
        }),
      )
      .meta({ description: 'Versions that the user made, in any collection.' }),
    events: z
      .array(z.object({ seq: Count, at: Instant, kind: text, name: text, public: z.boolean(), details }))
      .meta({ description: 'Events of the collections of the user.' }),
    mails: z
      .array(z.object({ id: Id, kind: text, state: text, createdAt: Instant, attempts: Count, error: maybe }))
      .meta({ description: 'Mails of the registry to the user.' }),
    reports: z
      .array(
        z.object({
          ...{ id: Id, collection: maybe, reason: text, text, contact: maybe },
          ...{ createdAt: Instant, closedAt: moment },
        }),
      )
      .meta({ description: 'Reports about collections that the user made.' }),
    openings: z
      .array(z.object({ collection: maybe, reason: text, until: Instant }))
      .meta({ description: 'Collections of others that the user reads as an operator now.' }),
    acts: z.array(z.object({ ...act, account: maybe, means: details, details: details.nullable() })).meta({
      description:
        'Audit events of which the user is the actor, in any log. `account`: whose log. `means`: the key and the network address. `details`: null if the log is of another account, without membership.',
    }),
    actsOfOthers: z
      .array(z.object({ ...act, actor: maybe, details }))
      .meta({ description: 'Audit events of others in the log of the user.' }),
  })
  .meta({
    id: 'AccountExport',
    description:
      'Everything that is stored of a user, except the content of collections. Passwords do not exist; secrets of keys and sessions are stored as hashes only, and left out.',
    examples: [
      {
        exportedAt: exampleInstant,
        account: {
          ...{ ...exampleUser, email: 'ada@example.org', suspendedAt: null, claimsOperator: false },
          ...{ emailVerified: true, takesMail: true, quotaBytes: null },
        },
        identities: [{ issuer: 'https://login.example', subject: '248289761001' }],
        formerSlugs: [],
        sessions: [
          {
            ...{ id: exampleId, userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0' },
            ...{ createdAt: exampleInstant, lastUsedAt: exampleInstant },
            expiresAt: '2026-02-14T00:00:00.000Z',
          },
        ],
        keys: [],
        deviceLogins: [],
        memberships: [{ organization: 'atlas', role: 'owner', since: exampleInstant }],
        collaborations: [
          { collection: 'grace/birds', grant: 'write', since: exampleInstant, invitedBy: 'grace' },
        ],
        organizationsMade: [{ slug: 'atlas', createdAt: exampleInstant }],
        invitationsReceived: [],
        invitationsMade: [],
        collections: [
          {
            ...{ id: exampleId, slug: 'cities', name: 'Cities', description: null, public: true },
            ...{ publishersOnly: false, storedBytes: 1_024, hiddenAt: null, hiddenReason: null },
            ...{ createdAt: exampleInstant, updatedAt: exampleInstant },
            export: '/api/collections/ada/cities/export',
          },
        ],
        formerCollectionSlugs: [],
        questions: [],
        publishers: [],
        webhooks: [],
        pushes: [],
        metadataUpdates: [],
        versions: [
          {
            ...{ id: exampleId, collection: 'ada/cities', semver: 'v1.0.0', message: 'First version' },
            ...{ appId: null, actorId: null, madeWithKey: null, createdAt: exampleInstant },
          },
        ],
        events: [],
        mails: [],
        reports: [],
        openings: [],
        acts: [
          {
            ...{ id: exampleId, at: exampleInstant, action: 'version.made', target: 'ada/cities@v1.0.0' },
            ...{ account: 'ada', means: { address: '203.0.113.7' }, details: {} },
          },
        ],
        actsOfOthers: [],
      },
    ],
  })
export type AccountExport = z.infer<typeof AccountExport>
