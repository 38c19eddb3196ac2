/** NDJSON in batches that keep a push session's limits. http-api §9. */

export interface Batch {
  /** Lines, each with its end. */
  readonly body: Uint8Array<ArrayBuffer>
  readonly lines: number
  /** Which records its lines are about. */
  readonly keys: ReadonlySet<string>
}

/** Common fields of every line. */
export interface Keyed {
  readonly id: string
  readonly type: string
}

/** A record to publish. */
export interface RecordToPut extends Keyed {
  /** Sent as `JSON.stringify` writes it, so members that are undefined are left out. */
  readonly data: object | string | number | boolean | null
  /** Whether only members of the collection's owner see it. Default: false */
  readonly private?: boolean
}

export interface BatchLimits {
  /** At most this many bytes, unless a single line alone is longer. */
  readonly bytes: number
  readonly lines: number
}

const encoder = new TextEncoder()

/** Values as lines of JSON, gathered into batches in their order. A value's `undefined` members are left out. */
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
    // No type holds U+0000.
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
