/**
 * Reads from a bucket. The client library retries requests, but not broken bodies: this counts the received bytes and resumes at the same
 * offset, only while the blob is unchanged (ETag).
 */
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { GetObjectCommand, type GetObjectCommandOutput } from '@aws-sdk/client-s3'
import { BlobMissingError, StoreUnavailableError } from '../../errors/stores.ts'
import type { ByteRange } from '../blob-store.ts'
import { answerOf, type Bucket, storeError } from './bucket.ts'

/** Consecutive connections that may break or end early without delivering a byte. */
const fruitlessMax = 4
/** Pause before the second try: a random part of this; the bound doubles with each further try. Milliseconds. */
const pauseMilliseconds = 100

interface Part {
  body: Readable
  /** End of the requested bytes, as an offset in the blob. */
  end: number
  /** Identifies the bytes that the name referred to (ETag). */
  tag: string | undefined
}

/**
 * Streams a blob, or a range of at least one byte. Always sends a range request, because only its answer contains both the
 * blob's length and the returned part. Closes the connection if the reader stops.
 */
export async function* streamFrom(
  bucket: Bucket,
  blob: string,
  range?: ByteRange,
): AsyncGenerator<Uint8Array> {
  let at = range?.start ?? 0
  let end = range === undefined ? undefined : range.start + range.length
  let tag: string | undefined
  for (let fruitless = 0; ; fruitless++) {
    const part = await request(bucket, blob, { at, end, tag })
    if (part === 'empty') return
    ;({ end, tag } = part)
    let broken: unknown
    try {
      for await (const chunk of part.body as AsyncIterable<Uint8Array>) {
        at += chunk.length
        if (at > end) throw new RangeError(`More came of ${blob} than was asked for.`)
        if (chunk.length > 0) fruitless = -1
        yield chunk
      }
    } catch (error) {
      if (error instanceof RangeError) throw error
      broken = error
    }
    if (at === end) return
    if (fruitless + 1 >= fruitlessMax)
      throw new StoreUnavailableError(`${blob} breaks off at byte ${at} of ${end}.`, { cause: broken })
    await sleep(Math.random() * pauseMilliseconds * 2 ** Math.max(fruitless, 0))
  }
}

/** @param wanted Bytes `at` to `end`, or to the blob's own end; if `tag` is given, only of the blob with this tag. */
async function request(
  bucket: Bucket,
  blob: string,
  wanted: { at: number; end: number | undefined; tag: string | undefined },
): Promise<Part | 'empty'> {
  const { at, end, tag } = wanted
  const command = new GetObjectCommand({
    Bucket: bucket.name,
    Key: bucket.key(blob),
    Range: `bytes=${at}-${end === undefined ? '' : end - 1}`,
    IfMatch: tag,
  })
  let answer: GetObjectCommandOutput
  try {
    answer = await bucket.client.send(command)
  } catch (error) {
    const { status } = answerOf(error)
    // The blob is empty: there is no byte at offset 0.
    if (status === 416 && at === 0 && end === undefined) return 'empty'
    if (status === 412) throw replaced(blob, error)
    throw storeError(error, blob)
  }
  const { Body: body, ETag, ContentRange } = answer
  if (!(body instanceof Readable)) throw new StoreUnavailableError('it answers without a body.')
  const [, start, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(ContentRange ?? '') ?? []
  let wrong: Error | undefined
  if (Number(start) !== at) wrong = new StoreUnavailableError('it does not answer with the range asked for.')
  else if (tag !== undefined && ETag !== tag) wrong = replaced(blob)
  else if (end !== undefined && Number(total) < end) wrong = new BlobMissingError(blob)
  if (wrong === undefined) return { body, end: end ?? Number(total), tag: ETag }
  body.destroy()
  throw wrong
}

const replaced = (blob: string, cause?: unknown) =>
  new StoreUnavailableError(`${blob} was replaced while it was read.`, { cause })
