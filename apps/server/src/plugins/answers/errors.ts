/** Renders errors as HTTP responses. */
import type { Socket } from 'node:net'
import {
  InputError,
  isDatabaseAway,
  isStorageFull,
  isUnavailable,
  isUnstorableText,
  MovedError,
  ObjectCorruptError,
  RegistryError,
  type StoredRefusal,
} from '@ulmus/registry'
import type { ErrorBody } from '@ulmus/wire'
import { statusOf } from '@ulmus/wire/refusals'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ndjsonTypes } from '../requests/bodies.ts'

/** Default `Retry-After` while a store is unavailable or full. Seconds. */
const retryAfterSeconds = 5

/** The body of a refusal, as in `interface.md` and http-api §1. */
export function errorBody(error: RegistryError): Record<string, unknown> {
  return { error: error.message, code: error.code, statusCode: statusOf(error.code), ...error.details }
}

/** Renders a stored refusal (of a job or a push session) as the call would have answered it. */
export const renderStored = (stored: StoredRefusal): ErrorBody =>
  errorBody(RegistryError.restored(stored)) as ErrorBody

/** Answers an error with a page. */
type Refuse = (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

/** True if a browser goes to the address. Answers of the API and of probes are JSON for browsers, too. */
export const wantsPage = ({ url, headers }: FastifyRequest): boolean =>
  !/^\/(?:api|healthz|readyz|metrics)(?:[/?]|$)/.test(url) && headers.accept?.includes('text/html') === true

/** Answers errors of routes without an error handler of their own, and of requests without a route. */
export function answerErrors(app: FastifyInstance, refuse: Refuse): void {
  app.setErrorHandler((error, request, reply) => answerByKind(error, request, reply, refuse))
}

/** Answers browsers with a page, and programs with JSON. */
export async function answerByKind(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  refuse: Refuse,
): Promise<FastifyReply> {
  if (!wantsPage(request)) return answerError(error, request, reply)
  takeBack(reply)
  return refuse(error, request, reply.header('Vary', 'Accept, Authorization, Cookie, accept-encoding'))
}

/** Answers an error as JSON. */
export function answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  takeBack(reply)
  reply.removeHeader('X-Resource')
  if (error instanceof MovedError) return answerMoved(error, request, reply)
  const refusal = noteRefusal(error, request, reply)
  const status = statusOf(refusal.code)
  return reply
    .code(status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(refusal)))
}

/** Adds the headers that answers with a status of a refusal have. */
export function addRefusalHeaders(status: number, reply: FastifyReply): void {
  // RFC 9110 §15.5.2: every 401 has this header.
  if (status === 401) reply.header('WWW-Authenticate', 'Bearer')
  if ((status === 503 || status === 429) && !reply.hasHeader('Retry-After'))
    reply.header('Retry-After', retryAfterSeconds)
}

/** Cause of a refusal that only the operator may read: its sentence is in the log, in place of a stack. */
export class OperatorNoteError extends Error {
  override name = 'OperatorNoteError'
  readonly level: 'info' | 'warn'

  constructor(level: 'info' | 'warn', sentence: string) {
    super(sentence)
    this.level = level
  }
}

/** Maps an error to a refusal, and records it for the log and for the headers of JSON answers and pages. */
export function noteRefusal(error: unknown, request: FastifyRequest, reply: FastifyReply): RegistryError {
  const refusal = refusalOf(error, request)
  const status = statusOf(refusal.code)
  // A setting of the operator or a missing package is no fault; a process that cannot be started is.
  const { cause } = refusal
  if (cause instanceof OperatorNoteError) request.log[cause.level]({ code: refusal.code }, cause.message)
  else if (status >= 500 && (status !== 501 || cause !== undefined)) logFault(request, error, refusal)
  if (refusal.retryAfter !== undefined) reply.header('Retry-After', refusal.retryAfter)
  addRefusalHeaders(status, reply)
  return refusal
}

/** @param what beginning of the log line */
export function logFault({ log }: FastifyRequest, error: unknown, refusal: RegistryError, what = ''): void {
  const { code, cause, message } = refusal
  // The outage itself is logged once, for all requests.
  if (isDatabaseAway(error)) log.debug({ err: error, code }, what + message)
  // Omit the stack: on a full disk every write fails this way, and the log may be on that disk.
  else if (statusOf(code) === 507) log.warn({ code, cause: String(cause) }, what + message)
  else log.error({ err: error, code }, what + message)
}

/** Headers that describe the body of a success, or its cache lifetime. */
const headersOfSuccess = [
  'Accept-Ranges',
  'Cache-Control',
  'Content-Disposition',
  'Content-Encoding',
  'Content-Range',
  'ETag',
  'X-Record-Count',
  'X-Resource',
]

/**
 * Removes the headers of a stream that failed before its first byte. Only those are on the raw response already; the headers that a handler
 * sets for a refusal are not.
 */
function takeBack(reply: FastifyReply): void {
  for (const name of headersOfSuccess) {
    if (!reply.raw.hasHeader(name)) continue
    reply.raw.removeHeader(name)
    reply.removeHeader(name)
  }
}

