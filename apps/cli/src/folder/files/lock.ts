/**
 * Lock of a working folder: one command at a time may change it. The lock contains its process id and a unique token. A lock whose process
 * has ended is stale. Only one process may replace a stale lock: the one that holds the claim, a second lock named after the stale lock's
 * content.
 */
import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { CommandError } from '../../terminal/failure.ts'
import { createNew, fileAt, linkInside, makeFolder, moveInside, readInside, removeFile } from './inside.ts'
import { dotFolder, paths } from './layout.ts'
import { finishReplacement } from './replace.ts'

/** Contents of this process's locks. A dead process may have had the same pid; its locks are not in this set. */
const ours = new Set<string>()

/** On disks without atomic creation, an empty lock younger than this may still be written. Milliseconds. */
const writingMs = 10_000

/**
 * Runs `work` under the folder's lock, after finishing the moves of a killed command.
 * @throws CommandError if another command holds the lock
 */
export async function withFolder<T>(root: string, work: () => Promise<T>): Promise<T> {
  makeFolder(root, dotFolder)
  const lock = { root, path: paths.lock }
  const own = takeLock(lock)
  if (own === undefined) throw new CommandError(lockedSentence(lock))
  try {
    finishReplacement(root)
    return await work()
  } finally {
    release(lock, own)
  }
}

/** Milliseconds between attempts, and their number. */
const [attemptMs, attempts] = [20, 500]

/**
 * Runs short, synchronous work under a lock, after waiting for another process.
 * @throws CommandError if another process holds it for 10 seconds
 */
export async function withLock<T>(lock: Lock, work: () => T): Promise<T> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const own = takeLock(lock)
    if (own === undefined) {
      await new Promise((resolve) => setTimeout(resolve, attemptMs))
      continue
    }
    try {
      return work()
    } finally {
      release(lock, own)
    }
  }
  throw new CommandError(
    `Another ulmus holds ${join(lock.root, lock.path)}. Wait for it, or delete the file if there is none.`,
  )
}

interface Lock {
  readonly root: string
  readonly path: string
}

function lockedSentence(lock: Lock): string {
  const pid = pidIn(wordsIn(lock) ?? '')
  const who = pid === undefined ? '' : ` (process ${pid})`
  return `Another ulmus${who} is changing this folder. Wait for it, or delete ${join(lock.root, lock.path)} if there is none.`
}

/** @returns content of our lock; undefined: another process holds the lock, or is about to */
function takeLock(lock: Lock): string | undefined {
  const own = `${process.pid} ${randomUUID()}`
  ours.add(own)
  const isTaken = made(lock, own) || takenOver(lock, own)
  if (!isTaken) ours.delete(own)
  return isTaken ? own : undefined
}

function takenOver(lock: Lock, own: string): boolean {
  const stale = wordsIn(lock)
  if (stale === undefined) return made(lock, own)
  if (isLocked(lock, stale)) return false
  const words = createHash('sha256').update(stale).digest('hex').slice(0, 16)
  const claim = { ...lock, path: `${lock.path}.${words}` }
  // A stale claim is taken over in the same way.
  const claimed = takeLock(claim)
  if (claimed === undefined) return false
  try {
    // An earlier holder of the claim may have replaced the lock. Otherwise it cannot change: its owner is gone, and only the holder of the
    // claim may replace it.
    if (wordsIn(lock) !== stale) return false
    moveInside(lock.root, drafted(lock, own), lock.path)
    return true
  } finally {
    release(claim, claimed)
  }
}

/** Creates a lock with its content, atomically if the disk has links. Returns false if there is one already. */
function made(lock: Lock, own: string): boolean {
  const draft = drafted(lock, own)
  try {
    linkInside(lock.root, draft, lock.path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    return writtenAlone(lock, own)
  } finally {
    removeFile(lock.root, draft)
  }
}

/** Fallback of `made` for a disk without links, such as a USB stick. */
function writtenAlone({ root, path }: Lock, own: string): boolean {
  try {
    createNew(root, path, own)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function drafted({ root, path }: Lock, own: string): string {
  const draft = `${path}.${randomUUID()}.draft`
  createNew(root, draft, own)
  return draft
}

function release(lock: Lock, own: string): void {
  ours.delete(own)
  // Another process may have created a new lock after a user deleted ours.
  if (wordsIn(lock) === own) removeFile(lock.root, lock.path)
}

const wordsIn = ({ root, path }: Lock): string | undefined => readInside(root, path)?.toString()

function isLocked(lock: Lock, words: string): boolean {
  const pid = pidIn(words)
  if (pid === undefined) return Date.now() - modifiedAt(lock) < writingMs
  return pid === process.pid ? ours.has(words) : isRunning(pid)
}

const modifiedAt = ({ root, path }: Lock): number => fileAt(root, path)?.mtimeMs ?? 0

function pidIn(words: string): number | undefined {
  const pid = Number(words.split(' ')[0])
  return Number.isInteger(pid) && pid > 0 ? pid : undefined
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process runs as another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
