/**
 * Sidecar: data that a version stores beside its two documents, outside their digests (content-model §6):
 *
 * - the reference trees of both views: one key for every (file hash, type, id), from which the file sets follow, and one for
 *   every file that was declared in a push (full view only);
 * - the roots of both views, copied from their documents, so that reading a tree does not load a MiB of metadata. Versions that differ
 *   only in metadata share one sidecar;
 * - a hidden tree for every private type: the tree that its public view would have. It separates records that were pushed as
 *   private from those that are hidden only because of their type, so that making the type public does not expose the former;
 * - the private types and fields of earlier versions that this version does not have, so that a push that brings one
 *   back as public must confirm it.
 *
 * Stored as one object named by its hash (docs/formats.md).
 */
import { canonicalize } from '../../json/canonical.ts'
import type { Json } from '../../json/json.ts'
import { parseJson } from '../../json/parse.ts'
import type { PrivateName } from '../../schemas/made-public.ts'
import type { ViewRoots } from '../../versions/document.ts'
import { emptyTree, type Tree } from '../node.ts'

/** A parsed sidecar. Immutable; readers share it. */
export interface Sidecar {
  /** The same object if the views are equal. */
  roots: { full: ViewRoots; public: ViewRoots }
  references: { full: Tree; public: Tree }
  /** By type slug; private types only. */
  hiddenTrees: Record<string, Tree>
  formerlyPrivate: readonly PrivateName[]
}

const emptyRoots: ViewRoots = Object.freeze({ files: emptyTree, types: {} })

/** The sidecar before a collection's first version. */
export const emptySidecar = (): Sidecar => ({
  roots: { full: emptyRoots, public: emptyRoots },
  references: { full: emptyTree, public: emptyTree },
  hiddenTrees: {},
  formerlyPrivate: [],
})

/**
 * Stored form (docs/formats.md): `roots` lacks `public` if the views are equal, `shadows` are the hidden trees, an empty `formerlyPrivate`
 * is omitted.
 */
interface StoredSidecar extends Pick<Sidecar, 'references'> {
  roots: { full: ViewRoots; public?: ViewRoots }
  shadows: Record<string, Tree>
  formerlyPrivate?: readonly PrivateName[]
}

/** Parses a stored sidecar, whose hash the reader has verified. */
export function parseSidecar(bytes: Uint8Array): Sidecar {
  const {
    roots,
    references,
    shadows,
    formerlyPrivate = [],
  } = parseJson(new TextDecoder().decode(bytes)) as StoredSidecar
  const both = { full: roots.full, public: roots.public ?? roots.full }
  return { references, hiddenTrees: shadows, roots: both, formerlyPrivate }
}

/** The canonical text that is stored and hashed. */
export function sidecarText({ roots, references, hiddenTrees, formerlyPrivate }: Sidecar): string {
  const full = rootsOnly(roots.full)
  const publicRoots = rootsOnly(roots.public)
  const isAlike = canonicalize(full) === canonicalize(publicRoots)
  return canonicalize({
    roots: isAlike ? { full } : { full, public: publicRoots },
    references,
    shadows: hiddenTrees,
    ...(formerlyPrivate.length === 0 ? {} : { formerlyPrivate }),
  } as unknown as Json)
}

/** Also accepts a document, and drops its metadata. */
const rootsOnly = ({ files, types }: ViewRoots) => ({ files, types }) as unknown as Json
