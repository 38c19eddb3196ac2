/**
 * One command at a time changes a working folder. Its lock says whose it is, and a word that no other lock has. One whose process is gone
 * is stale, and of all who find it so one alone may replace it: the one that holds the claim, a lock named after the stale one's words.
 */
import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { CommandError } from '../../terminal/failure.ts'
import { createNew, fileAt, linkInside, makeFolder, moveInside, readInside, removeFile } from './inside.ts'
import { dotFolder, paths } from './layout.ts'
import { finishReplacement } from './replace.ts'

/** Lock contents of this process. A dead process may have had our pid: its locks are not among them. */
const ours = new Set<string>()

/** An empty lock that is younger may still be written, where locks are not made in one step. Milliseconds. */
const writingMs = 10_000

/**
 * Does `work` while no other command changes the folder, after making the moves that a killed one left.
 * @throws CommandError when another one is at work
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

interface Lock {
  readonly root: string
  readonly path: string
}

function lockedSentence(lock: Lock): string {
  const pid = pidIn(wordsIn(lock) ?? '')
  const who = pid === undefined ? '' : ` (process ${pid})`
  return `Another ulmus${who} is changing this folder. Wait for it, or delete ${join(lock.root, lock.path)} if there is none.`
}

/** @returns what our lock says; undefined: another has it, or is about to */
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
  // One that was claimed by a process that is gone, too, is claimed in the same way.
  const claimed = takeLock(claim)
  if (claimed === undefined) return false
  try {
    // An earlier holder of the claim may have replaced the lock. Only the claim's holder replaces it, since its owner is gone.
    if (wordsIn(lock) !== stale) return false
    moveInside(lock.root, drafted(lock, own), lock.path)
    return true
  } finally {
    release(claim, claimed)
  }
}

/** Makes a lock that is not there yet, with its words in it, in one step where the disk can do that. */
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

/** As `made`, for a disk without links, such as a USB stick. */
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
  // Another process may have made a new lock after a user deleted ours.
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
    // EPERM: the process runs under another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
