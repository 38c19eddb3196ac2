/** Fuzz run: random requests against every operation of a server's description. The same seed repeats the run. */

import { type ApiDocument, contractOf } from '../contract.ts'
import type { TestServer } from '../serve.ts'
import { testClient } from '../test-client.ts'
import { judgeOf } from './judge.ts'
import { placesOf } from './places.ts'
import { randomOf } from './random.ts'
import { type Made, requestsOf } from './requests.ts'
import { type Outcome, senderTo, type Wire } from './sending.ts'
import { type Caller, worldOf } from './world.ts'

export interface FuzzOptions {
  readonly seed: number
  readonly requests: number
  /** Skips requests before this one, to repeat the end of a long run. */
  readonly from: number
  /** Time limit of a request; a longer one counts as a hang. Milliseconds. */
  readonly boundMs: number
}

export interface FuzzReport {
  readonly sent: number
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>
  /** Operations that succeeded, by `operationId`. */
  readonly succeeded: ReadonlySet<string>
  readonly operations: readonly string[]
  /** Distinct faults, each with the first request that caused it. */
  readonly faults: readonly string[]
  /** The slowest response. Milliseconds. */
  readonly slowest: number
  readonly slowestRequest: string
}

/** Requests between two resets of the world. */
const round = 500
/** Maximum number of concurrent requests. */
const atOnceMax = 4
/** The run ends after this many distinct faults. */
const faultsMax = 25

export async function fuzz(
  server: TestServer,
  { seed, requests, from, boundMs }: FuzzOptions,
): Promise<FuzzReport> {
  const document = (await testClient(server.url).get('/openapi.json')).json as ApiDocument
  const contract = contractOf(document)
  const places = placesOf(contract.calls)
  const maker = requestsOf(document, places)
  const judge = judgeOf(contract)
  const sender = senderTo(server.url, boundMs)
  const world = worldOf(server, contract, places)
  const statuses: Record<string, number> = {}
  const succeeded = new Set<string>()
  const faults = new Map<string, string>()
  const keeping = contract.calls.filter(({ method }) => method !== 'DELETE')
  let callers: readonly Caller[] = []
  let [sent, furnished, slowest, slowestRequest] = [0, -1, 0, '']

  function note(turn: number, made: Made, by: string, { response, fault, took }: Outcome): void {
    const { call, used, wire } = made
    sent += 1
    if (took > slowest) [slowest, slowestRequest] = [took, written(wire, by)]
    const status = response === undefined ? (wire.breaksOff ? 'broken off' : 'none') : `${response.status}`
    statuses[status] = (statuses[status] ?? 0) + 1
    const found = fault !== undefined ? [fault] : response === undefined ? [] : judge.faultsOf(wire, response)
    for (const one of found) {
      const kind = `${call.operation.operationId}: ${one}`
      const alike = kind.replace(/[0-9a-f]{8,}[0-9a-f-]*|\d+/g, '#').slice(0, 160)
      if (!faults.has(alike)) faults.set(alike, `${kind}\n    in request ${turn}: ${written(wire, by)}`)
    }
    if (response?.status === 409) places.learnSent(response.json)
    const isSuccess = response !== undefined && (response.status < 300 || response.status === 302)
    if (!isSuccess || wire.method !== call.method) return
    succeeded.add(call.operation.operationId)
    const tag = response.headers['etag']
    if (tag !== undefined) maker.keepTag(made, tag)
    if (used !== undefined) places.learn(call, used, response.json)
  }

  for (let turn = 0; turn < requests && faults.size < faultsMax; ) {
    const size = Math.min(1 + randomOf(seed, -1 - turn).below(atOnceMax), requests - turn)
    if (turn + size <= from) {
      turn += size
      continue
    }
    if (Math.floor(turn / round) > furnished) {
      furnished = Math.floor(turn / round)
      callers = await world.furnish(furnished)
    }
    const made = Array.from({ length: size }, (_, n) => {
      const random = randomOf(seed, turn + n)
      const by = random.pick(random.chance(0.5) ? callers : callers.filter(({ mayWrite }) => mayWrite))
      // Delete less often, so that targets remain.
      const call = random.pick(random.chance(0.8) ? keeping : contract.calls)
      return { by, made: maker.make(call, by.headers, random) }
    })
    const outcomes = await Promise.all(made.map((one) => sender.send(one.made.wire)))
    await renew(
      made.filter((one, n) => isTurnedAway(one.by, one.made.wire, outcomes[n]!)).map(({ by }) => by),
    )
    for (const [n, { fault }] of outcomes.entries())
      if (fault?.startsWith('hangs')) outcomes[n] = await confirmed(sender, made[n]!.made.wire, outcomes[n]!)
    // Record outcomes in order, so that learning does not depend on timing.
    for (const [n, outcome] of outcomes.entries()) note(turn + n, made[n]!.made, made[n]!.by.name, outcome)
    turn += size
  }
  sender.end()
  return {
    sent,
    statuses,
    succeeded,
    operations: contract.calls.map(({ operation }) => operation.operationId),
    faults: [...faults.values()],
    slowest,
    slowestRequest,
  }
}

/** True if a request revoked the caller's own credential. */
const isTurnedAway = ({ headers }: Caller, wire: Wire, { response }: Outcome): boolean =>
  response?.status === 401 &&
  Object.keys(headers).length > 0 &&
  Object.entries(headers).every(([name, value]) => wire.headers[name] === value)

/** Repeats a request that hung, and adds the second outcome to the fault. */
async function confirmed(
  { send }: ReturnType<typeof senderTo>,
  wire: Wire,
  outcome: Outcome,
): Promise<Outcome> {
  const { response, fault, took } = await send(wire)
  return {
    ...outcome,
    fault: `${outcome.fault}; again: ${response?.status ?? fault} in ${Math.round(took)} ms`,
  }
}

async function renew(callers: readonly Caller[]): Promise<void> {
  for (const caller of new Set(callers)) await caller.renew()
}

/** Prints a request so that it can be repeated by hand, without its credential. Long parts are cut. */
function written({ method, target, headers, body, chunked, breaksOff }: Wire, by: string): string {
  const { authorization: _key, cookie: _session, ...others } = headers
  const how = `${chunked ? ', chunked' : ''}${breaksOff ? ', broken off' : ''}`
  const bytes =
    body === undefined ? '' : ` ${body.length} bytes ${cut(JSON.stringify(body.toString('latin1')))}`
  return `${by}${how}: ${method} ${cut(target)} ${cut(JSON.stringify(others))}${bytes}`
}

const cut = (text: string): string => (text.length <= 600 ? text : `${text.slice(0, 600)}… (${text.length})`)
