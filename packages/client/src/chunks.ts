/** Bodies of answers as they arrive: in chunks, in lines, or whole. */

/**
 * The chunks of `response`. Rejects when its body breaks off or is silent for `silenceMs`; the time between two chunks asked
 * for does not count. Giving up early cancels the body.
 */
export async function* readChunks(
  response: Response,
  silenceMs: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (response.body === null) return
  const reader = response.body.getReader()
  try {
    for (;;) {
      const { done, value } = await withinSilence(reader.read(), silenceMs)
      if (done) return
      yield value
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

/** The lines of `response`, without their ends, blank ones left out. Rejects as `readChunks`, and for what is not UTF-8. */
export async function* readLines(
  response: Response,
  silenceMs: number,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  /** The beginning of a line whose end has not come, in pieces: a long line is not joined anew with every chunk. */
  let pieces: string[] = []
  for await (const chunk of readChunks(response, silenceMs)) {
    const lines = decoder.decode(chunk, { stream: true }).split('\n')
    for (const end of lines.slice(0, -1)) {
      const line = pieces.join('') + end
      pieces = []
      if (line.trim() !== '') yield line
    }
    pieces.push(lines.at(-1) ?? '')
  }
  const rest = pieces.join('') + decoder.decode()
  if (rest.trim() !== '') yield rest
}

/** The whole body of `response`. Rejects as `readChunks`. */
export async function readWhole(response: Response, silenceMs: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  for await (const chunk of readChunks(response, silenceMs)) chunks.push(chunk)
  const whole = new Uint8Array(chunks.reduce((bytes, chunk) => bytes + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

async function withinSilence<T>(read: Promise<T>, silenceMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`silent for ${silenceMs} ms`)), silenceMs)
  })
  try {
    return await Promise.race([read, silence])
  } finally {
    clearTimeout(timer)
  }
}
