/**
 * Worker that computes a version's digest from its records, and finds it in the signed log. It holds an id and a hash for each record.
 */
import { type Client, createClient, UlmusError } from '@ulmus/client'
import { type Hash, type JsonObject, parseDigestLabel, recordOf, versionDigest } from '@ulmus/content'
import { parseProof, parseVkey, splitNote, verifyVersion, vkeyOf } from '@ulmus/content/log'
import type { Version } from '@ulmus/wire'

/** Message to the page. */
export type Progress =
  | { kind: 'progress'; records: number }
  | { kind: 'done'; records: number; digest: string; logged: Logged }
  | { kind: 'failed'; reason: string }

/** Place of the version in the signed log. `none`: it is not there, for a reason that is no lie; `wrong`: what was sent proves nothing. */
export type Logged =
  | { kind: 'none' | 'wrong'; reason: string }
  | {
      kind: 'proven'
      /** `owner/slug` when it was stated. */
      name: string
      origin: string
      index: number
      size: number
      /** When the registry stated it, by its own clock. */
      at: string
      /** Keys that signed, as `name+id+key`. */
      keys: string[]
      /** Names of other signatures, which need the witnesses' keys. */
      others: string[]
    }

/** Records between two progress messages. */
const saidEvery = 10_000
const say = (progress: Progress) => postMessage(progress)

async function digestOf(ref: string, semver: string, digest: string): Promise<void> {
  // A visitor would not wait for two minutes without a word.
  const client = createClient({ baseUrl: self.location.origin, retry: { forMs: 10_000 } })
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
  const logged = await loggedAs(client, ref, version, computed)
  say({ kind: 'done', records: records.length, digest: computed, logged })
}

async function loggedAs(
  client: Client,
  ref: string,
  { semver, createdAt }: Pick<Version, 'semver' | 'createdAt'>,
  digest: string,
): Promise<Logged> {
  try {
    const [{ id: collection }, { keys }] = await Promise.all([client.collections.get(ref), client.log.get()])
    const claimed = await client.log.ofVersion(ref, semver)
    const { hash, view } = parseDigestLabel(digest)!
    const expected = {
      collection,
      semver,
      digest: hash,
      view: view === 'private' ? 'full' : 'public',
    } as const
    const trust = { keys: keys.map(({ vkey }) => parseVkey(vkey)) }
    const { statement, index, checkpoint, verified } = verifyVersion(claimed, expected, trust)
    if (Date.parse(statement.at) !== Date.parse(createdAt))
      throw new Error(`The version was made at ${createdAt} by its page, and at ${statement.at} by the log.`)
    const { origin, size } = checkpoint
    const names = splitNote(parseProof(claimed.proof).checkpoint).signatures.map(({ name }) => name)
    const others = [...new Set(names)].filter((name) => name !== origin)
    const signedBy = verified.map(({ by }) => vkeyOf(by))
    return {
      kind: 'proven',
      name: statement.name,
      origin,
      index,
      size,
      at: statement.at,
      keys: signedBy,
      others,
    }
  } catch (error) {
    const isAbsent =
      error instanceof UlmusError && ['log_unavailable', 'not_logged', 'log_behind'].includes(error.code)
    return { kind: isAbsent ? 'none' : 'wrong', reason: (error as Error).message }
  }
}

/** Listens to the page. Exported so that a test can start it for another registry. */
export function start(): void {
  self.onmessage = ({ data }: MessageEvent<{ collection: string; version: string; digest: string }>) => {
    digestOf(data.collection, data.version, data.digest).catch((error: unknown) => {
      say({ kind: 'failed', reason: (error as Error).message })
    })
  }
}

start()
