/** Headers of registries in tests. */
import type { IncomingMessage } from 'node:http'
import { resourceText } from '@ulmus/content'

/** `X-Resource` of an answer to the request, with `v1.0.0` in place of `latest`. */
export function subjectOf({ url = '' }: IncomingMessage): string {
  const [path = '', query] = url.split(/\?(.*)/s)
  return resourceText(path, query).replace(/(versions\/|version=)latest/, '$1v1.0.0')
}
