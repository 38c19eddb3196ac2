/** Reads a version back and verifies its hashes, counts, bytes, digest, and one proof. */
import { type Client, verifyProof } from '@ulmus/client'
import { type Hash, type JsonObject, parseDigestLabel, recordOf, versionDigest } from '@ulmus/content'

type RecordFacts = { id: string; type: string; hash: Hash; size: number }

export interface ReadBack {
  readonly semver: string
  readonly digest: string
  readonly records: number
  readonly bytes: number
}

/**
 * Streams the latest version of `ref` in the view of `client`'s caller.
 * @param forbidden texts that must not appear in it
 * @throws Error that names the failed check
 */
export async function readBack(
  client: Client,
  ref: string,
  progress: (now: string) => void,
  forbidden: readonly string[] = [],
): Promise<ReadBack> {
  const version = await client.versions.get(ref)
  const records: RecordFacts[] = []
  for await (const record of client.records.ndjson(ref, version.semver)) {
    const own = recordOf(record.id, record.type, record.data)
    hold(
      own.hash === record.hash,
      `${ref}: the hash of ${record.type} ${record.id} is ${own.hash}, not ${record.hash}`,
    )
    const leak = forbidden.find((text) => own.canonical.includes(text))
    hold(leak === undefined, `${ref}: ${record.type} ${record.id} shows "${leak}" to the public`)
    records.push({ id: record.id, type: record.type, hash: own.hash, size: own.size })
    if (records.length % 10_000 === 0) progress(`${records.length} of ${version.recordCount} records`)
  }
  const leak = forbidden.find((text) => JSON.stringify(version.schemas).includes(text))
  hold(leak === undefined, `${ref}: the schemas show "${leak}" to the public`)

  const files = await Array.fromAsync(client.versions.files(ref, version.semver))
  hold(
    records.length === version.recordCount,
    `${ref}: ${records.length} records came, ${version.recordCount} are claimed`,
  )
  hold(
    files.length === version.fileCount,
    `${ref}: ${files.length} files are listed, ${version.fileCount} are claimed`,
  )
  for (const [type, claimed] of Object.entries(version.typeCounts)) {
    const counted = records.filter((record) => record.type === type).length
    hold(counted === claimed, `${ref}: ${counted} records of type ${type} came, ${claimed} are claimed`)
  }
  const bytes = [...records, ...files].reduce((sum, { size }) => sum + size, 0)
  hold(bytes === version.totalBytes, `${ref}: ${bytes} bytes came, ${version.totalBytes} are claimed`)

  const { view } = parseDigestLabel(version.hash) ?? {}
  hold(view !== undefined, `${ref}: ${version.hash} is no digest`)
  const schemas = version.schemas as Record<string, JsonObject>
  const digest = await versionDigest(view!, { records, files, schemas, metadata: version.metadata })
  hold(digest === version.hash, `${ref}: the digest comes to ${digest}, ${version.hash} is claimed`)
  await provesOne(client, ref, version.semver, version.hash, records)
  for (const file of files) await client.files.download(ref, file.hash)
  return { semver: version.semver, digest, records: records.length, bytes }
}

/** Verifies a record from the middle with its proof. */
async function provesOne(
  client: Client,
  ref: string,
  semver: string,
  digest: string,
  records: RecordFacts[],
): Promise<void> {
  const middle = records[Math.floor(records.length / 2)]
  if (middle === undefined) return
  const proven = await client.records.one(ref, semver, middle.type, middle.id, { proof: true })
  const verdict = verifyProof(digest, proven)
  hold(verdict.ok, `${ref}: the proof of ${middle.type} ${middle.id} fails: ${verdict.ok || verdict.reason}`)
}

function hold(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise)
}
