/**
 * Shapes of trusted publishers, and of the exchange of their tokens for keys (RFC 8693, which fixes the names of the form's members).
 * docs/design/http-api.md §14.
 */
import { z } from 'zod'
import { exampleId, exampleInstant } from './examples.ts'
import { Id, Instant, Label, line } from './text.ts'

const ClaimText = z
  .string()
  .min(1)
  .max(1_000)
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'must have no control characters')

/** Claims by name: a text, or several of which one must match. */
const Claims = z.record(z.string(), z.union([ClaimText, z.array(ClaimText).min(1).max(20)])).meta({
  description:
    'Claims that a token must have, each with its text or a list of texts. `*` at the end matches any rest, in `ref`, `workflow_ref`, `ci_config_ref_uri` and, after a `:` or `/`, in `sub`. GitHub needs `repository` or `repository_id`, GitLab `project_path` or `project_id`, others `sub`, in full.',
  examples: [{ project_path: 'atlas/cities', ref: 'refs/heads/main' }],
})
const PlainClaims = z.record(z.string(), z.string())

export const IssuerKind = z.enum(['github', 'gitlab', 'kubernetes', 'other'])
export type IssuerKind = z.infer<typeof IssuerKind>
const Shows = z
  .enum(['none', 'members', 'everyone'])
  .meta({ description: 'Readers who see which job made a version (default: `members`).' })
const LifetimeMinutes = z
  .int()
  .min(5)
  .max(60)
  .meta({ description: 'Life of its keys in minutes (default: 15).' })
const PublisherScope = z
  .enum(['read', 'write'])
  .meta({ description: 'Scope of its keys (default: `write`).' })

/** `POST …/publishers` */
export const CreatePublisher = z
  .strictObject({
    issuer: line(500).meta({ description: 'Issuer of the tokens, one that the operator trusts.' }),
    claims: Claims,
    scope: PublisherScope.optional(),
    lifetimeMinutes: LifetimeMinutes.optional(),
    shows: Shows.optional(),
    label: Label.optional().meta({ description: 'Label (default: the name of the project).' }),
  })
  .meta({
    id: 'CreatePublisher',
    description: 'A new trusted publisher.',
    examples: [
      {
        issuer: 'https://gitlab.example',
        claims: { project_path: 'atlas/cities', ref: 'main', ref_type: 'branch' },
        shows: 'everyone',
      },
    ],
  })
export type CreatePublisher = z.infer<typeof CreatePublisher>

/** `PATCH …/publishers/:id`: only the fields to change. */
export const ChangePublisher = z
  .strictObject({
    claims: Claims.optional(),
    scope: PublisherScope.optional(),
    lifetimeMinutes: LifetimeMinutes.optional(),
    shows: Shows.optional(),
    label: Label.optional(),
  })
  .meta({
    id: 'ChangePublisher',
    description: 'Fields to change.',
    examples: [{ lifetimeMinutes: 30 }],
  })
export type ChangePublisher = z.infer<typeof ChangePublisher>

const examplePublisher = {
  id: exampleId,
  label: 'atlas/cities',
  issuer: 'https://gitlab.example',
  kind: 'gitlab' as const,
  claims: { project_path: 'atlas/cities', ref: 'main', ref_type: 'branch' },
  pinned: { project_id: '22', namespace_id: '7' },
  scope: 'write' as const,
  lifetimeMinutes: 15,
  shows: 'everyone' as const,
  createdAt: exampleInstant,
  lastUsedAt: exampleInstant,
  refused: null,
}

export const Publisher = z
  .object({
    id: Id,
    label: z.string(),
    issuer: z.string(),
    kind: IssuerKind.nullable().meta({
      description: 'Kind of the issuer. Null if the operator no longer trusts it: its keys are revoked.',
    }),
    claims: Claims,
    pinned: PlainClaims.nullable().meta({
      description:
        'Ids of the first token, which later tokens must have, too. Null: not needed, or not used yet.',
    }),
    scope: PublisherScope,
    lifetimeMinutes: LifetimeMinutes,
    shows: Shows,
    createdAt: Instant,
    lastUsedAt: Instant.nullable(),
    refused: z.object({ at: Instant, claims: PlainClaims }).nullable().meta({
      description: 'The last token of a project of that name, but another: with its ids.',
    }),
  })
  .meta({
    id: 'Publisher',
    description: 'A trusted publisher: jobs that may push without a stored key.',
    examples: [examplePublisher],
  })
