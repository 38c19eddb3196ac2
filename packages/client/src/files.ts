/** Files, identified by their SHA-256. http-api §8. */
import { hashBytes, openHash } from '@ulmus/content'
import type { StoredFile } from '@ulmus/wire'
import { call, requestOf } from './calls.ts'
import { UlmusError } from './errors.ts'
import { type CollectionRef, partsOf } from './places.ts'
import type { Transport } from './transport.ts'

/** Bytes of a file. A `Blob` (in Node: `fs.openAsBlob`) is read from disk while it is sent. */
export type FileBytes = Uint8Array<ArrayBuffer> | Blob

export interface FileUpload {
  readonly bytes: FileBytes
  /** Default: the blob's type, else `application/octet-stream`. */
  readonly contentType?: string
  /** `sha256:<hex>`, if known; otherwise it is computed, which reads a blob into memory. */
  readonly hash?: string
}

/** A file with its hash. */
export interface NamedFile {
  readonly hash: string
  readonly bytes: FileBytes
  readonly contentType: string
}

/** Determines a file's hash, by which records refer to it: `{ $file: hash }`. */
export async function nameFile(upload: FileUpload): Promise<NamedFile> {
  const { bytes } = upload
  const ownType = bytes instanceof Blob ? bytes.type : ''
  const contentType = upload.contentType ?? (ownType === '' ? 'application/octet-stream' : ownType)
  if (upload.hash !== undefined) return { hash: upload.hash, bytes, contentType }
  const whole = bytes instanceof Blob ? new Uint8Array(await bytes.arrayBuffer()) : bytes
  return { hash: `sha256:${hashBytes(whole)}`, bytes, contentType }
}

export const fileCalls = (transport: Transport) => {
  const requestFor = (ref: CollectionRef, hash: string, signal: AbortSignal | undefined) =>
    requestOf('GET /api/collections/:owner/:slug/files/:hash', { ...partsOf(ref), hash }, { signal })
  return {
    /** Uploads a file to a collection; a repetition is harmless. @throws hash_mismatch, too_large */
    upload: async (ref: CollectionRef, upload: FileUpload, signal?: AbortSignal): Promise<StoredFile> => {
      const { hash, bytes, contentType } = await nameFile(upload)
      return call(
        transport,
        'PUT /api/collections/:owner/:slug/files/:hash',
        { ...partsOf(ref), hash },
        { raw: { body: bytes, contentType }, signal },
      )
    },
    /** Downloads the whole file into memory and verifies its hash. @throws file_not_found; `hash_mismatch` for damaged bytes */
    download: async (ref: CollectionRef, hash: string, signal?: AbortSignal) => {
      const { body: bytes, headers } = await transport.bytes(requestFor(ref, hash, signal))
      demandHash(hash, hashBytes(bytes))
      return { bytes, contentType: headers.get('content-type') ?? 'application/octet-stream' }
    },
    /**
     * Returns the response with its body unread, for files too large for memory. The hash is verified at the end: reading the body rejects
     * with `hash_mismatch` for damaged bytes.
     */
    open: async (ref: CollectionRef, hash: string, signal?: AbortSignal): Promise<Response> => {
      const { response } = await transport.open(requestFor(ref, hash, signal))
      const { status, statusText, headers } = response
      return new Response(response.body?.pipeThrough(verifying(hash)), { status, statusText, headers })
    },
  }
}

function verifying(hash: string): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  const read = openHash()
  return new TransformStream({
    transform(chunk, controller) {
      read.update(chunk)
      controller.enqueue(chunk)
    },
    flush: () => demandHash(hash, read.digest()),
  })
}

function demandHash(hash: string, digits: string): void {
  if (hash === `sha256:${digits}`) return
  throw new UlmusError(`The file ${hash} arrived as sha256:${digits}. Download it again.`, {
    status: 0,
    code: 'hash_mismatch',
  })
}
