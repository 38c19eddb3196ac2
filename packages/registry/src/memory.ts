/**
 * Memory of this process and its budgets. Budgets shrink with the memory limit of the container or unit, so that load does not
 * exceed it and kill the process.
 */
import { readFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { dirname } from 'node:path'

const mebibyte = 1024 ** 2

/** Memory outside the budgets, in MiB. Child processes of the server count in its container or unit, too. */
const reserved = {
  /** The idle server, with the embedded database. */
  atRest: 220,
  /** Worker threads, and answers and bodies below the counted size. */
  threads: 100,
  /** The process that renders readmes (apps/web/src/readme). */
  readmes: 130,
}

/** Memory of a busy push thread: its modules and part of its heap. The push pool has one thread more than the read pool. MiB. */
const threadMebibytes = 160

/** With less memory, a server answers no questions about tables: their processes take some 120 MiB each. */
const tablesMebibytesMin = 768

/** With less memory, the server answers only a few requests at a time. Bytes. */
export const memoryBytesMin = 1_024 * mebibyte

export interface MemoryBudgets {
  /** Cache of decoded objects. Bytes. */
  readonly cache: number
  /** Request bodies. Bytes. */
  readonly bodies: number
  /** Answers. Bytes. */
  readonly answers: number
  /** JavaScript heap of one worker thread. MiB. */
  readonly heapMebibytes: number
  /** DuckDB's memory in one process. MiB; 0: the machine has too little for such processes. */
  readonly engineMebibytes: number
  /** Maximum threads of a pool; the number of cores may be lower. */
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
    engineMebibytes: mebibytes < tablesMebibytesMin ? 0 : Math.floor(Math.min(mebibytes / 8, 512)),
    threads: Math.max(1, Math.floor((mebibytes - reserved.atRest - reserved.readmes) / threadMebibytes)),
  }
}

/**
 * The lowest memory limit of the process's cgroup and its ancestors, such as a unit and its slice. Infinity if there is none.
 * Bytes.
 * @param read returns the text of a file, or throws if it does not exist
 */
export function cgroupLimit(read: (path: string) => string): number {
  const found: number[] = []
  // cgroup v2: `0::/system.slice/ulmus.service`. `process.constrainedMemory()` reads the limit of v1, and in v2 only the limit of the
  // own group.
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

/** @param limits in bytes; ignores 0 and values above the machine's memory */
export const memoryOf = (machine: number, ...limits: number[]): number =>
  Math.min(machine, ...limits.filter((limit) => limit > 0))

/** Memory that this process may use: the lowest limit, or all of the machine. Bytes. */
export const memoryBytes = memoryOf(
  totalmem(),
  process.constrainedMemory(),
  cgroupLimit((path) => readFileSync(path, 'utf8')),
)
/** Budgets of this process, fixed at its start. */
export const memoryBudgets = memoryBudgetsOf(memoryBytes)

/** Threads of a read pool: one a core, at least two, but no more than fit in memory (one with 512 MiB). */
export const threadsUsual = Math.min(Math.max(2, availableParallelism()), memoryBudgets.threads)