/** Maps an error to a refusal. Unexpected errors become `internal`, without details. */
export function refusalOf(error: unknown, request: FastifyRequest): RegistryError {
  if (error instanceof RegistryError) return error
  if (error instanceof InputError) {
    const issues = [{ path: '', message: error.message, rule: error.code }]
    return new RegistryError('invalid_request', { details: { issues }, cause: error })
  }
  if (error instanceof ObjectCorruptError) {
    return new RegistryError('object_corrupt', { details: { hash: error.hash }, cause: error })
  }
  // Check before errors of the request: a full store also aborts the reading of its body.
  if (isStorageFull(error)) return new RegistryError('storage_full', { cause: error })
  // A body that ends too soon fails with the code of a lost connection. Do not take it for the database's.
  if (request.raw.destroyed && !request.raw.complete) return cutShort(error)
  if (isUnstorableText(error)) {
    const reason = 'The request has the character U+0000, which is not allowed.'
    return new RegistryError('invalid_request', { say: { reason }, details: { issues: [] }, cause: error })
  }
  if (isUnavailable(error)) return new RegistryError('unavailable', { cause: error })
  return refusalOfFastify(error as Partial<FastifyError>, request)
}

function refusalOfFastify(error: Partial<FastifyError>, request: FastifyRequest): RegistryError {
  const reason = (text: string) =>
    new RegistryError('invalid_request', { say: { reason: text }, details: { issues: [] } })
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
    case 'FST_REQ_FILE_TOO_LARGE':
      return tooLarge(request.routeOptions.bodyLimit)
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return unsupportedType(request)
    case 'FST_CP_ERR_INVALID_CONTENT_ENCODING':
      return new RegistryError('unsupported_media_type', {
        say: { encoding: request.headers['content-encoding'] },
      })
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return reason('A part of the path is too long.')
    case 'FST_ERR_BAD_URL':
      return reason(
        'The path is malformed: `%` must be followed by two hex digits, and the decoded bytes must be UTF-8.',
      )
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return reason('The length of the body differs from `Content-Length`.')
    case 'FST_CP_ERR_INVALID_CONTENT':
      return reason('The body cannot be decompressed as `Content-Encoding`.')
  }
  // Client errors of the HTTP layer (status 4xx): their sentences contain only facts about the request.
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return reason(`The request is malformed: ${error.message}.`)
  }
  return new RegistryError('internal', { cause: error })
}

/** 415 with the content types that the requested route accepts. */
function unsupportedType({ server, headers }: FastifyRequest): RegistryError {
  const takes = ['application/json', 'application/x-www-form-urlencoded', ...ndjsonTypes].filter((type) =>
    server.hasContentTypeParser(type),
  )
  return new RegistryError('unsupported_media_type', {
    say: { type: headers['content-type'] },
    details: { contentTypes: takes },
  })
}

const cutShort = (cause: unknown) =>
  new RegistryError('invalid_request', {
    say: { reason: 'The connection ended before the body did.' },
    details: { issues: [] },
    cause,
  })

/** Answers a request that the HTTP parser refuses, on the raw socket, before a request object exists. Closes the connection. */
export function answerUnreadable(error: { code: string }, socket: Socket): void {
  // Browsers open connections ahead, and would take this for the answer to their first request.
  const isUnused = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0
  if (!isUnused && socket.writable && error.code !== 'ECONNRESET') {
    const refusal = new RegistryError('invalid_request', {
      say: { reason: unreadable[error.code] ?? 'The request is not valid HTTP/1.1 (RFC 9112).' },
      details: { issues: [] },
    })
    const body = `${JSON.stringify(errorBody(refusal))}\n`
    const headers = `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}`
    socket.write(`HTTP/1.1 400 Bad Request\r\nConnection: close\r\n${headers}\r\n\r\n${body}`)
  }
  socket.destroy()
}

const unreadable: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The path, the query and the headers together are over the limit of 16 KiB.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
}

/** @param bytes the exceeded limit */
export function tooLarge(bytes: number | undefined): RegistryError {
  return new RegistryError('too_large', {
    say: { what: 'The body', limit: `${bytes} bytes` },
    details: { limitBytes: bytes },
  })
}

/**
 * Redirects (308) to the current address of the account or collection: the same path and query with the new slugs. Paths under
 * `/api/accounts/` and `/api/collections/` have the account as third and the collection as fourth segment.
 */
function answerMoved(moved: MovedError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const [path = '', query] = request.url.split(/\?(.*)/s, 2)
  const segments = path.split('/')
  segments[3] = moved.to.owner
  if (moved.to.slug !== undefined && segments[2] === 'collections') segments[4] = moved.to.slug
  const location = `${segments.join('/')}${query === undefined ? '' : `?${query}`}`
  const body = { error: `It has moved to ${location}.`, code: 'moved', statusCode: 308, location }
  return reply
    .code(308)
    .header('Location', location)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(body))
}
