/** Splits NDJSON into batches within the limits of a push session. http-api §9. */

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
  /** Sent as `JSON.stringify` writes it, so undefined members are omitted. */
  readonly data: object | string | number | boolean | null
  /** True if only members of the collection's owner see it. Default: false */
  readonly private?: boolean
}

export interface BatchLimits {
  /** Maximum size of a batch; a single longer line is sent alone. */
  readonly bytes: number
  readonly lines: number
}

const encoder = new TextEncoder()

/** Encodes values as lines of JSON, in batches in the given order. Undefined members are omitted. */
export async function* batchesOf(
  values: Iterable<Keyed> | AsyncIterable<Keyed>,
  limits: BatchLimits,
): AsyncGenerator<Batch, void, undefined> {
  let lines: Uint8Array[] = []
  let bytes = 0
  let keys = new Set<string>()
  for await (const value of values) {
    const line = encoder.encode(`${JSON.stringify(value)}\n`)
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
