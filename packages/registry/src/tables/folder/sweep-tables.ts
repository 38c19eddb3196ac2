/** Deletes table files whose records are no longer stored, such as after an erasure, with all that was made from them. */
import { readdir, rm } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import type { Hash } from '@ulmus/content'
import { type Database, objectKey, storedObjects } from '@ulmus/storage'
import { filesIn } from './owned-files.ts'

/** Unfinished files of this age belong to a process that was killed. Milliseconds. */
const abandonedUsual = 3_600_000
/** Parts of a path below the folder: scope, two digits of the root, name. */
const depth = 3

/** Those of the roots of record trees that are still stored. */
export type AreStored = (roots: readonly Hash[]) => Promise<ReadonlySet<string>>

/**
 * Sweeps the folder of one server, which may run.
 * @param abandonedMilliseconds age of unfinished files to delete; 0 if no process uses the folder
 * @returns the number of deleted tables
 */
export async function sweepTables(
  folder: string,
  areStored: AreStored,
  abandonedMilliseconds = abandonedUsual,
): Promise<number> {
  const all = await filesIn(folder)
  const before = Date.now() - abandonedMilliseconds
  for (const { path, changedAt } of all)
    if (isUnfinished(path) && changedAt <= before) await rm(path, { force: true })
  const tables = all.filter(({ path }) => path.endsWith('.duckdb'))
  const roots = tables.map(({ path }) => rootOf(path)).filter((root) => root !== 'null')
  const stored = await areStored(roots)
  const lost = tables.filter(({ path }) => {
    const isLost = rootOf(path) !== 'null' && !stored.has(rootOf(path))
    return isLost || relative(folder, path).split(sep).length !== depth
  })
  for (const { path } of lost) await removeTable(path)
  return lost.length
}

export const storedIn =
  (database: Database): AreStored =>
  async (roots) => {
    const names = roots.map((hash) => ({ kind: 'plain' as const, hash }))
    const stored = await storedObjects(database, names)
    return new Set(names.filter((name) => stored.has(objectKey(name))).map(({ hash }) => hash))
  }

/** Sweeps the folders of all servers that have one below `base`. */
export async function sweepAllTables(base: string, areStored: AreStored): Promise<void> {
  for (const name of await readdir(base).catch(() => []))
    if (isFolderName(name)) await sweepTables(join(base, name), areStored)
}

/** True for the name of a server's folder. */
export const isFolderName = (name: string): boolean => /^[1-9]\d*$/.test(name)

/** Deletes a table with all that was made from it. A build of the same table may be running. */
export async function removeTable(path: string): Promise<void> {
  const names = await readdir(dirname(path)).catch(() => [])
  const own = names.filter((name) => name.startsWith(basename(path)) && !isUnfinished(name))
  // The table first: without it the rest counts for nothing.
  for (const name of own.sort()) await rm(join(dirname(path), name), { force: true })
}

/** The root of the tree in the name of a table file. */
const rootOf = (path: string): Hash => basename(path).split('-')[1]! as Hash

/** Names of finished files end in one of these; those of unfinished ones have a UUID. */
export const isUnfinished = (path: string): boolean =>
  !/\.duckdb(\.parquet)?(\.[a-z]+\d*)?(\.json)?$/.test(path)
