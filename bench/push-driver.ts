/**
 * Pushes an input from its own process, so that building the requests does not disturb other measurements: node bench/push-driver.ts
 * '{"url", "key", "ref", "path", "batches"}'. Exits with 0 when the version is acknowledged.
 */
import { bodiesOf, type Input } from './inputs.ts'
import { pushBodies } from './pushing.ts'

interface Order extends Pick<Input, 'path' | 'batches'> {
  readonly url: string
  readonly key: string
  readonly ref: string
}

const order = JSON.parse(process.argv[2]!) as Order

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${order.key}`, ...init.headers }
  const response = await fetch(order.url + path, { ...init, headers })
  if (response.ok) return response
  throw new Error(`${path}: ${response.status} ${await response.text()}`)
}

await pushBodies({ ask }, order.ref, null, bodiesOf(order))
