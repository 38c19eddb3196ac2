/** Finds the files that leave a collection when all its versions with them are withdrawn. Reads only; `withdrawals.ts` records them. */
import type { Hash, Tree } from '@ulmus/content'
import { walkLeaves } from '@ulmus/content'
import { type CollectionRow, standingSidecars, type VersionRow } from '@ulmus/storage'
import type { View } from '../access/policy.ts'
import type { Context } from '../context.ts'
import { inheritedVersion } from '../files/known-files.ts'
import { sizesIn } from '../pushes/references/references.ts'
import { storedHash } from '../versions/content.ts'
import { readSidecar } from '../versions/sidecar.ts'

export interface LeftFiles {
  /** Files that no other readable version has, by view. */
  readonly left: Record<View, Hash[]>
  /** If the first version of a fork goes, which records the inherited files: those that another version has. */
  readonly kept: Record<View, Hash[]>
}

/** Reads the file trees of all readable versions, each distinct tree once. */
export async function filesLeftBy(
  context: Context,
  collection: CollectionRow,
  versions: readonly VersionRow[],
): Promise<LeftFiles> {
  const ids = versions.map(({ id }) => id)
  const others = await standingSidecars(context.database, collection.id, ids)
  const inherited = await inheritedVersion(context, collection)
  const isFirstOfFork = inherited !== undefined && ids.includes(inherited.id)
  const found: LeftFiles = { left: { full: [], public: [] }, kept: { full: [], public: [] } }
  for (const view of ['full', 'public'] as const) {
    const files = await filesIn(context, versions, view)
    const left = await withoutThoseIn(context, files, others, view)
    found.left[view] = [...left]
    if (isFirstOfFork) found.kept[view] = files.filter((file) => !left.has(file))
  }
  return found
}

/** All files of some versions. Reads equal trees once. */
async function filesIn(context: Context, versions: readonly VersionRow[], view: View): Promise<Hash[]> {
  const trees = new Map<Hash | null, Tree>()
  for (const sidecar of new Set(versions.map((version) => version.sidecar))) {
    const { roots } = await readSidecar(context.objects, storedHash(sidecar))
    trees.set(roots[view].files.root, roots[view].files)
  }
  const files = new Set<Hash>()
  for (const tree of trees.values()) for (const file of await allFiles(context, tree)) files.add(file)
  return [...files]
}

/** All files of a file tree. */
export async function allFiles({ objects }: Pick<Context, 'objects'>, tree: Tree): Promise<Hash[]> {
  const files: Hash[] = []
  for await (const { leaf } of walkLeaves(tree, objects)) files.push(...leaf.keys.map(storedHash))
  return files
}

/** Those of `files` that no version with one of the sidecars has. */
export async function withoutThoseIn(
  { objects }: Pick<Context, 'objects'>,
  files: readonly Hash[],
  sidecars: readonly string[],
  view: View,
): Promise<Set<Hash>> {
  const left = new Set(files)
  const looked = new Set<Hash | null>([null])
  for (const sidecar of sidecars) {
    if (left.size === 0) break
    const { roots } = await readSidecar(objects, storedHash(sidecar))
    const tree = roots[view].files
    if (looked.has(tree.root)) continue
    looked.add(tree.root)
    for (const file of (await sizesIn(tree, left, objects)).keys()) left.delete(file)
  }
  return left
}
