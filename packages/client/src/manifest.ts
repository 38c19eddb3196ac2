/** Makes a snapshot's manifest on the client: the hash of each record. http-api §9; content-model §3. */
import {
  InputError,
  type Json,
  knownFieldsOf,
  parseJson,
  recordOf,
  withoutUnknownFields,
} from '@ulmus/content'
import type { ManifestEntry, Schemas } from '@ulmus/wire'
import { batchesOf, nameOf, type RecordToPut } from './batches.ts'
import type { ErrorCode } from './codes.ts'
import { UlmusError } from './errors.ts'
import { exactJson } from './exact-json.ts'
import { sleep } from './retry.ts'

/** Part of a manifest, as NDJSON. */
export interface ManifestChunk {
  readonly body: Uint8Array<ArrayBuffer>
  readonly lines: number
}

/** Limits of one request, in entries and bytes; below the registry's own. */
const chunkLimits = { lines: 50_000, bytes: 32 * 1024 ** 2 }

/** Records hashed before the signal is checked and other work of the page gets a turn. */
const hashedAtOnce = 1_000

export interface Hashing {
  readonly schemas: Schemas
  /** True if the registry will remove fields that the schemas do not list: hashes then exclude them. */
  readonly strip: boolean
  readonly signal?: AbortSignal
  /** Called with the number of records hashed since the last call. */
  readonly onHashed: (records: number) => void
}

/**
 * Makes the manifest of records in chunks, with each record once. Takes some 250 bytes of memory per record while hashing, 130 afterwards.
 * @throws UlmusError with the code of the input rule that a record breaks (content-model §2); `manifest_conflict` for a record
 * that appears both as private and as not private
 */
export async function hashRecords(
  records: Iterable<RecordToPut> | AsyncIterable<RecordToPut>,
  hashing: Hashing,
): Promise<ManifestChunk[]> {
  const chunks: ManifestChunk[] = []
  for await (const { body, lines } of batchesOf(entriesOf(records, hashing), chunkLimits)) {
    chunks.push({ body, lines })
  }
  return chunks
}

async function* entriesOf(
  records: Iterable<RecordToPut> | AsyncIterable<RecordToPut>,
  { schemas, strip, signal, onHashed }: Hashing,
): AsyncGenerator<ManifestEntry, void, undefined> {
  const known = new Map(
    strip ? Object.entries(schemas).map(([type, schema]) => [type, knownFieldsOf(schema)]) : [],
  )
  /** By hash: whether the record is private. */
  const seen = new Map<string, boolean>()
  let hashed = 0
  for await (const line of records) {
    const { id, type, private: isPrivate = false } = line
    const hash = hashOf(line, known.get(type))
    if (++hashed % hashedAtOnce === 0) {
      onHashed(hashedAtOnce)
      await sleep(0, signal)
    }
    const before = seen.get(hash)
    if (before === undefined) {
      seen.set(hash, isPrivate)
      yield isPrivate ? { id, type, hash, private: true } : { id, type, hash }
    } else if (before !== isPrivate) {
      throw refusal(line, 'manifest_conflict', 'It comes twice, once private and once not.')
    }
  }
  onHashed(hashed % hashedAtOnce)
}

function hashOf(line: RecordToPut, known: ReadonlySet<string> | undefined): string {
  try {
    return recordOf(line.id, line.type, withoutUnknownFields(asSent(line), known)).hash
  } catch (error) {
    if (error instanceof UlmusError) throw error
    if (error instanceof InputError) throw refusal(line, error.code, error.message, error)
    throw refusal(line, 'bad_envelope', 'Its id, type and data must be texts and a JSON value.', error)
  }
}

/** The data in the form that is sent: without undefined members, and with each object's `toJSON` applied. */
const asSent = (line: RecordToPut): Json =>
  (parseJson(exactJson(line, () => nameOf(line))) as { data: Json }).data

const refusal = (line: RecordToPut, code: ErrorCode, why: string, cause?: unknown): UlmusError =>
  new UlmusError(`${nameOf(line)}: ${why}`, {
    status: 0,
    code,
    cause,
  })

const decoder = new TextDecoder()

/** Parses the entries of a chunk. */
export function entriesIn({ body }: ManifestChunk): ManifestEntry[] {
  const lines = decoder.decode(body).trimEnd()
  return parseJson(`[${lines.replaceAll('\n', ',')}]`) as ManifestEntry[]
}
