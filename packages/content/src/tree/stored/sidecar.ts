/**
 * Sidecar: data that a version stores beside its two documents, outside their digests (content-model §6):
 *
 * - the reference trees of both views: one key for every (file hash, type, id), from which the file sets follow, and one for
 *   every file that was declared in a push (full view only);
 * - the roots of both views, which their documents have, too: a reader of a tree need not load a MiB of metadata. Versions that differ
 *   in their metadata alone have one sidecar;
 * - for every private type its hidden tree: the tree its public view would have. It keeps apart the records that were pushed as
 *   private from those that are hidden only because their type is, so that a type made public does not take the former along;
 * - the private types and fields of earlier versions that this one has neither private nor public, so that a push that brings one
 *   back in public must confirm it.
 *
 * Stored as one object named by its hash (docs/formats.md).
 */
import { canonicalize } from '../../json/canonical.ts'
import type { Json } from '../../json/json.ts'
import type { PrivateName } from '../../schemas/made-public.ts'
import type { ViewRoots } from '../../versions/document.ts'
import { emptyTree, type Tree } from '../node.ts'

export interface Sidecar {
  /** The same object where the views are alike. */
  roots: { full: ViewRoots; public: ViewRoots }
  references: { full: Tree; public: Tree }
  /** By type slug; private types only. */
  hiddenTrees: Record<string, Tree>
  formerlyPrivate: readonly PrivateName[]
}

const emptyRoots: ViewRoots = Object.freeze({ files: emptyTree, types: {} })

export const emptySidecar = (): Sidecar => ({
  roots: { full: emptyRoots, public: emptyRoots },
  references: { full: emptyTree, public: emptyTree },
  hiddenTrees: {},
  formerlyPrivate: [],
})

/** Its text (docs/formats.md): `roots` has no `public` where the views are alike, `shadows` are the hidden trees, an empty `formerlyPrivate` is left out. */
interface StoredSidecar extends Pick<Sidecar, 'references'> {
  roots: { full: ViewRoots; public?: ViewRoots }
  shadows: Record<string, Tree>
  formerlyPrivate?: readonly PrivateName[]
}

export function parseSidecar(bytes: Uint8Array): Sidecar {
  const {
    roots,
    references,
    shadows,
    formerlyPrivate = [],
  } = JSON.parse(new TextDecoder().decode(bytes)) as StoredSidecar
  const both = { full: roots.full, public: roots.public ?? roots.full }
  return { references, hiddenTrees: shadows, roots: both, formerlyPrivate }
}

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

/** Also takes a document, and leaves out its metadata. */
const rootsOnly = ({ files, types }: ViewRoots) => ({ files, types }) as unknown as Json
