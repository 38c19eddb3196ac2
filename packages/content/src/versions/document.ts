/**
 * View documents: metadata and tree roots of a version, and their digests (content-model §7). Also merges and checks metadata (http-api
 * §5).
 */
import { type Hash, hashText, parseHash, utf8Length } from '../hash.ts'
import { canonicalize } from '../json/canonical.ts'
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { parseJson } from '../json/parse.ts'
import { typeFault } from '../records/input.ts'

/** Reference to a tree in a document. Empty: root null, count 0, bytes 0. */
export interface TreeSummary {
  root: Hash | null
  /** Entries. */
  count: number
  /** Sum of the entries' sizes, in bytes. */
  bytes: number
}

/** The records of one type and the schema they match. */
export interface TypeEntry extends TreeSummary {
  schema: Hash
}

/** Content of one view of a version. */
export interface ViewDocument {
  files: TreeSummary
  metadata: JsonObject
  /** By type. A type may be named `__proto__`: build this object with `Object.fromEntries`. */
  types: Record<string, TypeEntry>
}

/** A document without its metadata, which may take a MiB: the roots of its trees. */
export type ViewRoots = Pick<ViewDocument, 'files' | 'types'>

/** A document as in RFC 8785: the text that is stored and hashed. */
export function documentText(document: ViewDocument): string {
  const { files, metadata, types } = document
  const entries = Object.entries(types).map(([type, { schema, root, count, bytes }]): [string, Json] => [
    type,
    { schema, root, count, bytes },
  ])
  return canonicalize({
    files: { root: files.root, count: files.count, bytes: files.bytes },
    metadata,
    types: Object.fromEntries(entries),
  })
}

/**
 * The metadata of a stored document, in canonical form, without parsing it.
 * @param bytes of the document. @param roots the document's other members
 * @throws DocumentError if the bytes are not those of a document with these roots
 */
export function metadataIn(bytes: Uint8Array, roots: ViewRoots): Uint8Array {
  const text = documentText({ ...roots, metadata: {} })
  const start = text.indexOf(metadataStart) + metadataStart.length
  const [before, after] = [
    encoder.encode(text.slice(0, start)),
    encoder.encode(text.slice(start + '{}'.length)),
  ]
  const end = bytes.length - after.length
  const isOfThese = end > before.length && isAt(bytes, before, 0) && isAt(bytes, after, end)
  if (!isOfThese) throw new DocumentError('The document has other roots than those that are given.')
  return bytes.subarray(before.length, end)
}

const encoder = new TextEncoder()

const isAt = (bytes: Uint8Array, part: Uint8Array, at: number): boolean =>
  part.every((byte, index) => bytes[at + index] === byte)

/** The text before it has only counts and a hash, so this is its first occurrence. */
const metadataStart = '"metadata":'

/** SHA-256 of `documentText`. */
export function documentDigest(document: ViewDocument): Hash {
  return hashText(documentText(document))
}

/** A malformed stored document. The message names the fault. */
export class DocumentError extends Error {
  override readonly name = 'DocumentError'
}

/**
 * Parses a document from its text or UTF-8 bytes. The caller must check that they hash to the requested digest.
 * @throws DocumentError if the text is not the canonical form of a document.
 */
export function parseDocument(source: string | Uint8Array): ViewDocument {
  const { text, value } = parseText(source)
  const { files, metadata, types } = membersOf(value, ['files', 'metadata', 'types'], 'The document')
  checkTree(files, 'files')
  if (!isJsonObject(metadata)) throw new DocumentError('"metadata" must be an object.')
  if (!isJsonObject(types)) throw new DocumentError('"types" must be an object.')
  for (const type of Object.keys(types)) checkType(type, types[type])
  if (canonicalize(value) !== text) throw new DocumentError('The document is not in canonical form.')
  return value as unknown as ViewDocument
}

/** Parses without the input rules: they admit 1e20 but refuse its canonical form, an integer beyond 2^53. */
function parseText(source: string | Uint8Array): { text: string; value: Json } {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    const text = typeof source === 'string' ? source : decoder.decode(source)
    return { text, value: parseJson(text) as Json }
  } catch (cause) {
    throw new DocumentError('The document is no JSON text in UTF-8.', { cause })
  }
}

function checkType(type: string, entry: Json | undefined): void {
  const fault = typeFault(type)
  if (fault !== undefined) throw new DocumentError(fault)
  const { schema, ...tree } = membersOf(
    entry,
    ['schema', 'root', 'count', 'bytes'],
    `The type ${JSON.stringify(type)}`,
  )
  if (!isHash(schema)) throw new DocumentError(`The schema of ${JSON.stringify(type)} must be a hash.`)
  checkTree(tree, type)
}

function checkTree(value: Json | undefined, name: string): void {
  const { root, count, bytes } = membersOf(value, ['root', 'count', 'bytes'], JSON.stringify(name))
  if (!isCount(count) || !isCount(bytes))
    throw new DocumentError(`Counts of ${JSON.stringify(name)} must be whole numbers.`)
  if (root === null ? count !== 0 || bytes !== 0 : !isHash(root) || count === 0) {
    throw new DocumentError(
      `The root of ${JSON.stringify(name)} must be a hash, or null exactly when the tree is empty.`,
    )
  }
}

/** `value` as an object with exactly the members `names`. */
function membersOf(value: Json | undefined, names: readonly string[], what: string): JsonObject {
  if (isJsonObject(value)) {
    const isExact =
      Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name))
    if (isExact) return value
  }
  throw new DocumentError(`${what} must be an object of ${names.join(', ')}.`)
}

function isHash(value: Json | undefined): boolean {
  return typeof value === 'string' && parseHash(value) !== undefined
}

function isCount(value: Json | undefined): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

/** View that a digest covers: `private` for members, `public` for all other readers. */
export type ViewName = 'private' | 'public'

/** External form of a digest: `private:` and the hash of the full document, or `public:` and the hash of the public one. */
export function digestLabel(view: ViewName, hash: Hash): string {
  return `${view}:${hash}`
}

/** The parts of a digest label; undefined for any other text. */
export function parseDigestLabel(text: string): { view: ViewName; hash: Hash } | undefined {
  const colon = text.indexOf(':')
  const view = text.slice(0, Math.max(colon, 0))
  const hash = parseHash(text.slice(colon + 1))
  return (view === 'private' || view === 'public') && hash !== undefined ? { view, hash } : undefined
}

/** Largest merged metadata in canonical form: 1 MiB. */
export const metadataBytesMax = 1_048_576

/** Members that must be strings (or null in a patch, which removes them). */
const textMembers = ['description', 'readme', 'license']

/** A fault of a metadata patch. */
export interface MetadataIssue {
  /** JSON pointer into the patch. */
  path: string
  message: string
}

/** `base` with its top-level members replaced by those of `patch`; a null in the patch removes a member. */
export function mergeMetadata(base: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(base))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, value)
  }
  return Object.fromEntries(merged)
}

/** Faults of a patch: `description`, `readme` and `license` must be strings or null. */
export function metadataIssues(patch: JsonObject): MetadataIssue[] {
  const issues: MetadataIssue[] = []
  for (const name of textMembers) {
    const value = Object.hasOwn(patch, name) ? patch[name] : null
    if (value !== null && typeof value !== 'string') {
      issues.push({ path: `/${name}`, message: 'must be a string, or null to remove it' })
    }
  }
  return issues
}

/** Size of metadata, as limited by `metadataBytesMax`. Bytes. */
export function metadataBytes(metadata: JsonObject): number {
  return utf8Length(canonicalize(metadata))
}
