/** Pushes prepared bodies: measures the server without the cost of building the lines. http-api §9, delta. */
import type { JsonObject } from '@ulmus/content'
import type { CommittedPush, OpenedPush, PushState } from '@ulmus/wire'
import { recordSchema, recordType } from './records.ts'
import type { Served } from './served.ts'

/** Caller and address: the part of `Served` that can be passed to another process. */
export type Target = Pick<Served, 'ask'>

/** Concurrent batches. Their records differ. */
const parallel = 2
/** From this number of batches on, a commit takes minutes. */
const patientFrom = 300

/**
 * Opens, sends and commits. Resolves when the version is acknowledged.
 * @param schemas of a first version
 */
export async function pushBodies(
  served: Target,
  ref: string,
  base: string | null,
  bodies: Iterable<Buffer<ArrayBuffer>> | AsyncIterable<Buffer<ArrayBuffer>>,
  schemas: Readonly<Record<string, JsonObject>> = { [recordType]: recordSchema },
): Promise<CommittedPush> {
  const place = `/api/collections/${ref}/pushes`
  const post = (path: string, contentType: string, body?: RequestInit['body']) =>
    served.ask(path, { method: 'POST', headers: { 'content-type': contentType }, body })
  const opening = {
    base_version: base,
    schemas: base === null ? schemas : undefined,
  }
  const opened = (await (await post(place, 'application/json', JSON.stringify(opening))).json()) as OpenedPush
  const underway: Promise<void>[] = []
  let sent = 0
  const send = async (body: Buffer<ArrayBuffer>) => {
    await (await post(`${place}/${opened.session_id}/records`, 'application/x-ndjson', body)).arrayBuffer()
  }
  for await (const body of bodies) {
    if (underway.length === parallel) await underway.shift()
    const sending = send(body)
    sending.catch(() => undefined)
    underway.push(sending)
    sent++
  }
  await Promise.all(underway)
  const session = `${place}/${opened.session_id}`
  if (sent > patientFrom) return commitPatiently(served, session)
  return (await served.ask(`${session}/commit`, { method: 'POST' })).json() as Promise<CommittedPush>
}

/** Commits asynchronously and polls, like the client library: `fetch` would time out on an answer that takes minutes. */
async function commitPatiently(served: Target, session: string): Promise<CommittedPush> {
  await (await served.ask(`${session}/commit?async=true`, { method: 'POST' })).arrayBuffer()
  for (;;) {
    const state = (await (await served.ask(session)).json()) as PushState
    if (state.status === 'committed' && state.result !== null) return state.result
    if (state.status !== 'committing')
      throw new Error(`The push is ${state.status}: ${JSON.stringify(state.error)}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}
