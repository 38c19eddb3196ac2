/** Reads schemas, metadata, readme and files of a working folder. Invalid ones are refused here, before anything is sent. */
import { createHash } from 'node:crypto'
import {
  acceptSchema,
  canonicalize,
  InputError,
  isJsonObject,
  type Json,
  type JsonObject,
  parseStrict,
  type Schema,
  SchemaError,
} from '@ulmus/content'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { CommandError } from '../../terminal/failure.ts'
import { type FileIndex, statFile } from './file-index.ts'
import { readInside, streamInside } from './inside.ts'
import { paths, schemaFiles, storedFiles } from './layout.ts'

/** Maximum nesting of JSON files, as the registry limits requests. */
const depthMax = 65

/**
 * Schemas by type.
 * @param stored schemas of the base, which were accepted before: a rule of today must not lock the folder
 * @throws CommandError for an invalid schema, with its file
 */
export function readSchemas(
  root: string,
  stored: Readonly<Record<string, JsonObject>> = {},
): Map<string, Schema> {
  const schemas = new Map<string, Schema>()
  for (const [type, path] of schemaFiles(root)) {
    const source = readObject(root, path)
    try {
      const before = Object.hasOwn(stored, type) ? stored[type] : undefined
      schemas.set(type, acceptSchema(source ?? {}, { accepted: isSameJson(before, source) }))
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error
      throw refused(`${path}: ${error.message}`, error)
    }
  }
  return schemas
}

/** Metadata of the version: `metadata.json`, with the text of `README.md` as `readme`. */
export function readMetadata(root: string): JsonObject {
  const metadata = readObject(root, paths.metadata) ?? {}
  const readme = readText(root, paths.readme)
  if (Object.hasOwn(metadata, 'readme'))
    throw refused(`${paths.metadata} has a \`readme\`: it stands in ${paths.readme}. Move it there.`)
  return readme === undefined ? metadata : { ...metadata, readme }
}

/** Patch of top-level members from the metadata `before` to `after`; null removes one. */
export function metadataPatch(before: JsonObject, after: JsonObject): JsonObject {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  const changed = [...names].filter((name) => !isSameJson(memberOf(before, name), memberOf(after, name)))
  return Object.fromEntries(changed.map((name) => [name, memberOf(after, name) ?? null]))
}

const memberOf = (object: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** Compares values by their canonical form, so that the order of members does not matter. */
export const isSameJson = (a: Json | undefined, b: Json | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && canonicalize(a) === canonicalize(b))

/** A file under `files/`. */
export interface StoredFile {
  /** Path from the root. */
  readonly path: string
  /** `sha256:<hex>` */
  readonly hash: string
  readonly size: number
}

/** Files under `files/`. Hashes those that the index does not know. */
export async function readFiles(root: string, index: FileIndex): Promise<StoredFile[]> {
  const files: StoredFile[] = []
  for (const path of storedFiles(root)) {
    const stat = statFile(root, path)
    const hash = index.hashOf(stat) ?? (await hashOfFile(root, path))
    index.rememberHash(stat, hash)
    files.push({ path, hash, size: stat.size })
  }
  return files
}

/** Hash of a file of any size, as `sha256:<hex>`. */
export async function hashOfFile(root: string, path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of streamInside(root, path)) hash.update(chunk)
  return `sha256:${hash.digest('hex')}`
}

/** Undefined if there is no such file. */
function readText(root: string, path: string): string | undefined {
  const bytes = readInside(root, path)
  if (bytes === undefined) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw refused(`${path} is not UTF-8.`, cause)
  }
}

function readObject(root: string, path: string): JsonObject | undefined {
  const text = readText(root, path)
  if (text === undefined) return undefined
  try {
    const value = parseStrict(text, { depthMax })
    if (isJsonObject(value)) return value
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    throw refused(`${path}: ${error.message}`, error)
  }
  throw refused(`${path} is no JSON object.`)
}

const refused = (message: string, cause?: unknown): CommandError =>
  new CommandError(message, { exitCode: exitCodes.refused, code: 'refused', cause })
