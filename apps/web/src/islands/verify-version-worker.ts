/** Worker that computes a version's digest from its records. It holds an id and a hash for each record. */
import { createClient } from '@ulmus/client'
import { type Hash, type JsonObject, parseDigestLabel, recordOf, versionDigest } from '@ulmus/content'

/** Message to the page. */
export type Progress =
  | { kind: 'progress'; records: number }
  | { kind: 'done'; records: number; digest: string }
  | { kind: 'failed'; reason: string }

/** Records between two progress messages. */
const saidEvery = 10_000
const say = (progress: Progress) => postMessage(progress)

async function digestOf(ref: string, semver: string, digest: string): Promise<void> {
  const client = createClient({ baseUrl: self.location.origin })
  const version = await client.versions.get(ref, semver)
  const records: { id: string; type: string; hash: Hash; size: number }[] = []
  for await (const { id, type, data } of client.records.iterate(ref, semver)) {
    const { hash, size } = recordOf(id, type, data)
    records.push({ id, type, hash, size })
    if (records.length % saidEvery === 0) say({ kind: 'progress', records: records.length })
  }
  const files = await Array.fromAsync(client.versions.files(ref, semver))
  const schemas = version.schemas as Record<string, JsonObject>
  const parts = { records, schemas, metadata: version.metadata, files }
  const computed = await versionDigest(parseDigestLabel(digest)!.view, parts)
  say({ kind: 'done', records: records.length, digest: computed })
}

self.onmessage = ({ data }: MessageEvent<{ collection: string; version: string; digest: string }>) => {
  digestOf(data.collection, data.version, data.digest).catch((error: unknown) => {
    say({ kind: 'failed', reason: (error as Error).message })
  })
}
