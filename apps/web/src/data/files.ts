/** Files on pages: pictures by their own address, and the beginnings of texts. Neither can run scripts. */
import { fieldsMax, fieldsOf, parseFileReference, tellingField } from '@ulmus/content'
import { type ReadableFile, RegistryError } from '@ulmus/registry'
import type { VersionFile } from '@ulmus/wire'
import { cutName, cutText, withoutUnseen } from '../format.ts'
import type { Visit } from '../page.ts'
import { apiCollectionPath, type CollectionName } from '../paths.ts'
import { schemaIn, type VersionResponse, type VisitedCollection } from './collection.ts'
import type { FileFacts } from './file-kinds.ts'
import { isObject, nameOf, readRecords } from './records.ts'

/** Length of the beginning of a text that is read and shown. Bytes. */
export const textBytesMax = 65_536

export interface TextPreview {
  readonly text: string
  /** True if the text was cut. */
  readonly isCut: boolean
}

/**
 * Reads the beginning of a text with the visitor's rights. Returns undefined if the bytes are not text. @throws file_not_found,
 * object_corrupt
 */
export async function readText(
  visit: Visit,
  { owner, slug, who }: VisitedCollection,
  hash: string,
): Promise<TextPreview | undefined> {
  const file = await visit.registry.files.get(who, { owner, slug, hash })
  const isCut = file.size > textBytesMax
  const bytes = await bytesOf(file, isCut)
  // UTF-16 contains zero bytes too, so it can only be downloaded.
  if (bytes.includes(0)) return undefined
  const [, charset = 'utf-8'] = /;\s*charset="?([\w.:-]+)/i.exec(file.contentType) ?? []
  // In stream mode the decoder omits a character that is cut in two.
  return { text: decoderFor(charset).decode(bytes, { stream: isCut }), isCut }
}

/** Reading the whole file verifies it; reading a part cannot. */
async function bytesOf(file: ReadableFile, isCut: boolean): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of file.stream(isCut ? { start: 0, length: textBytesMax } : undefined))
    pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Uploaders may name any charset. Reads an unknown one as UTF-8. */
function decoderFor(charset: string): TextDecoder {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}

/** Maximum number of files of a page whose facts are looked up. */
const filesKnownMax = 50

/** A file without its bytes. */
export interface NamedFile extends FileFacts {
  readonly hash: string
}

/** Details of the files in the fields and lists of records, by hash; only the first few. */
export async function filesOfRecords(
  { registry }: Visit,
  { owner, slug, who }: VisitedCollection,
  all: readonly unknown[],
): Promise<ReadonlyMap<string, NamedFile>> {
  const names = new Map(
    all
      .flatMap(filesWithin)
      .slice(0, filesKnownMax)
      .map(({ hash, name }) => [hash, name]),
  )
  const facts = names.size === 0 ? [] : await registry.files.facts(who, { owner, slug }, [...names.keys()])
  return new Map(
    Array.from(facts, ([hash, { contentType, size }]) => [
      hash,
      { hash, name: names.get(hash), contentType, size },
    ]),
  )
}

/** Maximum number of files of a list whose names are looked up. Each takes a query. */
export const namedFilesMax = 24

export interface FileLabels {
  /** Name that the record gives to the file. */
  readonly name: string | undefined
  /** The name, or the field and the record that has it: `outline of India`. */
  readonly label: string
}

/** Labels by hash of the first files of a list, from the first record that refers to each. */
export async function labelsOfFiles(
  visit: Visit,
  seen: VisitedCollection,
  version: VersionResponse,
  files: readonly VersionFile[],
): Promise<ReadonlyMap<string, FileLabels>> {
  const telling = new Map<string, string | undefined>()
  for (const type of new Set(files.flatMap(({ references: [first] }) => first?.type ?? []))) {
    const schema = schemaIn(version, type)
    telling.set(type, schema && tellingField(fieldsOf(schema, fieldsMax)))
  }
  const labelled = files.slice(0, namedFilesMax).map(async ({ hash, references: [first] }) => {
    if (first === undefined) return []
    const { type, id } = first
    const page = await readRecords(visit, seen, { type, id, schema: undefined }).catch(unlessRefused)
    const data = page?.records[0]?.data
    const name = filesWithin(data).find((one) => one.hash === hash)?.name
    const record = withoutUnseen(cutText(nameOf({ data }, telling.get(type)) ?? id, labelMax))
    const field = isObject(data) ? Object.keys(data).find((one) => hasFile(data[one], hash)) : undefined
    const label = name ?? `${field === undefined ? 'file' : cutName(field, labelMax)} of ${record}`
    return [[hash, { name, label }] as const]
  })
  return new Map((await Promise.all(labelled)).flat())
}

/** Longer names of fields and records are cut in labels of files. Characters. */
const labelMax = 60

const hasFile = (value: unknown, hash: string): boolean => filesWithin(value).some((one) => one.hash === hash)

/** A list without a name is better than none. */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof RegistryError)) throw error
}

/** Files in a record's fields and lists. */
function filesWithin(data: unknown): FileReference[] {
  // The data may itself be a file reference, or a list of them.
  const values = [data, ...(typeof data === 'object' ? Object.values(data ?? {}) : [])]
  return values.flatMap(referencesIn)
}

export interface FileReference {
  readonly hash: string
  readonly name: string | undefined
}

/** The files of a value that is a file reference, or a list of only file references. Empty for other values. */
export function referencesIn(value: unknown): FileReference[] {
  const references: FileReference[] = []
  for (const one of Array.isArray(value) ? value : [value]) {
    const hash = fileIn(one)
    if (hash === undefined) return []
    references.push({ hash, name: nameIn(one) })
  }
  return references
}

/** Longer names are no names of files. Characters. */
const nameMax = 200

/** The member `name` of a file reference, without characters that hide its ending. */
function nameIn(reference: unknown): string | undefined {
  const { name } = reference as { readonly name?: unknown }
  if (typeof name !== 'string' || name.length > nameMax) return undefined
  return (
    withoutUnseen(name)
      .replace(/\p{Cc}/gu, '')
      .trim() || undefined
  )
}

/** Hash of a file reference, an object with `"$file": "sha256:…"` (content-model §3). Undefined for other values. */
export function fileIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, '$file')) return undefined
  const { $file: hash } = value as { $file: unknown }
  return typeof hash === 'string' && parseFileReference(hash) !== undefined ? hash : undefined
}

/** Other members of a file reference than `$file` and its name; undefined if there are none. */
export function besideFiles(value: unknown): unknown {
  if (Array.isArray(value)) {
    const all = value.map(besideFiles).filter((one) => one !== undefined)
    return all.length === 0 ? undefined : all
  }
  const { $file: _, ...rest } = value as { $file: unknown; name?: unknown }
  if (nameIn(value) === rest.name) delete rest.name
  return Object.keys(rest).length === 0 ? undefined : rest
}

/** Address of the file's bytes. */
export const fileHref = ({ owner, slug }: CollectionName, hash: string): string =>
  apiCollectionPath({ owner, slug }, 'files', hash).replaceAll('%3A', ':')
