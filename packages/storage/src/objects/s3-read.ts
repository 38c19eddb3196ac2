/** Reading from a bucket: what arrives is counted, and a connection that breaks is taken up again where it broke. */
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { GetObjectCommand } from '@aws-sdk/client-s3'
import type { ByteRange } from './blob-store.ts'
import { BlobMissing, StoreUnavailable } from './errors.ts'
import { answerOf, type Bucket, storeError } from './s3-bucket.ts'

/** Times in a row that a connection may break, or end early, without having brought a byte. */
const fruitlessMax = 4
/** Before the second try, a random part of it; of twice as much before the next; and so on. Milliseconds. */
const pauseMilliseconds = 100

interface Part {
  body: Readable
  /** Where the bytes asked for end, counted from the blob's first. */
  end: number
  /** Which bytes the name stood for. */
  tag: string | undefined
}

/** At least one byte, or the whole. May be left at any time: the connection is then closed. */
export async function* streamFrom(
  bucket: Bucket,
  blob: string,
  range?: ByteRange,
): AsyncGenerator<Uint8Array> {
  let at = range?.start ?? 0
  let first: Part | undefined
  for (let fruitless = 0; ; fruitless++) {
    const end = range === undefined ? first?.end : range.start + range.length
    const part = await request(bucket, blob, { at, end, tag: first?.tag })
    first ??= part
    let broken: unknown
    try {
      for await (const chunk of part.body as AsyncIterable<Uint8Array>) {
        at += chunk.length
        if (at > part.end) throw new RangeError(`More came of ${blob} than was asked for.`)
        if (chunk.length > 0) fruitless = -1
        yield chunk
      }
    } catch (error) {
      if (error instanceof RangeError) throw error
      broken = error
    }
    if (at === part.end) return
    if (fruitless + 1 >= fruitlessMax) {
      throw new StoreUnavailable(`${blob} breaks off at byte ${at} of ${part.end}.`, { cause: broken })
    }
    await sleep(Math.random() * pauseMilliseconds * 2 ** Math.max(fruitless, 0))
  }
}

async function request(
  bucket: Bucket,
  blob: string,
  { at, end, tag }: { at: number; end: number | undefined; tag: string | undefined },
): Promise<Part> {
  const ranged = end !== undefined
  const command = new GetObjectCommand({
    Bucket: bucket.name,
    Key: bucket.key(blob),
    Range: ranged ? `bytes=${at}-${end - 1}` : undefined,
    IfMatch: tag,
  })
  const answer = await bucket.client.send(command).catch((error: unknown) => {
    if (answerOf(error).status === 412) throw replaced(blob, error)
    throw storeError(error, blob)
  })
  const { Body: body, ETag, ContentLength, ContentRange } = answer
  if (!(body instanceof Readable)) throw new StoreUnavailable('it answers without a body.')
  const refuse = (error: Error): never => {
    body.destroy()
    throw error
  }
  if (tag !== undefined && ETag !== tag) return refuse(replaced(blob))
  if (!ranged) {
    if (ContentLength === undefined)
      return refuse(new StoreUnavailable('it does not say how long a blob is.'))
    return { body, end: ContentLength, tag: ETag }
  }
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(ContentRange ?? '') ?? []
  if (Number(start) !== at)
    return refuse(new StoreUnavailable('it does not answer with the range asked for.'))
  if (Number(total) < end) return refuse(new BlobMissing(blob))
  return { body, end, tag: ETag }
}

const replaced = (blob: string, cause?: unknown) =>
  new StoreUnavailable(`${blob} was replaced while it was read.`, { cause })
