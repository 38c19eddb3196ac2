/** Reads bodies of answers: in chunks, in lines, or whole. */
import { UlmusError } from './errors.ts'

/**
 * Chunks of `response`. Rejects if its body breaks off or is silent for `silenceMs`; time that the consumer takes between two
 * chunks does not count. Cancels the body if the consumer stops early.
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

/** More than any record takes, however it is written. Characters. */
const lineLengthMax = 67_108_864

/**
 * Lines of `response`, without line ends and blank lines. Rejects like `readChunks`, for a line over 64 Mi characters, and
 * for invalid UTF-8.
 */
export async function* readLines(
  response: Response,
  silenceMs: number,
  lengthMax = lineLengthMax,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  /** Parts of an incomplete line. A list, so that a long line is not copied with every chunk. */
  let pieces: string[] = []
  let waiting = 0
  for await (const chunk of readChunks(response, silenceMs)) {
    const lines = decoder.decode(chunk, { stream: true }).split('\n')
    for (const end of lines.slice(0, -1)) {
      const line = pieces.join('') + end
      pieces = []
      waiting = 0
      if (line.trim() !== '') yield line
    }
    const piece = lines.at(-1) ?? ''
    pieces.push(piece)
    waiting += piece.length
    if (waiting > lengthMax) throw tooLarge(response)
  }
  const rest = pieces.join('') + decoder.decode()
  if (rest.trim() !== '') yield rest
}

/** The whole body of `response`. Rejects like `readChunks`, and for a body over `bytesMax`. */
export async function readWhole(
  response: Response,
  silenceMs: number,
  bytesMax: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of readChunks(response, silenceMs)) {
    bytes += chunk.length
    if (bytes > bytesMax) throw tooLarge(response)
    chunks.push(chunk)
  }
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

/** Not retried: the next response would be just as large. */
const tooLarge = ({ status }: Response): UlmusError =>
  new UlmusError('The response exceeds the maximum size.', { status, code: 'answer_too_large' })

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
