/** Disk space of this server and of the stores, for operators. */
import { stat, statfs } from 'node:fs/promises'
import { storedBytes, workingBytes } from '@ulmus/storage'
import type { Context } from '../context.ts'
import type { Folders } from '../stores/data-folder.ts'
import type { InstalledTables } from '../tables/find-table.ts'
import type { TablesUsage } from '../tables/folder/usage.ts'

/** A file system with data of this server. */
export interface Disk {
  /** The first of its folders. */
  readonly folder: string
  readonly bytes: number
  /** Bytes that this server may still write. */
  readonly freeBytes: number
  readonly isScarce: boolean
}

export interface DiskUsage {
  readonly disks: readonly Disk[]
  /** False: it is on a server of its own, whose disk this process does not see. */
  readonly isDatabaseHere: boolean
  readonly areObjectsHere: boolean
  readonly databaseBytes: number
  readonly packs: number
  readonly files: number
  readonly setAside: number
  /** Received data of pushes. */
  readonly pushes: number
  /** Undefined: this server has no tables. */
  readonly tables: (TablesUsage & { readonly bytesMax: number }) | undefined
}

/** Less free space than this share of a disk is scarce. */
const scarceShare = 0.1

export interface DiskPlaces {
  readonly dataFolder: string
  readonly folders: Folders
  readonly installed: InstalledTables | string
}

/** Reads a row for each pack and file, and the facts of each table file. */
export async function diskUsageOf(
  { database }: Pick<Context, 'database'>,
  places: DiskPlaces,
): Promise<DiskUsage> {
  const { folders, installed } = places
  const files = typeof installed === 'string' ? undefined : installed.files
  const [disks, stored, working, tables] = await Promise.all([
    findDisks(places),
    storedBytes(database),
    workingBytes(database),
    files?.usage(),
  ])
  return {
    disks,
    isDatabaseHere: folders.database !== undefined,
    areObjectsHere: folders.objects !== undefined,
    databaseBytes: working.database,
    ...stored,
    pushes: working.pushes,
    tables: tables && { ...tables, bytesMax: files!.bytesMax },
  }
}

/** File systems of the folders of this server, each once. */
export async function findDisks({
  dataFolder,
  folders,
}: Pick<DiskPlaces, 'dataFolder' | 'folders'>): Promise<Disk[]> {
  const disks = new Map<number, Disk>()
  for (const folder of [dataFolder, folders.database, folders.objects]) {
    if (folder === undefined) continue
    try {
      const { dev } = await stat(folder)
      if (disks.has(dev)) continue
      const { bsize, blocks, bavail } = await statfs(folder)
      const [bytes, freeBytes] = [blocks * bsize, bavail * bsize]
      // Some file systems of networks report no size.
      if (bytes > 0) disks.set(dev, { folder, bytes, freeBytes, isScarce: freeBytes < bytes * scarceShare })
    } catch {
      // A server with both stores elsewhere may have no data folder.
    }
  }
  return [...disks.values()]
}
