/** Events in answers, and in requests to webhooks. http-api §12, §13. */
import { canonicalize } from '@ulmus/content'
import type { EventRow } from '@ulmus/storage'
import type { EventKind, RegistryEvent } from '@ulmus/wire'
import { instantText } from '../clock.ts'

export function pathOf(name: string): { owner: string; slug: string } {
  const [owner = '', slug = ''] = name.split('/')
  return { owner, slug }
}

type Facts = Pick<EventRow, 'kind' | 'collectionId' | 'name' | 'details'>

/** @param origin address of this registry */
export const eventAnswer = (event: EventRow, origin: string): RegistryEvent => ({
  ...{ seq: event.seq, at: instantText(event.at), kind: event.kind as EventKind },
  ...factsOf(event, origin),
})

function factsOf({ collectionId, name, details }: Facts, origin: string) {
  const collection = `${origin}/api/collections/${name}`
  const { semver, question } = details
  const at =
    question !== undefined ? `/questions/${question}` : semver !== undefined ? `/versions/${semver}` : ''
  return {
    collection: { id: collectionId, ...pathOf(name) },
    ...details,
    url: `${collection}${at}`,
  }
}

/** The body of a request to a webhook. `version.made` is `version.created` there, as others call it. */
export const messageOf = (event: EventRow, origin: string): string =>
  canonicalize({
    type: event.kind.replace(/\.made$/, '.created'),
    timestamp: instantText(event.at),
    data: factsOf(event, origin),
  })

export const testMessage = (at: Date): string =>
  canonicalize({ type: 'webhook.test', timestamp: instantText(at), data: {} })
