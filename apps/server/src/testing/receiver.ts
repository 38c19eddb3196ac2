/** Receiver of webhooks for tests: a real server of 127.0.0.1. Allow its `origin` by the setting `outside`. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface Receiver {
  readonly origin: string
  /** All requests so far. */
  readonly received: Received[]
  /** Status of further answers. Default: 204. */
  status: number
  close(): void
}

/** Body of its answers, which users of the registry must never see. */
export const innerText = 'a-secret-of-the-inner-network'

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    received.push({ headers: request.headers as Record<string, string>, body })
    response.writeHead(receiver.status).end(receiver.status === 204 ? undefined : innerText)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: Receiver = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    status: 204,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return receiver
}
