/** Refusals of trusted publishing. */
import type { Refusal } from './refusal.ts'

export const publishingRefusals = {
  invalid_grant: {
    kind: 'invalid',
    sentence: (f) => `${f.reason}`,
    meaning: 'the token is refused; `presented` has its claims if its signature is good',
    explanation:
      'The token of a job is refused at `POST /auth/exchange`: it is not for this registry, has expired, was exchanged before, or no trusted publisher of such a collection accepts it. `error` is the code here and `error_description` the message (RFC 6749); `presented` has the claims of a token whose signature is good.',
    remedy:
      'Compare `presented` with the trusted publishers of the collection: [when a job is refused](publish-from-ci.md#when-a-job-is-refused).',
    members: ({ z }) => ({
      presented: z
        .record(z.string(), z.string())
        .meta({ description: 'claims of the token, if its signature is good.' }),
    }),
    example: {
      details: {
        error: 'invalid_grant',
        error_description: 'No trusted publisher of such a collection accepts this token.',
        presented: { iss: 'https://gitlab.example', project_path: 'atlas/cities', ref: 'main' },
      },
      say: { reason: 'No trusted publisher of such a collection accepts this token.' },
    },
  },
  publisher_key: {
    kind: 'forbidden',
    sentence:
      'This API key was made for a job of a trusted publisher. It can read its collection, push to it and change its metadata, and nothing else.',
    meaning: 'the key of a trusted publisher can only read its collection, push and change metadata',
    explanation:
      'The key was made for a job of a trusted publisher, which can only read its collection, push and change metadata.',
    remedy: 'Use a key of a member.',
  },
  publishers_only: {
    kind: 'forbidden',
    sentence:
      'The collection takes versions from its trusted publishers only. Push from one of them, or ask an admin to allow other pushes.',
    meaning: 'the collection takes versions from its trusted publishers only',
    remedy:
      'Push from one of their jobs ([Publish from CI](publish-from-ci.md)). An admin can allow other pushes again.',
  },
  publisher_not_found: {
    kind: 'missing',
    sentence: 'The collection has no trusted publisher with this id.',
    meaning: 'the collection has no trusted publisher with this id',
    remedy: 'List `…/publishers`.',
  },
  too_many_publishers: {
    kind: 'conflict',
    sentence: (f) => `The collection has ${f.max} trusted publishers, the maximum. Remove one first.`,
    meaning: 'the collection has 20 trusted publishers',
    remedy: 'Remove one that is not needed, or give one claim several texts.',
    example: { say: { max: 20 } },
  },
  issuer_not_trusted: {
    kind: 'unacceptable',
    sentence: (f) =>
      `The operators of this registry do not trust tokens of \`${f.issuer}\`. ${f.issuers ? `They trust those of ${f.issuers}.` : ''}`,
    meaning: 'the operator of the registry does not trust the tokens of this issuer',
    remedy:
      'Use an issuer that `GET …/publishers` lists, exactly as written there. Ask the operator to add others.',
    example: { say: { issuer: 'https://ci.example', issuers: 'https://gitlab.example' } },
  },
  publishing_unavailable: {
    kind: 'unsupported',
    sentence:
      'This registry has no trusted publishing. Its operator turns it on with the setting TRUSTED_ISSUERS_FILE.',
    meaning: 'the operator has not turned trusted publishing on',
    remedy:
      'Use an API key. The operator sets [`TRUSTED_ISSUERS_FILE`](publish-from-ci.md#configure-issuers).',
  },
} satisfies Readonly<Record<string, Refusal>>
