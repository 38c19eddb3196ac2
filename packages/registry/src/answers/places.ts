/**
 * Record positions in a version, and the trees and budgets of a page. Records are ordered by type, then id, both by UTF-8 bytes;
 * a cursor names the next position. http-api §7.
 */
import {
  canonicalize,
  compareUtf8,
  parseJson,
  type Tree,
  type TypeEntry,
  type ViewRoots,
} from '@ulmus/content'
import { RegistryError } from '../errors/errors.ts'

/** Type and id of a record. Clients may build a cursor from them, so its format is public. */
export interface RecordPosition {
  type: string
  id: string
}

export const comparePositions = (a: RecordPosition, b: RecordPosition): number =>
  compareUtf8(a.type, b.type) || compareUtf8(a.id, b.id)

/** base64url of JCS(`[type, id]`). */
export const writeCursor = ({ type, id }: RecordPosition): string =>
  Buffer.from(canonicalize([type, id])).toString('base64url')

/** @param parameter name of the query parameter. @throws invalid_request for a malformed cursor. */
export function readCursor(text: string, parameter: string): RecordPosition {
  const position = parseCursor(text)
  if (position !== undefined) return position
  const withType = parameter === 'after' ? '; with `type`, the id of a record will do' : ''
  const message = `is not a cursor: use \`nextCursor\` of a page, or base64url of the JCS of \`[type, id]\`${withType}`
  throw new RegistryError('invalid_request', { details: { issues: [{ path: parameter, message }] } })
}

function parseCursor(text: string): RecordPosition | undefined {
  try {
    const parts: unknown = parseJson(strict.decode(Buffer.from(text, 'base64url')))
    if (Array.isArray(parts) && parts.length === 2) {
      const [type, id]: unknown[] = parts
      if (typeof type === 'string' && typeof id === 'string' && writeCursor({ type, id }) === text)
        return { type, id }
    }
  } catch {
    // Not UTF-8, JSON or well-formed.
  }
  return undefined
}

/**
 * Start of a page of records: a cursor or, if the page is of one type, the id of a record. A cursor is never taken for an id: none is the
 * base64url of an array of two texts by chance.
 */
export function readAfter({ after, type }: { after?: string; type?: string }): RecordPosition | undefined {
  if (after === undefined) return undefined
  const cursor = parseCursor(after)
  if (cursor !== undefined) return cursor
  return type === undefined ? readCursor(after, 'after') : { type, id: after }
}

const strict = new TextDecoder('utf-8', { fatal: true })

/** Maximum types listed in an error message. */
const typesNamedMax = 20

/** The types of a view in order, or the requested one. @throws type_not_found if the view lacks it. */
export function selectedTypes(roots: ViewRoots, type: string | undefined): [string, TypeEntry][] {
  const all = Object.entries(roots.types).sort(([a], [b]) => compareUtf8(a, b))
  if (type === undefined) return all
  const requested = typeTree(roots, type)
  if (requested !== undefined) return [[type, requested]]
  throw new RegistryError('type_not_found', { say: { type, types: typeNames(roots) } })
}

/** The types of a view, as text for an error message. */
export function typeNames(roots: ViewRoots): string {
  const all = Object.keys(roots.types).sort(compareUtf8)
  const names = all.slice(0, typesNamedMax).map((name) => `\`${name}\``)
  return [...names, ...(all.length > names.length ? [`and ${all.length - names.length} more`] : [])].join(
    ', ',
  )
}

/** A type's tree; undefined when the view lacks the type. */
export const typeTree = (roots: ViewRoots, type: string): TypeEntry | undefined =>
  Object.hasOwn(roots.types, type) ? roots.types[type] : undefined

/** A tree, and the key after which reading begins. */
export interface TreeFrom {
  type: string
  tree: Tree
  startAfter?: string
}

/** The trees with records after a position; the first one begins after its id. */
export function* treesFrom(
  roots: ViewRoots,
  type: string | undefined,
  after: RecordPosition | undefined,
): Generator<TreeFrom> {
  for (const [name, tree] of selectedTypes(roots, type)) {
    const order = after === undefined ? 1 : compareUtf8(name, after.type)
    if (order > 0) yield { type: name, tree }
    else if (order === 0) yield { type: name, tree, startAfter: after!.id }
  }
}

/** Maximum data of a page, as in docs/limits.md. Only a page of one record may exceed it. Bytes. */
export const pageBytesMax = 4_194_304

/** Remaining room of a page of records with their data: records and bytes. */
export class PageBudget {
  #records: number
  #bytes: number
  #isEmpty = true

  constructor(limit: number, bytesMax = pageBytesMax) {
    this.#records = limit
    this.#bytes = bytesMax
  }

  /** Adds a record with this much data to the page; false if it does not fit. */
  take(bytes: number): boolean {
    if (this.#records === 0 || (bytes > this.#bytes && !this.#isEmpty)) return false
    this.#records--
    this.#bytes -= bytes
    this.#isEmpty = false
    return true
  }

  /** Adds a leaf's records from `start` while they fit. Returns the index of the first that does not. */
  takeFrom(leaf: { readonly length: number; size(index: number): number }, start: number): number {
    let end = start
    while (end < leaf.length && this.take(leaf.size(end))) end++
    return end
  }
}
