/** Disk space of the tables of a server, for operators. */
import { sep } from 'node:path'
import { filesIn } from './owned-files.ts'
import { isUnfinished } from './sweep-tables.ts'

export interface TablesUsage {
  /** Tables, with their statistics, remembered answers and Parquet files. */
  readonly bytes: number
  /** Unfinished files, and files of running questions. */
  readonly workingBytes: number
}

/** Name of the folder for files of running questions. */
export const scratchName = 'scratch'

export async function usageOf(folder: string): Promise<TablesUsage> {
  let [bytes, workingBytes] = [0, 0]
  for (const { path, bytes: size } of await filesIn(folder)) {
    const isWorking = path.startsWith(`${folder}${sep}${scratchName}${sep}`) || isUnfinished(path)
    if (isWorking) workingBytes += size
    else bytes += size
  }
  return { bytes, workingBytes }
}
