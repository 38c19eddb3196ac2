/** Lists the table files, and chooses those to evict. Files count for the account that owns the collection of the table. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJson } from '@ulmus/content'
import type { TableFacts } from '../table-source.ts'

export interface StoredFile {
  readonly path: string
  readonly bytes: number
  /** Milliseconds since 1970: the last use of a table. */
  readonly changedAt: number
}

/** A table with all files that were made from it. */
interface OwnedTable {
  readonly path: string
  readonly bytes: number
}

/** In the names of unfinished files that were begun ahead of questions. */
export const aheadMark = '.ahead.'

/** All files but unfinished ones for which no caller waits: those replace no others. */
export const countedIn = async (folder: string): Promise<StoredFile[]> =>
  (await filesIn(folder)).filter(({ path }) => !path.includes(aheadMark))

/** All files of a folder and its folders. */
export async function filesIn(folder: string): Promise<StoredFile[]> {
  const found: StoredFile[] = []
  for (const name of await readdir(folder, { recursive: true }).catch(() => [])) {
    const path = join(folder, name)
    const facts = await stat(path).catch(() => undefined)
    if (facts?.isFile()) found.push({ path, bytes: facts.size, changedAt: facts.mtimeMs })
  }
  return found
}

interface Newest {
  readonly owner: string
  readonly path: string
}

/** Unread tables may take this part of the cache. */
const unreadShare = 1 / 4
/** Milliseconds. A table that was built ahead has its age increased by this: until a caller asks for it, any other was used later. */
const unreadAge = 40 * 365 * 86_400_000

/** Time of the last use of an unread table. */
export const neverUsed = (): Date => new Date(Date.now() - unreadAge)

const isUnread = ({ changedAt }: StoredFile): boolean => changedAt < Date.now() - unreadAge / 2

/** Files of unread tables, and the bytes that such tables may have. */
export function unreadIn(
  bytesMax: number,
  all: readonly StoredFile[],
): { files: StoredFile[]; room: number } {
  const tables = new Set(
    all.filter((file) => file.path.endsWith(ending) && isUnread(file)).map(({ path }) => path),
  )
  const files = all.filter(({ path }) => tables.has(tableOf(path)))
  const read = sumOf(all) - sumOf(files)
  return { files, room: Math.min(bytesMax * unreadShare, bytesMax - read) }
}

/**
 * Tables to delete so that all files together have at most `bytesMax`: first unread ones, then as `leastUsed` says. Tables
 * that were built ahead never replace others.
 */
export async function tablesBeyond(
  bytesMax: number,
  all: readonly StoredFile[],
  newest: Newest | undefined,
): Promise<string[]> {
  const unread = unreadIn(bytesMax, all)
  const beyond = await leastUsed(unread.room, unread.files, undefined)
  const left = all.filter(({ path }) => !beyond.includes(tableOf(path)))
  return [...beyond, ...(await leastUsed(bytesMax, left, newest))]
}

/**
 * Those of the newest table's owner while it has more than a fair share, otherwise those of the owner that has most; of these the least
 * recently used.
 */
async function leastUsed(
  bytesMax: number,
  all: readonly StoredFile[],
  newest: Newest | undefined,
): Promise<string[]> {
  const beyond: string[] = []
  let bytes = sumOf(all)
  if (bytes <= bytesMax) return beyond
  const owners = await ownersOf(all)
  while (bytes > bytesMax) {
    const most = [...owners]
      .map(([owner, tables]) => ({ owner, tables, size: sumOf(tables) }))
      .filter(({ tables }) => tables.some(({ path }) => path !== newest?.path))
      .sort((a, b) => b.size - a.size)
    const fair = bytesMax / owners.size
    const chosen = most.find(({ owner, size }) => owner === newest?.owner && size > fair) ?? most[0]
    if (chosen === undefined) break
    const at = chosen.tables.findIndex(({ path }) => path !== newest?.path)
    const [oldest] = chosen.tables.splice(at, 1)
    beyond.push(oldest!.path)
    bytes -= oldest!.bytes
  }
  return beyond
}

const sumOf = (files: readonly { readonly bytes: number }[]): number =>
  files.reduce((sum, file) => sum + file.bytes, 0)

/** Tables by the accounts that they count for, the least recently used first. */
async function ownersOf(all: readonly StoredFile[]): Promise<Map<string, OwnedTable[]>> {
  const sizes = new Map<string, number>()
  for (const { path, bytes } of all) sizes.set(tableOf(path), (sizes.get(tableOf(path)) ?? 0) + bytes)
  const owners = new Map<string, OwnedTable[]>()
  const tables = all.filter(({ path }) => path.endsWith(ending))
  for (const { path } of tables.toSorted((a, b) => a.changedAt - b.changedAt)) {
    const owner = (await readJson<TableFacts>(`${path}.json`))?.owner ?? ''
    const own = owners.get(owner)
    const table = { path, bytes: sizes.get(path)! }
    if (own === undefined) owners.set(owner, [table])
    else own.push(table)
  }
  return owners
}

const ending = '.duckdb'

/** Path of the table that a file belongs to. */
const tableOf = (path: string): string => path.slice(0, path.lastIndexOf(ending) + ending.length)

export async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    return parseJson(await readFile(path, 'utf8')) as T
  } catch {
    return undefined
  }
}
