/**
 * What a version remembers beside its two documents, outside their digests (content-model §6):
 *
 * - the reference trees of both views: one key for every (file hash, type, id), from which the file sets follow, and one for
 *   every file that was declared in a push (full view only);
 * - the roots of both views, which their documents have, too: whoever wants a tree need not read a MiB of metadata. Versions that differ
 *   in their metadata alone have one aside;
 * - for every private type its *shadow*: the tree its public view would have. It keeps apart the records that were pushed as
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

export interface Aside {
  /** The same object where the views are alike. */
  roots: { full: ViewRoots; public: ViewRoots }
  references: { full: Tree; public: Tree }
  /** By type slug; private types only. */
  shadows: Record<string, Tree>
}

const emptyRoots: ViewRoots = Object.freeze({ files: emptyTree, types: {} })

export const emptyAside = (): Aside => ({
  roots: { full: emptyRoots, public: emptyRoots },
  references: { full: emptyTree, public: emptyTree },
  shadows: {},
})

/** Its text: `roots` has no `public` where the views are alike. */
interface StoredAside extends Omit<Aside, 'roots'> {
  roots: { full: ViewRoots; public?: ViewRoots }
}

/** Kept, and frozen through and through. */
export const readAside = (objects: ObjectReader, hash: Hash): Promise<Aside> =>
  objects.decoded(hash, parseAside)

function parseAside(bytes: Uint8Array): Aside {
  const { roots, ...rest } = JSON.parse(new TextDecoder().decode(bytes)) as StoredAside
  return { ...rest, roots: { full: roots.full, public: roots.public ?? roots.full } }
}

export async function writeAside(writer: ObjectWriter, { roots, references, shadows }: Aside): Promise<Hash> {
  const full = rootsOnly(roots.full)
  const open = rootsOnly(roots.public)
  const isAlike = canonicalize(full) === canonicalize(open)
  const text = canonicalize({
    roots: isAlike ? { full } : { full, public: open },
    references,
    shadows,
  } as unknown as Json)
  const hash = hashText(text)
  await writer.add('plain', hash, text)
  return hash
}

/** Of a document too. */
const rootsOnly = ({ files, types }: ViewRoots) => ({ files, types }) as unknown as Json
