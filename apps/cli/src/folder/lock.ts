/** One command at a time changes a working folder. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CommandError } from '../terminal/failure.ts'
import { paths } from './layout.ts'
import { finishReplacement } from './replace.ts'

/**
 * Does `work` while no other command changes the folder, after making the moves that a killed one left.
 * @throws CommandError when another one is at work
 */
export async function withFolder<T>(root: string, work: () => Promise<T>): Promise<T> {
  const file = join(root, paths.lock)
  mkdirSync(dirname(file), { recursive: true })
  takeLock(file)
  try {
    finishReplacement(root)
    return await work()
  } finally {
    rmSync(file, { force: true })
  }
}

function takeLock(file: string): void {
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' })
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const holder = holderOf(file)
    if (attempt > 0 || isRunning(holder))
      throw new CommandError(
        `Another ulmus (process ${holder}) is changing this folder. Wait for it, or delete ${file} if there is none.`,
      )
    // Whoever held it was killed.
    rmSync(file, { force: true })
  }
}

function holderOf(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return Number.NaN
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It runs, as somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
