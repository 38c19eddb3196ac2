/** Writes and revocations during failovers: measures the time until the first write, and checks that a revoked key ends at once. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from './random.ts'
import type { Report } from './report.ts'
import { type Answer, bodyOf, type Requests } from './requests.ts'
import type { FaultyServer } from './server.ts'

/** Time from a failover until a write is acknowledged, and then until a key is revoked. Milliseconds. */
const writtenMillisecondsMax = 60_000
const everyMilliseconds = 200

interface Parts {
  readonly requests: Requests
  readonly report: Report
  readonly random: Random
}

const label = 'failover'

/** Revokes keys of earlier failovers: overlapping requests made many, and an account has at most 100. */
export async function revokeLeft({ requests, random }: Pick<Parts, 'requests' | 'random'>): Promise<void> {
  const listed = await requests.ask(random, 'GET', '/api/accounts/keys')
  if (listed.status !== 200) return
  for (const key of JSON.parse(listed.text) as { id: string; label: string }[])
    if (key.label === label) await requests.ask(random, 'DELETE', `/api/accounts/keys/${key.id}`)
}

/**
 * Makes an API key, and revokes it: other workers may all wait for the check after the fault. Requests overlap, because the first may wait for
 * its answer until the failover is over.
 * @returns the revoked key; undefined after a violation
 */
export async function writeSoon(
  kind: string,
  { requests, report, random }: Parts,
): Promise<string | undefined> {
  const from = performance.now()
  const json = { label, scope: 'read' }
  const made = await firstOf([201], () => requests.ask(random, 'POST', '/api/accounts/keys', { json }))
  if (made === undefined) {
    report.violation(`${kind}: no write is acknowledged after ${writtenMillisecondsMax / 1000} s`)
    return undefined
  }
  const took = performance.now() - from
  report.say(`first write after ${(took / 1000).toFixed(1)} s`)
  report.waited(`first write after ${kind}`, took)
  const { id, key } = bodyOf(made) as { id: string; key: string }
  // 404: an earlier try revoked it, and its answer was lost.
  const revoked = await firstOf([200, 404], () => requests.ask(random, 'DELETE', `/api/accounts/keys/${id}`))
  if (revoked === undefined) report.violation(`${kind}: the key ${id} cannot be revoked`)
  return revoked && key
}

/** The first answer of these statuses. */
async function firstOf(statuses: readonly number[], ask: () => Promise<Answer>): Promise<Answer | undefined> {
  let found: Answer | undefined
  for (const until = performance.now() + writtenMillisecondsMax; found === undefined; ) {
    if (performance.now() > until) return undefined
    void ask().then((answer) => {
      if (statuses.includes(answer.status)) found ??= answer
    })
    await sleep(everyMilliseconds)
  }
  return found
}

/** Reports servers that still accept the key, until `isOver`. */
export async function watchRevoked(
  key: string | undefined,
  servers: readonly FaultyServer[],
  { report, isOver }: { report: Report; isOver: () => boolean },
): Promise<void> {
  const headers = { authorization: `Bearer ${key}` }
  const accepts = async ({ url, name }: FaultyServer) => {
    const signal = AbortSignal.timeout(5_000)
    const answer = await fetch(`${url}/api/accounts/me`, { headers, signal }).catch(() => undefined)
    await answer?.body?.cancel()
    if (answer?.status === 200) report.violation(`${name} accepts a revoked key`)
    report.operation('use a revoked key', answer?.status === 401 ? 'done' : 'open')
  }
  while (key !== undefined && !isOver() && report.violations.length === 0) {
    await Promise.all(servers.map(accepts))
    await sleep(everyMilliseconds)
  }
}
