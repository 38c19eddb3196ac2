/** Finds the files that leave a collection when its only version with them is withdrawn. Reads only; `withdrawals.ts` records them. */
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
  /** For the first version of a fork, which records the inherited files: those that another version has. */
  readonly kept: Record<View, Hash[]>
}

/** Reads the file trees of all readable versions, each distinct tree once. */
export async function filesLeftBy(
  context: Context,
  collection: CollectionRow,
  version: VersionRow,
): Promise<LeftFiles> {
  const { roots } = await readSidecar(context.objects, storedHash(version.sidecar))
  const others = await standingSidecars(context.database, [collection.id], version.id)
  const isFirstOfFork = (await inheritedVersion(context, collection))?.id === version.id
  const found: LeftFiles = { left: { full: [], public: [] }, kept: { full: [], public: [] } }
  for (const view of ['full', 'public'] as const) {
    const files = await allFiles(context, roots[view].files)
    const left = await withoutThoseIn(context, files, others, view)
    found.left[view] = [...left]
    if (isFirstOfFork) found.kept[view] = files.filter((file) => !left.has(file))
  }
  return found
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
