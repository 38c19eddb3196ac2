/** Refusals of trusted publishing. */
import { entry } from './entry.ts'

export const refusalsOfPublishing = {
  invalid_grant: entry('invalid', (f) => `${f.reason}`),
  publisher_key: entry(
    'forbidden',
    'This API key was made for a job of a trusted publisher. It can read its collection, push to it and change its metadata, and nothing else.',
  ),
  publishers_only: entry(
    'forbidden',
    'The collection takes versions from its trusted publishers only. Push from one of them, or ask an admin to allow other pushes.',
  ),
  publisher_not_found: entry('missing', 'The collection has no trusted publisher with this id.'),
  too_many_publishers: entry(
    'conflict',
    (f) => `The collection has ${f.max} trusted publishers, the maximum. Remove one first.`,
  ),
  issuer_not_trusted: entry(
    'unacceptable',
    (f) =>
      `The operators of this registry do not trust tokens of \`${f.issuer}\`. ${f.issuers ? `They trust those of ${f.issuers}.` : ''}`,
  ),
  publishing_unavailable: entry(
    'unsupported',
    'This registry has no trusted publishing. Its operator turns it on with the setting TRUSTED_ISSUERS_FILE.',
  ),
}
