/** Sign-in from a terminal with a code that the user approves in a browser (RFC 8628). http-api §10. */
import { setTimeout as sleep } from 'node:timers/promises'
import { UlmusError } from '@ulmus/client'
import { parseJson } from '@ulmus/content'
import type { CreatedKey, DeviceRequest, DeviceStart } from '@ulmus/wire'
import { exitCodes } from '../terminal/exit-codes.ts'
import { CommandError } from '../terminal/failure.ts'

interface Registry {
  readonly host: string
  readonly fetch: typeof globalThis.fetch
  readonly signal: AbortSignal
}

/** Requests a code that the user approves. */
export async function startDeviceLogin(registry: Registry, request: DeviceRequest): Promise<DeviceStart> {
  const { status, body } = await post(registry, '/auth/device', request)
  if (status !== 200) throw UlmusError.fromBody(body, status)
  return body as unknown as DeviceStart
}

/** Seconds added to the interval when the registry requests it (RFC 8628 §3.5). */
const slowDownSeconds = 5

/** Waits for approval of the code. @throws CommandError if the user refuses, or does not answer in time */
export async function awaitDeviceKey(registry: Registry, code: DeviceStart): Promise<CreatedKey> {
  const until = Date.now() + code.expires_in * 1_000
  for (let interval = code.interval; Date.now() < until; ) {
    await sleep(interval * 1_000, undefined, { signal: registry.signal })
    const { status, body } = await post(registry, '/auth/device/token', {
      device_code: code.device_code,
    }).catch(lostNetwork)
    if (status === 200) return body as unknown as CreatedKey
    if (body.code === 'slow_down' || status === 429) interval += slowDownSeconds
    else if (body.code === 'access_denied')
      throw new CommandError('The sign-in was denied in the browser.', {
        exitCode: exitCodes.denied,
        code: 'access_denied',
      })
    else if (body.code === 'expired_token') break
    else if (body.code !== 'authorization_pending' && status !== 0 && status < 500)
      throw UlmusError.fromBody(body, status)
  }
  throw new CommandError('The code expired before the sign-in was approved.', {
    exitCode: exitCodes.cancelled,
    code: 'expired_token',
    next: ['ulmus login'],
  })
}

interface Answered {
  readonly status: number
  readonly body: { code?: string; error?: string }
}

/** The network may recover before the code expires. */
const lostNetwork = (): Answered => ({ status: 0, body: {} })

async function post({ host, fetch, signal }: Registry, path: string, body: object): Promise<Answered> {
  const response = await fetch(`${host}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })
  const text = await response.text()
  try {
    return { status: response.status, body: parseJson(text) as Answered['body'] }
  } catch {
    return { status: response.status, body: {} }
  }
}