export type Publisher = z.infer<typeof Publisher>

/** `GET …/publishers` */
export const Publishers = z
  .object({
    issuers: z
      .array(z.object({ issuer: z.string(), kind: IssuerKind }))
      .meta({ description: 'Issuers that the operator trusts. Empty: trusted publishing is off.' }),
    publishersOnly: z.boolean().meta({
      description:
        'Whether only trusted publishers make versions. `PATCH /api/collections/{owner}/{slug}` changes it.',
    }),
    publishers: z.array(Publisher).meta({ description: 'The oldest first.' }),
  })
  .meta({
    id: 'Publishers',
    description: 'All trusted publishers of a collection.',
    examples: [
      {
        issuers: [{ issuer: 'https://gitlab.example', kind: 'gitlab' as const }],
        publishersOnly: false,
        publishers: [examplePublisher],
      },
    ],
  })
export type Publishers = z.infer<typeof Publishers>

/** The job that made a version, within its detail and lists. */
export const Workload = z
  .object({
    issuer: z.string(),
    kind: IssuerKind,
    subject: z.string().meta({ description: '`sub` of the token.' }),
    claims: PlainClaims.meta({ description: 'Claims that identify the job, such as the commit.' }),
    run: z.string().nullable().meta({ description: 'Address of the job’s page, if there is one.' }),
  })
  .meta({
    id: 'Workload',
    description: 'The job of a trusted publisher that made a version.',
    examples: [
      {
        issuer: 'https://gitlab.example',
        kind: 'gitlab',
        subject: 'project_path:atlas/cities:ref_type:branch:ref:main',
        claims: { project_path: 'atlas/cities', ref: 'main', ref_protected: 'true', sha: '714a629c0b' },
        run: 'https://gitlab.example/atlas/cities/-/jobs/302',
      },
    ],
  })
export type Workload = z.infer<typeof Workload>

export const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange'
export const idTokenType = 'urn:ietf:params:oauth:token-type:id_token'
export const jwtType = 'urn:ietf:params:oauth:token-type:jwt'
export const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'

export const exampleExchange = {
  grant_type: exchangeGrant,
  subject_token: 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjEifQ.eyJpc3MiOiJodHRwczovL2dpdGxhYi5leGFtcGxlIn0.c2ln',
  subject_token_type: idTokenType,
  audience: 'atlas/cities',
} as const

/** `POST /auth/exchange`, as a form. Further parameters, such as `scope`, are ignored (RFC 6749 §3.2). */
export const ExchangeForm = z
  .object({
    grant_type: z.literal(exchangeGrant),
    subject_token: z.string().min(1).max(20_000).meta({ description: 'The token of the job: a JWT.' }),
    subject_token_type: z.enum([idTokenType, jwtType]),
    audience: z
      .string()
      .regex(/^[a-z0-9-]{1,39}\/[a-z0-9-]{1,100}$/, 'must be a collection, `owner/slug`')
      .meta({ description: 'The collection, `owner/slug`.' }),
  })
  .meta({
    id: 'ExchangeForm',
    description: 'Token of a job, and the collection that it publishes to.',
    examples: [exampleExchange],
  })
export type ExchangeForm = z.infer<typeof ExchangeForm>

/** Answer to `POST /auth/exchange`. */
export const ExchangedToken = z
  .object({
    access_token: z.string().meta({ description: 'An API key of the collection.' }),
    issued_token_type: z.literal(accessTokenType),
    token_type: z.literal('Bearer'),
    expires_in: z.int().meta({ description: 'Seconds until the key expires.' }),
    scope: z.enum(['read', 'write']),
  })
  .meta({
    id: 'ExchangedToken',
    description: 'A key that expires soon. Only this answer contains it.',
    examples: [
      {
        access_token: 'ul_0x3V8mB2nQ7tYc5LrWkPzD9aHsJ4fGeU1oXiTbRqN6w0Zk3pE',
        issued_token_type: accessTokenType,
        token_type: 'Bearer',
        expires_in: 900,
        scope: 'write',
      },
    ],
  })
export type ExchangedToken = z.infer<typeof ExchangedToken>
