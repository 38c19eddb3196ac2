/** `Link` headers to neighbouring pages of a list: RFC 8288; http-api §1 "Lists". */
import type { FastifyReply, FastifyRequest } from 'fastify'

interface Page<Item> {
  readonly items: Item[]
  /** Query strings of the neighbouring pages: their start positions. */
  readonly links: { next?: string; prev?: string }
}

const placing = new Set(['limit', 'offset', 'cursor'])

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
