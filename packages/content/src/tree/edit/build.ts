/** Trees and digests from nothing but what they are of: what a verifier computes who has a whole version. */
import { compareUtf8, type Hash, hashText, parseHash } from '../../hash.ts'
import { canonicalize } from '../../json/canonical.ts'
import type { JsonObject } from '../../json/json.ts'
import { digestLabel, documentDigest, type TypeEntry, type ViewName } from '../../versions/document.ts'
import { emptyTree, noHash, type Tree, type TreeKind } from '../node.ts'
import { type EditPort, editTree } from './edit.ts'

/** An entry of a tree: of a record its id, hash and the size of its canonical form. */
export interface TreeEntry {
  readonly key: string
  readonly hash: Hash
  /** Bytes. */
  readonly size: number
}

const nothingToRead = () => Promise.reject(new Error('a tree built from nothing reads nothing'))
const forget = () => undefined
const building: EditPort<null> = {
  node: nothingToRead,
  payloads: nothingToRead,
  leaf: forget,
  interior: forget,
}

/** The tree of some entries, in any order; its nodes are hashed and forgotten. @param kind default: `records` */
export function treeOf(entries: Iterable<TreeEntry>, kind: TreeKind = 'records'): Promise<Tree> {
  const edits = Array.from(entries, ({ key, hash, size }) => ({ key, put: { hash, size, payload: null } }))
  return editTree(emptyTree, [edits.sort((a, b) => compareUtf8(a.key, b.key))], building, { kind })
}

/** A view of a version, whole. */
export interface VersionParts {
  /** In any order. `size`: bytes of the canonical form. */
  readonly records: Iterable<{
    readonly id: string
    readonly type: string
    readonly hash: Hash
    readonly size: number
  }>
  /** JSON Schemas by type. */
  readonly schemas: Readonly<Record<string, JsonObject>>
  readonly metadata: JsonObject
  /** `hash`: `sha256:<hex>`. In any order. */
  readonly files: Iterable<{ readonly hash: string; readonly size: number }>
}

/** The digest of one view of a version, with its prefix (content-model §5, §7). @throws TypeError for a hash that names no file */
export async function versionDigest(view: ViewName, parts: VersionParts): Promise<string> {
  const byType = new Map<string, TreeEntry[]>()
  for (const { type, id, hash, size } of parts.records) {
    const entries = byType.get(type)
    const entry = { key: id, hash, size }
    if (entries === undefined) byType.set(type, [entry])
    else entries.push(entry)
  }
  const types: [string, TypeEntry][] = []
  for (const [type, schema] of Object.entries(parts.schemas)) {
    const tree = await treeOf(byType.get(type) ?? [])
    types.push([type, { schema: hashText(canonicalize(schema)), ...tree }])
  }
  const files = Array.from(parts.files, ({ hash, size }) => ({ key: bareHash(hash), hash: noHash, size }))
  const document = {
    files: await treeOf(files, 'set'),
    metadata: parts.metadata,
    types: Object.fromEntries(types),
  }
  return digestLabel(view, documentDigest(document))
}

function bareHash(name: string): Hash {
  const hash = parseHash(name.replace(/^sha256:/, ''))
  if (hash === undefined) throw new TypeError(`\`${name}\` names no file.`)
  return hash
}
