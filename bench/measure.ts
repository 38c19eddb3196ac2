/** Measurements: times, samples, bytes on disk, memory of a process. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** Results of repeated measurements, in the given unit. */
export interface Sample {
  readonly median: number
  readonly low: number
  readonly high: number
  readonly p99: number
  readonly runs: number
}

/** @param values at least one */
export function sampleOf(values: readonly number[]): Sample {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)]!
  const half = sorted.length / 2
  const median = Number.isInteger(half) ? (sorted[half - 1]! + sorted[half]!) / 2 : sorted[Math.floor(half)]!
  return { median, low: sorted[0]!, high: sorted.at(-1)!, p99: at(0.99), runs: sorted.length }
}

/** Runs `work`. Returns its duration in milliseconds and its result. */
export async function timed<T>(work: () => Promise<T> | T): Promise<{ ms: number; value: T }> {
  const start = performance.now()
  const value = await work()
  return { ms: performance.now() - start, value }
}

export interface Repetition {
  readonly runs: number
  /** Number of warm-up runs before that, which are not counted. Default: 0. */
  readonly warmUp?: number
}

/** Milliseconds of each of several sequential runs. `work` gets the number of the run, warm-up included. */
export async function repeated(
  { runs, warmUp = 0 }: Repetition,
  work: (run: number) => Promise<unknown>,
): Promise<Sample> {
  const times: number[] = []
  for (let run = 0; run < warmUp + runs; run++) {
    const { ms } = await timed(() => work(run))
    if (run >= warmUp) times.push(ms)
  }
  return sampleOf(times)
}

/** Disk space of a folder's files in whole blocks, in bytes. Folders themselves are not counted. */
export function diskBytes(folder: string): number {
  const list = ['-type', 'f', '-printf', '%b\\n']
  const blocks = execFileSync('find', [folder, ...list], { encoding: 'utf8', maxBuffer: 2 ** 28 })
  return blocks.split('\n').reduce((sum, count) => sum + 512 * Number(count), 0)
}

/** Peak resident memory of a process since its start. MiB. Linux only. */
export function peakMiB(pid: number): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  if (kilobytes === undefined) throw new Error(`/proc/${pid}/status tells no VmHWM.`)
  return Number(kilobytes) / 1024
}
