/** Putting a blob: one request, or from the second part on a multipart upload, of which nothing is seen before its last request. */
import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { StoreUnavailable } from '../../errors/stores.ts'
import { answerOf, type Bucket, storeError, told } from './bucket.ts'
import { partBytes, s3BlobBytesMax } from './limits.ts'
import { type Part, partsOf } from './parts.ts'

/** Parts of one blob under way at once; beside them one is gathered. */
const partsAtOnce = 3
const partsMax = s3BlobBytesMax / partBytes

/**
 * When it fails, nothing is left but perhaps parts of an upload that could not be given up. An error of the source is told as it is.
 * @returns the bytes written.
 * @throws RangeError for more than `s3BlobBytesMax`; what `storeError` makes of the store's refusals.
 */
export async function upload(
  bucket: Bucket,
  blob: string,
  source: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<number> {
  const where = { Bucket: bucket.name, Key: bucket.key(blob) }
  let parts: Multipart | undefined
  try {
    for await (const part of partsOf(source)) {
      if (part.isLast && parts === undefined) {
        await told(bucket.client.send(signed(new PutObjectCommand({ ...where, Body: part.body }), part)))
        return part.body.length
      }
      parts ??= await Multipart.begin(bucket, where)
      await parts.send(part)
    }
    return await parts!.complete()
  } catch (error) {
    await parts?.abort()
    throw error
  }
}

type Place = { Bucket: string; Key: string }

/** A multipart upload that has begun. */
class Multipart {
  readonly #client: Bucket['client']
  readonly #upload: Place & { UploadId: string | undefined }
  readonly #givenUp = new AbortController()
  readonly #done: CompletedPart[] = []
  /** Requests under way, and those that failed. */
  readonly #sending = new Set<Promise<void>>()
  #bytes = 0

  private constructor(client: Bucket['client'], upload: Place & { UploadId: string | undefined }) {
    this.#client = client
    this.#upload = upload
  }

  static async begin({ client, checksum }: Bucket, where: Place): Promise<Multipart> {
    const command = new CreateMultipartUploadCommand({ ...where, ChecksumAlgorithm: checksum })
    const { UploadId } = await told(client.send(command))
    return new Multipart(client, { ...where, UploadId })
  }

  /** Resolves when there is room for another part. Rejects when this one or an earlier one failed. */
  async send(part: Part): Promise<void> {
    if (part.number > partsMax) throw new RangeError(`A blob of more than ${s3BlobBytesMax} bytes.`)
    const sending = this.#sendPart(part).then(() => void this.#sending.delete(sending))
    sending.catch(() => undefined)
    this.#sending.add(sending)
    this.#bytes += part.body.length
    if (this.#sending.size >= partsAtOnce) await Promise.race(this.#sending)
  }

  async #sendPart(part: Part): Promise<void> {
    const command = signed(
      new UploadPartCommand({ ...this.#upload, PartNumber: part.number, Body: part.body }),
      part,
    )
    const abortSignal = this.#givenUp.signal
    const { ETag, ChecksumCRC32 } = await told(this.#client.send(command, { abortSignal }))
    if (ETag === undefined) throw new StoreUnavailable('it takes a part without saying its tag.')
    this.#done.push({ PartNumber: part.number, ETag, ChecksumCRC32 })
  }

  /** @returns the bytes of all parts. */
  async complete(): Promise<number> {
    await Promise.all(this.#sending)
    const Parts = this.#done.sort((a, b) => a.PartNumber! - b.PartNumber!)
    try {
      await this.#client.send(
        new CompleteMultipartUploadCommand({ ...this.#upload, MultipartUpload: { Parts } }),
      )
    } catch (error) {
      // Its answer may have been lost, and the client asked again of an upload that is there no more because it is complete.
      if (answerOf(error).code !== 'NoSuchUpload' || !(await this.#isThere())) throw storeError(error)
    }
    return this.#bytes
  }

  async #isThere(): Promise<boolean> {
    const { Bucket, Key } = this.#upload
    try {
      const { ContentLength } = await this.#client.send(new HeadObjectCommand({ Bucket, Key }))
      return ContentLength === this.#bytes
    } catch (error) {
      if (answerOf(error).status === 404) return false
      throw storeError(error)
    }
  }

  /** Gives up what the store holds of it. Where that fails, it goes when a store is opened a day later. */
  async abort(): Promise<void> {
    this.#givenUp.abort()
    await Promise.allSettled(this.#sending)
    await this.#client.send(new AbortMultipartUploadCommand(this.#upload)).catch(() => undefined)
  }
}

/** The client would hash the body itself, all of it at once and again at every try. */
function signed<T extends PutObjectCommand | UploadPartCommand>(command: T, { digest }: Part): T {
  const stack: Pick<UploadPartCommand['middlewareStack'], 'add'> = command.middlewareStack
  stack.add(
    (next) => (args) => {
      const { headers } = args.request as { headers: Record<string, string> }
      headers['x-amz-content-sha256'] = digest
      return next(args)
    },
    { step: 'build', name: 'digest' },
  )
  return command
}
