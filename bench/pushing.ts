/** Pushes of prepared bodies: what the server takes, without what making the lines costs a client. http-api §9, delta. */
import type { CommittedPush, OpenedPush } from '@ulmus/wire'
import { recordSchema, recordType } from './records.ts'
import type { Served } from './served.ts'

/** Who and where; less than a `Served`, so that another process can be told. */
export type Target = Pick<Served, 'ask'>

/** Batches on their way at once. Their records differ. */
const parallel = 2

/** Opens, sends, commits; resolves when the version is acknowledged. */
export async function pushBodies(
  served: Target,
  ref: string,
  base: string | null,
  bodies: Iterable<Buffer<ArrayBuffer>> | AsyncIterable<Buffer<ArrayBuffer>>,
): Promise<CommittedPush> {
  const place = `/api/collections/${ref}/pushes`
  const post = (path: string, contentType: string, body?: RequestInit['body']) =>
    served.ask(path, { method: 'POST', headers: { 'content-type': contentType }, body })
  const opening = {
    base_version: base,
    schemas: base === null ? { [recordType]: recordSchema } : undefined,
  }
  const opened = (await (await post(place, 'application/json', JSON.stringify(opening))).json()) as OpenedPush
  const underway: Promise<void>[] = []
  const send = async (body: Buffer<ArrayBuffer>) => {
    await (await post(`${place}/${opened.session_id}/records`, 'application/x-ndjson', body)).arrayBuffer()
  }
  for await (const body of bodies) {
    if (underway.length === parallel) await underway.shift()
    const sent = send(body)
    sent.catch(() => undefined)
    underway.push(sent)
  }
  await Promise.all(underway)
  const committed = await served.ask(`${place}/${opened.session_id}/commit`, { method: 'POST' })
  return (await committed.json()) as CommittedPush
}
