/** Outages: how long a request is retried, and which one. The clock is simulated. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createClient } from './client.ts'
import { UlmusError } from './errors.ts'
import { type RetryPolicy, usualRetry, waitAfter } from './retry.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const refused = () => new TypeError('fetch failed', { cause: systemError('ECONNREFUSED') })
const systemError = (code: string) => Object.assign(new Error(code), { code })
const unavailable = (): Response => new Response('', { status: 503, headers: { 'retry-after': '5' } })

/** A registry that is away for its first seconds, without a network. */
function away(seconds: number, failing: () => Response, retry?: Partial<RetryPolicy>) {
  const back = performance.now() + seconds * 1_000
  const requests: string[] = []
  const fetch = async (input: unknown, init?: RequestInit): Promise<Response> => {
    requests.push(`${init?.method} ${new URL(String(input)).pathname}`)
    if (performance.now() < back) return failing()
    return Response.json({ slug: 'ada' }, { headers: { 'x-resource': '/api/accounts/me' } })
  }
  return { requests, client: createClient({ baseUrl: 'https://registry.example', fetch, retry }) }
}

/** Settles `work` while the simulated clock runs, and measures it. */
async function timed(work: Promise<unknown>) {
  const start = performance.now()
  const result = work.then(
    () => 'done' as const,
    (error: unknown) => error as UlmusError,
  )
  let ended = false
  void result.finally(() => {
    ended = true
  })
  while (!ended) await vi.advanceTimersByTimeAsync(500)
  return { result: await result, seconds: (performance.now() - start) / 1_000 }
}

const fails = (make: () => Error) => (): Response => {
  throw make()
}

test.each([
  ['no server listens', fails(refused)],
  ['the database is away', unavailable],
])('a read waits for a registry that is away for a minute: %s', async (_, failing) => {
  const { client, requests } = away(60, failing)
  const { result, seconds } = await timed(client.accounts.me())
  expect(result).toBe('done')
  expect(seconds).toBeGreaterThanOrEqual(60)
  expect(seconds).toBeLessThanOrEqual(71)
  // The waits grow, so that an outage costs few requests.
  expect(requests.length).toBeLessThan(30)
})

test('after two minutes the caller gets the last failure', async () => {
  const { client } = away(600, unavailable)
  const { result, seconds } = await timed(client.accounts.me())
  expect(result).toMatchObject({ status: 503 })
  expect(seconds).toBeGreaterThanOrEqual(120)
  expect(seconds).toBeLessThanOrEqual(131)
})

test('a program may wait for a shorter time, or try less often', async () => {
  const short = away(600, fails(refused), { forMs: 20_000 })
  const { seconds, result } = await timed(short.client.accounts.me())
  expect(result).toMatchObject({ status: 0, code: 'network' })
  expect(seconds).toBeLessThanOrEqual(31)
  const once = away(600, fails(refused), { forMs: 0 })
  await timed(once.client.accounts.me())
  const twice = away(600, fails(refused), { attempts: 2 })
  await timed(twice.client.accounts.me())
  expect([once.requests.length, twice.requests.length]).toEqual([1, 2])
})

test('a write is repeated if it was never sent, not if it may have taken effect; a wrong certificate ends at once', async () => {
  const reset = () => new TypeError('fetch failed', { cause: systemError('ECONNRESET') })
  const certificate = () => new TypeError('fetch failed', { cause: systemError('CERT_HAS_EXPIRED') })
  const numberOf = async (failing: () => Response, call: 'create' | 'me') => {
    const { client, requests } = away(10, failing)
    const { accounts, collections } = client
    await timed(call === 'me' ? accounts.me() : collections.create('ada', { slug: 'birds' }))
    return requests.length
  }
  expect(await numberOf(fails(refused), 'create')).toBeGreaterThan(2)
  expect(await numberOf(fails(reset), 'create')).toBe(1)
  expect(await numberOf(unavailable, 'create')).toBe(1)
  expect(await numberOf(fails(reset), 'me')).toBeGreaterThan(2)
  expect(await numberOf(fails(certificate), 'me')).toBe(1)
})

test('the caller is notified of each failure, and can end the waits of all requests', async () => {
  const stop = new AbortController()
  const heard: number[] = []
  const onRetry = (failure: UlmusError, failingMs: number) => {
    expect(failure.message).toContain('ECONNREFUSED')
    if (heard.push(failingMs) === 5) setTimeout(() => stop.abort(new Error('enough')), 1)
  }
  const { client, requests } = away(600, fails(refused), { signal: stop.signal, onRetry })
  const { result } = await timed(client.accounts.me())
  expect(result).toMatchObject({ message: 'enough' })
  expect(heard).toHaveLength(5)
  expect(heard[0]).toBe(0)
  expect(heard.every((ms, index) => index === 0 || ms > heard[index - 1]!)).toBe(true)
  expect(requests).toHaveLength(5)
})

test('waits double up to their bound, jittered, never shorter than asked, and end', () => {
  const busy = new UlmusError('', { status: 503, code: 'unavailable' })
  const after = (error: unknown, attempt = 1, failingMs = 0, repeatable = true) =>
    waitAfter(error, { attempt, failingMs }, usualRetry, repeatable)
  for (let attempt = 1; attempt < 12; attempt++) {
    const full = Math.min(usualRetry.delayMsMax, usualRetry.delayMs * 2 ** (attempt - 1))
    const wait = after(busy, attempt)!
    expect(wait).toBeGreaterThanOrEqual(full / 2)
    expect(wait).toBeLessThanOrEqual(full)
  }
  expect(after(busy, 1, usualRetry.forMs)).toBeUndefined()
  expect(after(busy, 1, 0, false)).toBeUndefined()
  const asking = (retryAfterMs: number) =>
    new UlmusError('', { status: 429, code: 'rate_limited', retryAfterMs })
  expect(after(asking(5_000), 1, 0, false)).toBe(5_000)
  expect(after(asking(3_600_000), 1, 0, false)).toBeUndefined()
  expect(after(new Error('a bug'))).toBeUndefined()
  const tooLarge = new UlmusError('', { status: 200, code: 'answer_too_large' })
  expect(after(tooLarge)).toBeUndefined()
})
