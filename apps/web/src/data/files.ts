/** Files as pages show them: pictures by their own address, of texts the beginning. Nothing in either can do anything. */
import { parseFileReference } from '@ulmus/content'
import { type ReadableFile, RegistryError } from '@ulmus/registry'
import type { Visit } from '../page.ts'
import { apiCollectionPath, type CollectionName } from '../paths.ts'
import type { SeenCollection } from './collection.ts'

/**
 * Pictures that browsers show in `<img>`, where nothing of an SVG runs or loads anything. The file's own answer is no page either: an
 * attachment with a policy of its own, in a sandbox (`apps/server/src/routes/versions/files.ts`).
 */
const pictures = /^image\/(?:png|jpeg|gif|webp|avif|svg\+xml)$/
/** Larger pictures are downloaded. Bytes. */
const pictureBytesMax = 10_000_000
/** In lists, where many are loaded at once: small ones, and none that has to be drawn. Bytes. */
const thumbnailBytesMax = 2_000_000

const texts =
  /^(?:text\/[\w.+-]+|application\/(?:json|x-ndjson|ndjson|jsonl|xml|yaml|x-yaml|toml|sql|javascript|[\w.-]+\+(?:json|xml)))$/
/** Of a text so much is read and shown. Bytes. */
export const textBytesMax = 65_536

interface Facts {
  readonly contentType: string
  readonly size: number
}

/** `text/csv; charset=utf-8` → `text/csv` */
const mediaType = (contentType: string): string => contentType.split(';', 1)[0]!.trim().toLowerCase()

export const hasThumbnail = ({ contentType, size }: Facts): boolean =>
  size <= thumbnailBytesMax && pictures.test(mediaType(contentType)) && !contentType.includes('svg')

/** How a file can be looked at; undefined: only downloaded. */
export function previewKind({ contentType, size }: Facts): 'picture' | 'text' | undefined {
  const type = mediaType(contentType)
  if (pictures.test(type)) return size <= pictureBytesMax ? 'picture' : undefined
  return texts.test(type) ? 'text' : undefined
}

export interface TextPreview {
  readonly text: string
  /** True if the text continues. */
  readonly isCut: boolean
}

/** The beginning of a text, read as the visitor; undefined where the bytes are no text. @throws file_not_found, object_corrupt */
export async function readText(
  visit: Visit,
  { owner, slug, who }: SeenCollection,
  hash: string,
): Promise<TextPreview | undefined> {
  const file = await visit.registry.files.get(who, { owner, slug, hash })
  const isCut = file.size > textBytesMax
  const bytes = await bytesOf(file, isCut)
  // UTF-16 has it in every other byte, and is taken for what it is not: it is downloaded.
  if (bytes.includes(0)) return undefined
  const [, charset = 'utf-8'] = /;\s*charset="?([\w.:-]+)/i.exec(file.contentType) ?? []
  // Of a character that is cut in two nothing is shown.
  return { text: decoderFor(charset).decode(bytes, { stream: isCut }), isCut }
}

/** A whole file is checked as it is read; a part of one cannot be. */
async function bytesOf(file: ReadableFile, isCut: boolean): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of file.stream(isCut ? { start: 0, length: textBytesMax } : undefined))
    pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Uploaders say what they like: what no decoder is for is read as UTF-8. */
function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}

/** Files of a record that are looked up, each. */
const filesOfRecordMax = 20

export interface NamedFile extends Facts {
  readonly hash: string
}

/** Details of the files in a record's fields and lists, by hash; only the first few. */
export async function filesOfRecord(
  { registry }: Visit,
  { owner, slug, who }: SeenCollection,
  data: unknown,
): Promise<ReadonlyMap<string, NamedFile>> {
  // The data may be a file itself, or a list of them.
  const values = [data, ...(typeof data === 'object' ? Object.values(data ?? {}) : [])]
  const hashes = new Set(values.flatMap((value) => filesIn(value)).slice(0, filesOfRecordMax))
  const found = [...hashes].map(async (hash) => {
    const { contentType, size } = await registry.files.get(who, { owner, slug, hash })
    return [hash, { hash, contentType, size }] as const
  })
  const known = await Promise.all(found.map((one) => one.catch(unlessMissing)))
  return new Map(known.filter((one) => one !== undefined))
}

/** An apparent file reference may be none. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof RegistryError) || error.kind !== 'missing') throw error
}

/** The hash of a reference to a file, an object with `"$file": "sha256:…"` (content-model §3); undefined: it is none. */
export function fileIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, '$file')) return undefined
  const { $file: hash } = value as { $file: unknown }
  return typeof hash === 'string' && parseFileReference(hash) !== undefined ? hash : undefined
}

/** Members of references beside `$file`; undefined if there are none. */
export function besideFiles(value: unknown): unknown {
  if (Array.isArray(value)) {
    const all = value.map(besideFiles).filter((one) => one !== undefined)
    return all.length === 0 ? undefined : all
  }
  const { $file: _, ...rest } = value as { $file: unknown }
  return Object.keys(rest).length === 0 ? undefined : rest
}

/** Hashes of a value that is a file, or a list of nothing but files; of others none. */
export function filesIn(value: unknown): string[] {
  const all = [value].flat()
  const hashes = all.flatMap((one) => fileIn(one) ?? [])
  return hashes.length === all.length ? hashes : []
}

/** Address of the bytes. */
export const fileHref = ({ owner, slug }: CollectionName, hash: string): string =>
  apiCollectionPath({ owner, slug }, 'files', hash).replaceAll('%3A', ':')
