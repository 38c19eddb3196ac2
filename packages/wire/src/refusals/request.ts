/** Refusals that any request may get, whatever it is about. */
import type { Refusal } from './refusal.ts'

/** Joins alternatives for a sentence. */
const listed = (names: readonly string[]): string =>
  names.map((name) => `\`${name}\``).join(names.length > 2 ? ', ' : ' or ')

/** Names the first issue, since many programs show their users the sentence alone. */
function invalidRequest(issues: unknown): string {
  const [first, ...others] = (issues ?? []) as readonly { path: string; message: string }[]
  if (first === undefined) return 'The request is invalid.'
  const fault = `${first.path === '' ? '' : `\`${first.path}\` `}${first.message.replace(/\.$/, '')}`
  const more =
    others.length === 0 ? '' : `, and ${others.length} more ${others.length === 1 ? 'fault' : 'faults'}`
  return `The request is invalid: ${fault}${more}.`
}

export const requestRefusals = {
  invalid_request: {
    kind: 'invalid',
    sentence: (f) => `${f.reason ?? invalidRequest(f.issues)}`,
    meaning: 'the request is malformed; `issues` lists the faults',
    explanation:
      'The request is malformed: invalid JSON or JSON that breaks an input rule (a duplicate key, an integer that a double cannot hold, a lone surrogate; then the issue has a `rule`), a missing, mistyped or unknown member or query parameter, or a path that is not valid percent-encoding. `issues: [{path, message}]` lists the places; `path` joins members with dots and is empty for the whole body. (Of records and schemas, `path` is a JSON pointer: `/location/lat`.)',
    remedy: 'Correct what `issues` names. The shapes are at `/docs/api`.',
    members: ({ z, Issue }) => ({ issues: z.array(Issue).meta({ description: 'the faults.' }) }),
    example: { details: { issues: [{ path: 'limit', message: 'must be an integer of at least 1' }] } },
  },
  cross_site: {
    kind: 'forbidden',
    sentence:
      'A write with a session cookie must come from a page of this site. From scripts and other sites, use an API key.',
    meaning:
      'a write with a session cookie that did not come from a page of this site (`Sec-Fetch-Site`, `Origin`)',
    remedy: 'Use an API key from scripts and other sites.',
  },
  route_not_found: {
    kind: 'missing',
    sentence: (f) =>
      `There is nothing at ${f.path ?? 'this path'}. See the API reference at /docs/api. In a path, write a \`/\` in an id or a name as \`%2F\`.`,
    meaning: 'no route has this path',
    remedy: 'See `/docs/api`.',
  },
  method_not_allowed: {
    kind: 'unsupported_method',
    sentence: (f) => `${f.method ?? 'This method'} is not supported here. Use ${f.allow}.`,
    meaning: 'the path does not take this method',
    explanation: 'The path exists, but does not support the method. With `Allow`.',
    remedy: 'Use one of the methods in `Allow`.',
    example: { say: { method: 'PUT', allow: 'GET, HEAD' } },
  },
  too_large: {
    kind: 'too_large',
    sentence: (f) => `${f.what ?? 'The body'} is over the limit of ${f.limit}.`,
    meaning: 'the body is over the limit that the message names',
    explanation:
      'A body, a batch, a file, a metadata patch or the merged metadata exceeds its [limit](limits.md), which the sentence names.',
    remedy: 'Send smaller batches or patches, or ask the operator to raise a configurable limit.',
    members: ({ z }) => ({ limitBytes: z.int().meta({ description: 'the limit.' }) }),
    example: { details: { limitBytes: 262_144 }, say: { limit: '262144 bytes' } },
  },
  unsupported_media_type: {
    kind: 'unsupported_media',
    sentence: (f) => {
      if (f.onlyPlain)
        return `Files cannot be sent with the content encoding \`${f.encoding}\`. Send the bytes without \`Content-Encoding\`.`
      return f.encoding
        ? `The content encoding \`${f.encoding}\` is not supported. Send the body uncompressed, or as zstd, br or gzip.`
        : `${f.type ? `A body of type \`${f.type}\`` : 'A body without a `Content-Type`'} is not supported here. Send ${listed(f.contentTypes as string[])}.`
    },
    meaning: 'the `Content-Type` or `Content-Encoding` is not supported here',
    explanation:
      "The route does not support the body's `Content-Type` or `Content-Encoding`. `contentTypes` lists the supported types.",
    remedy:
      'JSON is `application/json`, lines are `application/x-ndjson`; compressed is zstd (with a window of 8 MiB at most, as RFC 9659 has it), br or gzip. Files are sent uncompressed, without `Content-Encoding`.',
    members: ({ z }) => ({ contentTypes: z.array(z.string()).meta({ description: 'the supported types.' }) }),
    example: { details: { contentTypes: ['application/json'] }, say: { type: 'text/plain' } },
  },
  range_not_satisfiable: {
    kind: 'unsatisfiable',
    sentence: (f) => `The requested range is beyond the end of the file, which has ${f.size} bytes.`,
    meaning: 'the range is beyond the end of the file',
    explanation: 'The requested byte range is beyond the end of the file. With `Content-Range`.',
    remedy: 'Request a range within the size in `Content-Range`.',
    example: { say: { size: 14 } },
  },
  rate_limited: {
    kind: 'limited',
    sentence: (f) => `Too many requests. Try again in ${f.retryAfter} seconds.`,
    meaning: 'too many requests in a minute',
    explanation:
      'The address or the account exceeded its requests per minute. With `Retry-After`; all answers have `RateLimit-Limit`, `-Remaining`, `-Reset`.',
    remedy: 'Wait as long as `Retry-After` says.',
    example: { say: { retryAfter: 30 } },
  },
  busy: {
    kind: 'limited',
    sentence: (f) =>
      f.waiting
        ? 'Too many requests wait for events at the moment. Try again shortly, or ask without `wait`.'
        : 'The server has no memory for this request at the moment. Try again shortly, with smaller or fewer simultaneous requests.',
    meaning: 'the server has no memory for the request at the moment',
    explanation:
      'The server has no memory for this body (of a push, its opening or a metadata patch) or this answer (a page or stream), or the caller has used its share of the [memory](limits.md#memory). The share for streams (`records.ndjson`, exports, files) allows at least 8 of records, or 64 files. With `Retry-After`. Nothing was stored.',
    remedy:
      'Try again. Send smaller batches, request pages with a lower `limit` and fewer at the same time, and read started streams to their end; `records.ndjson` streams a whole version.',
  },
} satisfies Readonly<Record<string, Refusal>>
