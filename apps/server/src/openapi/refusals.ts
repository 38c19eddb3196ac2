/** Refusals of an operation: the codes that it declares, and those that follow from its body, parameters and credential. */
import type { Operation, RefusalCode } from '@ulmus/wire'
import { refusals as declared, statusOf } from '@ulmus/wire/refusals'
import { examplesOf } from './refusal-examples.ts'
import { referTo } from './shapes.ts'

/** An operation with the method and the path of its name. */
export interface DescribedOperation extends Operation {
  readonly method: string
  readonly url: string
}

export interface Header {
  description: string
  schema: { type: string }
  example?: unknown
}

export interface Response {
  description: string
  headers?: Record<string, Header>
  content?: Record<string, object>
  /** The codes with this status, for programs that read the description. */
  'x-codes'?: string[]
}

const header = (description: string, type = 'string'): Header => ({ description, schema: { type } })

const retryAfter = { 'Retry-After': header('Seconds to wait before trying again.', 'integer') }

const headersOf: Record<number, Record<string, Header>> = {
  401: { 'WWW-Authenticate': header('`Bearer`.') },
  416: { 'Content-Range': header('`bytes */` and the size of the file.') },
  429: retryAfter,
  503: retryAfter,
}

/** Answers of the refusals, by status. */
export function refusalsOf(operation: DescribedOperation): Record<string, Response> {
  const byStatus = new Map<number, RefusalCode[]>()
  for (const code of codesOf(operation)) {
    const status = statusOf(code)
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, refusal(status, codes)]))
}

function refusal(status: number, codes: readonly RefusalCode[]): Response {
  const clauses = codes.map((code) => `\`${code}\`: ${declared[code].meaning}.`)
  const headers = headersOf[status]
  return {
    description: clauses.length === 1 ? clauses[0]! : clauses.map((line) => `- ${line}`).join('\n'),
    ...(headers === undefined ? {} : { headers }),
    content: { 'application/json': { schema: referTo('Error'), examples: examplesOf(codes) } },
    'x-codes': [...codes],
  }
}

/** Codes in the order of their statuses. */
export function codesOf(operation: DescribedOperation): RefusalCode[] {
  const { method, url, entrance, credentials, refusals } = operation
  const writes = method !== 'GET'
  const takesBody = writes && method !== 'DELETE'
  const codes = new Set<RefusalCode>(['invalid_request', 'rate_limited', 'internal', 'unavailable'])
  if (credentials !== false) codes.add('unauthenticated')
  if (entrance?.scope === 'write' || entrance?.scope === 'admin') codes.add('insufficient_scope')
  if (entrance?.unlimited) codes.add('key_limited')
  if (writes && credentials !== false) codes.add('cross_site')
  // The server reads the body of every write, even if the operation ignores it, as in a DELETE.
  if (writes) codes.add('too_large').add('unsupported_media_type')
  if (takesBody && url.startsWith('/api/')) codes.add('storage_full')
  for (const code of [...impliedBy(operation), ...(refusals ?? [])]) codes.add(code)
  return [...codes].sort((a, b) => statusOf(a) - statusOf(b))
}

/** Codes that follow from the account or the collection of the path, together with the entrance. */
function impliedBy({ url, entrance, forOutsiders }: DescribedOperation): RefusalCode[] {
  const isForOperators = url.startsWith('/api/admin/')
  const codes: RefusalCode[] = isForOperators ? ['not_an_operator'] : []
  const ofCollection = url.startsWith('/api/collections/:')
  const ofAccount = /^\/api\/(?:admin\/)?accounts\/:/.test(url)
  if (ofCollection) codes.push('collection_not_found', 'collection_hidden')
  if (ofAccount) codes.push('account_not_found')
  if (entrance === undefined) return codes
  // The key of a job is limited, so an unlimited entrance refuses it before.
  if (entrance.scope === 'any' && !entrance.unlimited) codes.push('publisher_key')
  if (isForOperators || forOutsiders || !(ofCollection || ofAccount)) return codes
  codes.push('not_a_member')
  if (ofCollection && !entrance.unlimited) codes.push('key_limited')
  if (entrance.scope === 'admin') codes.push('insufficient_role')
  if (ofCollection && (entrance.scope === 'write' || entrance.scope === 'admin'))
    codes.push('insufficient_grant')
  return codes
}

/** A former slug in the path redirects to the current one. */
export const movedOf = ({ url }: DescribedOperation): Record<string, Response> =>
  /^\/api\/(?:accounts|collections)\/:/.test(url)
    ? {
        308: {
          description: '`moved`: the slug is a former one. Send the same request to `Location`.',
          headers: { Location: header('The same path and query with the present slugs.') },
          content: { 'application/json': { schema: referTo('Moved') } },
          'x-codes': ['moved'],
        },
      }
    : {}

/** True if answers have an entity tag. */
export const isTagged = ({ method, tagged }: DescribedOperation): boolean =>
  method === 'GET' && tagged !== false

/** The 304 of a GET whose `If-None-Match` names the current entity tag. */
export const unchangedOf = (operation: DescribedOperation): Record<string, Response> =>
  isTagged(operation) && operation.url.startsWith('/api/')
    ? {
        304: {
          description: '`If-None-Match` has the `ETag` of this answer: the caller holds it already.',
          headers: { ETag: header('Names the answer.') },
        },
      }
    : {}

export const entityTag = {
  ETag: header('Identifies the answer. Send it as `If-None-Match` to get 304 while it is unchanged.'),
}
export const pageLinks = {
  Link: header('`rel="next"` and `rel="prev"`: the neighbouring pages, where there are any. RFC 8288.'),
}
