/** Digest of a working folder in its current state, computed only from its records, schemas, metadata and files. */

import {
  compareUtf8,
  digestOfTrees,
  type JsonObject,
  parseDigestLabel,
  type Tree,
  type TreeEntry,
  treeOfBatches,
} from '@ulmus/content'
import { hashOfFile, readMetadata, readSchemas } from '../files/content.ts'
import { fileAt } from '../files/inside.ts'
import { recordFiles, storedFiles } from '../files/layout.ts'
import { parseLine } from '../files/record-line.ts'
import { entriesInOrder } from '../files/sequence.ts'
import type { BaseVersion } from './state.ts'

/** @throws CommandError for an invalid record line */
export async function digestOfFolder(
  root: string,
  base: BaseVersion,
): Promise<{ digest: string; records: number }> {
  const schemas = readSchemas(root, base.schemas)
  const trees = new Map<string, Tree>()
  let records = 0
  for (const [type, files] of [...recordFiles(root)].sort(([a], [b]) => compareUtf8(a, b))) {
    const tree = await treeOfBatches(entriesOf(root, type, files))
    trees.set(type, tree)
    records += tree.count
  }
  const view = parseDigestLabel(base.digest)!.view
  const digest = await digestOfTrees(view, {
    trees,
    schemas: Object.fromEntries([...schemas].map(([type, { source }]) => [type, source as JsonObject])),
    metadata: readMetadata(root),
    files: await filesOf(root),
  })
  return { digest, records }
}

function* entriesOf(
  root: string,
  type: string,
  files: readonly string[],
): Generator<TreeEntry[], void, undefined> {
  for (const batch of entriesInOrder(root, type, files)) {
    yield batch.map((entry) => {
      const { id, hash, size } = parseLine(entry.text, type, entry).content
      return { key: id, hash, size }
    })
  }
}

/** Files of the folder. Lists a file once even if the folder has several copies. */
async function filesOf(root: string): Promise<Iterable<{ hash: string; size: number }>> {
  const files = new Map<string, { hash: string; size: number }>()
  for (const path of storedFiles(root)) {
    const hash = await hashOfFile(root, path)
    files.set(hash, { hash, size: fileAt(root, path)!.size })
  }
  return files.values()
}
