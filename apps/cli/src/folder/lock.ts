/**
 * One command at a time changes a working folder. Its lock says whose it is, and a word that no other lock has. One whose process is gone
 * is stale, and of all who find it so one alone may replace it: the one that holds the claim, a lock named after the stale one's words.
 */
import { createHash, randomUUID } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CommandError } from '../terminal/failure.ts'
import { paths } from './layout.ts'
import { finishReplacement } from './replace.ts'

/** What the locks say that this process holds. A process that is gone may have had our number: its locks are not among them. */
const ours = new Set<string>()

/** How long a lock that says nothing may be one that is being written, where locks are not made in one step. Milliseconds. */
const writingMs = 10_000

/**
 * Does `work` while no other command changes the folder, after making the moves that a killed one left.
 * @throws CommandError when another one is at work
 */
export async function withFolder<T>(root: string, work: () => Promise<T>): Promise<T> {
  const file = join(root, paths.lock)
  mkdirSync(dirname(file), { recursive: true })
  const own = takeLock(file)
  if (own === undefined) throw new CommandError(heldSentence(file))
  try {
    finishReplacement(root)
    return await work()
  } finally {
    release(file, own)
  }
}

function heldSentence(file: string): string {
  const pid = pidIn(wordsIn(file) ?? '')
  const who = pid === undefined ? '' : ` (process ${pid})`
  return `Another ulmus${who} is changing this folder. Wait for it, or delete ${file} if there is none.`
}

/** @returns what our lock says; undefined: another has it, or is about to */
function takeLock(file: string): string | undefined {
  const own = `${process.pid} ${randomUUID()}`
  ours.add(own)
  const isTaken = made(file, own) || takenOver(file, own)
  if (!isTaken) ours.delete(own)
  return isTaken ? own : undefined
}

function takenOver(file: string, own: string): boolean {
  const stale = wordsIn(file)
  if (stale === undefined) return made(file, own)
  if (isHeld(file, stale)) return false
  const claim = `${file}.${createHash('sha256').update(stale).digest('hex').slice(0, 16)}`
  // One that was claimed by a process that is gone, too, is claimed in the same way.
  const claimed = takeLock(claim)
  if (claimed === undefined) return false
  try {
    // An earlier holder of the claim may have replaced the lock. Nobody else replaces it while we hold the claim, since its owner is gone.
    if (wordsIn(file) !== stale) return false
    renameSync(drafted(file, own), file)
    return true
  } finally {
    release(claim, claimed)
  }
}

/** Makes a lock that is not there yet, with its words in it, in one step where the disk can do that. */
function made(file: string, own: string): boolean {
  const draft = drafted(file, own)
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    return writtenAlone(file, own)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** As `made`, for a disk without links, such as a USB stick. */
function writtenAlone(file: string, own: string): boolean {
  try {
    writeFileSync(file, own, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

function drafted(file: string, own: string): string {
  const draft = `${file}.${randomUUID()}.draft`
  writeFileSync(draft, own, { flag: 'wx' })
  return draft
}

function release(file: string, own: string): void {
  ours.delete(own)
  // Not one that somebody made who was told to delete ours.
  if (wordsIn(file) === own) rmSync(file, { force: true })
}

function wordsIn(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function isHeld(file: string, words: string): boolean {
  const pid = pidIn(words)
  if (pid === undefined) return Date.now() - modifiedAt(file) < writingMs
  return pid === process.pid ? ours.has(words) : isRunning(pid)
}

const modifiedAt = (file: string): number => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0

function pidIn(words: string): number | undefined {
  const pid = Number(words.split(' ')[0])
  return Number.isInteger(pid) && pid > 0 ? pid : undefined
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It runs, as somebody else.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
