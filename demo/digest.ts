/** A version's digest, computed from its parts by the content package alone: what the server must have come to as well. */
import {
  acceptSchema,
  digestLabel,
  documentDigest,
  type Edit,
  type EditPort,
  editTree,
  emptyTree,
  type Hash,
  type JsonObject,
  noHash,
  parseHash,
  type Tree,
  type TreeKind,
  type TypeEntry,
  type ViewName,
} from '@ulmus/content'

export interface RecordFacts {
  readonly id: string
  readonly type: string
  readonly hash: Hash
  /** Bytes of the canonical form. */
  readonly size: number
}

export interface VersionParts {
  /** In any order. */
  readonly records: Iterable<RecordFacts>
  readonly schemas: Readonly<Record<string, JsonObject>>
  readonly metadata: JsonObject
  /** `hash`: `sha256:<hex>`. */
  readonly files: Iterable<{ hash: string; size: number }>
}

/** The digest of one view of a version, with its prefix. content-model §5, §7. */
export async function digestOfParts(view: ViewName, parts: VersionParts): Promise<string> {
  const byType = Map.groupBy(parts.records, (record) => record.type)
  const types: [string, TypeEntry][] = []
  for (const [type, schema] of Object.entries(parts.schemas)) {
    const edits = (byType.get(type) ?? []).map(({ id, hash, size }) => ({
      key: id,
      put: { hash, size, payload: null },
    }))
    types.push([type, { schema: acceptSchema(schema).hash, ...(await treeOf(edits, 'records')) }])
  }
  const files = Array.from(parts.files, ({ hash, size }) => ({
    key: bareHash(hash),
    put: { hash: noHash, size, payload: null },
  }))
  const document = {
    files: await treeOf(files, 'set'),
    metadata: parts.metadata,
    types: Object.fromEntries(types),
  }
  return digestLabel(view, documentDigest(document))
}

function bareHash(name: string): Hash {
  const hash = parseHash(name.replace(/^sha256:/, ''))
  if (hash === undefined) throw new Error(`\`${name}\` names no file.`)
  return hash
}

const nothingToRead = () => Promise.reject(new Error('a tree built from nothing reads nothing'))
const forget = () => undefined
const buildingPort: EditPort<null> = {
  node: nothingToRead,
  payloads: nothingToRead,
  leaf: forget,
  interior: forget,
}

function treeOf(edits: Edit<null>[], kind: TreeKind): Promise<Tree> {
  const inOrder = edits
    .map((edit) => ({ edit, bytes: Buffer.from(edit.key) }))
    .sort((a, b) => a.bytes.compare(b.bytes))
  return editTree(emptyTree, [inOrder.map(({ edit }) => edit)], buildingPort, { kind })
}
