/** Splits NDJSON into batches within the limits of a push session. http-api §9. */
import { exactJson } from './exact-json.ts'

/** Body of one request. */
export interface Batch {
  /** Lines with their line ends. */
  readonly body: Uint8Array<ArrayBuffer>
  readonly lines: number
  /** Keys of the records in its lines. */
  readonly keys: ReadonlySet<string>
}

/** Common members of all lines. */
export interface Keyed {
  readonly id: string
  readonly type: string
}

/** A record to publish. */
export interface RecordToPut extends Keyed {
  /** Sent as `JSON.stringify` writes it, so undefined members are omitted. Refused if that would change or drop a value (`NaN`, a `Map`). */
  readonly data: object | string | number | boolean | null
  /** True if only members of the collection's owner see it. Default: false */
  readonly private?: boolean
}

export interface BatchLimits {
  /** Maximum size of a batch; a single longer line is sent alone. */
  readonly bytes: number
  readonly lines: number
}

/** Subject of an error about a line. */
export const nameOf = ({ id, type }: Keyed): string =>
  `The record ${JSON.stringify(String(id))} of type ${JSON.stringify(String(type))}`

const encoder = new TextEncoder()

/** Encodes values as lines of JSON, in batches in the given order. @param isKnown and @throws as `exactJson` */
export async function* batchesOf(
  values: Iterable<Keyed> | AsyncIterable<Keyed>,
  limits: BatchLimits,
  isKnown?: boolean,
): AsyncGenerator<Batch, void, undefined> {
  let lines: Uint8Array[] = []
  let bytes = 0
  let keys = new Set<string>()
  for await (const value of values) {
    const line = encoder.encode(`${exactJson(value, () => nameOf(value), isKnown)}\n`)
    if (lines.length > 0 && (lines.length >= limits.lines || bytes + line.length > limits.bytes)) {
      yield { body: joined(lines, bytes), lines: lines.length, keys }
      lines = []
      bytes = 0
      keys = new Set()
    }
    // Types never contain U+0000.
    keys.add(`${value.type}\0${value.id}`)
    lines.push(line)
    bytes += line.length
  }
  if (lines.length > 0) yield { body: joined(lines, bytes), lines: lines.length, keys }
}

function joined(lines: Uint8Array[], bytes: number): Uint8Array<ArrayBuffer> {
  const body = new Uint8Array(bytes)
  let at = 0
  for (const line of lines) {
    body.set(line, at)
    at += line.length
  }
  return body
}
