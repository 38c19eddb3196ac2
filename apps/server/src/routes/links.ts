/** `Link` headers to neighbouring pages of a list: RFC 8288; http-api §1 "Lists". */
import type { FastifyReply, FastifyRequest } from 'fastify'

interface Page<Item> {
  readonly items: Item[]
  /** Query strings of the neighbouring pages: their start positions. */
  readonly links: { next?: string; prev?: string }
}

const placing = new Set(['limit', 'offset', 'cursor'])

/** Sets the header of a page that has its next position in its body, too, and returns the page. @param parameter that takes the position */
export function linkNext<Answer extends { pagination: { nextCursor: string | null } }>(
  request: FastifyRequest,
  reply: FastifyReply,
  parameter: 'after' | 'cursor',
  answer: Answer,
): Answer {
  const { nextCursor } = answer.pagination
  if (nextCursor === null) return answer
  const [path = '', query = ''] = request.url.split('?', 2)
  const parameters = new URLSearchParams(query)
  parameters.set(parameter, nextCursor)
  reply.header('Link', `<${path}?${parameters}>; rel="next"`)
  return answer
}

/** Sets the header and returns the page's items. The links keep the other parameters of the request. */
export function linkPages<Item>(
  request: FastifyRequest,
  reply: FastifyReply,
  { items, links }: Page<Item>,
): Item[] {
  const [path = '', query = ''] = request.url.split('?', 2)
  const kept = [...new URLSearchParams(query)].filter(([name]) => !placing.has(name))
  const targets = (['next', 'prev'] as const).flatMap((rel) => {
    if (links[rel] === undefined) return []
    const parameters = new URLSearchParams([...kept, ...new URLSearchParams(links[rel])])
    return [`<${path}?${parameters}>; rel="${rel}"`]
  })
  if (targets.length > 0) reply.header('Link', targets.join(', '))
  return items
}
