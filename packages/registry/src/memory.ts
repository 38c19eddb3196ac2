/** Memory that this process may use, and its parts. The parts shrink with the limit of the container or unit, so that load does not end the process. */
import { readFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { dirname } from 'node:path'

const mebibyte = 1024 ** 2

/** Used besides the budgets. The parts of the processes that the server starts count in its container or unit. MiB. */
const reserved = {
  /** The server at rest, with the embedded database. */
  atRest: 220,
  /** Worker threads, and answers and bodies that are too small to be counted. */
  threads: 100,
  /** The process that renders readmes (apps/web/src/readme). */
  readmes: 130,
}

/** Memory of a working thread for pushes: its modules and some of its heap. The pool for pushes has one thread more than the one for readers. MiB. */
const threadMebibytes = 160

/** Below this much memory few requests are answered at a time. Bytes. */
export const memoryBytesMin = 1_024 * mebibyte

export interface MemoryBudgets {
  /** Decoded objects. Bytes. */
  readonly cache: number
  /** Bodies of requests, and as much again: answers. Bytes. */
  readonly bodies: number
  readonly answers: number
  /** JavaScript's heap of one worker thread. MiB. */
  readonly heapMebibytes: number
  /** Threads of one pool, if there are as many cores. */
  readonly threads: number
}

/** @param memory Bytes. */
export function memoryBudgetsOf(memory: number): MemoryBudgets {
  const mebibytes = memory / mebibyte
  const spare = mebibytes - reserved.atRest - reserved.threads - reserved.readmes
  const most = Math.min(Math.max(512, mebibytes / 4), 2_048)
  const part = (share: number, min: number, max: number) =>
    Math.floor(Math.min(Math.max(spare * share, min), max) * mebibyte)
  return {
    cache: part(1 / 5, 16, 256),
    bodies: part(2 / 5, 32, most),
    answers: part(2 / 5, 64, most),
    heapMebibytes: Math.floor(Math.min(Math.max(mebibytes / 4, 128), 1_024)),
    threads: Math.max(1, Math.floor((mebibytes - reserved.atRest - reserved.readmes) / threadMebibytes)),
  }
}

/**
 * Memory limit of the process's cgroup and of those above it, such as a unit and its slice. Infinity: none. Bytes.
 * @param read the text of a file; it throws if there is none
 */
export function cgroupLimit(read: (path: string) => string): number {
  const found: number[] = []
  // cgroup v2: `0::/system.slice/ulmus.service`. `process.constrainedMemory()` knows the limit of v1, and in v2 that of the last one alone.
  const [, own] = /^0::(\/.*)$/m.exec(textOf(read, '/proc/self/cgroup')) ?? []
  for (let group = own; group !== undefined; group = group === '/' ? undefined : dirname(group)) {
    const limit = Number.parseInt(textOf(read, `/sys/fs/cgroup${group === '/' ? '' : group}/memory.max`), 10)
    if (limit > 0) found.push(limit)
  }
  return Math.min(Number.POSITIVE_INFINITY, ...found)
}

function textOf(read: (path: string) => string, path: string): string {
  try {
    return read(path)
  } catch {
    return ''
  }
}

/** @param limits Bytes; 0, or more than the machine has: none */
export const memoryOf = (machine: number, ...limits: number[]): number =>
  Math.min(machine, ...limits.filter((limit) => limit > 0))

export const memoryBytes = memoryOf(
  totalmem(),
  process.constrainedMemory(),
  cgroupLimit((path) => readFileSync(path, 'utf8')),
)
export const memoryBudgets = memoryBudgetsOf(memoryBytes)

/** Threads of a pool for readers: one for each core, at least two, but only as many as fit the memory (one with 512 MiB). */
export const threadsUsual = Math.min(Math.max(2, availableParallelism()), memoryBudgets.threads)
