/** Sends a file, or the range of it that the request asks for. RFC 9110 §14. */
import { type Registry, RegistryError } from '@ulmus/registry'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { holds } from '../../plugins/answers/entity-tags.ts'
import { goneOf } from '../../plugins/answers/leaving.ts'
import { readRange } from '../../plugins/answers/ranges.ts'
import { bytesFrom } from '../../plugins/answers/streams.ts'

interface RangedFile {
  /** Bytes. */
  readonly size: number
  /** Identifies the content in the entity tag. */
  readonly hash: string
  stream(range?: { start: number; length: number }): AsyncIterable<Uint8Array>
}

/** The route must not compress its answer: ranges and length refer to the file. @throws range_not_satisfiable */
export function sendRanged(
  { answers }: Pick<Registry, 'answers'>,
  request: FastifyRequest,
  reply: FastifyReply,
  file: RangedFile,
): FastifyReply {
  const tag = reply.tagBy(file.hash)
  reply.header('Accept-Ranges', 'bytes')
  const { 'if-none-match': ifNoneMatch, 'if-range': ifRange } = request.headers
  // A range applies only to GET (RFC 9110 §14.2), only if `If-Range` equals the tag exactly (§13.1.5), and not if the caller already
  // has the file (§13.2.2).
  const whole =
    request.method === 'HEAD' || holds(ifNoneMatch, tag) || (ifRange !== undefined && ifRange !== tag)
  const range = whole ? undefined : readRange(request.headers.range, file.size)
  if (range === 'unsatisfiable') {
    reply.header('Content-Range', `bytes */${file.size}`)
    throw new RegistryError('range_not_satisfiable', { say: { size: file.size } })
  }
  if (range !== undefined) {
    reply
      .code(206)
      .header('Content-Range', `bytes ${range.start}-${range.start + range.length - 1}/${file.size}`)
  }
  reply.header('Content-Length', range?.length ?? file.size)
  const bytes = answers.stream(request.principal, goneOf(reply), 'file', file.stream(range))
  return reply.send(bytesFrom(request, bytes))
}
