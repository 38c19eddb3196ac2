/**
 * What a version remembers beside its two documents, outside their digests (content-model §6):
 *
 * - the reference trees of both views: one key for every (file hash, type, id), from which the file sets follow, and one for
 *   every file that was declared in a push (full view only);
 * - the roots of both views, which their documents have, too: whoever wants a tree need not read a MiB of metadata. Versions that differ
 *   in their metadata alone have one sidecar;
 * - for every private type its hidden tree: the tree its public view would have. It keeps apart the records that were pushed as
 *   private from those that are hidden only because their type is, so that a type made public does not take the former along.
 *
 * Stored as one plain object named by its hash.
 */
import {
  canonicalize,
  emptyTree,
  type Hash,
  hashText,
  type Json,
  type Tree,
  type ViewRoots,
} from '@ulmus/content'
import type { ObjectReader, ObjectWriter } from '@ulmus/storage'

export interface Sidecar {
  /** The same object where the views are alike. */
  roots: { full: ViewRoots; public: ViewRoots }
  references: { full: Tree; public: Tree }
  /** By type slug; private types only. */
  hiddenTrees: Record<string, Tree>
}

const emptyRoots: ViewRoots = Object.freeze({ files: emptyTree, types: {} })

export const emptySidecar = (): Sidecar => ({
  roots: { full: emptyRoots, public: emptyRoots },
  references: { full: emptyTree, public: emptyTree },
  hiddenTrees: {},
})

/** Its text (docs/formats.md): `roots` has no `public` where the views are alike, `shadows` are the hidden trees. */
interface StoredSidecar extends Pick<Sidecar, 'references'> {
  roots: { full: ViewRoots; public?: ViewRoots }
  shadows: Record<string, Tree>
}

/** Kept, and frozen through and through. */
export const readSidecar = (objects: ObjectReader, hash: Hash): Promise<Sidecar> =>
  objects.decoded(hash, parseSidecar)

function parseSidecar(bytes: Uint8Array): Sidecar {
  const { roots, references, shadows } = JSON.parse(new TextDecoder().decode(bytes)) as StoredSidecar
  return { references, hiddenTrees: shadows, roots: { full: roots.full, public: roots.public ?? roots.full } }
}

export async function writeSidecar(
  writer: ObjectWriter,
  { roots, references, hiddenTrees }: Sidecar,
): Promise<Hash> {
  const full = rootsOnly(roots.full)
  const publicRoots = rootsOnly(roots.public)
  const isAlike = canonicalize(full) === canonicalize(publicRoots)
  const text = canonicalize({
    roots: isAlike ? { full } : { full, public: publicRoots },
    references,
    shadows: hiddenTrees,
  } as unknown as Json)
  const hash = hashText(text)
  await writer.add('plain', hash, text)
  return hash
}

/** Of a document too. */
const rootsOnly = ({ files, types }: ViewRoots) => ({ files, types }) as unknown as Json
