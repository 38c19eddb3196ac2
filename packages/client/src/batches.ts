/** NDJSON in batches that keep a push session's limits. http-api §9. */

export interface Batch {
  /** Lines, each with its end. */
  readonly body: Uint8Array<ArrayBuffer>
  readonly lines: number
}

export interface BatchLimits {
  /** At most this many bytes, unless a single line alone is longer. */
  readonly bytes: number
  readonly lines: number
}

const encoder = new TextEncoder()

/** Values as lines of JSON, gathered into batches in their order. A value's `undefined` members are left out. */
export async function* batchesOf(
  values: Iterable<unknown> | AsyncIterable<unknown>,
  limits: BatchLimits,
): AsyncGenerator<Batch, void, undefined> {
  let lines: Uint8Array[] = []
  let bytes = 0
  for await (const value of values) {
    const line = encoder.encode(`${JSON.stringify(value)}\n`)
    if (lines.length > 0 && (lines.length >= limits.lines || bytes + line.length > limits.bytes)) {
      yield joined(lines, bytes)
      lines = []
      bytes = 0
    }
    lines.push(line)
    bytes += line.length
  }
  if (lines.length > 0) yield joined(lines, bytes)
}

function joined(lines: Uint8Array[], bytes: number): Batch {
  const body = new Uint8Array(bytes)
  let at = 0
  for (const line of lines) {
    body.set(line, at)
    at += line.length
  }
  return { body, lines: lines.length }
}
